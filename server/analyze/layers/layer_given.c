/* layer_given.c - finds layers that begin at kernels that the caller names. */
#include "layer_seq.h"
#include "layering.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of layers, by the kernels that they launch in any order. */

enum {
	LAYER_GIVEN_KINDS = 16
}; /* most kinds that are distinguished; a layer of a further kind is assigned to the nearest one */

struct layer_given_kinds {
	struct {
		uint32_t *symbols,
			n; /* of the first layer of this kind, ascending */
	} list[LAYER_GIVEN_KINDS];
	uint32_t n;
	uint32_t *symbols; /* of the current layer */
	size_t cap;
	struct arena *arena;
};

static const double similar_min = 0.6;

static void layer_given_kinds_init(struct layer_given_kinds *k, struct arena *a)
{
	*k = (struct layer_given_kinds){ .arena = a };
}

static double layer_given_kinds_share(const uint32_t *a, uint32_t a_n,
	const uint32_t *b, uint32_t b_n)
{
	uint32_t both = 0, i = 0, j = 0;

	while (i < a_n && j < b_n) {
		bool same = a[i] == b[j], first = a[i] <= b[j];
		both += same;
		j += same || !first;
		i += first;
	}
	uint32_t most = a_n > b_n ? a_n : b_n;
	return most ? (double)both / most : 1;
}

static bool layer_given_kinds_add(struct layer_given_kinds *k, uint32_t n)
{
	uint32_t *symbols = arena_array(k->arena, uint32_t, (size_t)n + 1);

	if (!symbols)
		return false;
	memcpy(symbols, k->symbols, n * sizeof *symbols);
	k->list[k->n].symbols = symbols;
	k->list[k->n++].n = n;
	return true;
}

/* Stores the symbols of the items on the lane in k->symbols, ascending. */
static bool layer_given_kinds_read_symbols(struct layer_given_kinds *k,
	const struct layer_seq *s, uint32_t lane, const uint32_t *items,
	uint32_t n, uint32_t *on)
{
	*on = 0;
	if (n >= k->cap) {
		size_t cap = (size_t)n * 2 + 64;
		uint32_t *grown =
			arena_grow(k->arena, k->symbols, cap * sizeof *grown);
		if (!grown)
			return false;
		k->symbols = grown;
		k->cap = cap;
	}
	for (uint32_t i = 0; i < n; i++)
		if (s->items[items[i]].lane == lane)
			k->symbols[(*on)++] = s->items[items[i]].symbol;
	sort_uint32(k->symbols, *on);
	return true;
}

/* Returns the share of launches that a layer of these items and the first layer
 * of a kind have in common, relative to the longer of the two; NaN if the arena
 * is full. */
static double layer_given_kinds_similarity(struct layer_given_kinds *k,
	uint32_t kind, const struct layer_seq *s, uint32_t lane,
	const uint32_t *items, uint32_t n)
{
	uint32_t on;

	if (!layer_given_kinds_read_symbols(k, s, lane, items, n, &on))
		return NAN;
	return layer_given_kinds_share(k->symbols, on, k->list[kind].symbols,
		k->list[kind].n);
}

/* Finds the kind of a layer by its items on `lane`. It is a new kind if it has
 * less than 60 % of its launches in common with every known kind. Returns false
 * if the arena is full. */
static bool layer_given_kinds_put(struct layer_given_kinds *k,
	const struct layer_seq *s, uint32_t lane, const uint32_t *items,
	uint32_t n, uint32_t *kind)
{
	uint32_t on;
	double best = -1;

	if (!layer_given_kinds_read_symbols(k, s, lane, items, n, &on))
		return false;
	for (uint32_t i = 0; i < k->n; i++) {
		double is = layer_given_kinds_share(k->symbols, on,
			k->list[i].symbols, k->list[i].n);
		if (is > best) {
			best = is;
			*kind = i;
		}
	}
	if (best >= similar_min || k->n == LAYER_GIVEN_KINDS)
		return true;
	*kind = k->n;
	return layer_given_kinds_add(k, on);
}

/* Start kernels: the kernels that begin a layer, by the name in the request. */

