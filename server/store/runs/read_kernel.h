/* read_kernel.h - the columns of a kernel in the dictionary. */
#pragma once
#include "profile.h"
#include "result.h"

#define READ_KERNEL_COLUMNS                               \
	"name, mangled, short_name, family, defined_in, " \
	"launched_from, known_from, operator"

/* Reads them, in this order. */
static inline void read_kernel(struct result *r, struct arena *a,
	struct profile_kernel *k)
{
	k->name = result_text(r, a);
	k->mangled = result_text(r, a);
	k->short_name = result_text(r, a);
	k->source.family = result_text(r, a);
	k->source.defined_in = result_text(r, a);
	k->source.launched_from = result_text(r, a);
	k->source.known_from = result_text(r, a);
	k->operator= result_text(r, a);
}
