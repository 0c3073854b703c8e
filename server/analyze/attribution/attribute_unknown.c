/* attribute_unknown.c - launches without an operator, by kernel. */
#include "attribute_unknown.h"
#include "attribute_order.h"

bool attribute_unknown(const struct attribution *at)
{
	const struct profile *p = at->profile;
	struct operators *o = &at->profile->operators;
	uint32_t from = at->proc->kernel.from;

	o->unattributed = arena_array(at->arena, struct unattributed,
		(size_t)p->kernels_n + 1);
	if (!o->unattributed)
		return false;
	for (uint32_t i = 0; i < at->proc->kernel.to - from; i++) {
		struct unattributed *u = &o->unattributed[at->kernel_of[i]];
		if (at->of[i].operator)
			continue;
		u->launches++;
		u->total_ns += at->trace->kernel.dur_ns[from + i];
	}
	for (uint32_t i = 0; i < p->kernels_n; i++) {
		struct unattributed u = o->unattributed[i];
		u.kernel = i;
		if (u.launches)
			o->unattributed[o->unattributed_n++] = u;
	}
	attribute_order_unattributed(o);
	return true;
}
