/* derived.h - the rows that are computed again for a run whenever its upload
 * is.
 *
 * In the caller's transaction, which holds the lock on the run's identity. What
 * the profile does not know (-1, NaN) becomes NULL. */
#pragma once
#include "db.h"
#include "profile.h"
#include <math.h>

struct derived_run {
	const struct profile *profile;
	const int64_t *kernels; /* the dictionary's ids, by profile.kernels */
	const int64_t *keys, *shapes; /* likewise, by operators' rows, shapes */
	uint32_t of; /* runs of the upload, which share its weight */
	int64_t id; /* 0: deleted, nothing is written */
	uint32_t ordinal;
	bool ranked; /* one of the ranks that make the upload a job */
};

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e);
/* Deletes all of them, with the run's capture file. */
bool derived_clear(struct db *db, int64_t run, struct err *e);

/* Whether the cost and the T_SOL of a shape are known. */
static inline bool derived_bound(const struct shape_stat *s)
{
	return s->costed && s->sol_ns < INFINITY;
}
