/* view_breakdown.h - layers and launch groups of a run. */
#pragma once
#include "query_breakdown.h"
#include "view.h"
#include <math.h>

/* T_SOL of a launch, and T_SOL over time, of the launches with a known bound; NaN if
 * there are none. */
static inline double view_layer_sol_ns(const struct breakdown_row *r)
{
	return r->bound_launches > 0
		       ? (double)r->sol_ps / 1e3 / (double)r->bound_launches
		       : (double)NAN;
}

static inline double view_layer_s(const struct breakdown_row *r)
{
	return r->bound_ns > 0 ? (double)r->sol_ps / 1e3 / (double)r->bound_ns
			       : (double)NAN;
}

json_t *view_layer_kernel(const struct breakdown_kernel *k);
/* Words, as they come in layer_role.def. */
json_t *view_layer_roles(layer_roles roles);

json_t *view_breakdown(int64_t run, const struct breakdown_stored *is);
/* A line per row, times in nanoseconds. */
const struct table *view_breakdown_rows(struct arena *a,
	const struct breakdown_stored *is);
/* The layout of layer_table.h, with one run, whose names lag or do not. */
const struct table *view_breakdown_table(struct arena *a,
	const struct run_row *run, bool names_lag,
	const struct breakdown_stored *is);

json_t *view_group(const struct groups_stored *is, uint32_t i);
const struct table *view_groups_table(struct arena *a,
	const struct groups_stored *is);

/* ---- layers of several runs, row by row (view_breakdown_compare.c) */

struct breakdown_compare;
struct run_breakdown;

json_t *view_breakdown_compare(const struct run_breakdown *runs,
	const struct breakdown_compare *b);
/* The layout of layer_table.h, with a column per run. */
const struct table *view_breakdown_compare_table(struct arena *a,
	const struct run_breakdown *runs, const struct breakdown_compare *b);
