/* run_change.h - users edit and delete a run; retention deletes it. */
#pragma once
#include "db.h"

/* NULL: the field does not change. */
struct run_change {
	const char *name, *project, *workload, *labels;
	/* NULL, or the values that the caller read before; NULL fields are not
	 * compared. */
	const struct run_change *expected;
};
/* ERR_NOT_FOUND; ERR_CONFLICT, and the run stays, if it does not have the
 * expected values. */
bool run_change(struct db *db, int64_t id, const struct run_change *c,
	struct err *e);
/* Deletes a run for good; its id is never used again. */
bool run_delete(struct db *db, int64_t id, struct err *e);
/* As run_delete(), without a time limit. *gone is false, and the run stays, if
 * its upload is waiting or being worked on, or if the run has the label
 * keep=true. */
bool run_expire(struct db *db, int64_t id, bool *gone, struct err *e);
