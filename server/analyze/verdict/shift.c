/* shift.c - differences of all pairs, and three of their order statistics. */
#include "shift.h"
#include "order_stat.h"
#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The i-th of `few` values that stand for v[n], sorted. */
static double quantile(const double *v, uint32_t n, uint32_t few, uint32_t i)
{
	return v[(uint64_t)n * (2 * (uint64_t)i + 1) / (2 * (uint64_t)few)];
}

struct shift shift_of(double *base, uint32_t base_n, double *head,
	uint32_t head_n, double *pairs)
{
	uint32_t few = base_n < head_n ? base_n : head_n, root = 1, n = 0;
	while ((root + 1) * (root + 1) <= SHIFT_PAIRS)
		root++;
	few = few < root ? few : root;
	uint32_t most = SHIFT_PAIRS / few;
	uint32_t base_few = base_n <= head_n ? few
			    : base_n < most  ? base_n
					     : most;
	uint32_t head_few = head_n < base_n ? few
			    : head_n < most ? head_n
					    : most;

	qsort(base, base_n, sizeof *base, by_value);
	qsort(head, head_n, sizeof *head, by_value);
	for (uint32_t i = 0; i < base_few; i++)
		for (uint32_t k = 0; k < head_few; k++)
			pairs[n++] = quantile(head, head_n, head_few, k) -
				     quantile(base, base_n, base_few, i);
	struct shift s = { order_stat_median(pairs, n), NAN, NAN };
	if (base_n < SHIFT_RANKS_MIN || head_n < SHIFT_RANKS_MIN)
		return s;
	/* As many of nb·nh pairs lie below the interval as U may be small. */
	double nb = base_n, nh = head_n;
	double out = 0.5 - 1.959964 * sqrt((nb + nh + 1) / (12 * nb * nh));
	uint32_t k = out * n >= 1 ? (uint32_t)(out * n) - 1 : 0;
	s.below = s.at - order_stat(pairs, n, k);
	s.above = order_stat(pairs, n, n - 1 - k) - s.at;
	return s;
}
