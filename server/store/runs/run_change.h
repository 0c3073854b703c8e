/* run_change.h - users edit and delete a run; retention deletes it. */
#pragma once
#include "db.h"

/* NULL leaves a field as it is. */
struct run_change {
	const char *name, *project, *workload, *labels;
};
bool run_change(struct db *db, int64_t id, const struct run_change *c,
	struct err *e); /* ERR_NOT_FOUND */
/* Deletes a run for good; its id is never used again. */
bool run_delete(struct db *db, int64_t id, struct err *e);
/* The same unless its upload waits or is being worked on, or it is labeled
 * keep=true: then *gone is false. Without a time limit. */
bool run_expire(struct db *db, int64_t id, bool *gone, struct err *e);
