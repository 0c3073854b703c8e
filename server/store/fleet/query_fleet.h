/* query_fleet.h - what the GPU time of many runs was spent on.
 *
 * Sums come from the rollups and the deltas that are not folded in yet: they
 * are never behind. */
#pragma once
#include "fleet.h"
#include "query.h"

struct fleet_filter {
	/* NULL any. `labels` is a JSON object; rollups do not have labels, so
	 * that the sums come from the runs themselves. */
	const char *project, *workload, *framework, *platform, *labels;
	const char *op;
	enum phase phase; /* PHASE_UNKNOWN: any */
	enum dtype dtype; /* DTYPE_UNKNOWN: any */
	int64_t since, until; /* NO_MOMENT open; whole days (UTC) that
		begin in [since, until) */
};
bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e);

struct fleet_shape {
	const char *op, *platform, *text; /* text NULL: sizes unknown */
	enum dtype dtype;
	enum phase phase;
	int64_t runs, calls, launches;
	double total_s, weighted_s;
	double med_ns; /* of a call, from the buckets: within 2.2 % */
	bool costed;
	struct cost cost;
	double sol_ns; /* of a call on its platform; NaN */
	enum leg leg;
};
/* Requires f->operator; the most weighted time first. */
bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, int64_t offset, int limit,
	struct fleet_shape **rows, uint32_t *n, bool *more, struct err *e);
