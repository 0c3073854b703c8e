/* layer_kind.h - layers of which kind: what they launch, whatever the order. */
#pragma once
#include "layer_seq.h"

enum {
	LAYER_KINDS = 16
}; /* told apart; what is new beyond is of the nearest */

struct layer_kinds {
	struct {
		uint32_t *symbols, n; /* of the first such layer, ascending */
	} list[LAYER_KINDS];
	uint32_t n;
	uint32_t *symbols; /* of the layer looked at */
	size_t cap;
	struct arena *arena;
};

void layer_kinds_init(struct layer_kinds *k, struct arena *a);

/* The kind of the layer of these items, by those on `lane`, new if it shares less
 * than 60 % of its launches with any. False where the arena is full. */
bool layer_kinds_put(struct layer_kinds *k, const struct layer_seq *s,
	uint32_t lane, const uint32_t *items, uint32_t n, uint32_t *kind);

/* What part of the longer of the two a layer of these items and the first one of a
 * kind share; NaN where the arena is full. */
double layer_kinds_alike(struct layer_kinds *k, uint32_t kind,
	const struct layer_seq *s, uint32_t lane, const uint32_t *items,
	uint32_t n);
