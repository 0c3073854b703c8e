/* iteration_find.h - what repeats in a run, and which rows belong to which
 * iteration.
 *
 * Ranges that repeat (the outermost that hold most of the GPU's work), else one
 * range with a step's name that holds it, else the outermost period of the
 * kernels' names on one stream (not a layer's: what occurs once a step is in no
 * layer), else the whole recording. model/iterations.h describes the result. */
#pragma once
#include "profile.h"
#include "trace.h"

enum { ITERATION_NONE = UINT32_MAX };

/* Which iteration each of the process's rows belongs to; ITERATION_NONE if to
 * none. Indexed from the first row of the process's slice. */
struct iteration_rows {
	uint32_t *kernel, *copy, *graph;
};

/* The process that is searched. */
struct iteration_input {
	const struct trace *t;
	const struct process *proc;
	const uint32_t *kernel_of; /* by kernel row: its index in p->kernels */
	const uint32_t *call_of; /* by kernel row: its call (correlation.h) */
};

/* Fills p->iterations except how their time is divided (-1 there), and adds to
 * p->notes; requires p->kernels. `range`: NULL to search, else the name of the
 * ranges that are the iterations, with or without its numbers; ERR_NOT_FOUND if
 * the run has none of that name. Release *rows with iteration_find_drop(), also
 * after a failure. */
bool iteration_find(const struct iteration_input *in, const char *range,
	struct profile *p, struct iteration_rows *rows, struct err *e);

static inline void iteration_find_drop(struct arena *a,
	struct iteration_rows *rows)
{
	arena_drop(a, rows->kernel);
	arena_drop(a, rows->copy);
	arena_drop(a, rows->graph);
	*rows = (struct iteration_rows){ 0 };
}
