/* suspicion_value.h - what one row of the published score rests on: the values
 * of both sides, and the figures made of them.
 *
 * Means are sums that carry their rounding error along (Kahan), in the order of
 * the rows: that is how the published figures were made, and a mean of four
 * decimals lies on the edge of the sixth often enough to tell. */
#pragma once
#include "arena.h"
#include "suspicion.h"

/* Values of a side, one behind the other. */
struct suspicion_list {
	double *at;
	uint32_t n, cap;
};
struct suspicion_lists {
	struct suspicion_list beta, mu;
	uint32_t cycles; /* distinct ones */
};

/* Fills all of *row but its names. */
void suspicion_row_from(const struct suspicion_lists *base,
	const struct suspicion_lists *head, struct arena *scratch,
	struct suspicion_row *row);
