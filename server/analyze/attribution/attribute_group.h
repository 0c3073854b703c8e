/* attribute_group.h - what was run, grouped into shape rows: the way from
 * single launches to attribute_stat.h.
 *
 * Launches of one call are one call: the first of them tells which row it is
 * in. 12 bytes a launch and call, and what differs. */
#pragma once
#include "attribution.h"

enum { GROUP_NO_ROW = UINT32_MAX };

/* What a row stands for; hashed as bytes, so it has no gaps. */
struct group_row {
	const struct operator_info *operator; /* NULL: unattributed */
	uint32_t text, grid; /* ids of `texts`; 0 none */
	uint32_t dtype, phase, known, spare;
};

struct group_sum {
	const struct shape *sizes; /* NULL unknown */
	int64_t launches;
};

struct launch_groups {
	struct arena *arena;
	struct names keys; /* struct group_row; id = row + 1 */
	struct names texts;
	struct names pointers; /* shapes met; id indexes text_of */
	uint32_t *text_of;
	uint32_t text_cap;
	struct group_sum *sums; /* by row */
	uint32_t rows, cap;
	int64_t *call_ns; /* by call */
	uint32_t *row_of; /* likewise; GROUP_NO_ROW */
	uint32_t calls, calls_cap;
};

/* `calls`: numbers given; `launches`: how many will be added. False where the
 * arena is full; release in any case. */
bool launch_groups_init(struct launch_groups *g, struct arena *a,
	uint32_t calls, uint32_t launches);
void launch_groups_release(struct launch_groups *g);

/* Adds a launch of a call, or of LAUNCH_NO_CALL. `grid`: "" none. */
bool launch_groups_add(struct launch_groups *g, const struct attributed *is,
	const char *grid, int64_t dur_ns);

/* The key of a row. */
struct group_row launch_groups_row(const struct launch_groups *g, uint32_t row);
