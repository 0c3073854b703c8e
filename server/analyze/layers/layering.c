/* layering.c - makes the layering of a run without layers, computes the
 * confidence of layers, and finds their blocks by annotations. */
#include "layering.h"
#include "layer_words.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Layers of one kind take about equally long. How well their usual duration is
 * known is its relative standard error. In 12 recorded traces of models it was at
 * most 0.13 for any kind of layer found by period (40 layers of a step that waits
 * for its host). Two forward passes of a model, of which the first one loads its
 * libraries, have 1.0. */
static const double ERROR_USUAL = 0.25;

/* The relative standard error of n > 1 durations: 1.4826 × MAD / sqrt(n) over
 * their median. It is robust, so that one layer that waits has no effect.
 * Changes the durations. */
static double layering_error(int64_t *ns, uint32_t n)
{
	sort_int64(ns, n);
	/* Both medians are doubled to stay whole. */
	int64_t middle = ns[n / 2] + ns[(n - 1) / 2];
	for (uint32_t i = 0; i < n; i++)
		ns[i] = llabs(ns[i] * 2 - middle);
	sort_int64(ns, n);
	int64_t mad = ns[n / 2] + ns[(n - 1) / 2];
	return middle > 0 ? 1.4826 * (double)mad / (double)middle / 2 / sqrt(n)
			  : 0;
}

/* Stores the duration of each instance: from its first start to its last
 * end. */
static void layering_durations(const struct layering *l,
	const struct layer_seq *s, int64_t *first_ns, int64_t *dur_ns)
{
	for (uint32_t i = 0; i < l->instances_n; i++)
		first_ns[i] = INT64_MAX;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t of = l->instance[i];
		if (of != LAYER_NONE && it->start_ns < first_ns[of])
			first_ns[of] = it->start_ns;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t of = l->instance[i];
		if (of == LAYER_NONE)
			continue;
		int64_t ns = it->start_ns + it->dur_ns - first_ns[of];
		dur_ns[of] = ns > dur_ns[of] ? ns : dur_ns[of];
	}
}

double layering_evenness(const struct layering *l, const struct layer_seq *s)
{
	size_t n = (size_t)l->instances_n + 1;
	int64_t *first_ns = arena_grow(s->arena, NULL, n * sizeof *first_ns);
	int64_t *dur_ns = arena_grow(s->arena, NULL, n * sizeof *dur_ns);
	int64_t *of_kind = arena_grow(s->arena, NULL, n * sizeof *of_kind);
	bool ok = first_ns && dur_ns && of_kind;
	uint32_t all = 0;
	double sum = 0;

	if (ok)
		layering_durations(l, s, first_ns, dur_ns);
	for (uint32_t k = 0; ok && k < l->sections_n; k++) {
		uint32_t of = 0;
		if (l->sections[k].place != SECTION_LAYER)
			continue;
		for (uint32_t i = 0; i < l->instances_n; i++)
			if (l->instances[i].section == k)
				of_kind[of++] = dur_ns[i];
		double error = of > 1 ? layering_error(of_kind, of) : 0;
		all += of;
		sum += of * (error > ERROR_USUAL ? ERROR_USUAL / error : 1);
	}
	arena_drop(s->arena, first_ns);
	arena_drop(s->arena, dur_ns);
	arena_drop(s->arena, of_kind);
	return all ? sum / all : 1;
}

/* Returns whether an annotation names a part of a layer. Schedules of pipelines
 * write the direction of the pass in brackets: "attn(F)", "mlp(B)". */
static bool layering_range_word(const struct layer_seq *s,
	const struct frame *f, struct layer_word *word)
{
	char name[64];
	size_t len = strlen(f->name), n = strcspn(f->name, "(");

	if (f->kind != FRAME_ANNOTATION || !n || n >= sizeof name ||
		(n < len && f->name[len - 1] != ')'))
		return false;
	memcpy(name, f->name, n);
	name[n] = '\0';
	return catalog_module_word(s->catalog,
		       &(struct module_at){ .name = name }, word) &&
	       word->block < BLOCKS;
}

/* The leading word of a majority vote, and its lead in votes. */
struct layering_vote {
	uint32_t frame, item, lead, votes, all;
};

/* Finds for each position the frame whose word most of its launches have; `of` is
 * by frame the innermost frame with a word, 0 none. */
static void layering_range_votes(const struct layer_seq *s,
	const struct layering *l, const uint32_t *of,
	const struct layer_word *words, struct layering_vote *votes)
{
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < s->n; i++) {
			uint32_t f = of[s->items[i].frame];
			if (l->place[i] == LAYER_NONE)
				continue;
			struct layering_vote *v = &votes[l->place[i]];
			bool same = words[f].block == words[v->frame].block &&
				    words[f].roles == words[v->frame].roles;
			if (round) {
				v->all++;
				v->votes += same;
			} else if (!v->lead) {
				v->frame = f;
				v->item = i;
				v->lead = 1;
			} else {
				v->lead += same ? 1U : UINT32_MAX;
			}
		}
}

/* Returns whether a launch may move tokens between ranks: a collective, or a
 * kernel whose operator is unknown. */
static bool layering_may_send(const struct layer_item *it)
{
	return it->is && (!it->is->op || it->is->op->collective);
}

bool layering_blocks_by_ranges(const struct layer_seq *s, struct layering *l)
{
	static const layer_roles sends = ROLE_BIT(DISPATCH) | ROLE_BIT(COMBINE);
	struct arena a = arena_scratch(s->arena);
	uint32_t *of = arena_array(&a, uint32_t, (size_t)s->frames_n + 1);
	struct layer_word *words =
		arena_array(&a, struct layer_word, (size_t)s->frames_n + 1);
	struct layering_vote *votes =
		arena_array(&a, struct layering_vote, (size_t)l->places_n + 1);
	bool ok = of && words && votes;

	if (ok)
		words[0].block = BLOCKS;
	for (uint32_t i = 1; ok && i < s->frames_n; i++)
		of[i] = layering_range_word(s, &s->frames[i], &words[i])
				? i
				: of[s->frames[i].parent];
	if (ok)
		layering_range_votes(s, l, of, words, votes);
	for (uint32_t i = 0; ok && i < l->places_n; i++) {
		const struct layering_vote *v = &votes[i];
		if (!v->frame || v->votes <= v->all / 2)
			continue;
		l->places[i].block = words[v->frame].block;
		if (layering_may_send(&s->items[v->item]))
			l->places[i].roles = words[v->frame].roles & sends;
	}
	arena_scratch_release(&a, s->arena);
	return ok;
}