struct layer_starts {
	uint8_t *begins; /* by symbol */
	uint32_t lane; /* lane with most start kernels */
	uint32_t
		most; /* most frequent start kernel on that lane; LAYER_NONE: none is in an analyzed pass */
};

static void layer_given_starts_find_lane(struct layer_starts *out,
	const struct layer_seq *s, uint32_t *on)
{
	for (uint32_t i = 0; i < s->n; i++)
		on[s->items[i].lane] += s->items[i].pass != LAYER_NONE &&
					out->begins[s->items[i].symbol];
	for (uint32_t i = 1; i < s->lanes; i++)
		if (on[i] > on[out->lane])
			out->lane = i;
}

static void layer_given_starts_find_most(struct layer_starts *out,
	const struct layer_seq *s, uint32_t *count)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		if (it->pass == LAYER_NONE || it->lane != out->lane ||
			!out->begins[it->symbol])
			continue;
		count[it->symbol]++;
		if (out->most == LAYER_NONE ||
			count[it->symbol] > count[out->most])
			out->most = it->symbol;
	}
}

/* Finds the start kernels: those whose name contains `start`. Allocates in `a`.
 * Returns false if `a` is full. */
static bool layer_given_starts_from(struct layer_starts *out,
	const struct layer_seq *s, const char *start, struct arena *a)
{
	size_t symbols = (size_t)s->symbols + 1;

	*out = (struct layer_starts){ .begins = arena_grow(a, NULL, symbols),
		.most = LAYER_NONE };
	uint32_t *on = arena_grow(a, NULL, ((size_t)s->lanes + 1) * sizeof *on);
	uint32_t *count = arena_grow(a, NULL, symbols * sizeof *count);
	if (!out->begins || !on || !count)
		return false;
	for (uint32_t i = 0; i < s->profile->kernels_n; i++)
		out->begins[i] =
			strstr(s->profile->kernels[i].name, start) != NULL;
	layer_given_starts_find_lane(out, s, on);
	layer_given_starts_find_most(out, s, count);
	return true;
}

/* Layers with given starts: finds where layers begin in each pass, then the
 * length of the last layer, then the kinds. */

/* The last piece of a pass is not a layer if the share of its launches in
 * common with every kind of layer is below this: the head of a model may begin
 * with the same kernel as layers. */
static const double layer_share_min = 0.5;

struct layer_given_maker {
	const struct layer_seq *s;
	struct arena scratch;
	struct layer_starts starts;
	uint32_t lane; /* of the start kernels */
	uint32_t every;
	uint32_t *order, *from; /* items by pass, and where each pass begins */
	struct layer_given_kinds
		kinds; /* first those of layers that another layer follows */
	uint32_t learned; /* number of kinds of such layers */
	uint32_t
		shortest; /* launches on the lane in most layers of the shortest kind */
	uint32_t usual
		[LAYER_GIVEN_KINDS]; /* by kind: launches on the lane in most of its layers */
	uint32_t *
		bound; /* of one pass: indexes in `order` where a layer begins */
	uint32_t bounds_n;
	struct layer_cut cut;
};

static bool layer_given_is_start(const struct layer_given_maker *m,
	uint32_t item)
{
	const struct layer_item *it = &m->s->items[item];

	return it->lane == m->lane && m->starts.begins[it->symbol];
}

static bool layer_given_by_pass(struct layer_given_maker *m)
{
	const struct layer_seq *s = m->s;
	struct arena *a = &m->scratch;
	size_t items = (size_t)s->n + 1, passes = (size_t)s->passes_n + 2;

	m->order = arena_grow(a, NULL, items * sizeof *m->order);
	m->bound = arena_grow(a, NULL, items * sizeof *m->bound);
	m->from = arena_grow(a, NULL, passes * sizeof *m->from);
	if (!m->order || !m->bound || !m->from)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			m->from[s->items[i].pass + 2]++;
	for (uint32_t i = 2; i < s->passes_n + 2; i++)
		m->from[i] += m->from[i - 1];
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			m->order[m->from[s->items[i].pass + 1]++] = i;
	return true;
}

static void layer_given_find_bounds(struct layer_given_maker *m, uint32_t pass)
{
	uint32_t seen = 0;

	m->bounds_n = 0;
	for (uint32_t i = m->from[pass]; i < m->from[pass + 1]; i++)
		if (layer_given_is_start(m, m->order[i]) &&
			seen++ % m->every == 0)
			m->bound[m->bounds_n++] = i;
}

