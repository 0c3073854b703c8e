/* layer_shuffle.h - the same launches in an order drawn by chance. */
#pragma once
#include "layer_seq.h"

/* A copy of a sequence, of a long one some passes or the middle of one, 50,000
 * launches at most. What they are is shuffled within each stream and pass; starts
 * and durations stay. The same for a seed each time. Its items and passes are
 * `a`'s. False where it is full. */
bool layer_shuffle(const struct layer_seq *s, uint64_t seed,
	struct layer_seq *out, struct arena *a);
