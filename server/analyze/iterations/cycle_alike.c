/* cycle_alike.c - multisets counted into arrays by item. */
#include "cycle_alike.h"

bool cycle_alike_init(struct cycle_alike *s, const struct cycle_items *items,
	const uint8_t *counts, struct arena *a)
{
	size_t n = (size_t)items->n + 1, names = (size_t)items->names_n + 1;

	*s = (struct cycle_alike){ .items = items,
		.counts = counts,
		.item = arena_grow(a, NULL, n * sizeof *s->item),
		.item_met = arena_grow(a, NULL, n * sizeof *s->item_met),
		.name = arena_grow(a, NULL, names * sizeof *s->name),
		.name_met = arena_grow(a, NULL, names * sizeof *s->name_met) };
	return s->item && s->item_met && s->name && s->name_met;
}

static bool counts(const struct cycle_alike *s, uint32_t item)
{
	return !s->counts || s->counts[item];
}

/* Adds so many to the counts of a cycle's items and names. */
static uint32_t add(const struct cycle_alike *s, uint32_t cycle, uint32_t *item,
	uint32_t *name, uint32_t by)
{
	const struct cycle_items *x = s->items;
	uint32_t n = 0;

	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++) {
		if (!counts(s, x->entry[i]))
			continue;
		item[x->entry[i]] += by;
		name[cycle_items_at(x, x->entry[i]).name] += by;
		n++;
	}
	return n;
}

void cycle_alike_take(struct cycle_alike *s, uint32_t cycle)
{
	s->cycle = cycle;
	s->size = add(s, cycle, s->item, s->name, 1);
}

void cycle_alike_drop(struct cycle_alike *s)
{
	add(s, s->cycle, s->item, s->name, -1u);
}

bool cycle_alike_is(struct cycle_alike *s, uint32_t other)
{
	const struct cycle_items *x = s->items;
	uint32_t same = 0, named = 0, n = 0;

	for (uint32_t i = x->from[other]; i < x->from[other + 1]; i++) {
		uint32_t item = x->entry[i];
		if (!counts(s, item))
			continue;
		uint32_t name = cycle_items_at(x, item).name;
		same += s->item_met[item]++ < s->item[item];
		named += s->name_met[name]++ < s->name[name];
		n++;
	}
	add(s, other, s->item_met, s->name_met, -1u);
	double all = (double)n + s->size;
	return same >= 0.9 * (all - same) ||
	       (named >= 0.97 * (all - named) && same * 2 >= 0.6 * all);
}

static uint64_t mix(uint64_t x)
{
	x = (x + UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 29;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 32;
}

uint32_t cycle_alike_size(const struct cycle_alike *s, uint32_t cycle,
	uint64_t *hash)
{
	const struct cycle_items *x = s->items;
	uint32_t n = 0;

	*hash = 0;
	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++) {
		if (!counts(s, x->entry[i]))
			continue;
		*hash += mix(x->entry[i]);
		n++;
	}
	return n;
}
