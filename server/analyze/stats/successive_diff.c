/* successive_diff.c - estimates a variance from clipped differences of
 * neighbors. */
#include "successive_diff.h"
#include "dist.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

/* The smallest four of five differences limit the largest. */
#define LIMITED 0.8
/* The mean of chi-square with one degree of freedom, clipped at MOST. */
#define MOST 6.25
#define LEFT 0.9775

/* The variance estimated from the smallest part of the halves. */
static double successive_diff_limit(double *halves, uint32_t n)
{
	uint32_t at = (uint32_t)(LIMITED * (n - 1));
	double p = (at + 0.625) / (n + 0.25);
	double z = dist_t_quantile((1 + p) / 2, INFINITY);
	return order_stat(halves, n, at) / (z * z);
}

struct successive_diff successive_diff_from(const double *x, uint32_t n)
{
	double halves[SUCCESSIVE_DIFF_MAX], scratch[SUCCESSIVE_DIFF_MAX],
		last = NAN, sum = 0;
	uint32_t k = 0;

	for (uint32_t i = n; i-- > 0 && k < SUCCESSIVE_DIFF_MAX;) {
		if (isnan(x[i]))
			continue;
		if (!isnan(last))
			halves[k++] = (x[i] - last) * (x[i] - last) / 2;
		last = x[i];
	}
	if (k < 3) {
		for (uint32_t i = 0; i < k; i++)
			sum += halves[i] / k;
		return (struct successive_diff){ sum, k == 2 ? 1.6 : k };
	}
	memcpy(scratch, halves, k * sizeof *halves);
	double most = MOST * successive_diff_limit(scratch, k);
	for (uint32_t i = 0; i < k; i++)
		sum += fmin(halves[i], most) / k;
	return (struct successive_diff){ sum / LEFT, 0.64 * k };
}
