/* layer_kinds.h - finds the kinds of layer in a line. Each kind is a sequence
 * of kernel names.
 *
 * The line is cut where layers begin instead of at anchors. The most frequent
 * piece is a kind. Another piece is a kind if it is different and repeats.
 * Layers that differ in only one or two launches are separate kinds only if
 * both occur in a regular order: in groups, or every second, third, … layer. */
#pragma once
#include "layer_anchor.h"

enum { LAYER_KINDS_MAX = 8 };

struct layer_kind {
	const uint32_t *symbol; /* of its launches, in order */
	const uint8_t *act; /* parallel to `symbol` */
	uint32_t n;
	uint32_t like; /* the kind of which this kind is a variant, or itself */
};

struct layer_kinds {
	struct layer_kind at[LAYER_KINDS_MAX];
	uint32_t n;
};

/* Adds the kinds that the cuts of the parts contain. Allocates in `a`. Returns
 * false if `a` is full. */
bool layer_kinds_add(struct layer_kinds *k, const struct layer_line *l,
	const struct slice *parts, uint32_t parts_n, const struct layer_cuts *c,
	struct arena *a);
