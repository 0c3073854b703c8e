/* layer_anchor.h - names of a line, or short runs of them, that come once per
 * layer.
 *
 * Runs of 1, 2 and 4 names with even distances are tried as cuts. A stretch
 * between two of them is like its neighbor if the weighted Jaccard index of
 * their names is 0.62 or more (three quarters of the launches of both), or if
 * both hold attention and a feed-forward part and are not foreign to each
 * other. If no attention is known, 0.45 in the same order is enough if the one
 * before its neighbor is similar: two kinds that alternate. A stretch counts only
 * if it holds attention, if the line does. Of the cuts that explain most of the
 * line the one with the most layers is taken: a period of two layers is not a
 * layer. */
#pragma once
#include "layer_line.h"

/* The launches between two anchors, or from the last one of a part to where the
 * next would be. */
struct layer_stretch {
	uint32_t from, to; /* places in the line */
	uint32_t part; /* of the line, which contains it */
	bool similar; /* like a neighbor, see above */
	bool last; /* no anchor follows it */
};

struct layer_cuts {
	struct layer_stretch *at; /* in order */
	uint32_t n;
	uint32_t explained; /* launches in stretches that count */
	bool mixes; /* layers hold attention */
};

/* Searches the given parts of a line: `parts_n` of them, ascending, which do
 * not overlap. `mixes`: only layers with attention are accepted. out->n is 0 if
 * nothing repeats. Allocates in `a`. Returns false if it is full. */
bool layer_anchor_find(const struct layer_line *l, const struct slice *parts,
	uint32_t parts_n, bool mixes, struct arena *a, struct layer_cuts *out);
