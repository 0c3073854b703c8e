/* layer_gram.c - distances summed up in a table of hashes. */
#include "layer_gram.h"
#include <stdlib.h>
#include <string.h>

enum {
	LENGTHS = 3,
	STEPS = 32, /* numbers that differ by 3 % are one bucket */
	BUCKETS = 32 * STEPS,
	OF_BUCKET = 4
};

static const uint32_t lengths[LENGTHS] = { 1, 2, 4 };

struct met {
	uint64_t hash; /* 0: free */
	uint64_t span, jump; /* of distances: sum, and that of changes */
	uint32_t count, first, last, gap;
	uint32_t part; /* in which it was met last */
};

struct table {
	struct met *slots;
	uint32_t mask;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 27;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

uint64_t layer_gram_hash(const struct layer_line *l, uint32_t place,
	uint32_t length)
{
	uint64_t h = length;

	for (uint32_t i = 0; i < length; i++)
		h = mix(h * UINT64_C(0x9E3779B97F4A7C15) +
			l->symbol[place + i] + 1);
	return h ? h : 1;
}

static struct met *find(const struct table *t, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & t->mask;

	while (t->slots[i].hash && t->slots[i].hash != hash)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static void meet(struct met *m, uint64_t hash, uint32_t part, uint32_t at)
{
	if (!m->hash)
		*m = (struct met){
			.hash = hash,
			.first = at,
			.part = part,
		};
	else if (m->part == part) {
		uint32_t gap = at - m->last;
		m->span += gap;
		if (m->gap)
			m->jump += gap > m->gap ? gap - m->gap : m->gap - gap;
		m->gap = gap;
	} else {
		m->part = part;
		m->gap = 0;
	}
	m->last = at;
	m->count++;
}

static uint32_t bucket(uint32_t count)
{
	uint32_t whole = 31 - (uint32_t)__builtin_clz(count);
	uint64_t rest = ((uint64_t)count * STEPS >> whole) - STEPS;

	return whole * STEPS + (uint32_t)rest;
}

static uint64_t rank(const struct met *m)
{
	return m->count > 1 && m->span > m->jump ? m->span - m->jump : 0;
}

static void keep(struct layer_gram *best, const struct met *m, uint32_t length)
{
	struct layer_gram g = { m->hash, length, m->count, m->first, rank(m) };
	struct layer_gram *of = &best[bucket(m->count) * OF_BUCKET];

	for (uint32_t i = 0; g.rank && i < OF_BUCKET; i++)
		if (g.rank > of[i].rank ||
			(g.rank == of[i].rank && g.first < of[i].first)) {
			struct layer_gram worse = of[i];
			of[i] = g;
			g = worse;
		}
}

static int by_rank(const void *left, const void *right)
{
	const struct layer_gram *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? 1 : -1;
	if (a->length != b->length)
		return a->length > b->length ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

static void meet_all(const struct layer_parts *p, const struct table *t,
	uint32_t length)
{
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t i = p->at[k].from; i + length <= p->at[k].to;
			i++) {
			uint64_t h = layer_gram_hash(p->line, i, length);
			meet(find(t, h), h, k, i);
		}
}

bool layer_grams(const struct layer_parts *p, struct arena *a,
	struct layer_gram *out, uint32_t *n)
{
	enum { ALL = LENGTHS * BUCKETS * OF_BUCKET };
	struct layer_gram *best = arena_grow(a, NULL, ALL * sizeof *best);
	struct table t = { .mask = 15 };
	uint32_t launches = 0, kept = 0;

	*n = 0;
	for (uint32_t k = 0; k < p->n; k++)
		launches += p->at[k].to - p->at[k].from;
	while (t.mask < launches * 2)
		t.mask = t.mask * 2 + 1;
	size_t bytes = ((size_t)t.mask + 1) * sizeof *t.slots;
	t.slots = arena_grow(a, NULL, bytes);
	if (!best || !t.slots)
		return false;
	for (uint32_t i = 0; i < LENGTHS; i++) {
		memset(t.slots, 0, bytes);
		meet_all(p, &t, lengths[i]);
		for (uint32_t k = 0; k <= t.mask; k++)
			if (t.slots[k].count > 1)
				keep(best + i * BUCKETS * OF_BUCKET,
					&t.slots[k], lengths[i]);
	}
	for (uint32_t i = 0; i < ALL; i++)
		if (best[i].rank)
			best[kept++] = best[i];
	qsort(best, kept, sizeof *best, by_rank);
	*n = kept < LAYER_GRAMS_MAX ? kept : LAYER_GRAMS_MAX;
	memcpy(out, best, *n * sizeof *out);
	arena_drop(a, t.slots);
	arena_drop(a, best);
	return true;
}
