/* counter_series.c - samples grouped by counter; the sums of their blocks. */
#include "counter_series.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What tells counters apart; hashed as bytes, so it has no gaps. */
struct key {
	uint32_t name;
	int32_t device;
};

struct maker {
	const struct trace *t;
	struct slice rows;
	const struct thread_time *threads;
	struct series_set *s;
	struct arena *a;
	uint32_t *of; /* by row: the series, in order of first sight */
	uint32_t *place; /* of each of these in the list */
	uint32_t cap;
};

/* Whether its square is a number, too. */
static bool usable(double value)
{
	return fabs(value) < 1e150;
}

static bool add(struct maker *m, const struct key *k)
{
	struct series_set *s = m->s;
	if (s->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 64;
		void *grown = arena_grow(m->a, s->list,
			(size_t)cap * sizeof *s->list);
		if (!grown)
			return false;
		s->list = grown;
		m->cap = cap;
	}
	/* `at` is its number until the list is sorted. */
	s->list[s->n] =
		(struct series){ .name = names_text(&m->t->names, k->name),
			.device = k->device,
			.at = s->n };
	s->n++;
	return true;
}

/* Whether a sample is of a series: a number, and of a resource in use. */
static bool counts(const struct maker *m, uint32_t i)
{
	const struct counter_rows *c = &m->t->counter;
	return usable(c->value[i]) &&
	       !thread_time_is_total(m->threads, c->name[i], c->device[i]);
}

/* Which series each sample is of; `to` counts how many are numbers. */
static bool assign(struct maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	struct names keys;
	bool ok = names_init(&keys, m->a);
	for (uint32_t i = m->rows.from; ok && i < m->rows.to; i++) {
		struct key k = { c->name[i], c->device[i] };
		if (thread_time_is_total(m->threads, k.name, k.device))
			continue;
		uint32_t id = names_put(&keys, (const char *)&k, sizeof k);
		ok = id != NAMES_NONE && (id <= m->s->n || add(m, &k));
		m->of[i - m->rows.from] = id - 1;
		if (ok)
			m->s->list[id - 1].to += usable(c->value[i]);
	}
	return ok;
}

static int by_device(const void *left, const void *right)
{
	const struct series *a = left, *b = right;
	if ((a->to == 0) != (b->to == 0))
		return a->to == 0 ? 1 : -1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The list in its order; where each one's samples begin. */
static bool order(struct maker *m, struct notes *ns)
{
	struct series_set *s = m->s;
	uint32_t n = s->n, from = 0;
	m->place = arena_grow(m->a, NULL, ((size_t)n + 1) * sizeof(uint32_t));
	if (!m->place)
		return false;
	if (n)
		qsort(s->list, n, sizeof *s->list, by_device);
	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct series *one = &s->list[i];
		m->place[one->at] = i;
		if (one->to == 0) {
			note_add(ns, NOTE_counters_nan, 1, one->name,
				strlen(one->name));
			continue;
		}
		one->from = from;
		from += one->to;
		one->to = one->at = one->from;
		s->n++;
	}
	return true;
}

static void place_samples(struct maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		if (!counts(m, i))
			continue;
		struct series *one =
			&m->s->list[m->place[m->of[i - m->rows.from]]];
		m->s->at_ns[one->to] = c->start_ns[i];
		m->s->value[one->to++] = c->value[i];
		one->middle += c->value[i];
	}
}

static void sum(struct series_set *s, struct series *one)
{
	struct series_sum sum = { 0, 0 };
	one->middle /= one->to - one->from;
	for (uint32_t i = one->from; i < one->to; i++) {
		long double v = (long double)s->value[i] - one->middle;
		if (i % SERIES_BLOCK == 0)
			s->before[i / SERIES_BLOCK] = sum;
		sum.value += v;
		sum.square += v * v;
	}
}

bool series_set_from(struct series_set *s, const struct trace *t,
	struct slice rows, const struct thread_time *threads, struct arena *a,
	struct notes *ns)
{
	struct maker m = { .t = t,
		.rows = rows,
		.threads = threads,
		.s = s,
		.a = a };
	size_t n = (size_t)rows.to - rows.from;
	*s = (struct series_set){ 0 };
	s->at_ns = arena_grow(a, NULL, (n + 1) * sizeof *s->at_ns);
	s->value = arena_grow(a, NULL, (n + 1) * sizeof *s->value);
	s->before =
		arena_grow(a, NULL, (n / SERIES_BLOCK + 1) * sizeof *s->before);
	m.of = arena_grow(a, NULL, (n + 1) * sizeof *m.of);
	bool ok = s->at_ns && s->value && s->before && m.of && assign(&m) &&
		  order(&m, ns);
	if (ok)
		place_samples(&m);
	for (uint32_t i = 0; ok && i < s->n; i++)
		sum(s, &s->list[i]);
	arena_drop(a, m.of);
	arena_drop(a, m.place);
	return ok;
}

void series_set_release(struct series_set *s, struct arena *a)
{
	arena_drop(a, s->at_ns);
	arena_drop(a, s->value);
	arena_drop(a, s->before);
	arena_drop(a, s->list);
}

void series_set_rewind(struct series_set *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->list[i].at = s->list[i].from;
}
