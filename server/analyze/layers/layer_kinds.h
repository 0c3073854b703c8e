/* layer_kinds.h - the kinds of layer in a line, each as a sequence of names.
 *
 * Stretches between anchors are cut again where layers begin. The most frequent
 * piece is a kind, and so is a piece that is unlike it and repeats. Layers that
 * differ in one or two places are kinds of their own only if both repeat in an
 * order: grouped, or every second, third, … one. */
#pragma once
#include "layer_anchor.h"

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
