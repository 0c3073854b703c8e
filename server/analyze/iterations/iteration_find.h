/* iteration_find.h - finds the iterations of a run and the rows of each
 * iteration.
 *
 * The first of these that exists is used:
 *
 *  - ranges that repeat: the outermost ones with most of the GPU's work;
 *  - a single range with the name of a step that contains most of this work;
 *  - the outermost period of the kernels' names on one stream. It is not the
 *    period of the layers, because kernels that run once per step are in no
 *    layer;
 *  - the whole recording.
 *
 * Calls without starts (CONTENT_DURATIONS) are in no iteration.
 *
 * model/iterations.h describes the result. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

enum { ITERATION_NONE = UINT32_MAX };

/* The iteration of each row of the process; ITERATION_NONE if it is in none.
 * Index 0 is the first row of the process's slice. */
struct iteration_rows {
	uint32_t *kernel, *copy, *graph;
};

/* The process that is searched. */
struct iteration_input {
	const struct trace *t;
	const struct process *proc;
	const uint32_t *kernel_of; /* by kernel row: its index in p->kernels */
	const uint32_t *call_of; /* by kernel row: its API call
		(correlation.h) */
	const struct catalog *catalog; /* reads the labels of steps */
};

/* Fills p->iterations and adds notes to p->notes; requires p->kernels. The
 * parts of each iteration's time remain -1. If `range` is NULL, the iterations
 * are searched for. Else it is the name of the ranges that are the iterations,
 * with or without numbers; ERR_NOT_FOUND if the run has no range of this name.
 * Release *rows with iteration_find_drop(), also after a failure. */
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
