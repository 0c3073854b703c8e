/* layer_align.c - instances of a section laid over each other, lane by lane. */
#include "layer_fit.h"
#include "layer_place.h"
#include "layer_strand.h"
#include <math.h>

/* Strands of a variant that fewer share are each laid by their own durations. */
enum { FEW = 8 };

struct maker {
	const struct layer_seq *seq;
	const struct layer_cut *cut;
	struct layering *out;
	struct arena scratch;
	struct layer_strands strands;
	struct layer_places places;
	struct layer_variant *variants; /* of a section and lane */
	struct fit_symbol *symbols; /* of a strand */
	uint32_t *to; /* likewise */
	uint32_t *launches; /* by section */
	uint32_t *instances;
	uint64_t cells_left;
};

static bool by_symbol(const struct maker *m, uint32_t section)
{
	return m->cut->sections[section].place == SECTION_FLAT ||
	       m->launches[section] >
		       (uint64_t)m->instances[section] * LAYERING_LONG;
}

/* A strand's symbols, and the mean of durations over strands [from, to). */
static void describe(struct maker *m, uint32_t from, uint32_t to)
{
	const struct layer_strand *list = m->strands.list;
	uint32_t n = list[from].to - list[from].from;

	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;
		for (uint32_t k = from; k < to; k++) {
			uint32_t item = m->strands.items[list[k].from + i];
			sum += log2(1 + (double)m->seq->items[item].dur_ns);
		}
		m->symbols[i] =
			(struct fit_symbol){ layer_strand_symbol(&m->strands,
						     &list[from], i),
				(float)(sum / (to - from)) };
	}
}

/* Strands [from, to), which are alike: their items get ids of the template's
 * places. */
static bool lay(struct maker *m, struct layer_fit *f, uint32_t from,
	uint32_t to)
{
	const struct layer_strand *list = m->strands.list;
	uint32_t n = list[from].to - list[from].from;

	describe(m, from, to);
	if (!layer_fit_add(f, m->symbols, n, to - from, m->to))
		return false;
	for (uint32_t k = from; k < to; k++)
		for (uint32_t i = 0; i < n; i++)
			m->places.place[m->strands.items[list[k].from + i]] =
				m->to[i];
	return true;
}

static bool lay_variants(struct maker *m, struct layer_fit *f, uint32_t from,
	uint32_t to)
{
	uint32_t n = layer_strands_variants(&m->strands, from, to, m->variants);
	bool ok = true;

	for (uint32_t v = 0; ok && v < n; v++) {
		const struct layer_variant *is = &m->variants[v];
		uint32_t step =
			v && is->to - is->from <= FEW ? 1 : is->to - is->from;
		for (uint32_t k = is->from; ok && k < is->to; k += step)
			ok = lay(m, f, k, k + step);
	}
	return ok;
}

/* Items of strands [from, to) come to their places; `first` is that of the
 * template's first, made_of tells of its others how many behind. Without a
 * template: by lane and symbol. */
static bool put(struct maker *m, uint32_t from, uint32_t to, uint32_t first,
	const uint32_t *made_of)
{
	const struct layer_strand *list = m->strands.list;

	for (uint32_t k = from; k < to; k++)
		for (uint32_t i = list[k].from; i < list[k].to; i++) {
			uint32_t item = m->strands.items[i], at;
			uint32_t id = m->places.place[item];
			if (made_of && id != FIT_NONE)
				at = first + made_of[id];
			else
				at = layer_places_symbol(&m->places,
					list[k].section, list[k].lane,
					m->seq->items[item].symbol);
			if (at == LAYER_NONE)
				return false;
			layer_places_put(&m->places, item, at);
		}
	return true;
}

/* A template's places, in its order. */
static bool make_places(struct maker *m, const struct layer_fit *f,
	const struct layer_strand *of, uint32_t *made_of)
{
	for (uint32_t i = 0; i < f->places_n; i++) {
		uint32_t id = f->order[i];
		made_of[id] = i;
		if (layer_places_add(&m->places, of->section, of->lane,
			    f->places[id].symbol) == LAYER_NONE)
			return false;
	}
	return true;
}

