/* layer_anchor.h - names of a line, or short runs of them, that come once a layer.
 *
 * Runs of 1, 2 and 4 names whose distances from one to the next are even are
 * tried as cuts. What lies between two of them is alike its neighbours where the
 * weighted Jaccard index of their names is 0.62 or more (three quarters of the
 * launches of both), or where both hold attention and a feed-forward part and are
 * not foreign to each other, or, where no attention is known, at 0.45 and in the
 * same order, if the one before its neighbour is alike: two kinds by turns. It counts where it holds attention, if the line
 * does. Of cuts that explain most of the line the one with the most layers is
 * taken: a period of two layers is none of layers. */
#pragma once
#include "layer_line.h"

/* What lies between two anchors, or from the last one of a part to where the
 * next would be. */
struct layer_stretch {
	uint32_t from, to; /* places in the line */
	uint32_t part; /* of the line, which it lies in */
	bool alike; /* a neighbour of it, see above */
	bool last; /* no anchor is behind it */
};

struct layer_cuts {
	struct layer_stretch *at; /* in order */
	uint32_t n;
	uint32_t explained; /* launches in stretches that count */
	bool mixes; /* layers hold attention */
};

/* Looks at the parts given of a line: `parts_n` of them, which do not overlap,
 * ascending. `mixes`: only layers with attention will do. out->n is 0 where
 * nothing comes again. In `a`; false where it is full. */
bool layer_anchor_find(const struct layer_line *l, const struct slice *parts,
	uint32_t parts_n, bool mixes, struct arena *a, struct layer_cuts *out);
