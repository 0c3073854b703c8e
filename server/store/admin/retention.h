/* retention.h - how long what is kept, as people said it.
 *
 * A row is of a project, or (NULL) of all that have none of their own. -1: no
 * limit. Ages are in days; the quota counts bytes of uploads and captures. */
#pragma once
#include "db.h"

enum { RETENTION_DAYS_MAX = 36500, RETENTION_ROWS_MAX = 1000 };
#define RETENTION_QUOTA_MAX (INT64_C(1) << 40) /* MiB */

struct retention_row {
	const char *project;
	int raw_days, run_days;
	int64_t quota_mib;
};

/* That of all first, then by project. */
bool retention_list(struct db *db, struct arena *a, struct retention_row **rows,
	uint32_t *n, struct err *e);
/* These instead of those that are there. */
bool retention_replace(struct db *db, const struct retention_row *rows,
	uint32_t n, struct err *e);
