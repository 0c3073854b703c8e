/* run_change.h - a run goes because it was kept long enough. */
#pragma once
#include "db.h"

/* As run_delete() (query.h) does, but for one whose upload waits or is worked
 * on, and one that is labelled keep=true: these stay, and *gone is false. */
bool run_forget(struct db *db, int64_t id, bool *gone, struct err *e);
