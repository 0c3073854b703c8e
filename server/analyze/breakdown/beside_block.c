/* beside_block.c - blocks of the sides, by section and kind. */
#include "beside_parts.h"
#include <math.h>

struct blocks {
	struct beside_work *w;
	struct beside_order order; /* of one section after the other, its things
		kinds */
	uint32_t *
		from[BESIDE_MOST]; /* by section of the side: its first block */
};

static bool index_side(struct blocks *b, uint32_t side)
{
	const struct breakdown *is = b->w->sides[side].breakdown;
	uint32_t *from =
		arena_grow(b->w->a, NULL, (is->sections_n + 1) * sizeof *from);
	b->from[side] = from;
	if (!from)
		return false;
	for (uint32_t s = 0, i = 0; s <= is->sections_n; s++) {
		while (i < is->blocks_n && is->blocks[i].section < s)
			i++;
		from[s] = i;
	}
	return true;
}

static void put_in_order(struct blocks *b, const struct beside_section *is)
{
	b->order.first = BESIDE_NONE;
	for (uint32_t k = 0; k < BLOCKS; k++)
		b->order.next[k] = k;
	for (uint32_t s = 0; s < b->w->sides_n; s++) {
		const struct breakdown *d = b->w->sides[s].breakdown;
		uint32_t kinds[BLOCKS], n = 0;
		if (is->of[s] == BESIDE_NONE)
			continue;
		for (uint32_t i = b->from[s][is->of[s]];
			i < b->from[s][is->of[s] + 1] && n < BLOCKS; i++)
			kinds[n++] = d->blocks[i].kind;
		beside_order_merge(&b->order, kinds, n);
	}
}

static void add_section(struct blocks *b, uint32_t section)
{
	struct beside_work *w = b->w;
	const struct beside_section *is = &w->out->sections[section];
	uint32_t at[BLOCKS];
	put_in_order(b, is);
	for (uint32_t k = b->order.first; k != BESIDE_NONE;
		k = b->order.next[k]) {
		struct beside_block *to = &w->out->blocks[w->out->blocks_n];
		*to = (struct beside_block){ section, (enum layer_block_kind)k,
			BESIDE_NONE, { 0 } };
		for (uint32_t s = 0; s < BESIDE_MOST; s++)
			to->sum_ns[s] = NAN;
		at[k] = w->out->blocks_n++;
	}
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *d = w->sides[s].breakdown;
		if (is->of[s] == BESIDE_NONE)
			continue;
		for (uint32_t i = b->from[s][is->of[s]];
			i < b->from[s][is->of[s] + 1]; i++)
			w->block[s][i] = at[d->blocks[i].kind];
	}
}

/* Which runs beside which, as the first side has it that tells. */
static void add_beside(const struct beside_work *w)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *d = w->sides[s].breakdown;
		for (uint32_t i = 0; i < d->blocks_n; i++) {
			struct beside_block *to =
				&w->out->blocks[w->block[s][i]];
			uint32_t other = d->blocks[i].beside;
			if (other != UINT32_MAX && to->beside == BESIDE_NONE)
				to->beside = w->block[s][other];
		}
	}
}

bool beside_blocks(struct beside_work *w)
{
	struct blocks b = { .w = w };
	size_t all = 1;
	bool ok = beside_order_init(&b.order, BLOCKS, w->a);
	for (uint32_t s = 0; ok && s < w->sides_n; s++) {
		ok = index_side(&b, s);
		all += w->sides[s].breakdown->blocks_n;
	}
	w->out->blocks =
		ok ? arena_array(w->a, struct beside_block, all) : NULL;
	for (uint32_t k = 0; w->out->blocks && k < w->out->sections_n; k++)
		add_section(&b, k);
	if (w->out->blocks)
		add_beside(w);
	for (uint32_t s = 0; s < w->sides_n; s++)
		arena_drop(w->a, b.from[s]);
	arena_drop(w->a, b.order.next);
	return w->out->blocks;
}
