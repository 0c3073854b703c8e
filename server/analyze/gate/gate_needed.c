/* gate_needed.c - from the level that is seen to the levels that may be. */
#include "gate_needed.h"
#include "dist.h"
#include <math.h>

#define UNDECIDED_MOST 0.2
enum { UNITS_MAX = 1000 };

double gate_spread_of(const struct gate_spread *s, uint32_t head, uint32_t base)
{
	double var = s->unit / head + s->group;
	if (base)
		var += s->unit / base + s->group * s->group_units / base;
	return var;
}

static double normal(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

int32_t gate_needed(const struct gate_spread *s, uint32_t head, uint32_t base,
	double delta, double limit, double alpha)
{
	double t = dist_t_quantile(1 - alpha, fmax(1, s->df));
	double now = gate_spread_of(s, head, base);

	for (uint32_t n = head + 1; n <= UNITS_MAX; n++) {
		double then = gate_spread_of(s, n, base);
		double shown = t * sqrt(then), apart = sqrt(now - then);
		if (shown <= limit)
			return (int32_t)n;
		double undecided =
			apart > 0 ? normal((shown - delta) / apart) -
					    normal((limit - delta) / apart)
				  : 1;
		if (undecided <= UNDECIDED_MOST)
			return (int32_t)n;
	}
	return -1;
}
