/* layer_strand.c - items by instance and lane, then strands by what they hold. */
#include "layer_strand.h"
#include <stdlib.h>

/* Stable: `order` by key, below `keys`; what has LAYER_NONE is left out. Gives how
 * many are left; LAYER_NONE where the arena is full. */
static uint32_t sorted(const uint32_t *order, uint32_t n, const uint32_t *key,
	uint32_t keys, uint32_t *out, struct arena *a)
{
	size_t room = (size_t)keys + 1;
	uint32_t *at = arena_grow(a, NULL, room * sizeof *at);

	if (!at)
		return LAYER_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (key[order[i]] != LAYER_NONE)
			at[key[order[i]] + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		at[k + 1] += at[k];
	uint32_t left = at[keys];
	for (uint32_t i = 0; i < n; i++)
		if (key[order[i]] != LAYER_NONE)
			out[at[key[order[i]]]++] = order[i];
	arena_drop(a, at);
	return left;
}

/* Items by instance, then lane, then time. */
static bool by_instance(struct layer_strands *s, const struct layer_cut *cut,
	uint32_t *left)
{
	const struct layer_seq *seq = s->seq;
	size_t bytes = ((size_t)seq->n + 1) * sizeof *s->items;
	uint32_t *key = arena_grow(s->arena, NULL, bytes);
	uint32_t *order = arena_grow(s->arena, NULL, bytes);

	s->items = arena_grow(s->arena, NULL, bytes);
	if (!key || !order || !s->items)
		return false;
	for (uint32_t i = 0; i < seq->n; i++) {
		s->items[i] = i;
		key[i] = seq->items[i].lane;
	}
	*left = sorted(s->items, seq->n, key, seq->lanes, order, s->arena);
	if (*left != LAYER_NONE)
		*left = sorted(order, seq->n, cut->instance, cut->instances_n,
			s->items, s->arena);
	arena_drop(s->arena, key);
	arena_drop(s->arena, order);
	return *left != LAYER_NONE;
}

static uint64_t mixed(uint64_t hash, uint32_t symbol)
{
	hash = (hash ^ symbol) * 0x9e3779b97f4a7c15u;
	return hash ^ (hash >> 29);
}

static bool cut_strands(struct layer_strands *s, const struct layer_cut *cut,
	uint32_t left)
{
	uint32_t strands = 0, lane, instance;

	for (uint32_t i = 0; i < left; i++)
		strands += !i ||
			   cut->instance[s->items[i]] !=
				   cut->instance[s->items[i - 1]] ||
			   s->seq->items[s->items[i]].lane !=
				   s->seq->items[s->items[i - 1]].lane;
	s->list = arena_grow(s->arena, NULL,
		((size_t)strands + 1) * sizeof *s->list);
	for (uint32_t i = 0; s->list && i < left; i++) {
		const struct layer_item *it = &s->seq->items[s->items[i]];
		lane = it->lane;
		instance = cut->instance[s->items[i]];
		struct layer_strand *last = s->n ? &s->list[s->n - 1] : NULL;
		if (!last || last->instance != instance || last->lane != lane) {
			last = &s->list[s->n++];
			*last = (struct layer_strand){
				.section = cut->instances[instance].section,
				.lane = lane,
				.instance = instance,
				.from = i,
				.hash = 1
			};
		}
		last->to = i + 1;
		last->hash = mixed(last->hash, it->symbol);
	}
	return s->list;
}

static int by_content(const void *left, const void *right)
{
	const struct layer_strand *a = left, *b = right;
	const uint64_t x[] = { a->section, a->lane, a->to - a->from, a->hash,
		a->instance };
	const uint64_t y[] = { b->section, b->lane, b->to - b->from, b->hash,
		b->instance };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

bool layer_strands_from(struct layer_strands *s, const struct layer_seq *seq,
	const struct layer_cut *cut, struct arena *scratch)
{
	uint32_t left;

	*s = (struct layer_strands){ .seq = seq, .arena = scratch };
	if (!by_instance(s, cut, &left) || !cut_strands(s, cut, left))
		return false;
	qsort(s->list, s->n, sizeof *s->list, by_content);
	return true;
}

uint32_t layer_strands_group(const struct layer_strands *s, uint32_t from)
{
	uint32_t to = from;

	while (to < s->n && s->list[to].section == s->list[from].section &&
		s->list[to].lane == s->list[from].lane)
		to++;
	return to;
}

static bool equal(const struct layer_strands *s, const struct layer_strand *a,
	const struct layer_strand *b)
{
	if (a->hash != b->hash || a->to - a->from != b->to - b->from)
		return false;
	for (uint32_t i = 0; i < a->to - a->from; i++)
		if (layer_strand_symbol(s, a, i) !=
			layer_strand_symbol(s, b, i))
			return false;
	return true;
}

static int by_count(const void *left, const void *right, void *with)
{
	const struct layer_variant *a = left, *b = right;
	const struct layer_strand *list = with, *x = &list[a->from],
				  *y = &list[b->from];
	uint32_t many = a->to - a->from, other = b->to - b->from;

	if (many != other)
		return many > other ? -1 : 1;
	if (x->to - x->from != y->to - y->from)
		return x->to - x->from > y->to - y->from ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

uint32_t layer_strands_variants(const struct layer_strands *s, uint32_t from,
	uint32_t to, struct layer_variant *out)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		if (i == from || !equal(s, &s->list[i], &s->list[i - 1]))
			out[n++].from = i;
		out[n - 1].to = i + 1;
	}
	qsort_r(out, n, sizeof *out, by_count, s->list);
	return n;
}
