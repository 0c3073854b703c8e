/* layer_anchor.h - finds anchors: kernel names of a line, or short runs of
 * names, that occur once per layer.
 *
 * Runs of 1, 2 and 4 names with even distances are tried as anchors. Each
 * anchor cuts the line into stretches. A stretch is similar to its neighbor in
 * any of these cases:
 * - The weighted Jaccard index of their names is at least 0.62. Then the two
 *   have three quarters of their launches in common.
 * - Both contain attention and a feed-forward part, and the names are not too
 *   different.
 * - No attention is known, and two kinds alternate: the index is at least 0.45
 *   with the names in the same order, and the stretch is similar to the one
 *   before its neighbor.
 *
 * If the line contains attention, a stretch counts only if it contains
 * attention.
 *
 * Of the anchors whose similar stretches cover most of the line, the one with
 * the most layers is chosen. Otherwise a period of two layers would be taken
 * for one layer. */
#pragma once
#include "layer_line.h"

/* The launches from one anchor to the next. The last stretch of a part ends
 * where the next anchor is expected. */
struct layer_stretch {
	uint32_t from, to; /* indices in the line */
	uint32_t part; /* the part of the line that contains the stretch */
	bool similar; /* similar to a neighbor, see above */
	bool last; /* no anchor follows in the part */
};

struct layer_cuts {
	struct layer_stretch *at; /* in order */
	uint32_t n;
	uint32_t explained; /* number of launches in similar stretches */
	bool mixes; /* layers contain attention */
};

/* Searches `parts_n` parts of a line, which must ascend and not overlap.
 * `mixes`: accepts only layers with attention. out->n is 0 if nothing repeats.
 * Allocates in `a`. Returns false if `a` is full. */
bool layer_anchor_find(const struct layer_line *l, const struct slice *parts,
	uint32_t parts_n, bool mixes, struct arena *a, struct layer_cuts *out);
