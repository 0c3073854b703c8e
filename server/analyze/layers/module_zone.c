/* module_zone.c - slots in the order of a pass: what is before its first layer, a
 * layer, what is between that and the next, … */
#include "module_zone.h"
#include <stdlib.h>
#include <string.h>

struct zoner {
	const struct layer_seq *s;
	const struct module_marks *m;
	const struct module_visits *v;
	const struct module_kinds *k;
	const struct module_stacks *l;
	uint32_t *pass_from; /* visits of each pass, and the end */
	uint32_t *section; /* by slot; LAYER_NONE: nothing is in it */
	uint32_t *slot; /* by item; LAYER_NONE */
	uint32_t slots;
	struct names between; /* pairs of stacks; id - 1 */
	struct layer_cut *out;
};

enum { BEFORE, AFTER, FIXED };
enum { BEHIND_ALL = INT32_MAX - 1, NOWHERE }; /* positions in a pass */

/* Slots of a pass of n layers: 2n + 1, visit i's the (2i + 1)th. */
static uint32_t first_slot(const struct zoner *z, uint32_t pass)
{
	return 2 * z->pass_from[pass] + pass;
}

static uint32_t slot_of(const struct zoner *z, uint32_t visit)
{
	return 2 * visit + z->v->visits[visit].pass + 1;
}

static uint32_t stack_of(const struct zoner *z, uint32_t visit)
{
	return module_stack_of(z->m, z->l, z->v->visits[visit].mark);
}

/* Whether the next visit goes on in the stack, further than this one. */
static bool goes_on(const struct zoner *z, uint32_t visit)
{
	const struct module_mark *a = &z->m->marks[z->v->visits[visit].mark];
	const struct module_mark *b =
		&z->m->marks[z->v->visits[visit + 1].mark];

	if (a->parent != b->parent)
		return false;
	if (a == b)
		return true;
	return a->word == b->word ? a->number < b->number : a->first < b->first;
}

/* The slot of an item that is in no layer; `visit` is the last that began by
 * then, LAYER_NONE where none did. */
static uint32_t outside(const struct zoner *z, const struct layer_item *it,
	uint32_t visit)
{
	if (visit == LAYER_NONE)
		return first_slot(z, it->pass);
	bool last = visit + 1 == z->pass_from[it->pass + 1];
	if (it->start_ns <= z->v->visits[visit].last_ns ||
		(!last && goes_on(z, visit) &&
			(!z->l->asked || it->host_ns < 0)))
		return slot_of(z, visit);
	return slot_of(z, visit) + 1;
}

static bool deal(struct zoner *z, struct arena *scratch)
{
	uint32_t *at = arena_grow(scratch, NULL,
		((size_t)z->s->passes_n + 1) * sizeof *at);

	if (!at)
		return false;
	memcpy(at, z->pass_from, z->s->passes_n * sizeof *at);
	for (uint32_t i = 0; i < z->s->n; i++) {
		const struct layer_item *it = &z->s->items[i];
		z->slot[i] = LAYER_NONE;
		if (it->pass == LAYER_NONE)
			continue;
		uint32_t *next = &at[it->pass];
		while (*next < z->pass_from[it->pass + 1] &&
			z->v->visits[*next].first_ns <= it->start_ns)
			++*next;
		bool none = *next == z->pass_from[it->pass];
		z->slot[i] =
			z->v->of[i] != LAYER_NONE
				? slot_of(z, z->v->of[i])
				: outside(z, it, none ? LAYER_NONE : *next - 1);
		z->section[z->slot[i]] = 0;
	}
	return true;
}

/* The number of what is between two stacks; LAYER_NONE where the arena is full. */
static uint32_t between(struct zoner *z, uint32_t visit)
{
	uint32_t key[] = { stack_of(z, visit), stack_of(z, visit + 1) };
	uint32_t id = names_put(&z->between, (const char *)key, sizeof key);
	return id == NAMES_NONE ? LAYER_NONE : id - 1;
}

/* Sections as they are first thought of: before, after, kinds, between. */
static bool name_slots(struct zoner *z)
{
	uint32_t slot = 0;

	for (uint32_t p = 0; p < z->s->passes_n; p++) {
		uint32_t from = z->pass_from[p], to = z->pass_from[p + 1];
		if (z->section[slot] != LAYER_NONE)
			z->section[slot] = BEFORE;
		slot++;
		for (uint32_t i = from; i < to; i++, slot += 2) {
			z->section[slot] =
				FIXED + z->k->of[z->v->visits[i].mark];
			if (z->section[slot + 1] == LAYER_NONE)
				continue;
			uint32_t b = i + 1 < to ? between(z, i) : 0;
			if (b == LAYER_NONE)
				return false;
			z->section[slot + 1] =
				i + 1 < to ? FIXED + z->k->n + b : AFTER;
		}
	}
	return true;
}

