/* cycle_groups.h - ranges that may be cycles, grouped by thread and name.
 *
 * A group: annotations of one thread (ranges that change threads: of all), of
 * one name without its numbers (cycle_name.h), without those that lie within
 * another of it. */
#pragma once
#include "iteration_gpu.h"

struct cycle_group {
	uint32_t name; /* id in names */
	uint32_t thread;
	bool gpu; /* as the GPU saw them */
	uint32_t from, n; /* places in rows */
	uint32_t crossing; /* how many begin before the one before has ended */
	int64_t held_ns; /* GPU time launched, or run, within them */
	int64_t dur_ns; /* sum of their own */
};

struct cycle_groups {
	const struct cycle_gpu *g;
	struct arena *arena; /* whose ceiling counts */
	struct arena scratch; /* has all of this */
	struct names names, keys;
	uint32_t *name_of; /* by id of trace.names; id in `names` + 1 */
	uint32_t *group_of; /* by range row of the slice; 0 none */
	uint32_t *rows; /* group by group, by start */
	struct cycle_group *groups;
	uint32_t n;
};

/* False where the arena is full, which it is told by release(), due in any
 * case. */
bool cycle_groups_init(struct cycle_groups *s, const struct cycle_gpu *g,
	struct arena *a);
void cycle_groups_release(struct cycle_groups *s);

const char *cycle_groups_name(const struct cycle_groups *s,
	const struct cycle_group *w);

/* The end of the i-th of n ranges in order: its own, or the start of the next
 * if that is earlier. */
int64_t cycle_groups_end(const struct range_rows *r, const uint32_t *row,
	uint32_t n, uint32_t i);
