/* layer_given.c - layers that begin where somebody says: bounds in each pass, then
 * how long the last one is, then kinds. */
#include "layer_kind.h"
#include "layer_start.h"
#include "layering.h"
#include <math.h>
#include <stdlib.h>

/* A pass' last piece that shares less with any layer is none: a head may begin
 * with the kernel that layers do. */
static const double like_least = 0.5;

struct maker {
	const struct layer_seq *s;
	struct arena scratch;
	struct layer_starts starts;
	uint32_t lane; /* theirs */
	uint32_t every;
	uint32_t *order, *from; /* items by pass, where each pass begins */
	struct layer_kinds kinds; /* of layers that another follows */
	uint32_t learnt; /* kinds of these; others follow */
	uint32_t shortest; /* launches of the lane in most of the least one */
	uint32_t
		usual[LAYER_KINDS]; /* launches of the lane in most of a kind */
	uint32_t *bound; /* of a pass: places in `order` where a layer begins */
	uint32_t bounds_n;
	struct layer_cut cut;
};

static bool is_start(const struct maker *m, uint32_t item)
{
	const struct layer_item *it = &m->s->items[item];

	return it->lane == m->lane && m->starts.begins[it->symbol];
}

static bool by_pass(struct maker *m)
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

static void find_bounds(struct maker *m, uint32_t pass)
{
	uint32_t seen = 0;

	m->bounds_n = 0;
	for (uint32_t i = m->from[pass]; i < m->from[pass + 1]; i++)
		if (is_start(m, m->order[i]) && seen++ % m->every == 0)
			m->bound[m->bounds_n++] = i;
}

/* Launches of the lane in [from, to) of the order. */
static uint32_t on_lane(const struct maker *m, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += m->s->items[m->order[i]].lane == m->lane;
	return n;
}

static int ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* How long most of each kind are; of equals the longer. `lengths` are by kind and
 * length. */
