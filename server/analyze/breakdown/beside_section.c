/* beside_section.c - which sections and blocks of the sides belong together. */
#include "beside_parts.h"
#include <math.h>
#include <string.h>

static const double same_blocks_least = 0.5;

/* A section on its way: as the first side has it that has one like it. */
struct thing {
	const struct breakdown_section *is;
	uint64_t kinds; /* of its blocks, by bit */
	uint32_t of[BESIDE_MOST];
};
struct sections {
	struct beside_work *w;
	struct thing *things;
	uint64_t *kinds; /* of the side at hand, by section */
	uint32_t n;
};

/* Norms, communication and what nobody knows may be in any. */
static uint64_t telling(uint64_t kinds)
{
	return kinds & ~(UINT64_C(1) << BLOCK_NORM |
			       UINT64_C(1) << BLOCK_COMMUNICATION |
			       UINT64_C(1) << BLOCK_OTHER);
}

/* Share of the kinds of blocks of both that both have. */
static double alike(uint64_t x, uint64_t y)
{
	x = telling(x);
	y = telling(y);
	return x == y ? 1
		      : (double)__builtin_popcountll(x & y) /
				(double)__builtin_popcountll(x | y);
}

static bool same_name(const struct breakdown_section *x,
	const struct breakdown_section *y)
{
	return x->name && y->name && strcmp(x->name, y->name) == 0;
}

/* How well they fit, in three rounds: by name, by blocks, by any block. */
static double fit(const struct thing *t, const struct breakdown_section *s,
	uint64_t kinds, int round)
{
	double share;
	if (t->is->place != s->place)
		return 0;
	if (s->place != SECTION_LAYER)
		return 1;
	share = alike(t->kinds, kinds);
	if (round == 0)
		return same_name(t->is, s) ? share : 0;
	return round == 2 || share >= same_blocks_least ? share : 0;
}

static void match(struct sections *m, uint32_t side, uint32_t i, int round)
{
	const struct breakdown *b = m->w->sides[side].breakdown;
	uint32_t best = BESIDE_NONE;
	double most = 0;
	for (uint32_t k = 0; k < m->n; k++) {
		double f = m->things[k].of[side] != BESIDE_NONE
				   ? 0
				   : fit(&m->things[k], &b->sections[i],
					     m->kinds[i], round);
		if (f > most) {
			most = f;
			best = k;
		}
	}
	if (best == BESIDE_NONE)
		return;
	m->things[best].of[side] = i;
	m->w->section[side][i] = best;
}

static void add(struct sections *m, uint32_t side, uint32_t i)
{
	struct thing *t = &m->things[m->n];
	t->is = &m->w->sides[side].breakdown->sections[i];
	t->kinds = m->kinds[i];
	memset(t->of, 0xff, sizeof t->of);
	t->of[side] = i;
	m->w->section[side][i] = m->n++;
}

static void match_side(struct sections *m, uint32_t side)
{
	const struct breakdown *b = m->w->sides[side].breakdown;
	memset(m->kinds, 0, b->sections_n * sizeof *m->kinds);
	for (uint32_t i = 0; i < b->blocks_n; i++)
		m->kinds[b->blocks[i].section] |= UINT64_C(1)
						  << b->blocks[i].kind;
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < b->sections_n; i++)
			if (m->w->section[side][i] == BESIDE_NONE)
				match(m, side, i, round);
	for (uint32_t i = 0; i < b->sections_n; i++)
		if (m->w->section[side][i] == BESIDE_NONE)
			add(m, side, i);
}

static void fill(const struct sections *m, const struct thing *t,
	struct beside_section *to)
{
	to->place = t->is->place;
	to->name = t->is->name;
	for (uint32_t s = 0; s < BESIDE_MOST; s++) {
		to->of[s] = t->of[s];
		to->sum_ns[s] = NAN;
		if (t->of[s] != BESIDE_NONE &&
			!same_name(t->is,
				&m->w->sides[s].breakdown->sections[t->of[s]]))
			to->name = NULL;
	}
}

/* Things in their order become sections. */
static bool arrange(struct sections *m)
{
	struct beside_work *w = m->w;
	struct beside_order o;
	if (!beside_order_init(&o, m->n, w->a))
		return false;
	for (uint32_t s = 0; s < w->sides_n; s++)
		beside_order_merge(&o, w->section[s],
			w->sides[s].breakdown->sections_n);
	w->out->sections = arena_array(w->a, struct beside_section, m->n + 1);
	for (uint32_t t = o.first; w->out->sections && t != BESIDE_NONE;
		t = o.next[t]) {
		uint32_t to = w->out->sections_n++;
		fill(m, &m->things[t], &w->out->sections[to]);
		for (uint32_t s = 0; s < w->sides_n; s++)
			if (m->things[t].of[s] != BESIDE_NONE)
				w->section[s][m->things[t].of[s]] = to;
	}
	arena_drop(w->a, o.next);
	return w->out->sections;
}

bool beside_sections(struct beside_work *w)
{
	struct sections m = { .w = w };
	uint32_t all = 0, most = 0;
	for (uint32_t s = 0; s < w->sides_n; s++) {
		uint32_t n = w->sides[s].breakdown->sections_n;
		all += n;
		most = n > most ? n : most;
	}
	m.things = arena_grow(w->a, NULL, (all + 1) * sizeof *m.things);
	m.kinds = arena_grow(w->a, NULL, (most + 1) * sizeof *m.kinds);
	bool ok = m.things && m.kinds;
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		match_side(&m, s);
	ok = ok && arrange(&m);
	arena_drop(w->a, m.things);
	arena_drop(w->a, m.kinds);
	return ok;
}
