/* iteration_parts.h - what the modules of this room offer each other: the detectors,
 * what iterations worked on, their strata, and which of them count. */
#pragma once
#include "iteration_gpu.h"

/* iteration_items.c: what each iteration worked on: operators with their dims,
 * kernels with their grids, iteration by iteration.
 *
 * An item is a name and a size. Operators are those that made a call which
 * launched something: the innermost one with Input Dims that was open on the
 * call's thread when the call began. Each is counted once, in the iteration of
 * the first thing that it launched. Grids are counted if the trace has them. */

/* Hashed as bytes, so it has no gaps. */
struct iteration_item {
	uint32_t
		name; /* an operator's, in trace.names; an index in p->kernels */
	uint32_t size; /* dims, in trace.names; id in grids */
};

struct iteration_items {
	enum work_kind kind;
	struct names keys; /* of struct iteration_item; id = item + 1 */
	uint32_t n; /* items */
	uint32_t names_n; /* names are below */
	uint32_t *entry; /* items, iteration by iteration */
	uint32_t *from; /* iteration i's are from[i]…from[i + 1] */
	struct names grids; /* WORK_GRID: int32_t[3] */
};

/* Both for p->iterations. In `a`, which is for scratch; false if it is full.
 * Without operators that have dims there is no entry. */
bool iteration_items_ops(struct iteration_items *s,
	const struct iteration_gpu *g, uint32_t iterations_n, struct arena *a);

bool iteration_items_grids(struct iteration_items *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, uint32_t iterations_n, struct arena *a);

struct iteration_item iteration_items_at(const struct iteration_items *s,
	uint32_t item);

/* "128x1x1"; "" if unknown. An operator's dims as the trace has them. */
const char *iteration_items_size(const struct iteration_items *s,
	const struct trace *t, uint32_t item, struct arena *a);

/* iteration_ranges.c */

struct iteration_ranges {
	uint32_t *row; /* of trace.range, ascending by start */
	uint32_t n; /* 0: none */
	const char *name; /* without numbers */
	bool gpu; /* as the GPU saw them */
	bool step; /* it says so itself */
};

/* The best group, or the best after `passed` others; n is 0 if there is no
 * further one. Release row with arena_drop(). False if the arena is full. */
bool iteration_ranges_find(const struct iteration_gpu *g, uint32_t passed,
	struct arena *a, struct iteration_ranges *out);

/* The ranges of the name that the caller gave; ERR_NOT_FOUND, with names that
 * repeat, if there are none. */
bool iteration_ranges_named(const struct iteration_gpu *g, const char *given,
	struct arena *a, struct iteration_ranges *out, struct err *e);

/* Fills out->iterations and out->n, and assigns rows. False if the arena is full. */
bool iteration_ranges_windows(struct iteration_gpu *g,
	const struct iteration_ranges *r, struct arena *a,
	struct iterations *out);

/* period_detector.c */

/* Fills out->iterations, n and range, and which rows are whose; n stays 0 if
 * there is no period. False if the arena is full. */
bool period_detector_find(struct iteration_gpu *g, const uint32_t *kernel_of,
	struct profile *p);

/* Whether the windows of p->iterations, whose times are still the trace's, are a
 * period of the kernels' names: similar, and a name in one is in all. */
bool period_detector_agrees(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, bool *agrees);

/* iteration_strata.c */

/* Makes p->iterations.strata, in order of first sight, and sets their iterations'
 * stratum; counts no kept iterations yet. `a` is for scratch, except for what
 * belongs to p. False if memory is full. */
bool iteration_strata_find(const struct iteration_gpu *g,
	const struct iteration_items *ops, const struct iteration_items *grids,
	struct profile *p, struct arena *a);

/* Counts kept iterations, and puts the strata that have most first. */
bool iteration_strata_sort(struct iterations *c, struct arena *a);

/* Makes p->iterations.works, by stratum, operators before grids, most frequent
 * first, then by name and size; at most ITERATIONS_WORKS_MAX of each. Kernels whose
 * grid is unknown are left out. False if memory is full. */
bool iteration_strata_works(const struct iteration_items *ops,
	const struct iteration_items *grids, const struct trace *t,
	struct profile *p, struct arena *a);

/* iteration_use.c */

/* Sets iteration.use and notes warm-up. In `a`, which is for scratch; false if it
 * is full. */
bool iteration_use_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, const struct iteration_items *ops,
	struct profile *p, struct arena *a);

/* Sets p->iterations.confidence, once it is clear which are kept. */
bool iteration_use_confidence(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a);
