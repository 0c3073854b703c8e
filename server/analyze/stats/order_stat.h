/* order_stat.h - the k-th smallest of many, without sorting them all. */
#pragma once
#include <stdint.h>

/* The k-th smallest of v[n], 0 <= k < n; reorders v. No value is NaN. */
double order_stat(double *v, uint32_t n, uint32_t k);

/* The median, for an even n the mean of the two middle ones; 0 of none. */
double order_stat_median(double *v, uint32_t n);
