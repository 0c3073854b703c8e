/* layer_fit.h - a template of places, to which sequences of symbols are laid one
 * after the other.
 *
 * A place weighs as much as sequences that have it. A sequence is laid where the
 * least is left over: passing a place that most have costs much, one that few
 * have little, and so does being at a place that few have; between what is equal
 * so, durations decide. What fits no place gets one of its own between its
 * neighbours.
 *
 * Time is bounded: a sequence is laid within a band around the diagonal, and
 * once `cells_left` of such tables were filled, by looking a few places ahead.
 * So is memory: a template grows to FIT_EXTRAS places more than its first
 * sequence; what would pass that has FIT_NONE. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { FIT_NONE = UINT32_MAX, FIT_EXTRAS = 1000 };
enum { FIT_CELLS = 1 << 27 }; /* that a breakdown's alignments may take */

struct fit_place {
	uint32_t symbol, weight;
	double log_ns; /* sum over what is here, of log2(1 + duration) */
};

/* `log_ns` is log2(1 + duration), a mean where the sequence comes several times. */
struct fit_symbol {
	uint32_t symbol;
	float log_ns;
};

struct layer_fit {
	struct arena *arena; /* for scratch */
	uint64_t *cells_left;
	struct fit_place *places; /* in order of their ids, from 0 */
	uint32_t *order; /* ids as they come in the template */
	uint32_t places_n, cap, most, weight;
	/* room for a table: costs of a row and the one before, ways, moves */
	uint32_t *cost;
	uint8_t *way;
	uint32_t *to;
	size_t cost_cap, way_cap, to_cap;
};

/* A template without places. Its memory is dropped by release. */
void layer_fit_init(struct layer_fit *f, struct arena *a, uint64_t *cells_left);
void layer_fit_release(struct layer_fit *f);

/* Lays `n` symbols, and takes them up; to[i] is the id of the place that symbol
 * i is at, ascending in the template, or FIT_NONE. False where the arena is full. */
bool layer_fit_add(struct layer_fit *f, const struct fit_symbol *symbols,
	uint32_t n, uint32_t weight, uint32_t *to);
