/* intern.h - names become ids of a dictionary, once per database.
 *
 * Names are looked up first. Missing names are inserted in the order of their
 * sha256, in a separate short transaction, before the rows that refer to them.
 * Because of this order, two processes that insert the same names cannot
 * deadlock. The second one finds that its first name exists already, and looks
 * all names up again. */
#pragma once
#include "db.h"
#include "profile.h"

/* ids[run][kernel], in the arena. The catalog's current data about a kernel
 * replaces what was stored. */
bool intern_kernels(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, int64_t ***ids, struct err *e);

/* Ids of operators with type and phase (table `operator_key`), and of shapes
 * (`shape`). */
struct operator_ids {
	int64_t *keys; /* by operators.rows */
	int64_t *shapes; /* by operators.shapes; 0 if sizes are unknown */
};
/* ids[run], in the arena. */
bool intern_operators(struct db *db, struct arena *a,
	const struct profile *runs, uint32_t n, struct operator_ids **ids,
	struct err *e);
