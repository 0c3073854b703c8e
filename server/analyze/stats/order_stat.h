/* order_stat.h - the k-th smallest of many values without sorting all of them,
 * and the Hodges-Lehmann shift between two sets. */
#pragma once
#include <stdint.h>

/* The k-th smallest of v[n], 0 <= k < n; reorders v. No value is NaN. */
double order_stat(double *v, uint32_t n, uint32_t k);

/* The median; for an even n the mean of the two middle values; 0 if n is 0. */
double order_stat_median(double *v, uint32_t n);

/* The Hodges-Lehmann shift: the median of all differences head - base. Its
 * interval contains the differences that a rank-sum test does not reject at 5
 * %. If there are more than ORDER_SHIFT_PAIRS pairs, evenly spaced quantiles of
 * each side replace the values of this side. */
enum { ORDER_SHIFT_PAIRS = 1 << 12, ORDER_SHIFT_RANKS_MIN = 8 };

struct order_shift {
	double at;
	/* Distances from the shift to both ends of the interval. NaN if a side
	 * has fewer than ORDER_SHIFT_RANKS_MIN values, because the ranks of so
	 * few values give no useful interval. */
	double below, above;
};

/* Sorts both sides; `pairs` has room for ORDER_SHIFT_PAIRS. */
struct order_shift order_stat_shift(double *base, uint32_t base_n, double *head,
	uint32_t head_n, double *pairs);
