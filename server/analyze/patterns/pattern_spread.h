/* pattern_spread.h - the launches of each function in order of length. */
#pragma once
#include "execution.h"
#include "profile.h"

/* Fills spread_ns of p->patterns.rows from the executions of kept cycles; NULL
 * stays where there are none. `row_of`: the row of each function. Of more than
 * PATTERN_SPREAD_FROM executions of a function an even choice is taken. False
 * where the arena is full. */
enum { PATTERN_SPREAD_FROM = 4096 };
bool pattern_spread(const struct executions *x, const uint32_t *row_of,
	struct profile *p);
