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

/* Numbers commits by their first value: 0, 1, … A value without a commit (NULL) is a
 * commit of its own; if `one`, it belongs to the commit of the value before it, or
 * to the first one, because a head is what one commit does unless its labels say
 * otherwise. Returns how many. */
uint32_t stored_units_number(const char *const *commits, uint32_t n, bool one,
	uint32_t *number);

/* Space for `most` units. False if the arena is full. */
bool stored_units_init(struct stored_units *s, uint32_t most, struct arena *a);
/* Adds n units that are in order of time. Their commits are other ones than those
 * of units that were added before. False if the arena is full. */
bool stored_units_add(struct stored_units *s,
	const struct gate_stored_unit *units, uint32_t n, struct arena *a);
