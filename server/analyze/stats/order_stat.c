/* order_stat.c - finds order statistics by Hoare's selection (pivot: median of
 * three). */
#include "order_stat.h"
#include "sort.h"
#include <assert.h>
#include <math.h>

static void order_stat_swap(double *a, double *b)
{
	double t = *a;
	*a = *b;
	*b = t;
}

/* Afterwards v[lo] <= v[mid] <= v[hi - 1], of at least three. */
static double order_stat_pivot_of(double *v, uint32_t lo, uint32_t hi)
{
	uint32_t mid = lo + (hi - lo) / 2, last = hi - 1;

	if (v[mid] < v[lo])
		order_stat_swap(&v[mid], &v[lo]);
	if (v[last] < v[lo])
		order_stat_swap(&v[last], &v[lo]);
	if (v[last] < v[mid])
		order_stat_swap(&v[last], &v[mid]);
	return v[mid];
}

double order_stat(double *v, uint32_t n, uint32_t k)
{
	uint32_t lo = 0, hi = n;

	assert(k < n);
	while (hi - lo > 2) {
		double pivot = order_stat_pivot_of(v, lo, hi);
		uint32_t i = lo, j = hi - 1;
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			order_stat_swap(&v[i++], &v[j--]);
		}
		/* Below i nothing is above the pivot, from i on nothing below. */
		if (k < i)
			hi = i;
		else
			lo = i;
	}
	if (hi - lo == 2 && v[lo + 1] < v[lo])
		order_stat_swap(&v[lo], &v[lo + 1]);
	return v[k];
}

double order_stat_median(double *v, uint32_t n)
{
	if (!n)
		return 0;
	double upper = order_stat(v, n, n / 2);
	return n % 2 ? upper : (upper + order_stat(v, n, n / 2 - 1)) / 2;
}

/* Hodges-Lehmann: differences of all pairs, and three of their order
 * statistics. */

/* The i-th of `few` evenly spaced quantiles of the sorted v[n]. */
static double order_stat_quantile(const double *v, uint32_t n, uint32_t few,
	uint32_t i)
{
	return v[(uint64_t)n * (2 * (uint64_t)i + 1) / (2 * (uint64_t)few)];
}

struct order_shift order_stat_shift(double *base, uint32_t base_n, double *head,
	uint32_t head_n, double *pairs)
{
	uint32_t few = base_n < head_n ? base_n : head_n, root = 1, n = 0;
	while ((root + 1) * (root + 1) <= ORDER_SHIFT_PAIRS)
		root++;
	few = few < root ? few : root;
	uint32_t most = ORDER_SHIFT_PAIRS / few;
	uint32_t base_few = base_n <= head_n ? few
			    : base_n < most  ? base_n
					     : most;
	uint32_t head_few = head_n < base_n ? few
			    : head_n < most ? head_n
					    : most;

	sort_double(base, base_n);
	sort_double(head, head_n);
	for (uint32_t i = 0; i < base_few; i++)
		for (uint32_t k = 0; k < head_few; k++)
			pairs[n++] =
				order_stat_quantile(head, head_n, head_few, k) -
				order_stat_quantile(base, base_n, base_few, i);
	struct order_shift s = { order_stat_median(pairs, n), NAN, NAN };
	if (base_n < ORDER_SHIFT_RANKS_MIN || head_n < ORDER_SHIFT_RANKS_MIN)
		return s;
	/* The number of pairs below the interval follows from the quantile of
	 * U. */
	double nb = base_n, nh = head_n;
	double out = 0.5 - 1.959964 * sqrt((nb + nh + 1) / (12 * nb * nh));
	uint32_t k = out * n >= 1 ? (uint32_t)(out * n) - 1 : 0;
	s.below = s.at - order_stat(pairs, n, k);
	s.above = order_stat(pairs, n, n - 1 - k) - s.at;
	return s;
}
