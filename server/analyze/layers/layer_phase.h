/* layer_phase.h - where in a period a layer begins.
 *
 * By what its launches do: at the norm before attention, which is the first one
 * behind the feed-forward part and, of two without a product between them, the
 * later; where no feed-forward part is known, at the last norm that has a product
 * between itself and attention. Else where the first layer begins: at the
 * earliest place from which the names go on as the period does, in most parts of
 * the line. */
#pragma once
#include "layer_anchor.h"

/* The same by what the launches of one stretch do alone; false where that does not
 * tell. */
bool layer_phase_of(const struct layer_line *l, const struct layer_stretch *one,
	uint32_t *head);
/* Places between the layer's begin and the anchor behind it, 0 to the period's
 * length less one. `one` is a stretch that most are like. Scratch is taken from
 * `a`; false where it is full. */
bool layer_phase_find(const struct layer_line *l, const struct slice *parts,
	const struct layer_cuts *c, const struct layer_stretch *one,
	struct arena *a, uint32_t *head);
