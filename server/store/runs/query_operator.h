/* query_operator.h - what GPU time was spent on: of a run, and of a fleet.
 *
 * As query.h: rows become structs, nothing is computed. Fleet sums come from the
 * rollups and whatever deltas are not folded in yet, so they are never behind. */
#pragma once
#include "fleet.h"
#include "query.h"

struct run_operators {
	const char *platform; /* NULL unknown */
	const char *catalog; /* version it was attributed with */
	int64_t gpu_ns, replayed, replayed_known;
	struct operator_stat *rows;
	uint32_t n;
};
bool query_operators(struct db *db, struct arena *a, int64_t run,
	struct run_operators *out, struct err *e);

/* How many runs were attributed with another version of the catalogue. */
bool query_outdated(struct db *db, const char *catalog, int64_t *runs,
	struct err *e);

struct shape_filter {
	int64_t run;
	const char *operator; /* NULL: the unattributed one */
	int64_t offset;
	int limit; /* 0: all */
};
/* shape_stat.operator_ is the row's place among query_operators()'s. */
bool query_shapes(struct db *db, struct arena *a, const struct shape_filter *f,
	struct shape_stat **rows, uint32_t *n, bool *more, struct err *e);

struct unattributed_line {
	int64_t kernel; /* id in the dictionary */
	const char *name, *short_name, *family;
	int64_t launches, total_ns, runs; /* runs: 1 of a run */
};
/* Of a run, or of all runs (0), most time first. */
bool query_unattributed(struct db *db, struct arena *a, int64_t run, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e);

struct fleet_filter {
	/* NULL any; phase is profile_word's. `labels` is a JSON object and makes
	 * the answer come from the runs themselves. */
	const char *project, *workload, *framework, *platform, *labels;
	const char *operator;
	enum phase phase; /* PHASE_UNKNOWN: any */
	enum dtype dtype; /* DTYPE_UNKNOWN: any */
	int64_t since, until; /* NO_MOMENT open; whole days (UTC) count that
		begin in [since, until) */
};
bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e);

struct fleet_shape {
	const char *operator, * platform, *text; /* text NULL: sizes unknown */
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
/* f->operator is needed; most weighted time first. */
bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, int64_t offset, int limit,
	struct fleet_shape **rows, uint32_t *n, bool *more, struct err *e);
