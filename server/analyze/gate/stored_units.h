/* stored_units.h - the values of stored units (gate.h), with units of one commit
 * together, whatever their order in time.
 *
 * A commit has the position of its first unit. A unit without a commit is one of its
 * own. */
#pragma once
#include "arena.h"
#include "gate.h"

struct stored_units {
	const struct gate_stored_unit **units;
	double *ns;
	uint32_t *commit; /* the number of each unit's commit, ascending */
	uint32_t n;
	bool labeled; /* a commit is known */
};

/* Space for `most` units. False if the arena is full. */
bool stored_units_init(struct stored_units *s, uint32_t most, struct arena *a);
/* Adds n units that are in order of time. Their commits are other ones than those
 * of units that were added before. False if the arena is full. */
bool stored_units_add(struct stored_units *s,
	const struct gate_stored_unit *units, uint32_t n, struct arena *a);