struct place {
	uint32_t position, section;
};

static int by_position(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return a->section < b->section ? -1 : a->section > b->section;
}

/* Sections that hold something, in the order in which a pass has them. */
static bool order(struct zoner *z, struct arena *scratch, uint32_t *now)
{
	uint32_t all = FIXED + z->k->n + z->between.n - 1, slot = 0;
	struct place *places = arena_grow(scratch, NULL, all * sizeof *places);

	z->out->sections = arena_array(z->s->arena, struct layer_section, all);
	if (!places || !z->out->sections)
		return false;
	for (uint32_t i = 0; i < all; i++)
		places[i] = (struct place){ NOWHERE, i };
	for (uint32_t p = 0; p < z->s->passes_n; p++)
		for (uint32_t end = first_slot(z, p + 1), from = slot;
			slot < end; slot++) {
			uint32_t x = z->section[slot];
			if (x != LAYER_NONE && slot - from < places[x].position)
				places[x].position = slot - from;
		}
	if (places[AFTER].position != NOWHERE)
		places[AFTER].position = BEHIND_ALL;
	qsort(places, all, sizeof *places, by_position);
	for (uint32_t i = 0; i < all && places[i].position != NOWHERE; i++) {
		uint32_t x = places[i].section, kind = x - FIXED;
		struct layer_section *to =
			&z->out->sections[z->out->sections_n];
		now[x] = z->out->sections_n++;
		if (x < FIXED)
			to->place =
				x == BEFORE ? SECTION_BEFORE : SECTION_AFTER;
		else if (kind < z->k->n)
			*to = (struct layer_section){ .place = SECTION_LAYER,
				.name = z->k->kinds[kind].name };
		else
			to->place = SECTION_BETWEEN;
	}
	return true;
}

static bool instances(struct zoner *z, const uint32_t *now,
	struct arena *scratch)
{
	struct layer_cut *out = z->out;
	uint32_t *instance_of = arena_grow(scratch, NULL,
		((size_t)z->slots + 1) * sizeof *instance_of);

	out->instances = arena_array(z->s->arena, struct layer_instance,
		(size_t)z->slots + 1);
	out->instance = arena_array(z->s->arena, uint32_t, (size_t)z->s->n + 1);
	if (!instance_of || !out->instances || !out->instance)
		return false;
	for (uint32_t p = 0, slot = 0; p < z->s->passes_n; p++)
		for (uint32_t number = 0; slot < first_slot(z, p + 1); slot++) {
			if (z->section[slot] == LAYER_NONE)
				continue;
			uint32_t section = now[z->section[slot]];
			bool layer =
				out->sections[section].place == SECTION_LAYER;
			instance_of[slot] = out->instances_n;
			out->instances[out->instances_n++] =
				(struct layer_instance){ section, p,
					layer ? number : 0 };
			number += layer;
		}
	for (uint32_t i = 0; i < z->s->n; i++)
		out->instance[i] = z->slot[i] == LAYER_NONE
					   ? LAYER_NONE
					   : instance_of[z->slot[i]];
	return true;
}

static bool init(struct zoner *z, struct arena *scratch)
{
	uint32_t passes = z->s->passes_n;

	z->slots = 2 * z->v->n + passes;
	z->pass_from = arena_grow(scratch, NULL,
		((size_t)passes + 2) * sizeof *z->pass_from);
	z->section = arena_grow(scratch, NULL,
		((size_t)z->slots + 1) * sizeof *z->section);
	z->slot = arena_grow(scratch, NULL,
		((size_t)z->s->n + 1) * sizeof *z->slot);
	if (!z->pass_from || !z->section || !z->slot ||
		!names_init(&z->between, scratch))
		return false;
	for (uint32_t i = 0; i < z->v->n; i++)
		z->pass_from[z->v->visits[i].pass + 1]++;
	for (uint32_t p = 0; p < passes; p++)
		z->pass_from[p + 1] += z->pass_from[p];
	for (uint32_t i = 0; i < z->slots; i++)
		z->section[i] = LAYER_NONE;
	return true;
}

bool module_zones(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, const struct module_visits *v,
	const struct module_kinds *k, struct layer_cut *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct zoner z = { .s = s, .m = m, .l = l, .v = v, .k = k, .out = out };

	*out = (struct layer_cut){ 0 };
	bool ok = init(&z, &scratch) && deal(&z, &scratch) && name_slots(&z);
	size_t all = ok ? FIXED + (size_t)k->n + z.between.n : 1;
	uint32_t *now = arena_grow(&scratch, NULL, all * sizeof *now);
	ok = ok && now && order(&z, &scratch, now) &&
	     instances(&z, now, &scratch);
	arena_scratch_release(&scratch, s->arena);
	return ok;
}
