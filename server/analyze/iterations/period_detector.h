/* period_detector.h - the outermost period of the kernels' names, as cycles.
 *
 * Places at which a gram (cycle_gram.h) begins are tried as cuts, those of most
 * sections first; the first that is a period (period_test.h) is taken, or the
 * period above it, and moved to where its cycles begin (cycle_phase.h). What is
 * before the first place, if all of its names are a cycle's and it is no longer
 * than one, and behind the last, unless it is a whole one, are parts of
 * cycles; else what is before the first is none. */
#pragma once
#include "cycle_window.h"

/* Fills out->cycles, n and range, and which rows are whose; n stays 0 where
 * there is no period. False where the arena is full. */
bool cycle_period_find(struct cycle_gpu *g, const uint32_t *kernel_of,
	struct profile *p);

/* Whether the windows of p->cycles, whose times are still the trace's, are a
 * period of the kernels' names: alike, and what comes in one comes in all. */
bool cycle_period_agrees(const struct cycle_gpu *g, const uint32_t *kernel_of,
	struct profile *p, bool *agrees);
