/* attribute_stat.h - rows of operators and shapes, as the profile has them. */
#pragma once
#include "attribute_group.h"

/* False where the arena is full. */
bool attribute_stat(const struct attribution *at,
	const struct launch_groups *g);
