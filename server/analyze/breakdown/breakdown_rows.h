/* breakdown_rows.h - turns layers with names into sections, blocks and rows with
 * times, as breakdown.h has them.
 *
 * A row is a position of a section; a block is the positions of a section that
 * are of one kind. Both are in the order of the section's positions. */
#pragma once
#include "layer_blocks.h"

/* Fills *out except `realigned`. The result is allocated in `keep`, scratch
 * memory in at->arena. `group_of` is from kernel_groups.h. Returns false if one
 * of the arenas is full. */
bool breakdown_rows(const struct attribution *at, const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named,
	const uint32_t *group_of, struct arena *keep, struct breakdown *out);
