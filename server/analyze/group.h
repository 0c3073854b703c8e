/* group.h - rows that share a key, their durations side by side.
 *
 * Keys are dense: 0 … keys-1, each with at least one row. */
#pragma once
#include "stats.h"

/* Durations by key, each key's statistics in out[key]. Needs and gives back
 * 16 bytes a row; false where the arena is full. */
bool group_stats(struct arena *a, const uint32_t *key_of, const int64_t *dur_ns,
	uint32_t rows, uint32_t keys, struct time_stats *out);
