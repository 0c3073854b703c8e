/* kernel_habit.c - pairs counted, rows of mutual ones, neighbours at their ends. */
#include "kernel_habit.h"
#include <stdlib.h>
#include <string.h>

static const double follow_least = 0.9, /* of the launches of both */
	often_least = 0.05, /* of launches, for a neighbour to count */
	often_most = 0.6; /* one neighbour has no more */

struct pair {
	uint32_t before, behind, n;
};

struct maker {
	const struct kernel_chains *c;
	const uint32_t *taken;
	struct arena *a;
	struct pair *pairs;
	uint32_t pairs_n;
	uint32_t *launches; /* by kernel */
	uint32_t *next, *last; /* by kernel: what follows, what is followed */
	uint32_t *befores, *behinds; /* by kernel: neighbours that come often */
	uint8_t *lone_before, *lone_behind; /* by kernel: one has most */
};

static bool new_pair(struct maker *m, const uint32_t key[2], size_t *cap)
{
	if (m->pairs_n == *cap) {
		size_t grown = *cap * 2 + 64;
		void *to = arena_grow(m->a, m->pairs, grown * sizeof *m->pairs);
		if (!to)
			return false;
		m->pairs = to;
		*cap = grown;
	}
	m->pairs[m->pairs_n++] = (struct pair){ key[0], key[1], 0 };
	return true;
}

static bool count_pairs(struct maker *m)
{
	const struct kernel_chains *c = m->c;
	const uint32_t *kernel_of = c->at->kernel_of;
	struct names seen;
	size_t cap = 0;

	if (!names_init(&seen, m->a))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		m->launches[kernel_of[i]]++;
		if (c->before[i] == CHAIN_NONE)
			continue;
		const uint32_t key[2] = { kernel_of[c->before[i]],
			kernel_of[i] };
		uint32_t id = names_put(&seen, (const char *)key, sizeof key);
		if (id == NAMES_NONE ||
			(id > m->pairs_n && !new_pair(m, key, &cap)))
			return false;
		if (m->pairs)
			m->pairs[id - 1].n++;
	}
	return true;
}

static void find_next(struct maker *m)
{
	for (uint32_t i = 0; i < m->pairs_n; i++) {
		const struct pair *p = &m->pairs[i];
		uint32_t most = m->launches[p->before] > m->launches[p->behind]
					? m->launches[p->before]
					: m->launches[p->behind];
		if (p->before == p->behind || p->n < HABIT_LEAST ||
			p->n < follow_least * most)
			continue;
		m->next[p->before] = p->behind;
		m->last[p->behind] = p->before;
	}
}

static void count_neighbours(struct maker *m)
{
	for (uint32_t i = 0; i < m->pairs_n; i++) {
		const struct pair *p = &m->pairs[i];
		double of_before = m->launches[p->before],
		       of_behind = m->launches[p->behind];
		m->behinds[p->before] += p->n >= often_least * of_before;
		m->befores[p->behind] += p->n >= often_least * of_behind;
		if (p->n > often_most * of_before)
			m->lone_behind[p->before] = 1;
		if (p->n > often_most * of_behind)
			m->lone_before[p->behind] = 1;
	}
}

static bool between_different(const struct maker *m, uint32_t first,
	uint32_t last)
{
	return m->befores[first] >= HABIT_NEIGHBOURS &&
	       m->behinds[last] >= HABIT_NEIGHBOURS && !m->lone_before[first] &&
	       !m->lone_behind[last];
}

/* Kernels of which a launch is of a chain, or whose call is known, are out. */
static void leave_out(struct maker *m, uint8_t *out)
{
	const struct attribution *at = m->c->at;

	for (uint32_t i = 0; i < m->c->n; i++)
		if (m->taken[i] != CHAIN_NONE ||
			at->of[i].call != LAUNCH_NO_CALL)
			out[at->kernel_of[i]] = 1;
}

/* The row of kernels that begins here; false where it is none. */
static bool row_of(const struct maker *m, const uint8_t *out, uint32_t first,
	struct kernel_habit *is)
{
	is->n = 0;
	for (uint32_t k = first; k != CHAIN_NONE; k = m->next[k]) {
		if (is->n == HABIT_MOST || out[k])
			return false;
		is->kernels[is->n++] = k;
	}
	return is->n > 1 && between_different(m, first, is->kernels[is->n - 1]);
}

bool kernel_habits_from(const struct kernel_chains *c, const uint32_t *taken,
	struct arena *a, struct kernel_habit **habits, uint32_t *n)
{
	struct maker m = { .c = c, .taken = taken, .a = a };
	uint32_t kernels = c->at->profile->kernels_n;
	size_t size = ((size_t)kernels + 1) * sizeof(uint32_t);
	uint8_t *out = arena_grow(a, NULL, (size_t)kernels + 1);

	m.launches = arena_grow(a, NULL, size);
	m.next = arena_grow(a, NULL, size);
	m.last = arena_grow(a, NULL, size);
	m.befores = arena_grow(a, NULL, size);
	m.behinds = arena_grow(a, NULL, size);
	m.lone_before = arena_grow(a, NULL, (size_t)kernels + 1);
	m.lone_behind = arena_grow(a, NULL, (size_t)kernels + 1);
	*habits = arena_grow(a, NULL, ((size_t)kernels + 1) * sizeof **habits);
	*n = 0;
	if (!out || !m.launches || !m.next || !m.last || !m.befores ||
		!m.behinds || !m.lone_before || !m.lone_behind || !*habits ||
		!count_pairs(&m))
		return false;
	memset(m.next, 0xff, size);
	memset(m.last, 0xff, size);
	find_next(&m);
	count_neighbours(&m);
	leave_out(&m, out);
	for (uint32_t k = 0; k < kernels; k++)
		if (m.last[k] == CHAIN_NONE && m.next[k] != CHAIN_NONE)
			*n += row_of(&m, out, k, &(*habits)[*n]);
	return true;
}
