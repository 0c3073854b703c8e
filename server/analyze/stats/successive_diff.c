/* successive_diff.c - half the squared differences, none of them more than it may be. */
#include "successive_diff.h"
#include "dist.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

/* Four of five differences tell how far the fifth may be out. */
#define TELLING 0.8
/* Of chi-square with one degree of freedom, what is left of its mean where it is
 * cut off at MOST. */
#define MOST 6.25
#define LEFT 0.9775

/* The variance that the telling part of the halves has. */
static double told(double *halves, uint32_t n)
{
	uint32_t at = (uint32_t)(TELLING * (n - 1));
	double p = (at + 0.625) / (n + 0.25);
	double z = dist_t_quantile((1 + p) / 2, INFINITY);
	return order_stat(halves, n, at) / (z * z);
}

struct near near_from(const double *x, uint32_t n)
{
	double halves[NEAR_MAX], scratch[NEAR_MAX], last = NAN, sum = 0;
	uint32_t k = 0;

	for (uint32_t i = n; i-- > 0 && k < NEAR_MAX;) {
		if (isnan(x[i]))
			continue;
		if (!isnan(last))
			halves[k++] = (x[i] - last) * (x[i] - last) / 2;
		last = x[i];
	}
	if (k < 3) {
		for (uint32_t i = 0; i < k; i++)
			sum += halves[i] / k;
		return (struct near){ sum, k == 2 ? 1.6 : k };
	}
	memcpy(scratch, halves, k * sizeof *halves);
	double most = MOST * told(scratch, k);
	for (uint32_t i = 0; i < k; i++)
		sum += fmin(halves[i], most) / k;
	return (struct near){ sum / LEFT, 0.64 * k };
}
