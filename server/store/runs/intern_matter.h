/* intern_matter.h - what operators and their shapes are called becomes ids of
 * the dictionaries `operator_key` and `shape`.
 *
 * As intern.h: looked up first; what is missing is inserted in one order, in a
 * short transaction before the rows that refer to it. */
#pragma once
#include "profile.h"
#include "db.h"

struct matter_ids {
	int64_t *keys; /* by operators.rows */
	int64_t *shapes; /* by operators.shapes; 0 where sizes are unknown */
};

/* ids[run], in the arena. */
bool intern_matters(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, struct matter_ids **ids, struct err *e);
