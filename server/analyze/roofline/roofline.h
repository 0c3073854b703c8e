/* roofline.h - the roofline bound: the shortest time of a cost on a platform.
 *
 * T_SOL = max(sum over types of W_d/P_d, Q/B); definitions.md 2.5, after Atrex-
 * Bench (Apache-2.0). A type that counts no arithmetic (int32) has no compute
 * leg. If a type with work has no peak, the bound is unknown (out->lacking is
 * the type): no other peak is used instead. */
#pragma once
#include "arena.h"
#include "cost.h"

void roofline(const struct cost *c, const struct platform *p,
	struct bound *out);
/* Why out->sol_s is unknown, as a sentence; NULL if it has a value. */
const char *roofline_why(const struct bound *b, const struct platform *p,
	struct arena *a);
