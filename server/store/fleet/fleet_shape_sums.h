/* fleet_shape_sums.h - sums of the shapes of operators over many runs, on the way
 * to an answer. */
#pragma once
#include "fleet_keys.h"
#include "ledger.h"

/* Sums of an operator, type and phase on a platform, by shape. */
struct shape_group {
	const struct fleet_key *key;
	const char *platform;
	struct ledger sums;
};

struct shape_sums {
	struct arena *arena; /* of the answer */
	struct arena work; /* of the way there */
	const struct fleet_keys *keys;
	struct shape_group *groups;
	uint32_t n, room;
};

/* Both add to `g` what the filter lets through: from the rollups, and from the
 * runs themselves, as labels want it. */
bool shape_sums_from_rollups(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e);
bool shape_sums_from_runs(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e);
