/* dist.h - probabilities: the only user of Rmath, and the rank-sum test.
 *
 * No result depends on the locale, a lock or earlier calls: of Rmath
 * only pt() and qt() are used, which keep no state. Its pwilcox() does (it is
 * not safe between threads and takes hundreds of megabytes), so the exact
 * rank-sum is counted here, in memory that grows with n·m of the smaller
 * question alone. NaN in gives NaN out; nothing is ever printed. */
#pragma once
#include "arena.h"
#include <stdint.h>

/* Two-sided: how likely |T| >= |t|, T of Student's t. df > 0; INFINITY is the
 * normal distribution. NaN where df is not positive. */
double dist_t_p(double t, double df);

/* The value below which T is with probability p, 0 < p < 1, df >= 1. */
double dist_t_quantile(double p, double df);

/* Two-sided p of the rank-sum (Mann-Whitney's U) of x and y. Exact where the
 * smaller side has at most DIST_EXACT_MAX values and none are equal, else the
 * normal form with corrections for ties and continuity. 1 where a side is
 * empty or all values are equal. NaN also where `scratch` is full. */
enum { DIST_EXACT_MAX = 8, DIST_COUNTS_MAX = 1 << 20 };
double dist_rank_sum_p(const double *x, uint32_t n, const double *y, uint32_t m,
	struct arena *scratch);
