/* rollup.h - sums over runs, so that queries over a fleet need not read the
 * runs.
 *
 * A transaction that changes a run only inserts signed rows (rollup_delta.h).
 * rollup_fold() adds these rows to the sums, in one process at a time. Readers
 * add the rows that are not folded in yet. */
#pragma once
#include "db.h"

/* Takes the lock of the sums until the transaction ends; ERR_BUSY if another
 * process has it. */
bool rollup_lock(struct db *db, struct err *e);

/* Adds at most `limit` deltas to the sums; *left: whether more are waiting.
 * ERR_BUSY if another process is folding. */
bool rollup_fold(struct db *db, int limit, int64_t *folded, bool *left,
	struct err *e);
