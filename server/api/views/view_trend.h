/* view_trend.h - workloads and their series as JSON and tables. */
#pragma once
#include "change_point.h"
#include "query_trend.h"
#include "view.h"

json_t *view_workload(const struct workload_row *w);

struct trend_result {
	const struct trend_filter *f;
	const struct trend *t;
	bool grouped; /* some unit has the label */
	const struct change_point *changes;
	uint32_t changes_n;
	const char *const *other_work; /* of each change (trend_work.h) */
};
json_t *view_trend(const struct trend_result *is);
/* `p` is one of is->changes. */
json_t *view_trend_change(const struct trend_result *is,
	const struct change_point *p);
/* One row per point. */
const struct table *view_trend_table(struct arena *a,
	const struct trend_result *is);
