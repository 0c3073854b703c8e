/* layer_place.c - means of starts, lanes laid between each other. */
#include "layer_place.h"
#include <math.h>
#include <stdlib.h>

/* Hashed as bytes, so it has no gaps. */
struct key {
	uint32_t section, lane, symbol;
};

bool layer_places_init(struct layer_places *p, const struct layer_seq *seq,
	const struct layer_cut *cut, uint32_t *place, struct arena *scratch)
{
	*p = (struct layer_places){ .seq = seq,
		.instance = cut->instance,
		.place = place,
		.arena = scratch };
	p->begin_ns = arena_grow(scratch, NULL,
		((size_t)cut->instances_n + 1) * sizeof *p->begin_ns);
	if (!p->begin_ns || !names_init(&p->by_symbol, scratch))
		return false;
	for (uint32_t i = 0; i < cut->instances_n; i++)
		p->begin_ns[i] = INT64_MAX;
	for (uint32_t i = 0; i < seq->n; i++)
		if (cut->instance[i] != LAYER_NONE &&
			seq->items[i].start_ns < p->begin_ns[cut->instance[i]])
			p->begin_ns[cut->instance[i]] = seq->items[i].start_ns;
	return true;
}

static bool room(struct arena *a, void **p, size_t *cap, size_t n, size_t size)
{
	if (*cap > n)
		return true;
	size_t grown = n * 2 + 64;
	void *to = arena_grow(a, *p, grown * size);
	if (!to)
		return false;
	*p = to;
	*cap = grown;
	return true;
}

uint32_t layer_places_add(struct layer_places *p, uint32_t section,
	uint32_t lane, uint32_t symbol)
{
	void *list = p->list;

	if (!room(p->arena, &list, &p->cap, p->n, sizeof *p->list))
		return LAYER_NONE;
	p->list = list;
	p->list[p->n] = (struct place_made){ .section = section,
		.lane = lane,
		.symbol = symbol,
		.last = LAYER_NONE,
		.at_ns = NAN };
	return p->n++;
}

uint32_t layer_places_symbol(struct layer_places *p, uint32_t section,
	uint32_t lane, uint32_t symbol)
{
	struct key key = { section, lane, symbol };
	uint32_t known = p->by_symbol.n;
	uint32_t id = names_put(&p->by_symbol, (const char *)&key, sizeof key);
	void *of_name = p->of_name;

	if (id == NAMES_NONE)
		return LAYER_NONE;
	if (id < known)
		return p->of_name[id];
	if (!room(p->arena, &of_name, &p->names_cap, id, sizeof *p->of_name))
		return LAYER_NONE;
	p->of_name = of_name;
	return p->of_name[id] = layer_places_add(p, section, lane, symbol);
}

void layer_places_put(struct layer_places *p, uint32_t item, uint32_t place)
{
	struct place_made *to = &p->list[place];
	uint32_t instance = p->instance[item];

	p->place[item] = place;
	to->instances += to->last != instance;
	to->last = instance;
	to->launches++;
	to->offset_ns +=
		(double)(p->seq->items[item].start_ns - p->begin_ns[instance]);
}

static double mean(const struct place_made *p)
{
	return p->offset_ns / (p->launches ? p->launches : 1);
}

static bool most_have(const struct place_made *p, uint32_t strands)
{
	return (uint64_t)p->instances * 2 >= strands;
}

void layer_places_line(struct layer_places *p, uint32_t from, uint32_t to,
	uint32_t strands)
{
	double last = -INFINITY, following = INFINITY;

	for (uint32_t i = from; i < to; i++) {
		struct place_made *m = &p->list[i];
		if (most_have(m, strands))
			last = fmax(last, mean(m));
		m->at_ns = last;
	}
	for (uint32_t i = to; i-- > from;) {
		struct place_made *m = &p->list[i];
		if (most_have(m, strands))
			following = m->at_ns;
		else
			m->at_ns = fmin(fmax(mean(m), m->at_ns), following);
	}
}

static int as_they_come(const void *left, const void *right, void *with)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct place_made *x = (struct place_made *)with + a,
				*y = (struct place_made *)with + b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (a > b) - (a < b);
}

static void write_out(const struct layer_places *p, const uint32_t *order,
	uint32_t *number, struct layering *out)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct place_made *m = &p->list[order[i]];
		struct layer_section *s = &out->sections[m->section];
		number[order[i]] = i;
		if (!s->places_n)
			s->places_from = i;
		s->places_n++;
		out->places[i] = (struct layer_place){ .section = m->section,
			.symbol = m->symbol,
			.lane = m->lane,
			.instances = m->instances,
			.block = BLOCKS };
	}
	out->places_n = p->n;
	for (uint32_t i = 0; i < p->seq->n; i++)
		if (p->place[i] != LAYER_NONE)
			p->place[i] = number[p->place[i]];
}

bool layer_places_out(struct layer_places *p, struct layering *out)
{
	size_t n = (size_t)p->n + 1;
	uint32_t *order = arena_grow(p->arena, NULL, n * sizeof *order);
	uint32_t *number = arena_grow(p->arena, NULL, n * sizeof *number);

	out->places = arena_array(p->seq->arena, struct layer_place, n);
	if (!order || !number || !out->places)
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		order[i] = i;
		if (isnan(p->list[i].at_ns))
			p->list[i].at_ns = mean(&p->list[i]);
	}
	if (p->n)
		qsort_r(order, p->n, sizeof *order, as_they_come, p->list);
	write_out(p, order, number, out);
	return true;
}
