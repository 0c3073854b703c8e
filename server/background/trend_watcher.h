/* trend_watcher.h - checks the series of workloads that have new runs for
 * changes of level. */
#pragma once
#include "db.h"

/* Checks the series of the next workload that has new runs. *after is the
 * workload that was checked last (0: start with the first); it advances even if
 * the check fails. *more says whether other workloads remain. Posts an event
 * (webhook_notify.h) for each change that was not reported before. */
bool trend_watcher_step(struct db *db, int64_t *after, bool *more,
	struct err *e);
