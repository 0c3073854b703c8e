/* dist.h - Student's t and the F distribution and the derivatives of log Γ (from
 * Rmath), the error of a mean, and the rank-sum test.
 *
 * No result depends on the locale, a lock or earlier calls. Only pt(), qt(), pf(),
 * digamma() and trigamma() of Rmath are used, which have no state. pwilcox() has
 * state: it is not safe between threads and needs hundreds of megabytes. So the
 * exact rank-sum distribution is computed here, in memory proportional to n·m. If
 * an input is NaN, the result is NaN. Nothing is printed. */
#pragma once
#include "arena.h"
#include <stdint.h>

/* The two-sided probability of |T| >= |t|, where T has Student's t
 * distribution. df > 0; INFINITY means the normal distribution. NaN if df is
 * not positive. */
double dist_t_p(double t, double df);

/* The p-quantile of Student's t distribution, 0 < p < 1, df >= 1. */
double dist_t_quantile(double p, double df);

/* The mean of x and of `zeros` more values, which are 0, and the standard error of
 * this mean. Both are NaN without values, the error also with one. */
struct dist_mean {
	double mean, error;
};
struct dist_mean dist_mean_from(const double *x, uint32_t n, uint32_t zeros);

/* The probability of F >= f, where F, the ratio of two variances, has the F
 * distribution with finite df1, df2 > 0; NaN for others. */
double dist_f_p(double f, double df1, double df2);

/* The first and second derivative of log Γ at x > 0; NaN elsewhere. */
double dist_digamma(double x);
double dist_trigamma(double x);

/* Two-sided p of the rank-sum test (Mann-Whitney U) of x and y. It is exact if
 * the smaller side has at most DIST_EXACT_MAX values and no values are equal,
 * else a normal approximation with corrections for ties and continuity. 1 if a
 * side is empty or all values are equal. NaN also if `scratch` is full. */
enum { DIST_EXACT_MAX = 8, DIST_COUNTS_MAX = 1 << 20 };
double dist_rank_sum_p(const double *x, uint32_t n, const double *y, uint32_t m,
	struct arena *scratch);
