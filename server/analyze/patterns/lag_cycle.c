/* lag_cycle.c - lags by a window of votes, names by the launches' votes. */
#include "lag_cycle.h"
#include <stdlib.h>
#include <string.h>

enum { LOOKED = 20000, NOWHERE = UINT32_MAX };
static const double sure_least = 0.6, in_order_least = 0.8;

struct lag_cycle {
	const struct lag_sequence *s;
	uint32_t from, n, period;
	uint32_t *at, *next; /* by name the first phase that has it in the first
		period; by phase the next of its name */
	uint32_t *votes; /* by lag, of the window */
	uint32_t *lag; /* by launch; NOWHERE: not sure */
	uint64_t *pair; /* phase and name of those that are */
	uint32_t pairs;
};

static bool room(struct lag_cycle *c, struct arena *a)
{
	c->at = arena_grow(a, NULL, c->s->names_n * sizeof *c->at);
	c->next = arena_grow(a, NULL, c->period * sizeof *c->next);
	c->votes = arena_grow(a, NULL, c->period * sizeof *c->votes);
	c->lag = arena_grow(a, NULL, c->n * sizeof *c->lag);
	c->pair = arena_grow(a, NULL, c->n * sizeof *c->pair);
	return c->at && c->next && c->votes && c->lag && c->pair;
}

static void drop(struct lag_cycle *c, struct arena *a)
{
	arena_drop(a, c->at);
	arena_drop(a, c->next);
	arena_drop(a, c->votes);
	arena_drop(a, c->lag);
	arena_drop(a, c->pair);
}

static uint32_t name_of(const struct lag_cycle *c, uint32_t i)
{
	return c->s->name[c->from + i];
}

static void index_first(struct lag_cycle *c)
{
	memset(c->at, 0xff, c->s->names_n * sizeof *c->at);
	memset(c->votes, 0, c->period * sizeof *c->votes);
	for (uint32_t p = c->period; p-- > 0;) {
		c->next[p] = c->at[name_of(c, p)];
		c->at[name_of(c, p)] = p;
	}
}

/* For, or with -1 no more for, the lags at which a launch's name would be that
 * of its phase. */
static void vote(struct lag_cycle *c, uint32_t i, uint32_t by)
{
	uint32_t phase = i % c->period;
	for (uint32_t p = c->at[name_of(c, i)]; p != NOWHERE; p = c->next[p])
		c->votes[(phase + c->period - p) % c->period] += by;
}

static uint32_t elected(const struct lag_cycle *c, uint32_t before, uint32_t of)
{
	uint32_t best = before == NOWHERE ? 0 : before;
	for (uint32_t k = 0; k < c->period; k++)
		if (c->votes[k] > c->votes[best])
			best = k;
	return c->votes[best] >= sure_least * of ? best : NOWHERE;
}

static void find_lags(struct lag_cycle *c)
{
	uint32_t half = c->period / 2 + 1, before = 0;
	for (uint32_t i = 0; i < half && i < c->n; i++)
		vote(c, i, 1);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t from = i < half ? 0 : i - half;
		uint32_t to = i + half < c->n ? i + half + 1 : c->n;
		if (i + half < c->n)
			vote(c, i + half, 1);
		if (i > half)
			vote(c, i - half - 1, (uint32_t)-1);
		c->lag[i] = elected(c, before, to - from);
		if (c->lag[i] != NOWHERE)
			before = c->lag[i];
	}
}

static int by_pair(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint32_t own_phase(const struct lag_cycle *c, uint32_t i)
{
	return (i + c->period - c->lag[i]) % c->period;
}

static void elect_names(struct lag_cycle *c, uint32_t *name)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->lag[i] != NOWHERE)
			c->pair[c->pairs++] =
				(uint64_t)own_phase(c, i) << 32 | name_of(c, i);
	qsort(c->pair, c->pairs, sizeof *c->pair, by_pair);
	for (uint32_t p = 0; p < c->period; p++)
		name[p] = name_of(c, p);
	for (uint32_t i = 0, best = 0, of = NOWHERE; i < c->pairs;) {
		uint32_t k = i, phase = (uint32_t)(c->pair[i] >> 32);
		while (k < c->pairs && c->pair[k] == c->pair[i])
			k++;
		if (phase != of) {
			best = 0;
			of = phase;
		}
		if (k - i > best) {
			best = k - i;
			name[phase] = (uint32_t)c->pair[i];
		}
		i = k;
	}
}

static bool in_order(const struct lag_cycle *c, const uint32_t *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++)
		n += c->lag[i] != NOWHERE &&
		     name_of(c, i) == name[own_phase(c, i)];
	return n >= in_order_least * c->n;
}

bool lag_cycle_from(const struct lag_sequence *s, uint32_t period,
	const struct lag_stretch *st, struct arena *a, uint32_t *name,
	bool *told)
{
	uint32_t n = st->to - st->from;
	struct lag_cycle c = { .s = s,
		.from = st->from,
		.n = n < LOOKED ? n : LOOKED,
		.period = period };
	bool ok = room(&c, a);
	*told = false;
	if (ok) {
		index_first(&c);
		find_lags(&c);
		elect_names(&c, name);
		*told = st->from && in_order(&c, name);
	}
	drop(&c, a);
	return ok;
}
