/* cycle_alike.h - how much two cycles' items have in common. */
#pragma once
#include "iteration_items.h"

struct cycle_alike {
	const struct cycle_items *items;
	const uint8_t *counts; /* by item: whether it does; NULL: all do */
	uint32_t *item, *name; /* of the cycle that is held against others */
	uint32_t *item_met, *name_met;
	uint32_t cycle, size;
};

/* In `a`; false where it is full. */
bool cycle_alike_init(struct cycle_alike *s, const struct cycle_items *items,
	const uint8_t *counts, struct arena *a);

/* Takes a cycle up, to be held against others, and lays it down again. */
void cycle_alike_take(struct cycle_alike *s, uint32_t cycle);
void cycle_alike_drop(struct cycle_alike *s);

/* Whether another did the same work; iteration_strata.h tells when. */
bool cycle_alike_is(struct cycle_alike *s, uint32_t other);

/* Entries of a cycle that count, and a hash of them, in any order. */
uint32_t cycle_alike_size(const struct cycle_alike *s, uint32_t cycle,
	uint64_t *hash);
