/* iteration_use.h - which cycles count, and how sure it is that they are cycles.
 *
 * Warm-up: cycles at the beginning, each next to the last, that are unlike what
 * follows. A cycle is held against the later whole ones of its stratum, which
 * must be three or more, and is unlike where it launches a kernel that no later
 * cycle has, or where its duration or its kernel time is above their median by
 * more than 3 × 1.4826 × MAD and 2 % of it. At most a quarter of the whole
 * cycles, rounded up, is warm-up. A first cycle whose grids were its own and
 * which launches, by name, 90 % of what the most frequent stratum does, is of
 * that stratum: it did the same and tried things beside it.
 *
 * Confidence: the share of the GPU time that is in kept cycles, times how like
 * they are: the mean weighted Jaccard index, of launches by kernel, of each and
 * the next kept one of its stratum. Where no two can be held against each
 * other, the share alone for ranges, and 0 for a window over everything. */
#pragma once
#include "iteration_items.h"

/* Sets cycle.use; notes warm-up. In `a`, which is for scratch; false where it
 * is full. */
bool cycle_use_find(const struct cycle_gpu *g, const uint32_t *kernel_of,
	const struct cycle_items *ops, struct profile *p, struct arena *a);

/* Sets p->cycles.confidence, once it is clear which are kept. */
bool cycle_use_confidence(const struct cycle_gpu *g, const uint32_t *kernel_of,
	struct profile *p, struct arena *a);
