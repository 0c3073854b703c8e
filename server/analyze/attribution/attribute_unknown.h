/* attribute_unknown.h - the kernels that nobody knows, for those who write
 * rules. */
#pragma once
#include "attribution.h"

/* Fills p->operators.unattributed. False where the arena is full. */
bool attribute_unknown(const struct attribution *at);
