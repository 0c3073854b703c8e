/* trend_watcher.h - checks the series of workloads that have new runs for
 * changes of level, and projects that have new runs for slow GPUs. */
#pragma once
#include "db.h"

/* Checks the series of the next workload that has new runs. *after is the
 * workload that was checked last (0: start with the first); it advances even if
 * the check fails. *more says whether other workloads remain. Posts an event
 * (webhook_notify.h) for each change that was not reported before. */
bool trend_watcher_step(struct db *db, int64_t *after, bool *more,
	struct err *e);

/* A project's name has at most 500 bytes (sql/migrations). */
enum { SLOW_GPU_WATCHER_NAME = 501 };
/* The project that was searched last; "" is that of runs without a project. */
struct slow_gpu_place {
	bool begun; /* false: none was searched */
	char project[SLOW_GPU_WATCHER_NAME];
};
/* Searches the next project that has enough new runs for slow GPUs
 * (slow_gpu_watcher.c). `after` advances even if the search fails. *more is false
 * after the last project, and if the next one cannot be read. Posts an event for
 * each slow GPU that was not reported before. */
bool slow_gpu_watcher_step(struct db *db, struct slow_gpu_place *after,
	bool *more, struct err *e);
