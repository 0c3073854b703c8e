/* layering.c - makes the layering of a run without layers, and computes the
 * confidence of layers. */
#include "layering.h"

bool layering_flat(const struct layer_seq *s, const char *why,
	struct layering *out)
{
	struct layer_section section = { .place = SECTION_FLAT };
	struct layer_cut cut = { .sections = &section,
		.sections_n = 1,
		.instances_n = s->passes_n };

	cut.instances = arena_grow(s->arena, NULL,
		((size_t)s->passes_n + 1) * sizeof *cut.instances);
	cut.instance = arena_grow(s->arena, NULL,
		((size_t)s->n + 1) * sizeof *cut.instance);
	bool ok = cut.instances && cut.instance;
	for (uint32_t i = 0; ok && i < s->passes_n; i++)
		cut.instances[i] = (struct layer_instance){ .pass = i };
	for (uint32_t i = 0; ok && i < s->n; i++)
		cut.instance[i] = s->items[i].pass;
	ok = ok && layering_align(s, &cut, out);
	out->detector = LAYERS_NONE;
	out->why = why;
	arena_drop(s->arena, cut.instances);
	arena_drop(s->arena, cut.instance);
	return ok;
}

double layering_confidence(const struct layering *l, const struct layer_seq *s)
{
	uint64_t in_layers = 0, at_home = 0;
	uint32_t min_instances = 1;
	uint32_t *of = arena_grow(s->arena, NULL,
		((size_t)l->sections_n + 1) * sizeof *of);
	uint32_t *items = arena_grow(s->arena, NULL,
		((size_t)l->places_n + 1) * sizeof *items);
	bool ok = of && items;

	for (uint32_t i = 0; ok && i < l->instances_n; i++)
		of[l->instances[i].section]++;
	for (uint32_t i = 0; ok && i < l->sections_n; i++)
		if (l->sections[i].place == SECTION_LAYER && of[i] > 1)
			min_instances = 2;
	for (uint32_t i = 0; ok && i < s->n; i++)
		if (l->place[i] != LAYER_NONE)
			items[l->place[i]]++;
	for (uint32_t i = 0; ok && i < l->places_n; i++) {
		const struct layer_place *p = &l->places[i];
		if (l->sections[p->section].place != SECTION_LAYER ||
			of[p->section] < min_instances)
			continue;
		in_layers += items[i];
		if ((uint64_t)p->instances * 2 >= of[p->section])
			at_home += p->instances;
	}
	arena_drop(s->arena, of);
	arena_drop(s->arena, items);
	return in_layers ? (double)at_home / (double)in_layers : 0;
}
