/* beside_layout.h - what a table row of runs side by side says. */
#pragma once
#include "run_breakdown.h"
#include "layer_table.h"

struct beside_layout {
	struct layer_table table;
	const struct beside_run *runs;
	const struct breakdown_compare *b;
	const double *cells
		[BREAKDOWN_COMPARE_MAX]; /* by run and row: breakdown_cells_from() */
	struct arena *arena;
};

static inline const struct breakdown *
beside_layout_side(const struct beside_layout *l, uint32_t s)
{
	return &l->runs[s].is.breakdown;
}

/* A run's rows in an entry; how many. */
uint32_t beside_layout_rows(const struct beside_layout *l,
	const struct beside_entry *e, uint32_t s, const uint32_t **rows);
/* "gemm + splitKreduce": one text where all runs that have the entry have the
 * same; else of each in their order, "-" of one that lacks it. */
const char *beside_layout_kernels(const struct beside_layout *l,
	const struct beside_entry *e);
/* The module of the first run that tells one, else what its rows do. */
const char *beside_layout_module(const struct beside_layout *l,
	const struct beside_entry *e);
/* Of a run's rows what their cells tell: a group's time is at one of them. NaN
 * of none. */
double beside_layout_time(const struct beside_layout *l,
	const struct beside_entry *e, uint32_t s);
