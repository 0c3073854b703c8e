/* view_operators.h - a run's operators, their shapes, and unattributed kernels. */
#pragma once
#include "findings.h"
#include "query_operator.h"
#include "run_operators.h"
#include "view.h"

json_t *view_run_operators(const struct run_operators_table *m,
	const struct finding_list *findings);
const struct table *view_run_operators_table(struct arena *a,
	const struct run_operators_table *m);

struct run_shapes {
	const struct run_operators_table *of;
	const char *op;
	const struct shape_stat *rows; /* operator_: index into of->is->rows */
	uint32_t n;
	double s_median;
};
/* With `n` of its rows as items, those after the first `from`. */
json_t *view_run_shapes(const struct run_shapes *s, uint32_t from, uint32_t n,
	const struct finding_list *findings);
const struct table *view_run_shapes_table(struct arena *a,
	const struct run_shapes *s);

json_t *view_unattributed(const struct unattributed_line *u);
const struct table *view_unattributed_table(struct arena *a,
	const struct unattributed_line *rows, uint32_t n);
