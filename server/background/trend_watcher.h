/* trend_watcher.h - checks the series of workloads that have new runs for
 * changes of level. */
#pragma once
#include "db.h"

/* Checks one workload's series since its last check: the first behind *after
 * (0: first of all), which advances to it even if it fails; *more: there are
 * others. Posts an event (webhook_notify.h) for each change that was not reported
 * before. */
bool trend_watcher_step(struct db *db, int64_t *after, bool *more,
	struct err *e);
