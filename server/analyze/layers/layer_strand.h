/* layer_strand.h - what one lane did in one instance of a section.
 *
 * Strands of a section and lane are laid together, those of equal symbols side by
 * side, so that each sequence is looked at once however often it comes. */
#pragma once
#include "layering.h"

struct layer_strand {
	uint32_t section, lane, instance;
	uint32_t from, to; /* in layer_strands.items */
	uint64_t hash; /* of its symbols */
};

/* Strands of equal symbols. */
struct layer_variant {
	uint32_t from, to; /* in layer_strands.list */
};

struct layer_strands {
	const struct layer_seq *seq;
	uint32_t *items; /* of the sequence, strand by strand, as they come */
	struct layer_strand *list; /* by section, lane, variant, instance */
	uint32_t n;
	struct arena *arena;
};

/* In `scratch`; items without an instance are in none. False where the arena is full. */
bool layer_strands_from(struct layer_strands *s, const struct layer_seq *seq,
	const struct layer_cut *cut, struct arena *scratch);

/* The strands of a section and lane that begin at `from`: where they end. */
uint32_t layer_strands_group(const struct layer_strands *s, uint32_t from);

/* Their variants, the most frequent first, of equal ones the longest, then that
 * which came first; `out` has room for one a strand. Gives their number. */
uint32_t layer_strands_variants(const struct layer_strands *s, uint32_t from,
	uint32_t to, struct layer_variant *out);

static inline uint32_t layer_strand_symbol(const struct layer_strands *s,
	const struct layer_strand *of, uint32_t i)
{
	return s->seq->items[s->items[of->from + i]].symbol;
}
