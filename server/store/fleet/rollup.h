/* rollup.h - sums over runs, so that a fleet's questions need not scan them.
 *
 * A save, a delete, a rebuild and a change of a run's project or workload only
 * insert signed rows (rollup_delta_…) in their own transaction; rollup_fold()
 * adds them in, one folder at a time. Readers add what is not folded yet. */
#pragma once
#include "db.h"

/* Folds at most `limit` deltas; *left tells whether more wait. False with
 * ERR_BUSY where another process is folding. */
bool rollup_fold(struct db *db, int limit, int64_t *folded, bool *left,
	struct err *e);
/* Whether any wait. */
bool rollup_left(struct db *db, bool *left, struct err *e);
