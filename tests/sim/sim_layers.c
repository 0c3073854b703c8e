/* sim_layers.c - tests the detection of layers: random traces are analyzed by
 * the repeating sequence of their kernels, and the result is compared with the
 * truth. */
#include "passes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct passes_model models[] = {
#include "layer_sims.def"
};

/* Development of the detection used other seeds, below 3000. */
enum { FIRST_SEED = 5000, WRONG_OF_100 = 1 };

/* The layers found in a pass. */
static uint32_t found_in(const struct layering *l, uint32_t pass)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->instances_n; i++)
		n += l->instances[i].pass == pass &&
		     l->sections[l->instances[i].section].place ==
			     SECTION_LAYER;
	return n;
}

static bool whole(const struct passes_model *m, uint32_t pass)
{
	return m->how != HOW_CUT || (pass && pass + 1 < m->passes);
}

/* The detected layer number of an item. */
static uint32_t found(const struct layering *l, uint32_t item)
{
	const struct layer_instance *i = &l->instances[l->instance[item]];

	return l->sections[i->section].place == SECTION_LAYER ? i->number
							      : PASSES_NO_LAYER;
}

/* Whether layers of one kind have one section, and layers of two kinds have
 * two sections. */
static bool kinds(const struct passes *p, const struct passes_model *m,
	const struct layering *l, char *why, size_t size)
{
	uint32_t section[2] = { LAYER_NONE, LAYER_NONE };

	for (uint32_t i = 0; i < p->s.n; i++) {
		if (p->layer[i] >= p->layers || !whole(m, p->s.items[i].pass))
			continue;
		uint32_t kind = passes_kind(p, m->order, p->layer[i]);
		uint32_t is = l->instances[l->instance[i]].section;
		if (section[kind] == LAYER_NONE)
			section[kind] = is;
		if (is != section[kind] || is == section[!kind]) {
			snprintf(why, size,
				"pass %u: layer %u of kind %u is in section %u",
				p->s.items[i].pass, p->layer[i], kind, is);
			return false;
		}
	}
	return true;
}

/* Whether each complete pass has the layers that were drawn, with the launches
 * that were drawn. If the kinds are unlike, the kinds must match, too. `why`
 * receives the first difference. A single layer must not be found, because
 * nothing repeats; a message must say this. */
static bool right(const struct passes *p, const struct passes_model *m,
	const struct layering *l, char *why, size_t size)
{
	if (p->layers == 1) {
		snprintf(why, size, "one layer, and layers found");
		return l->detector == LAYERS_NONE && l->why;
	}
	if (l->detector != LAYERS_PERIOD) {
		snprintf(why, size, "none: %s", l->why);
		return false;
	}
	for (uint32_t i = 0; i < m->passes; i++) {
		uint32_t n = found_in(l, i);
		if (whole(m, i) && n != p->layers) {
			snprintf(why, size, "pass %u: %u layers of %u", i, n,
				p->layers);
			return false;
		}
	}
	for (uint32_t i = 0; i < p->s.n; i++) {
		if (p->layer[i] == PASSES_ANY || !whole(m, p->s.items[i].pass))
			continue;
		uint32_t is = found(l, i);
		if (is != p->layer[i]) {
			snprintf(why, size,
				"pass %u: launch %u, %c, is of %d and not %d",
				p->s.items[i].pass, i,
				(int)p->s.items[i].symbol, (int)is,
				(int)p->layer[i]);
			return false;
		}
	}
	return !m->unlike || kinds(p, m, l, why, size);
}

static bool play(const struct passes_model *m, uint32_t traces, uint64_t from,
	bool talk, const struct catalog *c)
{
	uint32_t rights = 0;

	for (uint64_t seed = from; seed < from + traces; seed++) {
		struct arena a = { 0 };
		struct layering l;
		struct passes p;
		char why[160];
		passes_draw(&p, m, seed, c, &a);
		layering_by_period(&p.s, &l);
		bool ok = right(&p, m, &l, why, sizeof why);
		if (!ok && talk)
			printf("  seed %d: %s\n", (int)seed, why);
		rights += ok;
		arena_release(&a);
	}
	bool good = traces - rights <= traces * WRONG_OF_100 / 100;
	printf("%s %u of %u: %s\n", good ? "ok  " : "FAIL", rights, traces,
		m->name);
	return good;
}

int main(int argc, char **argv)
{
	uint32_t traces = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100;
	uint64_t from = argc > 2 ? strtoul(argv[2], NULL, 10) : FIRST_SEED;
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	bool ok = c && traces > 0;

	for (size_t i = 0; c && i < sizeof models / sizeof *models; i++)
		if (argc <= 3 || !strcmp(argv[3], models[i].name))
			ok = play(&models[i], traces, from, argc > 3, c) && ok;
	catalog_free(c);
	return ok ? 0 : 1;
}
