/* near.c - half the squared differences, none of them more than it may be. */
#include "near.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

/* Of chi-square with one degree of freedom: its median, and what is left of its
 * mean where it is cut off at MOST. */
#define MEDIAN 0.4549
#define MOST 6.25
#define LEFT 0.9775

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
	double most = MOST * order_stat_median(scratch, k) / MEDIAN;
	for (uint32_t i = 0; i < k; i++)
		sum += fmin(halves[i], most) / k;
	return (struct near){ sum / LEFT, 0.64 * k };
}
