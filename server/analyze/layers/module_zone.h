/* module_zone.h - from the runs of layers to a cut of each pass.
 *
 * A launch that nobody says is a layer's (its call is not in the trace, it is a
 * copy, or between two layers of a stack) is of the layer that began last, as
 * long as that goes on or another of its stack comes next, further on in it. Else
 * it is before the layers, between stacks, or behind. So is, where the ranges
 * were asked for, all that is known to be outside them. */
#pragma once
#include "module_kind.h"
#include "module_visit.h"
#include "layering.h"

/* In s->arena; false where it is full. */
bool module_zones(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, const struct module_visits *v,
	const struct module_kinds *k, struct layer_cut *out);
