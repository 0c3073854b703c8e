/* cycle_phase.h - where in a period its cycles begin.
 *
 * With the recording, where that holds a whole number of periods; else at the
 * kernel before which the GPU, on average and but for the longest time, was
 * idle longest: where the host got ready. */
#pragma once
#include "period_test.h"

/* Moves a period's places, in at[] which has room for two more. In `a`, which
 * is for scratch; false where it is full. */
bool cycle_phase_move(const struct cycle_seq *s, struct cycle_cut *c,
	struct arena *a);
