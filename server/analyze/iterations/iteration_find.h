/* iteration_find.h - what repeats in a run, and which rows are whose.
 *
 * Ranges that repeat (the outermost that hold most of the GPU's work), else one
 * range that names itself a step and holds it, else the outermost period of the
 * kernels' names on one stream (a layer's is none: what comes once a
 * step is in no layer), else the whole recording. model/cycles.h tells what
 * comes out; iteration_ranges.h, period_detector.h, iteration_strata.h and iteration_use.h how
 * it is found. */
#pragma once
#include "profile.h"
#include "trace.h"

enum { CYCLE_OF_NONE = UINT32_MAX };

/* Which cycle each of the process's rows is of; CYCLE_OF_NONE where of none.
 * Indexed from the first row of the process's slice. */
struct cycle_rows {
	uint32_t *kernel, *copy, *graph;
};

/* Fills p->cycles, all but where their time goes (-1 there), and adds to
 * p->notes; needs p->kernels. `range`: NULL to find out, else the name of the
 * ranges that are the cycles, with or without its numbers; ERR_NOT_FOUND where
 * the run has none of that name. `kernel_of` and `call_of`: of each kernel row,
 * its index in p->kernels, and its call (correlation.h). *rows is to be given
 * back with cycle_find_drop(), also after a failure. */
bool cycle_find(const struct trace *t, const struct process *proc,
	const char *range, const uint32_t *kernel_of, const uint32_t *call_of,
	struct profile *p, struct cycle_rows *rows, struct err *e);
void cycle_find_drop(struct arena *a, struct cycle_rows *rows);
