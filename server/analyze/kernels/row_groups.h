/* row_groups.h - groups rows that have the same one or two keys, and computes
 * the statistics of their durations. */
#pragma once
#include "stats.h"
#include "trace.h"

/* A key by which rows are grouped: a small number for each row. */
struct row_group_key {
	const uint32_t *of; /* by row; NULL: all rows have the same key */
	uint32_t n; /* one more than the greatest number */
};

struct row_group {
	uint32_t row; /* one of its rows */
	struct time_stats time;
};

/* Groups `rows` rows by `major`, then by `minor`. The caller releases *groups
 * with arena_drop(). If `group_of` is not NULL, it receives the index of each
 * row's group. Allocates and releases about 28 bytes of scratch memory per row.
 * False if the arena is full. */
bool row_groups_from(struct arena *a, struct row_group_key major,
	struct row_group_key minor, const int64_t *dur_ns, uint32_t rows,
	struct row_group **groups, uint32_t *groups_n, uint32_t *group_of);

/* The next two functions number devices, and grids with blocks, from 0 in the
 * order in which they first occur. The caller releases key->of with
 * arena_drop(). They return false if the arena is full. */
bool row_groups_device_key(struct arena *a, const int32_t *device,
	uint32_t rows, struct row_group_key *key);

/* Launches with the same grid and block have the same key, even if they differ
 * in other launch parameters such as shared memory. */
bool row_groups_grid_key(struct arena *a, const struct trace *t,
	const uint32_t *launch, uint32_t rows, struct row_group_key *key);
