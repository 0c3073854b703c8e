/* against.c - a bound for each shape, added up. */
#include "against.h"
#include "roofline.h"
#include <math.h>

void against_add(struct against *sum, const struct shape_stat *s,
	const struct platform *p)
{
	struct bound b;
	if (!s->costed)
		return;
	roofline(&s->cost, p, &b);
	if (isnan(b.sol_s))
		return;
	double sol_ns = 1e9 * b.sol_s * (double)s->call.instances;
	sum->sol_ns += sol_ns;
	sum->bound_ns += s->call.total_ns;
	if (b.leg == LEG_COMPUTE)
		sum->compute_ns += sol_ns;
}

enum leg against_leg(const struct against *sum)
{
	if (!(sum->sol_ns > 0))
		return LEG_NONE;
	return 2 * sum->compute_ns > sum->sol_ns ? LEG_COMPUTE : LEG_MEMORY;
}
