/* splits.h - which blocks go to the other side: every way, or many at random. */
#pragma once
#include "blocks.h"

struct splits {
	uint32_t chosen; /* blocks of the side that has fewer */
	uint32_t n;
	const uint32_t *sets; /* [n][chosen], indices of blocks */
	const uint32_t *own; /* the blocks that are that side's */
	bool exact; /* every way there is, once */
};

/* Every way where those are no more than `permutations` and `may_all`. False
 * where the arena is full. */
bool splits_from(const struct blocks *b, uint32_t permutations, bool may_all,
	uint64_t seed, struct arena *a, struct splits *out);

/* Ways to choose k of n; UINT32_MAX where there are as many or more. */
uint32_t splits_ways(uint32_t n, uint32_t k);