static void find_modes(struct maker *m, uint64_t *lengths, uint32_t n)
{
	uint32_t best[LAYER_KINDS] = { 0 };

	qsort(lengths, n, sizeof *lengths, ascending);
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

static bool find_usual(struct maker *m)
{
	uint64_t *lengths = arena_grow(&m->scratch, NULL,
		((size_t)m->s->n + 1) * sizeof *lengths);
	uint32_t n = 0, kind = 0;
	bool ok = lengths;

	for (uint32_t p = 0; ok && p < m->s->passes_n; p++) {
		find_bounds(m, p);
		/* the first may be cut off */
		uint32_t first = m->bounds_n > 3 ? 2 : 1;
		for (uint32_t i = first; ok && i < m->bounds_n; i++) {
			uint32_t from = m->bound[i - 1], to = m->bound[i];
			ok = layer_kinds_put(&m->kinds, m->s, m->lane,
				m->order + from, to - from, &kind);
			lengths[n++] =
				(uint64_t)kind << 32 | on_lane(m, from, to);
		}
	}
	if (ok)
		find_modes(m, lengths, n);
	m->learnt = m->kinds.n;
	m->shortest = m->learnt ? UINT32_MAX : 0;
	for (uint32_t k = 0; k < m->learnt; k++)
		if (m->usual[k] < m->shortest)
			m->shortest = m->usual[k];
	arena_drop(&m->scratch, lengths);
	return ok;
}

/* Where so many launches of the lane from `from` on end; `to` where there are
 * fewer. */
static uint32_t end_of(const struct maker *m, uint32_t from, uint32_t to,
	uint32_t launches)
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

/* Where a pass' last layer ends: behind as many launches as it has that is most
 * like a kind, the longest of equal ones. It ends where it begins if it is like
 * none. */
static bool last_end(struct maker *m, uint32_t from, uint32_t to, uint32_t *end)
{
	double best = -1;

	*end = to;
	for (uint32_t k = 0; k < m->learnt; k++) {
		uint32_t at = end_of(m, from, to, m->usual[k]);
		double is = layer_kinds_alike(&m->kinds, k, m->s, m->lane,
			m->order + from, at - from);
		if (isnan(is))
			return false;
		if (is > best || (is == best && at > *end)) {
			best = is;
			*end = at;
		}
	}
	if (m->learnt && best < like_least)
		*end = from;
	return true;
}

static void take(struct maker *m, uint32_t pass, uint32_t section,
	uint32_t number, uint32_t from, uint32_t to)
{
	struct layer_cut *c = &m->cut;

	if (from == to)
		return;
	for (uint32_t i = from; i < to; i++)
		c->instance[m->order[i]] = c->instances_n;
	c->instances[c->instances_n++] =
		(struct layer_instance){ section, pass, number };
}

enum { BEFORE, FIRST_KIND, AFTER = FIRST_KIND + LAYER_KINDS, SECTIONS };

/* Whether a pass begins with less than half of a layer: one that is cut off, or a
 * norm before them. */
static bool torn(const struct maker *m)
{
	return m->bounds_n > 3 &&
	       on_lane(m, m->bound[0], m->bound[1]) * 2 < m->shortest;
}

static bool cut_pass(struct maker *m, uint32_t pass)
{
	uint32_t end = m->from[pass + 1], kind = 0;

	find_bounds(m, pass);
	uint32_t n = m->bounds_n, first = torn(m);
	take(m, pass, BEFORE, 0, m->from[pass], n ? m->bound[first] : end);
	for (uint32_t i = first; i < n; i++) {
		uint32_t from = m->bound[i], to = end;
		if (i + 1 < n)
			to = m->bound[i + 1];
		else if (!last_end(m, from, end, &to))
			return false;
		if (to > from && !layer_kinds_put(&m->kinds, m->s, m->lane,
					 m->order + from, to - from, &kind))
			return false;
		take(m, pass, FIRST_KIND + kind, i - first, from, to);
		if (i + 1 == n)
			take(m, pass, AFTER, 0, to, end);
	}
	return true;
}

/* Sections that have instances, in their order. */
static void drop_empty(struct maker *m, struct layer_section *sections)
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

static bool cut_all(struct maker *m, struct layering *out)
{
	struct layer_section sections[SECTIONS] = { { 0 } };
	struct arena *a = &m->scratch;
	size_t items = (size_t)m->s->n + 1;

	layer_kinds_init(&m->kinds, a);
	bool ok = by_pass(m) && find_usual(m);
	m->cut.instance = arena_grow(a, NULL, items * sizeof *m->cut.instance);
	m->cut.instances =
		arena_grow(a, NULL, items * sizeof *m->cut.instances);
	ok = ok && m->cut.instance && m->cut.instances;
	if (ok)
		memset(m->cut.instance, 0xff, items * sizeof *m->cut.instance);
	for (uint32_t p = 0; ok && p < m->s->passes_n; p++)
		ok = cut_pass(m, p);
	if (!ok)
		return false;
	drop_empty(m, sections);
	return layering_align(m->s, &m->cut, out);
}

bool layering_by_start(const struct layer_seq *s, const char *start,
	uint32_t every, struct layering *out)
{
	struct maker m = { .s = s,
		.scratch = arena_scratch(s->arena),
		.every = every ? every : 1 };

	*out = (struct layering){ 0 };
	bool ok = layer_starts_from(&m.starts, s, start, &m.scratch);
	m.lane = m.starts.lane;
	if (ok && m.starts.most == LAYER_NONE) {
		out->why = arena_printf(s->arena,
			"no kernel that counts has a name with '%.80s' in it",
			start);
		ok = out->why;
	} else if (ok) {
		ok = cut_all(&m, out);
		out->detector = LAYERS_GIVEN;
		out->anchor = s->profile->kernels[m.starts.most].short_name;
		out->confidence = ok ? layering_confidence(out, s) : 0;
	}
	arena_scratch_release(&m.scratch, s->arena);
	return ok;
}
