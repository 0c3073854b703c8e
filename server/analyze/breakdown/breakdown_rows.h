/* breakdown_rows.h - layers with names become sections, blocks and rows with
 * times: what breakdown.h tells of them.
 *
 * A row is a place of a section, a block the places of a section that are of one
 * kind; both in the order in which a section's places come. */
#pragma once
#include "layer_blocks.h"

/* Fills *out, all but `realigned`. What stays
 * is in `keep`, what is needed on the way in at->arena. `group_of` is
 * kernel_groups.h's. False where one of them is full. */
bool breakdown_rows(const struct attribution *at, const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named,
	const uint32_t *group_of, struct arena *keep, struct breakdown *out);
