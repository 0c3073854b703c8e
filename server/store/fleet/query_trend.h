/* query_trend.h - workloads, and the series of one of them (model/trend.h). */
#pragma once
#include "query.h"
#include "trend.h"

struct workload_row {
	const char *project, *workload; /* "" if not given */
	int64_t runs, first, last; /* when they were stored */
	int64_t newest; /* its newest run, the key of pages */
};
/* The one with the newest run first. `q` is searched for in both names,
 * ignoring case. */
bool query_workloads(struct db *db, struct arena *a, const char *project,
	const char *q, int64_t after, int limit, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e);

/* A series has at most this many units, the newest ones. */
enum { TREND_UNITS = 50000 };

struct trend_filter {
	const char *project, *workload; /* whole names; "" if not given */
	enum trend_metric metric;
	enum trend_stat stat; /* one that the metric has */
	const char *of; /* operator, or the kernel's whole name; else NULL */
	const char *device, *framework, *labels; /* as run_filter's */
	const char *group; /* the label by which units are grouped */
	int64_t since, until; /* stored in [since, until); a job as its first */
	int limit; /* units, at most TREND_UNITS */
};
bool query_trend(struct db *db, struct arena *a, const struct trend_filter *f,
	struct trend *out, struct err *e);
