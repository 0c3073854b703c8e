/* layer_doubt.h - whether layers found in a sequence are more than chance gives.
 *
 * A long sequence of few names repeats something in any order. Layers are
 * believed where they hold against that:
 * - at least half of them are of kinds that come twice or more, over all passes;
 *   a kind that comes once repeats nothing;
 * - they are of at most four kinds, or something in them attends or keeps a state;
 * - the same kernels in an order drawn by chance have no layers that tell as much:
 *   names are shuffled within each stream and pass, starts and durations
 *   stay; three times, with seeds that are always the same. Of long runs a
 *   stretch is. That is left out where instances of every kind are the same
 *   sequence of four names or more. */
#pragma once
#include "layering.h"

/* layering_by_period(), and LAYERS_NONE with a sentence in `why` where what it
 * finds is not believed. */
bool layer_doubt_period(const struct layer_seq *s, struct layering *out);