/* The strands of a section and lane. */
static bool group(struct maker *m, uint32_t from, uint32_t to)
{
	const struct layer_strand *of = &m->strands.list[from];
	uint32_t first = m->places.n;
	struct layer_fit f;

	if (by_symbol(m, of->section))
		return put(m, from, to, 0, NULL);
	layer_fit_init(&f, &m->scratch, &m->cells_left);
	bool ok = lay_variants(m, &f, from, to);
	uint32_t *made_of = arena_grow(&m->scratch, NULL,
		((size_t)f.places_n + 1) * sizeof *made_of);
	ok = ok && made_of && make_places(m, &f, of, made_of) &&
	     put(m, from, to, first, made_of);
	if (ok)
		layer_places_line(&m->places, first, first + f.places_n,
			to - from);
	arena_drop(&m->scratch, made_of);
	layer_fit_release(&f);
	return ok;
}

static bool copy(struct maker *m)
{
	const struct layer_cut *cut = m->cut;
	struct layering *out = m->out;
	struct arena *a = m->seq->arena;
	size_t n = (size_t)m->seq->n + 1;

	*out = (struct layering){ .sections_n = cut->sections_n,
		.instances_n = cut->instances_n };
	out->sections = arena_array(a, struct layer_section,
		(size_t)cut->sections_n + 1);
	out->instances = arena_array(a, struct layer_instance,
		(size_t)cut->instances_n + 1);
	out->instance = arena_array(a, uint32_t, n);
	out->place = arena_array(a, uint32_t, n);
	if (!out->sections || !out->instances || !out->instance || !out->place)
		return false;
	for (uint32_t i = 0; i < cut->sections_n; i++)
		out->sections[i] =
			(struct layer_section){ cut->sections[i].place,
				cut->sections[i].name, 0, 0 };
	if (cut->instances_n)
		memcpy(out->instances, cut->instances,
			cut->instances_n * sizeof *out->instances);
	for (uint32_t i = 0; i < m->seq->n; i++) {
		out->instance[i] = cut->instance[i];
		out->place[i] = LAYER_NONE;
	}
	return true;
}

/* Room for the longest strand, and for the variants of any group. */
static bool begin(struct maker *m)
{
	struct arena *a = &m->scratch;
	size_t longest = 1, sections = (size_t)m->cut->sections_n + 1;

	if (!layer_strands_from(&m->strands, m->seq, m->cut, a) ||
		!layer_places_init(&m->places, m->seq, m->cut, m->out->place,
			a))
		return false;
	m->launches = arena_grow(a, NULL, sections * sizeof *m->launches);
	m->instances = arena_grow(a, NULL, sections * sizeof *m->instances);
	m->variants = arena_grow(a, NULL,
		((size_t)m->strands.n + 1) * sizeof *m->variants);
	if (!m->launches || !m->instances || !m->variants)
		return false;
	for (uint32_t i = 0; i < m->cut->instances_n; i++)
		m->instances[m->cut->instances[i].section]++;
	for (uint32_t i = 0; i < m->strands.n; i++) {
		const struct layer_strand *of = &m->strands.list[i];
		m->launches[of->section] += of->to - of->from;
		if (of->to - of->from > longest)
			longest = of->to - of->from;
	}
	m->symbols = arena_grow(a, NULL, longest * sizeof *m->symbols);
	m->to = arena_grow(a, NULL, longest * sizeof *m->to);
	return m->symbols && m->to;
}

bool layering_align(const struct layer_seq *s, const struct layer_cut *cut,
	struct layering *out)
{
	struct maker m = { .seq = s,
		.cut = cut,
		.out = out,
		.scratch = arena_scratch(s->arena),
		.cells_left = FIT_CELLS };
	bool ok = copy(&m) && begin(&m);

	for (uint32_t from = 0, to; ok && from < m.strands.n; from = to) {
		to = layer_strands_group(&m.strands, from);
		ok = group(&m, from, to);
	}
	ok = ok && layer_places_out(&m.places, out);
	arena_scratch_release(&m.scratch, s->arena);
	return ok;
}
