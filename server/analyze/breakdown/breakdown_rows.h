/* breakdown_rows.h - computes the sections, blocks and rows of a breakdown
 * (breakdown.h) and their times.
 *
 * A row is one position of a section. A block contains all positions of a
 * section that have the same block kind. Both are in the order of the
 * positions. */
#pragma once
#include "layer_blocks.h"

/* Fills *out except out->realigned. Allocates the result in `keep` and scratch
 * memory in at->arena. `group_of` is from kernel_groups.h. Returns false if one
 * of the arenas is full. */
bool breakdown_rows(const struct attribution *at, const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named,
	const uint32_t *group_of, struct arena *keep, struct breakdown *out);
