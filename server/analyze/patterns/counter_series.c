/* counter_series.c - groups samples by counter, sums blocks of them, and reads a counter's
 * value during an execution from them. */
#include "counter_series.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What identifies a counter; hashed as bytes, so it has no gaps. */
struct counter_series_key {
	uint32_t name;
	int32_t device;
};

struct counter_series_maker {
	const struct trace *t;
	struct slice rows;
	const struct thread_time *threads;
	struct counter_series_set *s;
	struct arena *a;
	uint32_t *of; /* by row: the series, in order of first sight */
	uint32_t *place; /* of each of these in the list */
	uint32_t cap;
};

/* Whether its square is a number, too. */
static bool counter_series_usable(double value)
{
	return fabs(value) < 1e150;
}

static bool counter_series_new(struct counter_series_maker *m,
	const struct counter_series_key *k)
{
	struct counter_series_set *s = m->s;
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
static bool counter_series_counts(const struct counter_series_maker *m,
	uint32_t i)
{
	const struct counter_rows *c = &m->t->counter;
	return counter_series_usable(c->value[i]) &&
	       !thread_time_is_total(m->threads, c->name[i], c->device[i]);
}

/* Which series each sample is of; `to` counts how many are numbers. */
static bool counter_series_assign(struct counter_series_maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	struct names keys;
	bool ok = names_init(&keys, m->a);
	for (uint32_t i = m->rows.from; ok && i < m->rows.to; i++) {
		struct counter_series_key k = { c->name[i], c->device[i] };
		if (thread_time_is_total(m->threads, k.name, k.device))
			continue;
		uint32_t id = names_put(&keys, (const char *)&k, sizeof k);
		ok = id != NAMES_NONE &&
		     (id <= m->s->n || counter_series_new(m, &k));
		m->of[i - m->rows.from] = id - 1;
		if (ok)
			m->s->list[id - 1].to +=
				counter_series_usable(c->value[i]);
	}
	return ok;
}

static int counter_series_by_device(const void *left, const void *right)
{
	const struct series *a = left, *b = right;
	if ((a->to == 0) != (b->to == 0))
		return a->to == 0 ? 1 : -1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The list in its order; where each one's samples begin. */
static bool counter_series_sort(struct counter_series_maker *m,
	struct notes *ns)
{
	struct counter_series_set *s = m->s;
	uint32_t n = s->n, from = 0;
	m->place = arena_grow(m->a, NULL, ((size_t)n + 1) * sizeof(uint32_t));
	if (!m->place)
		return false;
	if (n)
		qsort(s->list, n, sizeof *s->list, counter_series_by_device);
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

static void counter_series_place_samples(struct counter_series_maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		if (!counter_series_counts(m, i))
			continue;
		struct series *one =
			&m->s->list[m->place[m->of[i - m->rows.from]]];
		m->s->at_ns[one->to] = c->start_ns[i];
		m->s->value[one->to++] = c->value[i];
		one->middle += c->value[i];
	}
}

static void counter_series_sum_blocks(struct counter_series_set *s,
	struct series *one)
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

bool counter_series_from(struct counter_series_set *s, const struct trace *t,
	struct slice rows, const struct thread_time *threads, struct arena *a,
	struct notes *ns)
{
	struct counter_series_maker m = { .t = t,
		.rows = rows,
		.threads = threads,
		.s = s,
		.a = a };
	size_t n = (size_t)rows.to - rows.from;
	*s = (struct counter_series_set){ 0 };
	s->at_ns = arena_grow(a, NULL, (n + 1) * sizeof *s->at_ns);
	s->value = arena_grow(a, NULL, (n + 1) * sizeof *s->value);
	s->before =
		arena_grow(a, NULL, (n / SERIES_BLOCK + 1) * sizeof *s->before);
	m.of = arena_grow(a, NULL, (n + 1) * sizeof *m.of);
	bool ok = s->at_ns && s->value && s->before && m.of &&
		  counter_series_assign(&m) && counter_series_sort(&m, ns);
	if (ok)
		counter_series_place_samples(&m);
	for (uint32_t i = 0; ok && i < s->n; i++)
		counter_series_sum_blocks(s, &s->list[i]);
	arena_drop(a, m.of);
	arena_drop(a, m.place);
	return ok;
}

void counter_series_release(struct counter_series_set *s, struct arena *a)
{
	arena_drop(a, s->at_ns);
	arena_drop(a, s->value);
	arena_drop(a, s->before);
	arena_drop(a, s->list);
}

void counter_series_rewind(struct counter_series_set *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->list[i].at = s->list[i].from;
}

enum { DIRECT = 2 * SERIES_BLOCK };

/* The first sample from `from` on that is at `ns` or later; `to` if there is
 * none. Found by doubling steps, because it is usually near. */
static uint32_t counter_series_first_from(const int64_t *at_ns, uint32_t from,
	uint32_t to, int64_t ns)
{
	uint32_t step = 1, low = from;
	if (from == to || at_ns[from] >= ns)
		return from;
	/* at_ns[low] < ns */
	while (step < to - low && at_ns[low + step] < ns) {
		low += step;
		step *= 2;
	}
	uint32_t high = step < to - low ? low + step : to;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (at_ns[middle] < ns)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Between two samples; exactly one's where they touch it. */
static double counter_series_interpolate(const struct counter_series_set *s,
	uint32_t before, uint32_t after, int64_t ns)
{
	double whole = (double)(s->at_ns[after] - s->at_ns[before]);
	double part = (double)(ns - s->at_ns[before]);
	return s->value[before] +
	       (s->value[after] - s->value[before]) * (part / whole);
}

/* At the start: `low` is the first sample not before it. */
static bool counter_series_at_start(const struct counter_series_set *s,
	const struct series *one, uint32_t low, int64_t ns, double *v)
{
	if (low == one->to || (low == one->from && s->at_ns[low] != ns))
		return false;
	*v = s->at_ns[low] == ns
		     ? s->value[low]
		     : counter_series_interpolate(s, low - 1, low, ns);
	return true;
}

/* At the end: `high` is the first sample behind it. */
static bool counter_series_at_end(const struct counter_series_set *s,
	const struct series *one, uint32_t high, int64_t ns, double *v)
{
	if (high == one->from || (high == one->to && s->at_ns[high - 1] != ns))
		return false;
	*v = s->at_ns[high - 1] == ns
		     ? s->value[high - 1]
		     : counter_series_interpolate(s, high - 1, high, ns);
	return true;
}

/* The first block whose samples are all at `low` or later. */
static uint32_t counter_series_first_block(uint32_t low)
{
	return (low + SERIES_BLOCK - 1) / SERIES_BLOCK;
}

static void counter_series_sum(const struct counter_series_set *s,
	double middle, uint32_t low, uint32_t high, struct series_sum *sum)
{
	for (uint32_t i = low; i < high; i++) {
		long double v = (long double)s->value[i] - middle;
		sum->value += v;
		sum->square += v * v;
	}
}

/* Mean and variance of samples [low, high), two at least. */
static void counter_series_inside(const struct counter_series_set *s,
	const struct series *one, uint32_t low, uint32_t high,
	struct counter_series_value *v)
{
	struct series_sum sum = { 0, 0 };
	double n = high - low, middle = one->middle;
	if (high - low <= DIRECT) {
		double mean = 0;
		for (uint32_t i = low; i < high; i++)
			mean += s->value[i] / n;
		counter_series_sum(s, middle = mean, low, high, &sum);
	} else {
		uint32_t first = counter_series_first_block(low),
			 last = (high - 1) / SERIES_BLOCK;
		sum.value = s->before[last].value - s->before[first].value;
		sum.square = s->before[last].square - s->before[first].square;
		counter_series_sum(s, middle, low, first * SERIES_BLOCK, &sum);
		counter_series_sum(s, middle, last * SERIES_BLOCK, high, &sum);
	}
	long double off = sum.value / n, variance = sum.square / n - off * off;
	v->mean = (double)(middle + off);
	v->variance = variance > 0 ? (double)variance : 0;
}

bool counter_series_value(const struct counter_series_set *s,
	struct series *one, int64_t start_ns, int64_t end_ns,
	struct counter_series_value *v)
{
	uint32_t low =
		counter_series_first_from(s->at_ns, one->at, one->to, start_ns);
	uint32_t high =
		counter_series_first_from(s->at_ns, low, one->to, end_ns + 1);
	double at[2];

	one->at = low;
	*v = (struct counter_series_value){ .interpolated = high - low < 3 };
	if (high - low >= 2)
		counter_series_inside(s, one, low, high, v);
	if (!v->interpolated)
		return true;
	if (!counter_series_at_start(s, one, low, start_ns, &at[0]) ||
		!counter_series_at_end(s, one, high, end_ns, &at[1]))
		return false;
	v->mean = (at[0] + at[1]) / 2;
	return true;
}
