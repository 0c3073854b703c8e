/* query_trend.h - workloads, and the series of one (trend.h says of what). */
#pragma once
#include "query.h"
#include "trend.h"

struct workload_row {
	const char *project, *workload; /* "" where nobody said */
	int64_t runs, first, last; /* when they were stored */
	int64_t newest; /* its newest run: what pages go by */
};
/* The one with the newest run first. `q` is looked for in both names, in any
 * case. */
bool query_workloads(struct db *db, struct arena *a, const char *project,
	const char *q, int64_t after, int limit, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e);

/* The newest units that are looked at. */
enum { TREND_UNITS = 50000 };

struct trend_filter {
	const char *project, *workload; /* whole names; "" where nobody said */
	enum trend_metric metric;
	enum trend_stat stat; /* one that fits */
	const char *of; /* operator, or the kernel's whole name; else NULL */
	const char *device, *framework, *labels; /* as run_filter's */
	const char *group; /* the label that tells what belongs together */
	int64_t since, until; /* stored in [since, until); a job as its first */
	int limit; /* units, at most TREND_UNITS */
};
bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e);
