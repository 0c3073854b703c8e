/* iteration_ranges.h - which ranges of a run are its cycles.
 *
 * Ranges are grouped by thread and by name without numbers (cycle_groups.h);
 * those of one group that lie in another of it are recursion and do not count,
 * and a group of which more than a tenth cross each other is none. A group's
 * launches are the calls made while one of its ranges was open, by whatever
 * thread: a backward pass has one of its own.
 *
 * A group is eligible that has two ranges or more and launched 60 % of the GPU
 * time whose call is known, where that is a fifth of all at least. Of eligible
 * ones the outermost is taken: fewest ranges, then most GPU time, then the
 * longest; epochs only where nothing else is. Ranges as the GPU saw them count
 * where the host's give nothing, by what ran while they were open.
 *
 * One that does not call itself a step must look like one (period_test.h), since
 * layers and requests have ranges, too; see passed.
 *
 * Else one single range is taken that holds that much and calls itself a step:
 * a file per step. */
#pragma once
#include "iteration_gpu.h"

struct cycle_ranges {
	uint32_t *row; /* of trace.range, ascending by start */
	uint32_t n; /* 0: none */
	const char *name; /* without numbers */
	bool gpu; /* as the GPU saw them */
	bool step; /* it says so itself */
};

/* The best, or after `passed` others; n 0 where there is no further. row is to
 * be arena_drop()ped. False where the arena is full. */
bool cycle_ranges_find(const struct cycle_gpu *g, uint32_t passed,
	struct arena *a, struct cycle_ranges *out);

/* The ranges that somebody named; ERR_NOT_FOUND with names that repeat. */
bool cycle_ranges_named(const struct cycle_gpu *g, const char *asked,
	struct arena *a, struct cycle_ranges *out, struct err *e);
