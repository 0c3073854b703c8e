/* layer_stacks.h - readings of all passes as sections and their instances.
 *
 * What is before the first layer of a pass, behind the last, and between stacks
 * (layer_mend.h) are sections, and each kind of layer is one. Launches of
 * other streams are of the instance in whose time they start. */
#pragma once
#include "layer_mend.h"
#include "layering.h"

/* `r` is changed. out->sections_n is 0 where fewer than two layers are in most
 * passes. What *out has is s->arena's; scratch is taken from `a`. False where
 * either is full. */
bool layer_stacks_cut(const struct layer_line *l, const struct layer_kinds *k,
	struct layer_readings *r, struct arena *a, struct layer_cut *out,
	uint32_t *layered);
