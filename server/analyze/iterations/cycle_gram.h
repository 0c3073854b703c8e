/* cycle_gram.h - runs of names that come again and again: where a period may
 * begin.
 *
 * A gram is 1, 4, 16 or 64 consecutive names of a stream. Single
 * names do where one is launched once a cycle; longer ones where only the way
 * from the last layer to the first is. Of grams that occur equally often one
 * stands for all, and of those numbers the ones that most grams have are tried;
 * of long sequences an even share of the grams, chosen by what they hold, is
 * looked at. */
#pragma once
#include "cycle_seq.h"

enum { CYCLE_GRAMS_MAX = 48 };

struct cycle_gram {
	uint64_t hash;
	uint32_t length, count,
		first; /* of names; occurrences; place in main */
};

/* Those that occur at least twice and at most `most` times, most often first;
 * *n of them. In `a`, which is for scratch; NULL where it is full. */
struct cycle_gram *cycle_grams(const struct cycle_seq *s, uint32_t most,
	struct arena *a, uint32_t *n);

/* The places in main at which a gram begins, ascending; `at` has room for
 * gram.count. How many; 0 where some overlap, since a gram that is made of
 * layers begins at each of them, and what is left of those is no period. */
uint32_t cycle_gram_places(const struct cycle_seq *s,
	const struct cycle_gram *g, uint32_t *at);
