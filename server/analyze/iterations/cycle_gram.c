/* cycle_gram.c - rolling hashes, counted in a table. */
#include "cycle_gram.h"
#include <stdlib.h>

enum {
	LENGTHS = 4,
	OF_LENGTH = CYCLE_GRAMS_MAX / LENGTHS,
	LOOKED_AT = 1 << 16
};

static const uint32_t lengths[LENGTHS] = { 1, 4, 16, 64 };
static const uint64_t base = UINT64_C(0x9E3779B97F4A7C15);

struct count {
	uint64_t hash; /* 0: free */
	uint32_t n, first;
};

struct table {
	struct count *slots;
	uint32_t mask;
};

/* Of equal counts: one gram, and how many there are. */
struct family {
	struct cycle_gram one;
	uint64_t weight;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 27;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static uint64_t name_hash(const struct cycle_seq *s, uint32_t at)
{
	return mix(s->name[s->main[at]] + 1 + base);
}

/* Hashes of the grams of a length, from the left to the right. */
struct roll {
	const struct cycle_seq *s;
	uint32_t length, at; /* of the gram that `sum` is of */
	uint64_t sum, power;
};

static bool roll_init(struct roll *r, const struct cycle_seq *s,
	uint32_t length)
{
	*r = (struct roll){ .s = s, .length = length, .power = 1 };
	if (s->main_n < length)
		return false;
	for (uint32_t i = 0; i < length; i++) {
		r->sum = r->sum * base + name_hash(s, i);
		r->power *= i ? base : 1;
	}
	return true;
}

static uint64_t roll_hash(const struct roll *r)
{
	uint64_t h = mix(r->sum + r->length);
	return h ? h : 1;
}

static bool roll_next(struct roll *r)
{
	if (r->at + r->length >= r->s->main_n)
		return false;
	r->sum -= name_hash(r->s, r->at) * r->power;
	r->sum = r->sum * base + name_hash(r->s, r->at + r->length);
	r->at++;
	return true;
}

static struct count *find(const struct table *t, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & t->mask;

	while (t->slots[i].hash && t->slots[i].hash != hash)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static uint32_t share_of(const struct cycle_seq *s)
{
	uint32_t share = 1;

	while (s->main_n / share > LOOKED_AT)
		share *= 2;
	return share;
}

/* Whether an even share of what grams there are takes this one: told by its
 * hash, so that it does so wherever it occurs. */
static bool looked_at(uint64_t hash, uint32_t length, uint32_t share)
{
	return length == 1 || (hash >> 40 & (share - 1)) == 0;
}

/* Occurrences; the table has room for what is looked at, and refuses more. */
static void count_all(const struct cycle_seq *s, uint32_t length,
	struct table *t)
{
	uint32_t share = share_of(s), used = 0;
	struct roll r;

	if (!roll_init(&r, s, length))
		return;
	do {
		uint64_t hash = roll_hash(&r);
		if (!looked_at(hash, length, share))
			continue;
		struct count *c = find(t, hash);
		if (!c->hash) {
			if (used >= t->mask / 4 * 3)
				continue;
			used++;
			*c = (struct count){ hash, 0, r.at };
		}
		c->n++;
	} while (roll_next(&r));
}

static int by_count(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int by_weight(const void *left, const void *right)
{
	const struct family *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->one.count < b->one.count) - (a->one.count > b->one.count);
}

static int most_often(const void *left, const void *right)
{
	const struct cycle_gram *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

/* One of each number of occurrences, the weightiest numbers; how many. */
static uint32_t choose(struct table *t, uint32_t length, uint32_t most,
	struct cycle_gram *out)
{
	struct family best[OF_LENGTH + 1];
	uint32_t n = 0;

	uint32_t used = 0;
	for (uint32_t i = 0; i <= t->mask; i++)
		if (t->slots[i].n > 1 && t->slots[i].n <= most)
			t->slots[used++] = t->slots[i];
	qsort(t->slots, used, sizeof *t->slots, by_count);
	for (uint32_t i = 0, next; i < used; i = next) {
		const struct count *c = &t->slots[i];
		for (next = i; next < used && t->slots[next].n == c->n;)
			next++;
		best[n++] =
			(struct family){ { c->hash, length, c->n, c->first },
				(uint64_t)(next - i) * c->n };
		qsort(best, n, sizeof *best, by_weight);
		if (n > OF_LENGTH)
			n = OF_LENGTH;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = best[i].one;
	return n;
}

struct cycle_gram *cycle_grams(const struct cycle_seq *s, uint32_t most,
	struct arena *a, uint32_t *n)
{
	struct cycle_gram *out =
		arena_array(a, struct cycle_gram, CYCLE_GRAMS_MAX);
	struct table t = { .mask = LOOKED_AT * 4 - 1 };

	*n = 0;
	while (t.mask / 4 > s->main_n && t.mask > 63)
		t.mask /= 2;
	for (int i = 0; out && i < LENGTHS; i++) {
		t.slots = arena_grow(a, NULL,
			((size_t)t.mask + 1) * sizeof *t.slots);
		if (!t.slots)
			return NULL;
		count_all(s, lengths[i], &t);
		*n += choose(&t, lengths[i], most, out + *n);
		arena_drop(a, t.slots);
	}
	if (out)
		qsort(out, *n, sizeof *out, most_often);
	return out;
}

uint32_t cycle_gram_places(const struct cycle_seq *s,
	const struct cycle_gram *g, uint32_t *at)
{
	uint32_t n = 0;
	struct roll r;

	if (!roll_init(&r, s, g->length))
		return 0;
	do {
		if (roll_hash(&r) != g->hash)
			continue;
		if (n && r.at < at[n - 1] + g->length)
			return 0;
		at[n++] = r.at;
	} while (roll_next(&r) && n < g->count);
	return n;
}
