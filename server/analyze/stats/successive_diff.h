/* successive_diff.h - how much values beside each other in time differ.
 *
 * The variance of one value, told by half the squared differences of neighbours:
 * a level that changed is one such difference, and does not become what values
 * differ by. Of three and more differences none counts as more than 6.25 times
 * what four of five of them tell: one value far out of ten makes no more of it, and
 * two machines by turns are heard. Of values that are normal, 0.9775 of the variance
 * is left then, which is made up for. After von Neumann, The mean square successive
 * difference, 1941. */
#pragma once
#include <stdint.h>

struct near {
	double variance;
	/* What it is worth, in degrees of freedom: 1 of one difference, 1.6 of two,
	 * then 0.64 each (drawn 20,000 times, 4 to 200 normal values: 0.64 to
	 * 0.70, mean 0.995 to 1.012 of the variance). 0: there is none. */
	double df;
};

enum { NEAR_MAX = 256 }; /* of more values the last ones are asked */

/* Of those of x[n], in order of time, that are not NaN. */
struct near near_from(const double *x, uint32_t n);
