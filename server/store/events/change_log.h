/* change_log.h - up to which run each workload was searched for change points,
 * and which change points were reported. */
#pragma once
#include "db.h"
#include <stdint.h>

struct change_due {
	const char *project, *workload; /* NULL: nothing is due */
	int64_t seen; /* the newest run at the last search; 0 never */
	int64_t newest; /* its newest run now */
	bool more; /* other workloads are due as well */
};
/* The next workload after `after` (0: the first) by its newest run that has
 * runs newer than at its last search. Runs whose id is more than 10,000 below
 * the newest run that any search saw do not count: so old a workload is
 * searched when it gets a new run. */
bool change_log_due(struct db *db, struct arena *a, int64_t after,
	struct change_due *out, struct err *e);

/* The operators with the most time in the workload's newest runs, at most
 * `most`. */
bool change_log_operators(struct db *db, struct arena *a,
	const struct change_due *d, int most, const char *const **names,
	uint32_t *n, struct err *e);

/* First runs after the change points of this metric that were recorded. */
bool change_log_recorded(struct db *db, struct arena *a,
	const struct change_due *d, const char *metric, const int64_t **runs,
	uint32_t *n, struct err *e);

struct change_point_record {
	const char *metric;
	int64_t run; /* the first after the change point */
	const char *body; /* of the event; NULL: recorded but not reported */
};
/* Records these, posts the event of each that was not recorded before, and
 * records that the workload was searched: all of it or nothing. */
bool change_log_record(struct db *db, const struct change_due *d,
	const struct change_point_record *records, uint32_t n, struct err *e);
