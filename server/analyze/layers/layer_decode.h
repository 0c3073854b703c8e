/* layer_decode.h - a line read as layers of known kinds, and what is between.
 *
 * The cheapest reading: a launch that a kind does not have, one that it has and
 * the line does not, and one in another's place cost; so does what is in no layer,
 * per launch, and beginning a layer anew behind such. A reading is followed as
 * long as it is within a fixed cost of the best, so that time goes with the line's
 * length (Viterbi's algorithm with a beam). A part may begin and end within a
 * layer, which costs as well. */
#pragma once
#include "layer_kinds.h"

enum { LAYER_OUTSIDE = UINT32_MAX };

/* Places of a line that are one layer, or of none. */
struct layer_reading {
	uint32_t from, to;
	uint32_t kind; /* LAYER_OUTSIDE */
	uint32_t lacks; /* launches of the kind before its first or behind its
		last, where the part begins or ends within it */
};

struct layer_readings {
	struct layer_reading *at; /* in order */
	uint32_t n;
	size_t room;
};

/* Adds the readings of a part behind those there are; all of the part is in one
 * of them. at[] is of arena_grow(). False where the arena is full. */
bool layer_decode(const struct layer_line *l, struct slice part,
	const struct layer_kinds *k, struct arena *a,
	struct layer_readings *out);
