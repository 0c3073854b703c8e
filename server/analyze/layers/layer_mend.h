/* layer_mend.h - readings by pass, without what only looks like a layer.
 *
 * Layers that follow each other are a stack. A launch or a few between two layers
 * go to the one before them; a layer by itself, where a stack of more is in the
 * pass, is none (a further one that predicts tokens ahead stands in the section
 * behind the layers); nor is one of which most is cut off. */
#pragma once
#include "layer_decode.h"

struct layer_mend {
	const struct layer_line *l;
	const struct layer_kinds *k;
	struct layer_readings *r; /* is changed */
	struct slice *pass; /* readings of each pass */
	uint32_t *layers; /* by pass */
	uint32_t typical; /* the first pass with as many as most have */
};

/* Needs l, k and r; the readings of all passes, in order. In `a`; false where it
 * is full. */
bool layer_mend(struct layer_mend *m, struct arena *a);

static inline bool layer_mend_is(const struct layer_mend *m, uint32_t i)
{
	return m->r->at[i].kind != LAYER_OUTSIDE;
}
