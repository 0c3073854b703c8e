/* iteration_parts.h - what iteration_find.c calls: the detectors, the strata of the
 * iterations they find, and which iterations count. */
#pragma once
#include "iteration_items.h"

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
bool iteration_ranges_named(const struct iteration_gpu *g, const char *asked,
	struct arena *a, struct iteration_ranges *out, struct err *e);

/* Fills out->cycles and out->n, and assigns rows. False if the arena is full. */
bool iteration_ranges_windows(struct iteration_gpu *g,
	const struct iteration_ranges *r, struct arena *a, struct cycles *out);

/* period_detector.c */

/* Fills out->cycles, n and range, and which rows are whose; n stays 0 where
 * there is no period. False if the arena is full. */
bool period_detector_find(struct iteration_gpu *g, const uint32_t *kernel_of,
	struct profile *p);

/* Whether the windows of p->cycles, whose times are still the trace's, are a
 * period of the kernels' names: alike, and what comes in one comes in all. */
bool period_detector_agrees(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, bool *agrees);

/* iteration_strata.c */

/* Makes p->cycles.strata, in order of first sight, and sets their iterations'
 * stratum; counts no kept iterations yet. `a` is for scratch, but for what is p's.
 * False if memory is full. */
bool iteration_strata_find(const struct iteration_gpu *g,
	const struct iteration_items *ops, const struct iteration_items *grids,
	struct profile *p, struct arena *a);

/* Counts kept iterations, and puts the strata that have most first. */
bool iteration_strata_sort(struct cycles *c, struct arena *a);

/* Makes p->cycles.works, by stratum, operators before grids, most frequent
 * first, then by name and size; at most CYCLES_WORKS_MAX of each. Kernels whose
 * grid is unknown are left out. False if memory is full. */
bool iteration_strata_works(const struct iteration_items *ops,
	const struct iteration_items *grids, const struct trace *t,
	struct profile *p, struct arena *a);

/* iteration_use.c */

/* Sets cycle.use and notes warm-up. In `a`, which is for scratch; false if it
 * is full. */
bool iteration_use_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, const struct iteration_items *ops,
	struct profile *p, struct arena *a);

/* Sets p->cycles.confidence, once it is clear which are kept. */
bool iteration_use_confidence(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a);
