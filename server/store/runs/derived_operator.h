/* derived_operator.h - what the rows of operators and their shapes share with
 * the sums over runs. */
#pragma once
#include "operators.h"

/* 2^63 ns is bucket 63 * 32; calls of 0 ns are in -1. */
enum { DERIVED_BUCKETS = 63 * 32 + 2 };

/* Whether a shape's cost is known, and its T_SOL besides. */
bool derived_bound(const struct shape_stat *s);
