/* attribute_copy.h - copies and sets: known by their records alone. */
#pragma once
#include "attribute_group.h"
#include "iteration_find.h"

/* False where the arena is full. */
bool attribute_copy(const struct attribution *at,
	const struct cycle_rows *cycles, struct launch_groups *g);
