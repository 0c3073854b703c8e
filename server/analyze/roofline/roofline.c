/* roofline.c - computes the roofline bound: the longer of the compute time and
 * the memory time. */
#include "roofline.h"
#include <math.h>

void roofline(const struct cost *c, const struct platform *p, struct bound *out)
{
	double bytes = (double)c->read_bytes + (double)c->write_bytes;
	double flops = 0, compute_s = 0;
	double memory_s = bytes > 0 ? bytes / p->bytes_per_s : 0;

	*out = (struct bound){ .leg = LEG_NONE };
	for (enum dtype d = DTYPE_UNKNOWN; d < DTYPES; d++) {
		double w = (double)c->flops[d];
		if (c->flops[d] == 0 || (d && !dtype_counts(d)))
			continue;
		flops += w;
		/* The first type without a peak is reported. DTYPE_UNKNOWN
		 * never has one. */
		if (!(d && p->peak_flops[d] > 0) && !isnan(compute_s)) {
			out->lacking = d;
			compute_s = NAN;
		}
		compute_s += w / p->peak_flops[d];
	}
	out->ai = bytes > 0 ? flops / bytes : NAN;
	if (isnan(compute_s) || !isfinite(memory_s)) {
		out->sol_s = NAN;
		return;
	}
	out->sol_s = fmax(compute_s, memory_s);
	if (out->sol_s > 0)
		out->leg = compute_s > memory_s ? LEG_COMPUTE : LEG_MEMORY;
}

const char *roofline_why(const struct bound *b, const struct platform *p,
	struct arena *a)
{
	if (!isnan(b->sol_s))
		return NULL;
	if (b->lacking)
		return arena_printf(a, "%s has no known peak for %s", p->name,
			dtype_word(b->lacking));
	if (!(p->bytes_per_s > 0))
		return arena_printf(a, "%s has no known bandwidth", p->name);
	return arena_strdup(a, "the type of its numbers is not known");
}
