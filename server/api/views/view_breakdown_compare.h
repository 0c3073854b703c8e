/* view_breakdown_compare.h - layers of several runs, row by row. */
#pragma once
#include "run_breakdown.h"
#include "view_breakdown.h"

json_t *view_breakdown_compare(const struct run_breakdown *runs,
	const struct breakdown_compare *b);
/* The layout of layer_table.h, with a column per run. */
const struct table *view_breakdown_compare_table(struct arena *a,
	const struct run_breakdown *runs, const struct breakdown_compare *b);
