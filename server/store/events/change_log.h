/* change_log.h - up to which run each workload was searched for change points,
 * and which change points were reported. */
#pragma once
#include "db.h"
#include <stdint.h>

struct change_due {
	const char *project, *workload; /* NULL: nothing is due */
	int64_t seen; /* newest run at the last search; 0: never searched */
	int64_t newest; /* the workload's newest run now */
	bool more; /* other workloads are due, too */
};
/* Finds the next workload that has runs newer than at its last search.
 * Workloads are ordered by their newest run; the search starts after run
 * `after` (0: at the first). A run does not count if its id is more than 10,000
 * below the newest run that any search has seen: a workload that old is
 * searched when it gets a new run. */
bool change_log_due(struct db *db, struct arena *a, int64_t after,
	struct change_due *out, struct err *e);

/* The operators with the most time in the workload's newest runs, at most
 * `most` of them. */
bool change_log_operators(struct db *db, struct arena *a,
	const struct change_due *d, int most, const char *const **names,
	uint32_t *n, struct err *e);

/* The runs that follow the recorded change points of this metric. */
bool change_log_recorded(struct db *db, struct arena *a,
	const struct change_due *d, const char *metric, const int64_t **runs,
	uint32_t *n, struct err *e);

struct change_point_record {
	const char *metric;
	int64_t run; /* the first run after the change point */
	double change_pct; /* NaN: the level before it was 0 */
	bool worse;
	/* body of the event; NULL: recorded but not reported */
	const char *body;
};
/* In one transaction: records these change points, posts an event for each that
 * was not recorded before, and records that the workload was searched. */
bool change_log_record(struct db *db, const struct change_due *d,
	const struct change_point_record *records, uint32_t n, struct err *e);
