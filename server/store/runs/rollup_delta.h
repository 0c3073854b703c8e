/* rollup_delta.h - what a run adds to the sums, and takes back. */
#pragma once
#include "derived.h"

struct rollup_run {
	int64_t id, weight_uh;
	const struct operators *operators;
	const int64_t *keys, *shapes; /* ids, by its rows and shapes */
};

/* Of a stored run; *there false where it adds nothing. */
bool rollup_read(struct db *db, struct arena *a, int64_t run,
	struct rollup_run *out, bool *there, struct err *e);
/* Inserts what it adds (sign 1) or takes back (-1), under what its row in `run`
 * says now. */
bool rollup_post(struct db *db, const struct rollup_run *run, int sign,
	struct err *e);

/* Runs that were just written. */
bool rollup_save(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e);
/* One whose rows are about to go. */
bool rollup_take_back(struct db *db, int64_t run, struct err *e);
