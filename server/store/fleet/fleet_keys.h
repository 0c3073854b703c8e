/* fleet_keys.h - the dictionary of operators, types and phases, as far as a
 * question is about them. */
#pragma once
#include "query_operator.h"
#include "sql.h"

struct fleet_key {
	int64_t id;
	const char *operator; /* NULL: unattributed */
	enum dtype dtype;
	enum phase phase;
};

struct fleet_keys {
	struct fleet_key *rows; /* by id */
	uint32_t n;
	/* Which of the ways to count runs fits: rollup_code.h. */
	int runs_code;
};

/* Those that the filter lets through. */
bool fleet_keys(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet_keys *out, struct err *e);
/* NULL where it is none of them. */
const struct fleet_key *fleet_key(const struct fleet_keys *k, int64_t id);
