/* importance_interval.c - draws as counts of each workload, so that a draw is a
 * product of a vector and a matrix. */
#include "importance_interval.h"
#include "order_stat.h"
#include "xoshiro.h"
#include <math.h>
#include <string.h>

enum { LACKING_MOST = 20 };

static void add(double *restrict sum, const double *restrict row, double times,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sum[i] += times * row[i];
}

/* One draw: sums of numerators, and of denominators, one or one each. */
static void draw(const struct importance_shares *in, struct xoshiro *r,
	uint32_t *count, double *num, double *den)
{
	uint32_t width = in->own ? in->operators : 1;
	memset(count, 0, in->clusters * sizeof *count);
	memset(num, 0, in->operators * sizeof *num);
	memset(den, 0, width * sizeof *den);
	for (uint32_t k = 0; k < in->clusters; k++)
		count[xoshiro_below(r, in->clusters)]++;
	for (uint32_t k = 0; k < in->clusters; k++) {
		if (!count[k])
			continue;
		add(num, in->num + (size_t)k * in->operators, count[k],
			in->operators);
		add(den, in->den + (size_t)k * width, count[k], width);
	}
}

/* Of n values the percentile p, linear between neighbours. */
static double percentile(double *v, uint32_t n, double p)
{
	double at = p * (n - 1);
	uint32_t k = (uint32_t)at;
	double below = order_stat(v, n, k);
	if (k + 1 >= n)
		return below;
	return below + (at - k) * (order_stat(v, n, k + 1) - below);
}

void importance_interval_from(const struct importance_shares *in,
	uint32_t draws, uint64_t seed, struct arena *scratch, double *low,
	double *high)
{
	uint32_t n = in->operators;
	double *shares = arena_array(scratch, double, (size_t)n *draws);
	uint32_t *told = arena_array(scratch, uint32_t, n);
	uint32_t *count = arena_array(scratch, uint32_t, in->clusters);
	double *num = arena_array(scratch, double, n);
	double *den = arena_array(scratch, double, n);
	struct xoshiro r;
	xoshiro_init(&r, seed);
	for (uint32_t d = 0; d < draws; d++) {
		draw(in, &r, count, num, den);
		for (uint32_t o = 0; o < n; o++) {
			double of = den[in->own ? o : 0];
			if (of > 0)
				shares[(size_t)o * draws + told[o]++] =
					num[o] / of;
		}
	}
	for (uint32_t o = 0; o < n; o++) {
		double *v = shares + (size_t)o * draws;
		bool tells = draws - told[o] <= draws / LACKING_MOST && told[o];
		low[o] = tells ? percentile(v, told[o], 0.025) : (double)NAN;
		high[o] = tells ? percentile(v, told[o], 0.975) : (double)NAN;
	}
}
