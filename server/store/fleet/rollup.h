/* rollup.h - sums over runs, so that queries over a fleet need not read the
 * runs.
 *
 * Whatever changes a run inserts only signed rows (rollup_delta.h) in its own
 * transaction; rollup_fold() adds them to the sums, one process at a time.
 * Readers add the rows that are not folded in yet. */
#pragma once
#include "db.h"

/* Folds at most `limit` deltas; *left: whether more wait. ERR_BUSY if another
 * process is folding. */
bool rollup_fold(struct db *db, int limit, int64_t *folded, bool *left,
	struct err *e);
