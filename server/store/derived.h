/* derived.h - the rows that a rebuild makes again, run by run.
 *
 * Inside a transaction of the caller's, who holds the run's identity. */
#pragma once
#include "profile.h"
#include "db.h"

struct derived_run {
	const struct profile *profile;
	const int64_t *kernels; /* the dictionary's ids, by profile.kernels */
	int64_t id; /* 0: deleted, nothing is written */
};

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e);
bool derived_clear(struct db *db, int64_t run, struct err *e);
