/* layer_place.h - places while they are made: who has them, when they come. */
#pragma once
#include "layering.h"

/* By lane and symbol, or of a template (layer_fit.h). */
struct place_made {
	uint32_t section, lane, symbol;
	uint32_t
		instances; /* that have it; what they have comes in their order */
	uint32_t last; /* instance that had it last */
	uint32_t launches;
	double offset_ns; /* sum, from the instance's start */
	double at_ns; /* where it comes in its section */
};

struct layer_places {
	const struct layer_seq *seq;
	const uint32_t *instance; /* by item */
	int64_t *begin_ns; /* by instance */
	uint32_t *place; /* by item */
	struct place_made *list;
	uint32_t n;
	size_t cap;
	struct names by_symbol;
	uint32_t *of_name; /* by id of by_symbol */
	size_t names_cap;
	struct arena *arena;
};

/* False where the arena is full; all but `place` is of `scratch`. */
bool layer_places_init(struct layer_places *p, const struct layer_seq *seq,
	const struct layer_cut *cut, uint32_t *place, struct arena *scratch);

/* A new place; LAYER_NONE where the arena is full. */
uint32_t layer_places_add(struct layer_places *p, uint32_t section,
	uint32_t lane, uint32_t symbol);
/* The place by lane and symbol; LAYER_NONE where the arena is full. */
uint32_t layer_places_symbol(struct layer_places *p, uint32_t section,
	uint32_t lane, uint32_t symbol);
/* An item is at a place. */
void layer_places_put(struct layer_places *p, uint32_t item, uint32_t place);

/* Places [from, to) come in this order on their lane, which `strands` instances
 * have. What most have comes by the mean of its starts, in this order at any rate;
 * what few have by the mean of theirs, between the same of what most have. */
void layer_places_line(struct layer_places *p, uint32_t from, uint32_t to,
	uint32_t strands);

/* All in the order in which they come, to out->places and its sections; items'
 * places become those. False where the arena is full. */
bool layer_places_out(struct layer_places *p, struct layering *out);
