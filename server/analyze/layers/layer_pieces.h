/* layer_pieces.h - a line cut where layers begin, and which pieces are equal. */
#pragma once
#include "layer_phase.h"

enum { LAYER_ODDS_MAX = 128, LAYER_SHORTEST = 4 /* launches */ };

struct layer_piece {
	uint64_t hash;
	uint32_t from, to; /* places */
	uint32_t count; /* of odd ones: equal pieces */
	bool first; /* of its part, or such a one is among its equals */
};

struct layer_pieces {
	const struct layer_line *l;
	const struct slice *parts;
	struct layer_stretch
		one; /* that most stretches are like; empty: none is */
	uint32_t head; /* layer_phase_find() */
	struct layer_piece *piece; /* in order */
	struct layer_piece *odd; /* different ones, most launches first */
	uint32_t pieces, odds;
	uint32_t spare; /* pieces there is room for, beside those by anchors */
};

static inline uint32_t layer_piece_length(const struct layer_piece *p)
{
	return p->to - p->from;
}

/* Launches of what repeats itself exactly, once: it is layers between which the
 * anchor is not. All of what does not. */
uint32_t layer_piece_once(const uint32_t *symbol, uint32_t n);
uint64_t layer_piece_hash(const uint32_t *symbol, uint32_t n);

/* Cuts anew what anchors cut. In `a`; false where it is full. */
bool layer_pieces_from(struct layer_pieces *p, const struct layer_line *l,
	const struct slice *parts, const struct layer_cuts *c, struct arena *a);
