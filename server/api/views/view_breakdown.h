/* view_breakdown.h - layers and launch groups of a run, and a comparison of the
 * layers of several runs. */
#pragma once
#include "query_breakdown.h"
#include "view.h"

json_t *view_breakdown(int64_t run, const struct breakdown_stored *is);
/* One line per row; times are in nanoseconds. */
const struct table *view_breakdown_rows(struct arena *a,
	const struct breakdown_stored *is);
/* The layout of layer_table.h with one run. Its heading says whether names lag.
 */
const struct table *view_breakdown_table(struct arena *a,
	const struct run_row *run, bool names_lag,
	const struct breakdown_stored *is);

json_t *view_group(const struct groups_stored *is, uint32_t i);
const struct table *view_groups_table(struct arena *a,
	const struct groups_stored *is);

/* ---- layers of several runs, row by row */

struct breakdown_compare;
struct run_breakdown;

json_t *view_breakdown_compare(const struct run_breakdown *runs,
	const struct breakdown_compare *b);
/* The layout of layer_table.h, with one column per run. */
const struct table *view_breakdown_compare_table(struct arena *a,
	const struct run_breakdown *runs, const struct breakdown_compare *b);
