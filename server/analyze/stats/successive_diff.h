/* successive_diff.h - the variance of a series, from the differences of
 * neighbors.
 *
 * The variance is estimated as half the mean squared difference of neighbors in
 * time. So a change of level affects only one difference and does not increase
 * the variance between values. If there are at least three differences, each
 * squared difference is limited to 6.25 times the estimate from the smallest
 * four of five. So one outlier in ten values adds no more than that, but values
 * that alternate between two machines still count in full. For normal values,
 * the limit reduces the variance to 0.9775 of its value; the result is divided
 * by this factor. After von Neumann, The mean square successive difference,
 * 1941. */
#pragma once
#include <stdint.h>

struct successive_diff {
	double variance;
	/* Degrees of freedom: 1 for one difference, 1.6 for two, 0.64 per
	 * difference for more. (Measured with 20,000 samples of 4 to 200 normal
	 * values: 0.64 to 0.70 per difference; the mean estimate is 0.995 to
	 * 1.012 of the variance.) 0: there is no difference. */
	double df;
};

enum { SUCCESSIVE_DIFF_MAX = 256 }; /* only the last values are used */

/* The variance of the values in x[n] that are not NaN. x is in order of
 * time. */
struct successive_diff successive_diff_from(const double *x, uint32_t n);
