/* cycle_window.h - from ranges, or from nothing, to windows of the GPU's time.
 *
 * A record is of the cycle whose range was open when it was launched; one whose
 * launch is not known, or lies between two ranges, of the cycle in whose window
 * it starts. A window begins with the first record that its range launched and
 * ends where the next begins; the last one ends with its range or with its last
 * record, whichever is later.
 *
 * A range that launched nothing is a cycle all the same: it begins where its
 * range does, though not before the GPU is done with what came before nor after
 * the next cycle's beginning. */
#pragma once
#include "iteration_ranges.h"

/* Fill out->cycles and out->n, and which rows are whose. False where the arena
 * is full. */
bool cycle_window_ranges(struct cycle_gpu *g, const struct cycle_ranges *r,
	struct arena *a, struct cycles *out);

/* One cycle over all GPU records; none where there are none. */
bool cycle_window_whole(struct cycle_gpu *g, struct arena *a,
	struct cycles *out);

/* Gives rows that are of no cycle yet to the one in whose window they start. */
void cycle_window_claim(struct cycle_gpu *g, const struct cycles *c);
