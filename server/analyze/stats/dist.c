/* dist.c - Student's t, F and derivatives of log Γ (from Rmath), and rank sums. */
#include "dist.h"
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Rmath prints a warning if an argument is outside of its domain. So such
 * arguments are handled here. */
double dist_t_p(double t, double df)
{
	if (isnan(t) || isnan(df) || df <= 0)
		return NAN;
	if (isinf(t))
		return 0;
	if (isinf(df))
		return erfc(fabs(t) / M_SQRT2);
	return fmin(1, 2 * pt(-fabs(t), df, 1, 0));
}

double dist_t_quantile(double p, double df)
{
	if (isnan(p) || isnan(df) || df < 1 || p <= 0 || p >= 1)
		return NAN;
	return qt(p, df, 1, 0);
}

struct dist_mean dist_mean_from(const double *x, uint32_t n, uint32_t zeros)
{
	double all = (double)n + zeros, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	double mean = all > 0 ? sum / all : NAN;
	double squares = zeros * mean * mean;
	for (uint32_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return (struct dist_mean){ mean,
		all > 1 ? sqrt(squares / (all - 1) / all) : NAN };
}

double dist_f_p(double f, double df1, double df2)
{
	if (isnan(f) || !(df1 > 0) || !(df2 > 0) || isinf(df1) || isinf(df2))
		return NAN;
	return f > 0 ? pf(f, df1, df2, 0, 0) : 1;
}

double dist_digamma(double x)
{
	return x > 0 ? digamma(x) : NAN;
}

double dist_trigamma(double x)
{
	return x > 0 ? trigamma(x) : NAN;
}

struct dist_ranked {
	double value;
	bool of_x;
};

static int dist_by_value(const void *a, const void *b)
{
	double x = ((const struct dist_ranked *)a)->value;
	double y = ((const struct dist_ranked *)b)->value;
	return (x > y) - (x < y);
}

/* Returns the sum of the ranks of x; equal values have their mean rank. Sets
 * *ties to Σ (t³ - t) over groups of t equal values. */
static double dist_rank_sum(const struct dist_ranked *r, uint64_t n,
	double *ties)
{
	double sum = 0;
	*ties = 0;
	for (uint64_t i = 0, end; i < n; i = end) {
		uint64_t of_x = 0;
		for (end = i; end < n && r[end].value == r[i].value; end++)
			of_x += r[end].of_x;
		double t = (double)(end - i);
		sum += (double)of_x * ((double)(i + 1 + end) / 2);
		*ties += t * t * t - t;
	}
	return sum;
}

/* P(U <= u) without ties. The numbers of ways to reach each u are the
 * coefficients of Π (1 - z^(m+i)) / (1 - z^i), i = 1 to n. After each i, they
 * are the integer coefficients for a side of i values, so that no precision is
 * lost in between. NaN if the arena is full. */
static double dist_exact_below(uint32_t n, uint32_t m, uint64_t u,
	struct arena *a)
{
	double *ways = arena_grow(a, NULL, (u + 1) * sizeof *ways);
	double all = 1, below = 0;
	if (!ways)
		return NAN;
	ways[0] = 1;
	for (uint64_t i = 1; i <= n; i++) {
		for (uint64_t k = u; k >= m + i; k--)
			ways[k] -= ways[k - m - i];
		for (uint64_t k = i; k <= u; k++)
			ways[k] += ways[k - i];
		all *= (double)(m + i) / (double)i;
	}
	for (uint64_t k = 0; k <= u; k++)
		below += ways[k];
	arena_drop(a, ways);
	return below / all;
}

/* P(U <= u), times two, with corrections for ties and continuity. */
static double dist_normal_p(double n, double m, double u, double ties)
{
	double all = n + m;
	double var = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double off = n * m / 2 - u - 0.5;
	return var > 0 && off > 0 ? erfc(off / sqrt(2 * var)) : 1;
}

/* False where a value is NaN. */
static bool dist_gather(const double *from, uint32_t n, bool of_x,
	struct dist_ranked *to)
{
	for (uint32_t i = 0; i < n; i++) {
		if (isnan(from[i]))
			return false;
		to[i] = (struct dist_ranked){ from[i], of_x };
	}
	return true;
}

double dist_rank_sum_p(const double *x, uint32_t n, const double *y, uint32_t m,
	struct arena *scratch)
{
	uint64_t all = (uint64_t)n + m;
	if (!n || !m)
		return 1;
	struct dist_ranked *r = arena_grow(scratch, NULL, all * sizeof *r);
	if (!r)
		return NAN;
	double p = NAN;
	if (dist_gather(x, n, true, r) && dist_gather(y, m, false, r + n)) {
		double ties, nm = (double)n * m;
		qsort(r, all, sizeof *r, dist_by_value);
		double u = dist_rank_sum(r, all, &ties) -
			   (double)n * (n + 1.0) / 2;
		uint32_t few = n < m ? n : m, many = n < m ? m : n;
		u = fmin(u, nm - u);
		if (few <= DIST_EXACT_MAX && ties == 0 && u < DIST_COUNTS_MAX)
			p = fmin(1, 2 * dist_exact_below(few, many, (uint64_t)u,
						scratch));
		else
			p = dist_normal_p(n, m, u, ties);
	}
	arena_drop(scratch, r);
	return p;
}
