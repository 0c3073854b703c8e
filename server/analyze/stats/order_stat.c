/* order_stat.c - Hoare's selection, pivoting on the median of three. */
#include "order_stat.h"
#include <assert.h>

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
