/* roofline.h - the roofline bound: the shortest time of a cost on a platform.
 *
 * T_SOL = max(sum over dtypes d of W_d / P_d, Q / B). The formula is in
 * definitions.md 2.5, after Atrex-Bench (Apache-2.0). The compute time does not
 * include dtypes whose arithmetic is not counted (int32). If the platform has
 * no peak for a dtype with work, the bound is unknown and out->lacking is that
 * dtype: no other peak is used instead. */
#pragma once
#include "arena.h"
#include "cost.h"

void roofline(const struct cost *c, const struct platform *p,
	struct bound *out);
/* Why out->sol_s is unknown, as a sentence; NULL if it has a value. */
const char *roofline_why(const struct bound *b, const struct platform *p,
	struct arena *a);