/* Counts the launches of the lane in [from, to) of the order. */
static uint32_t layer_given_on_lane(const struct layer_given_maker *m,
	uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += m->s->items[m->order[i]].lane == m->lane;
	return n;
}

static int layer_given_ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Finds the most frequent length of each kind; of equally frequent ones the
 * longest. `lengths` are by kind and length. */
static void layer_given_find_modes(struct layer_given_maker *m,
	uint64_t *lengths, uint32_t n)
{
	uint32_t best[LAYER_GIVEN_KINDS] = { 0 };

	qsort(lengths, n, sizeof *lengths, layer_given_ascending);
	for (uint32_t i = 0, to; i < n; i = to) {
		uint32_t kind = (uint32_t)(lengths[i] >> 32);
		for (to = i + 1; to < n && lengths[to] == lengths[i];)
			to++;
		if (to - i >= best[kind]) {
			best[kind] = to - i;
			m->usual[kind] = (uint32_t)lengths[i];
		}
	}
}

static bool layer_given_find_usual(struct layer_given_maker *m)
{
	uint64_t *lengths = arena_grow(&m->scratch, NULL,
		((size_t)m->s->n + 1) * sizeof *lengths);
	uint32_t n = 0, kind = 0;
	bool ok = lengths;

	for (uint32_t p = 0; ok && p < m->s->passes_n; p++) {
		layer_given_find_bounds(m, p);
		/* the first layer may be cut off */
		uint32_t first = m->bounds_n > 3 ? 2 : 1;
		for (uint32_t i = first; ok && i < m->bounds_n; i++) {
			uint32_t from = m->bound[i - 1], to = m->bound[i];
			ok = layer_given_kinds_put(&m->kinds, m->s, m->lane,
				m->order + from, to - from, &kind);
			lengths[n++] = (uint64_t)kind << 32 |
				       layer_given_on_lane(m, from, to);
		}
	}
	if (ok)
		layer_given_find_modes(m, lengths, n);
	m->learned = m->kinds.n;
	m->shortest = m->learned ? UINT32_MAX : 0;
	for (uint32_t k = 0; k < m->learned; k++)
		if (m->usual[k] < m->shortest)
			m->shortest = m->usual[k];
	arena_drop(&m->scratch, lengths);
	return ok;
}

/* Returns the end of the next `n` launches on the lane, from `from` on; `to` if
 * there are fewer. */
static uint32_t layer_given_end_of(const struct layer_given_maker *m,
	uint32_t from, uint32_t to, uint32_t launches)
{
	uint32_t n = 0, i = from;

	for (; i < to; i++) {
		bool on = m->s->items[m->order[i]].lane == m->lane;
		if (on && n == launches)
			break;
		n += on;
	}
	return i;
}

/* Finds the end of the last layer of a pass. The layer gets the length of the
 * kind to which it is most similar; of equally similar ones the longest. If it
 * is similar to no kind, its end is its beginning. */
static bool layer_given_last_end(struct layer_given_maker *m, uint32_t from,
	uint32_t to, uint32_t *end)
{
	double best = -1;

	*end = to;
	for (uint32_t k = 0; k < m->learned; k++) {
		uint32_t at = layer_given_end_of(m, from, to, m->usual[k]);
		double is = layer_given_kinds_similarity(&m->kinds, k, m->s,
			m->lane, m->order + from, at - from);
		if (isnan(is))
			return false;
		if (is > best || (is == best && at > *end)) {
			best = is;
			*end = at;
		}
	}
	if (m->learned && best < layer_share_min)
		*end = from;
	return true;
}

static void layer_given_take(struct layer_given_maker *m, uint32_t pass,
	uint32_t section, uint32_t number, uint32_t from, uint32_t to)
{
	struct layer_cut *c = &m->cut;

	if (from == to)
		return;
	for (uint32_t i = from; i < to; i++)
		c->instance[m->order[i]] = c->instances_n;
	c->instances[c->instances_n++] =
		(struct layer_instance){ section, pass, number };
}

enum { BEFORE, FIRST_KIND, AFTER = FIRST_KIND + LAYER_GIVEN_KINDS, SECTIONS };

