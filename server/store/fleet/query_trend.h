/* query_trend.h - workloads, the series of one of them (model/trend.h), and the
 * units of the same work that a gate's anchor is chosen from. */
#pragma once
#include "gate.h"
#include "query.h"
#include "trend.h"

struct workload_row {
	const char *project, *workload; /* "" if not given */
	int64_t runs, first, last; /* when they were stored */
	/* newest run of the workload; pages are ordered by it */
	int64_t newest;
};
struct workload_filter {
	/* NULL: any. `q` is searched for in project and workload, ignoring
	 * case. */
	const char *project, *workload, *q;
	/* only runs stored in [since, until); NO_MOMENT: no limit */
	int64_t since, until;
	int64_t after; /* `newest` of the previous page's last row; 0: none */
	int limit;
};
/* Lists workloads; the one with the newest run comes first. */
bool query_workloads(struct db *db, struct arena *a,
	const struct workload_filter *f, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e);

/* Lists kernels whose name begins with `prefix`, at most 10,000. */
struct kernel_named {
	int64_t id;
	const char *name;
};
bool query_kernel_prefix(struct db *db, struct arena *a, const char *prefix,
	struct kernel_named **rows, uint32_t *n, struct err *e);

/* A series has at most this many units, the newest ones. */
enum { TREND_UNITS = 50000 };

struct trend_filter {
	const char *project, *workload; /* complete names; "" if not given */
	enum trend_metric metric;
	enum trend_stat stat; /* one that the metric has */
	/* an operator, the kernel's complete name, or the kind of collectives;
	 * else NULL */
	const char *of;
	/* Ids of all kernels with the stem of `of`, if a compiler numbers it:
	 * the kernel is then found in each run under the number that it has
	 * there. None: by its name. */
	const int64_t *like;
	uint32_t like_n;
	const char *device, *framework, *labels; /* as in run_filter */
	const char *group; /* the label by which units are grouped */
	/* stored in [since, until); a job: its first run */
	int64_t since, until;
	int limit; /* number of units, at most TREND_UNITS */
};
bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e);

/* Which units are the same work as some runs: all units whose runs have the same
 * set of repeat keys (sql/README.md) as these. */
struct same_work_filter {
	const int64_t *like; /* these runs */
	uint32_t like_n;
	const int64_t *ids; /* only these runs; NULL: any */
	uint32_t ids_n;
	const char *project, *workload, *labels; /* NULL: any; labels: JSON */
	const int64_t *without; /* excludes these runs */
	uint32_t without_n;
	int64_t since,
		until; /* stored in [since, until); NO_MOMENT: no limit */
	const char *unit; /* the label that is a unit's commit */
	uint32_t min_iterations; /* kept ones, of each run */
	int limit; /* number of units, the newest; of runs, 16 times as many */
};
/* Returns the oldest unit first. */
bool query_same_work(struct db *db, struct arena *a,
	const struct same_work_filter *f, struct gate_stored_unit **out,
	uint32_t *n, struct err *e);
