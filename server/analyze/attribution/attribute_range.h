/* attribute_range.h - launches known by the ranges open around their call. */
#pragma once
#include "attribution.h"

/* By ranges that tell sizes (range_sizes.h): KNOWN_SIZES. */
bool attribute_ranges(struct attribution *x);
/* By modules and ranges whose name or class the catalogue knows: KNOWN_RANGE,
 * where nothing is known yet. False where the arena is full. */
bool attribute_modules(struct attribution *x);
