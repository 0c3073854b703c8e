/* rollup_delta.h - adds what a run contributes to the sums over runs, and takes
 * it back.
 *
 * Inserts signed rows (rollup_delta, rollup_delta_kernel) in the caller's
 * transaction. rollup_fold() adds these rows to the sums. */
#pragma once
#include "derived.h"
#include "ledger.h"

struct rollup_run {
	int64_t id, weight_uh;
	const struct operators *operators;
	const int64_t *keys, *shapes; /* ids, by its rows and shapes */
};

/* Reads a stored run; *there is false if the run adds nothing. */
bool rollup_delta_read(struct db *db, struct arena *a, int64_t run,
	struct rollup_run *out, bool *there, struct err *e);
/* Adds (sign 1) or takes back (-1) the run's contribution, under the project,
 * workload, platform and framework that its row has now. */
bool rollup_delta_add(struct db *db, const struct rollup_run *run, int sign,
	struct err *e);

/* Adds the contributions of runs that were just written. */
bool rollup_delta_save(struct db *db, const struct derived_run *runs,
	uint32_t n, struct err *e);
/* Adds a run's shape, `sign` times, to the row with the shape's id (0: sizes
 * unknown). `first`: this is the run's first shape with this id, so it counts
 * the run. */
void rollup_delta_shape(struct ledger *l, const struct shape_stat *s,
	int64_t id, int64_t weight_uh, bool first, int sign);
