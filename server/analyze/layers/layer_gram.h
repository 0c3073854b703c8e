/* layer_gram.h - runs of 1, 2 or 4 names whose distances are even. */
#pragma once
#include "layer_line.h"

enum { LAYER_GRAMS_MAX = 96 };

struct layer_gram {
	uint64_t hash;
	uint32_t length, count;
	uint32_t first; /* place */
	uint64_t rank; /* launches between its places, less how much the
		distances change */
};

/* Parts of a line, as layer_anchor.h has them. */
struct layer_parts {
	const struct layer_line *line;
	const struct slice *at;
	uint32_t n;
};

/* 0 is no hash. */
uint64_t layer_gram_hash(const struct layer_line *l, uint32_t place,
	uint32_t length);

/* The best of each length and number, highest rank first: up to
 * LAYER_GRAMS_MAX in `out`, *n of them. Scratch is taken from `a`; false where
 * it is full. */
bool layer_grams(const struct layer_parts *p, struct arena *a,
	struct layer_gram *out, uint32_t *n);
