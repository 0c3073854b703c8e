/* change_log.h - how far the series of workloads were looked at, and which of
 * their changes were told. */
#pragma once
#include "db.h"
#include <stdint.h>

struct change_due {
	const char *project, *workload; /* NULL: nothing is due */
	int64_t seen; /* the newest run when it was last looked at; 0 never */
	int64_t newest; /* its newest run now */
	bool more; /* other workloads are due as well */
};
/* The workload whose newest run comes first behind `after` (0: first of all), and
 * that has runs newer than what was seen of it. Runs that were
 * stored long before the newest one that anybody saw (10,000 ids) do not count:
 * what is that old is looked at when its workload has a new run. */
bool change_due(struct db *db, struct arena *a, int64_t after,
	struct change_due *out, struct err *e);

/* The operators of most time in the workload's newest runs, at most `most`. */
bool change_operators(struct db *db, struct arena *a,
	const struct change_due *d, int most, const char *const **names,
	uint32_t *n, struct err *e);

/* Runs behind a change of this metric that was told or passed over. */
bool change_told(struct db *db, struct arena *a, const struct change_due *d,
	const char *metric, const int64_t **runs, uint32_t *n, struct err *e);

struct change_news {
	const char *metric;
	int64_t run; /* the first behind it */
	const char *body; /* of the event; NULL: it is passed over */
};
/* Writes these down, posts the event of each that nobody else wrote down before,
 * and that the workload was looked at: all of it or nothing. */
bool change_settle(struct db *db, const struct change_due *d,
	const struct change_news *news, uint32_t n, struct err *e);
