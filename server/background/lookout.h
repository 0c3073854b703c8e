/* lookout.h - looks at the series of workloads that have new runs, and tells
 * where one changed its level. */
#pragma once
#include "db.h"

/* One workload's series since it was last looked at: the first behind *after (0:
 * first of all), which moves on to it, even where it fails; *more: there are others.
 * Posts an event (webhook.h) for each change that was not told before. */
bool lookout_step(struct db *db, int64_t *after, bool *more, struct err *e);
