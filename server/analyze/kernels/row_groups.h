/* row_groups.h - rows that agree in one or two keys, and the statistics of their
 * durations. */
#pragma once
#include "stats.h"
#include "trace.h"

/* What rows are grouped by: a small number for each of them. */
struct row_group_key {
	const uint32_t *of; /* by row; NULL: all rows agree */
	uint32_t n; /* one more than the greatest */
};

struct row_group {
	uint32_t row; /* one of its rows */
	struct time_stats time;
};

/* The groups of `rows` rows, by `major`, then by `minor`; *groups is to be
 * arena_drop()ped. `group_of` is NULL or gets each row's index in it. Needs
 * and gives back some 28 bytes a row. False if the arena is full. */
bool row_groups_from(struct arena *a, struct row_group_key major,
	struct row_group_key minor, const int64_t *dur_ns, uint32_t rows,
	struct row_group **groups, uint32_t *groups_n, uint32_t *group_of);

/* Both count from 0 in order of first sight; `of` is to be arena_drop()ped.
 * False if the arena is full. */
bool row_groups_device_key(struct arena *a, const int32_t *device,
	uint32_t rows, struct row_group_key *key);

/* Of launches with the same grid and block, whatever else they requested. */
bool row_groups_grid_key(struct arena *a, const struct trace *t,
	const uint32_t *launch, uint32_t rows, struct row_group_key *key);
