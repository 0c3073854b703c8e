/* intern.h - kernel names become ids of the dictionary, once per database.
 *
 * Looked up first; what is missing is inserted in the order of its sha256 in a
 * short transaction of its own, before the rows that refer to it. Two who
 * insert the same wait for each other in one order and therefore never in a
 * circle; the later one finds its first name taken and looks again. What the
 * catalogue knows of a name by now replaces what was stored. */
#pragma once
#include "profile.h"
#include "db.h"

/* ids[run][kernel], in the arena. */
bool intern(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, int64_t ***ids, struct err *e);
