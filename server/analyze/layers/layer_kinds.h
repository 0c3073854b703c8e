/* layer_kinds.h - the kinds of layer in a line, each as the names it has.
 *
 * Stretches between anchors are cut anew where layers begin (layer_phase.h); what
 * comes most often, and what is unlike that and comes again, are kinds. Layers
 * that differ in a place or two are kinds of their own only where both come again
 * and again in an order: grouped, or every second, third, … one. */
#pragma once
#include "layer_phase.h"

enum { LAYER_KINDS_MAX = 8 };

struct layer_kind {
	const uint32_t *symbol; /* of its launches, in order */
	const uint8_t *act; /* beside it */
	uint32_t n;
	uint32_t like; /* the first kind that it is a variant of, or itself */
};

struct layer_kinds {
	struct layer_kind at[LAYER_KINDS_MAX];
	uint32_t n;
};

/* Adds the kinds that a cut of the parts shows. Their memory is `a`'s. False
 * where it is full. */
bool layer_kinds_add(struct layer_kinds *k, const struct layer_line *l,
	const struct slice *parts, uint32_t parts_n, const struct layer_cuts *c,
	struct arena *a);
