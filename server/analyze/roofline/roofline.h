/* roofline.h - the roofline bound: the shortest time of a cost on a platform.
 *
 * T_SOL = max(sum over dtypes d of W_d / P_d, Q / B). W: operations, P: peak
 * rate, Q: bytes, B: memory bandwidth. After src/atrex_bench/eval/roofline.py
 * of Atrex-Bench (Apache-2.0). The compute time does not include dtypes whose
 * arithmetic is not counted (int32). If the platform has no peak for a dtype
 * with work, the bound is unknown and out->lacking is that dtype: no other peak
 * is used instead.
 *
 * A collective has neither W nor Q. Its T_SOL is its bus bytes divided by the peak
 * of the link between its ranks (cost.h). */
#pragma once
#include "arena.h"
#include "cost.h"
#include <stdint.h>

void roofline(const struct cost *c, const struct platform *p,
	struct bound *out);
/* Sets *out to the platform at another SM clock: a peak of a dtype scales by
 * mhz / the clock that the peak assumes. A device may run faster than that, so
 * the factor may exceed 1. Peaks whose clock is unknown do not change, and
 * neither do bandwidths, which do not depend on the SM clock. False if no peak
 * scales. */
bool roofline_at_clock(const struct platform *p, double mhz,
	struct platform *out);
/* A sentence on the peaks at this clock; NULL if no peak scales or the arena is
 * full. */
const char *roofline_clock_text(const struct platform *p, double mhz,
	struct arena *a);
/* Why out->sol_s is unknown, as a sentence; NULL if it has a value. */
const char *roofline_why(const struct bound *b, const struct cost *c,
	const struct platform *p, struct arena *a);

/* Whether the times of a shape's calls fit its roofline bound. No call can be
 * shorter than the bound of the work that it does. A shorter call shows that the
 * cost is wrong, that its data were in a cache, or that calls of different work
 * share the shape: attention with and without a window has the same sizes. In
 * the last case the times form two groups. */
enum roofline_fit {
	ROOFLINE_FIT_YES,
	ROOFLINE_FIT_SHORTER,
	ROOFLINE_FIT_MIXED
};

/* `ns` are the times of n calls in ascending order. Sets *why to a sentence, or
 * to NULL if they fit or the arena is full. */
enum roofline_fit roofline_fit(const int64_t *ns, int64_t n, int64_t sol_ps,
	struct arena *a, const char **why);
