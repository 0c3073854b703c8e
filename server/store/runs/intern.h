/* intern.h - names become ids of a dictionary, once per database.
 *
 * Names are looked up first; missing ones are inserted in the order of their
 * sha256, in a short transaction of its own, before the rows that refer to
 * them. Two processes that insert the same names wait for each other in one
 * order and never in a circle; the second one finds its first name taken and
 * looks again. */
#pragma once
#include "db.h"
#include "profile.h"

/* ids[run][kernel], in the arena. What the catalog now says about a kernel
 * replaces what was stored. */
bool intern_kernels(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, int64_t ***ids, struct err *e);

/* Operators with type and phase, and shapes: `operator_key` and `shape`. */
struct operator_ids {
	int64_t *keys; /* by operators.rows */
	int64_t *shapes; /* by operators.shapes; 0 if sizes are unknown */
};
/* ids[run], in the arena. */
bool intern_operators(struct db *db, struct arena *a,
	const struct profile *runs, uint32_t n, struct operator_ids **ids,
	struct err *e);
