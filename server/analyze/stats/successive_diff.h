/* successive_diff.h - the variance of a series, from the differences of neighbors.
 *
 * The variance of one value is estimated by half the squared differences of
 * neighbors in time: a level that changed is one such difference, and does not
 * count as variance between values. Of three and more differences, none counts as
 * more than 6.25 times the estimate from the smallest four of five: one outlier in
 * ten values adds no more than that, while two machines by turns are recognized.
 * For normal values, 0.9775 of the variance is left; the result is divided by it.
 * After von Neumann, The mean square successive difference, 1941. */
#pragma once
#include <stdint.h>

struct successive_diff {
	double variance;
	/* Degrees of freedom: 1 of one difference, 1.6 of two, then 0.64 each
	 * (20,000 samples of 4 to 200 normal values: 0.64 to 0.70, mean 0.995 to
	 * 1.012 of the variance). 0: there is no difference. */
	double df;
};

enum { SUCCESSIVE_DIFF_MAX = 256 }; /* only the last values count */

/* Of the values of x[n] that are not NaN; x is in order of time. */
struct successive_diff successive_diff_from(const double *x, uint32_t n);
