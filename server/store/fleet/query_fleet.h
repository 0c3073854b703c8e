/* query_fleet.h - what the GPU time of many runs was spent on.
 *
 * Sums are computed from the rollups and from the deltas that are not folded
 * into them yet, so they are always current. */
#pragma once
#include "fleet.h"
#include "query.h"

struct fleet_filter {
	/* NULL: any. `labels` is a JSON object; rollups do not have labels, so
	 * with labels the sums are computed from the runs themselves. */
	const char *project, *workload, *framework, *platform, *labels;
	const char *op;
	int64_t shape; /* 0: any; only for query_fleet_shapes() */
	enum phase phase; /* PHASE_UNKNOWN: any */
	enum dtype dtype; /* DTYPE_UNKNOWN: any */
	int64_t since, until; /* NO_MOMENT open; whole days (UTC) that
		begin in [since, until) */
};
bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e);

struct fleet_shape {
	int64_t id; /* 0: sizes unknown */
	const char *op, *platform, *text; /* text NULL: sizes unknown */
	enum dtype dtype;
	enum phase phase;
	int64_t runs, calls, launches;
	double total_s, weighted_s;
	double med_ns; /* median of a call, from the buckets: within 2.2 % */
	bool costed;
	/* Collectives of several kinds, or some of unknown cost, have these
	 * sizes, so they have no common cost. */
	bool link_kinds;
	struct cost cost;
	double sol_ns; /* T_SOL of a call on its platform; NaN if unknown */
	enum leg leg;
};
/* Requires f->operator. The shape with the most weighted time comes first. */
bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, int64_t offset, int limit,
	struct fleet_shape **rows, uint32_t *n, bool *more, struct err *e);
/* All shapes of the operators that match and have a fleet-best in `bests`, in no
 * order; without `runs`, `launches`, `text` and `med_ns`. Labels are not
 * supported. */
bool query_fleet_bounds(struct db *db, struct arena *a,
	const struct fleet_filter *f, const struct fleet_bests *bests,
	struct fleet_shape **rows, uint32_t *n, struct err *e);
