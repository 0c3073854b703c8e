/* row_groups.h - rows that agree in one or two keys, and their statistics. */
#pragma once
#include "stats.h"

/* What rows are grouped by: a small number for each of them. */
struct group_key {
	const uint32_t *of; /* by row; NULL: all rows agree */
	uint32_t n; /* one more than the greatest */
};

struct group {
	uint32_t row; /* one of its rows */
	struct time_stats time;
};

/* The groups of `rows` rows, by `major`, then by `minor`; *groups is to be
 * arena_drop()ped. `group_of` is NULL or gets each row's index in it. Needs
 * and gives back some 28 bytes a row. False where the arena is full. */
bool groups_from(struct arena *a, struct group_key major,
	struct group_key minor, const int64_t *dur_ns, uint32_t rows,
	struct group **groups, uint32_t *groups_n, uint32_t *group_of);
