/* derived.h - the rows of a run that are computed again whenever its upload is
 * ingested again.
 *
 * They are written in the caller's transaction, which holds the lock on the
 * run's identity. Values that the profile does not know (-1, NaN) become
 * NULL. */
#pragma once
#include "db.h"
#include "profile.h"
#include <math.h>

struct derived_run {
	const struct profile *profile;
	const int64_t *kernels; /* ids in the dictionary, by profile.kernels */
	/* also ids, by operators.rows and operators.shapes */
	const int64_t *keys, *shapes;
	uint32_t of; /* number of runs of the upload, which share its weight */
	int64_t id; /* 0: deleted, nothing is written */
	uint32_t ordinal;
	bool ranked; /* one of the ranks for which the upload is a job */
};

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e);
/* Replaces the kernel profiles of a run, which may be attached later. */
bool derived_replace_kernel_profiles(struct db *db,
	const struct derived_run *run, struct err *e);
/* Deletes all derived rows of the run, and its capture file. */
bool derived_clear(struct db *db, int64_t run, struct err *e);

/* Whether bounds at the run's SM clock are stored, next to those by the data
 * sheet. */
static inline bool derived_has_clock(const struct derived_run *run)
{
	return run->profile->operators.sm_clock_mhz > 0;
}

/* Whether the cost and the T_SOL of a shape are known. */
static inline bool derived_bound(const struct shape_stat *s)
{
	return s->costed && s->sol_ns < INFINITY;
}
