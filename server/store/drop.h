/* drop.h - an upload's bytes go away, as part of a transaction. */
#pragma once
#include "db.h"

/* However long that takes: gigabytes outlast the limit on a statement. */
bool drop_chunks(struct db *db, int64_t upload, struct err *e);
