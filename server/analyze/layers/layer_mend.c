/* layer_mend.c - small gaps closed, single layers dropped. */
#include "layer_mend.h"
#include <stdlib.h>

enum { GAP_ALWAYS = 2, GAP_MAX = 8 };

static uint32_t length(const struct layer_mend *m, uint32_t i)
{
	return m->r->at[i].to - m->r->at[i].from;
}

/* A layer of which less than half is there is none. */
static void drop_parts(struct layer_mend *m)
{
	for (uint32_t i = 0; i < m->r->n; i++) {
		struct layer_reading *o = &m->r->at[i];
		if (layer_mend_is(m, i) && o->lacks * 2 > m->k->at[o->kind].n)
			o->kind = LAYER_OUTSIDE;
	}
}

/* Layers that end where i begins, itself included; or begin where it ends. */
static uint32_t run_before(const struct layer_mend *m, struct slice p,
	uint32_t i)
{
	uint32_t n = 0;

	while (i + 1 > p.from + n && n < 3 && layer_mend_is(m, i - n))
		n++;
	return n;
}

static uint32_t run_behind(const struct layer_mend *m, struct slice p,
	uint32_t i)
{
	uint32_t n = 0;

	while (i + n < p.to && n < 3 && layer_mend_is(m, i + n))
		n++;
	return n;
}

/* Whether what is between two layers is only something put in. */
static bool small(const struct layer_mend *m, struct slice p, uint32_t i)
{
	if (i == p.from || i + 1 == p.to || layer_mend_is(m, i) ||
		!layer_mend_is(m, i - 1) || !layer_mend_is(m, i + 1))
		return false;
	const struct layer_kind *k = &m->k->at[m->r->at[i - 1].kind];
	const struct layer_kind *next = &m->k->at[m->r->at[i + 1].kind];
	if (length(m, i) <= GAP_ALWAYS)
		return true;
	return length(m, i) <= GAP_MAX && length(m, i) * 4 <= k->n &&
	       k->like == next->like && run_before(m, p, i - 1) > 1 &&
	       run_behind(m, p, i + 1) > 1;
}

/* Gives small gaps to the layer before, and makes one of what is outside. */
static struct slice mend(struct layer_mend *m, struct slice p, uint32_t at)
{
	struct layer_reading *r = m->r->at;
	uint32_t from = at;

	for (uint32_t i = p.from; i < p.to; i++) {
		bool put_in = small(m, p, i);
		bool more = at > from && !layer_mend_is(m, i) &&
			    r[at - 1].kind == LAYER_OUTSIDE;
		if (put_in || more)
			r[at - 1].to = r[i].to;
		else
			r[at++] = r[i];
	}
	return (struct slice){ from, at };
}

static uint32_t longest(const struct layer_mend *m, struct slice p)
{
	uint32_t most = 0, run = 0;

	for (uint32_t i = p.from; i < p.to; i++) {
		run = layer_mend_is(m, i) ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

/* Layers by themselves beside a stack of more become part of what is around. */
static void drop_single(struct layer_mend *m, struct slice p)
{
	if (longest(m, p) < 2)
		return;
	for (uint32_t i = p.from; i < p.to; i++)
		if (layer_mend_is(m, i) &&
			(i == p.from || !layer_mend_is(m, i - 1)) &&
			run_behind(m, p, i) == 1)
			m->r->at[i].kind = LAYER_OUTSIDE;
}

static struct slice join_outside(struct layer_mend *m, struct slice p)
{
	struct layer_reading *r = m->r->at;
	uint32_t at = p.from;

	for (uint32_t i = p.from; i < p.to; i++)
		if (at > p.from && !layer_mend_is(m, i) &&
			r[at - 1].kind == LAYER_OUTSIDE)
			r[at - 1].to = r[i].to;
		else
			r[at++] = r[i];
	return (struct slice){ p.from, at };
}

static uint32_t layers_in(const struct layer_mend *m, struct slice p)
{
	uint32_t n = 0;

	for (uint32_t i = p.from; i < p.to; i++)
		n += layer_mend_is(m, i);
	return n;
}

/* Readings by pass, mended. A pass's readings lie together, and passes in
 * order, as they were decoded. */
static bool by_pass(struct layer_mend *m, struct arena *a)
{
	uint32_t passes = m->l->s->passes_n, i = 0, at = 0;

	m->pass = arena_array(a, struct slice, passes + 1);
	m->layers = arena_array(a, uint32_t, passes + 1);
	if (!m->pass || !m->layers)
		return false;
	drop_parts(m);
	for (uint32_t p = 0; p < passes; p++) {
		struct slice of = { i, i };
		while (i < m->r->n && m->r->at[i].from < m->l->pass[p].to)
			of.to = ++i;
		of = mend(m, of, at);
		drop_single(m, of);
		of = join_outside(m, of);
		m->pass[p] = of;
		m->layers[p] = layers_in(m, of);
		at = of.to;
	}
	m->r->n = at;
	return true;
}

static int ascending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* The first pass with the number of layers that most have. */
static bool choose_typical(struct layer_mend *m, struct arena *a)
{
	uint32_t n = m->l->s->passes_n, most = 0, number = 0, run = 0;
	uint32_t *sorted = arena_array(a, uint32_t, n + 1);

	if (!sorted)
		return false;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = m->layers[i];
	qsort(sorted, n, sizeof *sorted, ascending);
	for (uint32_t i = 0; i < n; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run >= most) {
			most = run;
			number = sorted[i];
		}
	}
	while (m->typical < n && m->layers[m->typical] != number)
		m->typical++;
	return true;
}

bool layer_mend(struct layer_mend *m, struct arena *a)
{
	return by_pass(m, a) && choose_typical(m, a);
}