/* Returns whether the first layer of a pass is shorter than half a layer: the
 * recording began within it, or it is a norm before the layers. */
static bool layer_given_torn(const struct layer_given_maker *m)
{
	return m->bounds_n > 3 &&
	       layer_given_on_lane(m, m->bound[0], m->bound[1]) * 2 <
		       m->shortest;
}

static bool layer_given_cut_pass(struct layer_given_maker *m, uint32_t pass)
{
	uint32_t end = m->from[pass + 1], kind = 0;

	layer_given_find_bounds(m, pass);
	uint32_t n = m->bounds_n, first = layer_given_torn(m);
	layer_given_take(m, pass, BEFORE, 0, m->from[pass],
		n ? m->bound[first] : end);
	for (uint32_t i = first; i < n; i++) {
		uint32_t from = m->bound[i], to = end;
		if (i + 1 < n)
			to = m->bound[i + 1];
		else if (!layer_given_last_end(m, from, end, &to))
			return false;
		if (to > from &&
			!layer_given_kinds_put(&m->kinds, m->s, m->lane,
				m->order + from, to - from, &kind))
			return false;
		layer_given_take(m, pass, FIRST_KIND + kind, i - first, from,
			to);
		if (i + 1 == n)
			layer_given_take(m, pass, AFTER, 0, to, end);
	}
	return true;
}

/* Keeps the sections that have instances, in order. */
static void layer_given_drop_empty(struct layer_given_maker *m,
	struct layer_section *sections)
{
	uint32_t number[SECTIONS], n = 0;
	bool used[SECTIONS] = { false };

	for (uint32_t i = 0; i < m->cut.instances_n; i++)
		used[m->cut.instances[i].section] = true;
	for (uint32_t i = 0; i < SECTIONS; i++) {
		number[i] = n;
		if (!used[i])
			continue;
		sections[n++].place = i == BEFORE  ? SECTION_BEFORE
				      : i == AFTER ? SECTION_AFTER
						   : SECTION_LAYER;
	}
	for (uint32_t i = 0; i < m->cut.instances_n; i++)
		m->cut.instances[i].section =
			number[m->cut.instances[i].section];
	m->cut.sections = sections;
	m->cut.sections_n = n;
}

static bool layer_given_cut_all(struct layer_given_maker *m,
	struct layering *out)
{
	struct layer_section sections[SECTIONS] = { { 0 } };
	struct arena *a = &m->scratch;
	size_t items = (size_t)m->s->n + 1;

	layer_given_kinds_init(&m->kinds, a);
	bool ok = layer_given_by_pass(m) && layer_given_find_usual(m);
	m->cut.instance = arena_grow(a, NULL, items * sizeof *m->cut.instance);
	m->cut.instances =
		arena_grow(a, NULL, items * sizeof *m->cut.instances);
	ok = ok && m->cut.instance && m->cut.instances;
	if (ok)
		memset(m->cut.instance, 0xff, items * sizeof *m->cut.instance);
	for (uint32_t p = 0; ok && p < m->s->passes_n; p++)
		ok = layer_given_cut_pass(m, p);
	if (!ok)
		return false;
	layer_given_drop_empty(m, sections);
	return layering_align(m->s, &m->cut, out);
}

bool layering_by_start(const struct layer_seq *s, const char *start,
	uint32_t every, struct layering *out)
{
	struct layer_given_maker m = { .s = s,
		.scratch = arena_scratch(s->arena),
		.every = every ? every : 1 };

	*out = (struct layering){ 0 };
	bool ok = layer_given_starts_from(&m.starts, s, start, &m.scratch);
	m.lane = m.starts.lane;
	if (ok && m.starts.most == LAYER_NONE) {
		out->why = arena_printf(s->arena,
			"no kernel that counts has a name with '%.80s' in it",
			start);
		ok = out->why;
	} else if (ok) {
		ok = layer_given_cut_all(&m, out);
		out->detector = LAYERS_GIVEN;
		out->anchor = s->profile->kernels[m.starts.most].short_name;
		out->confidence = ok ? layering_confidence(out, s) : 0;
	}
	arena_scratch_release(&m.scratch, s->arena);
	return ok;
}
