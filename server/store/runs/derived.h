/* derived.h - the rows that a rebuild makes again, run by run.
 *
 * Inside a transaction of the caller's, who holds the run's identity. What the
 * profile does not tell (-1, NaN) becomes NULL. */
#pragma once
#include "profile.h"
#include "db.h"

struct derived_run {
	const struct profile *profile;
	const int64_t *kernels; /* the dictionary's ids, by profile.kernels */
	const int64_t *keys, *shapes; /* likewise, by operators' rows, shapes */
	uint32_t of; /* runs of the upload, which share its weight */
	int64_t id; /* 0: deleted, nothing is written */
	uint32_t ordinal;
	bool ranked; /* one of the ranks that its upload is a job of */
};

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e);
/* Captures too. */
bool derived_clear(struct db *db, int64_t run, struct err *e);
