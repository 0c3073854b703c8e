/* test_breakdown_overlap.c - compares the computed overlap with a count of
 * every nanosecond. */
#include "breakdown_overlap.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
	SPANS = 12,
	WINDOWS = 4,
	STRANDS = 8,
	FAMILY = 3,
	SETS = 6,
	LONG = 60, /* length of a case in nanoseconds */
	CASES = 20000
};

struct scene {
	struct arena a;
	struct overlap_span spans[SPANS];
	struct overlap_window windows[WINDOWS];
	uint32_t set_of[STRANDS];
	struct overlap o;
};

/* The result of counting every nanosecond. */
struct counted {
	int64_t wall, idle, overlap, other, exposed;
	int64_t exclusive[STRANDS], busy[STRANDS], set_busy[SETS];
	int64_t together[SETS * FAMILY];
};

/* Marsaglia's xorshift. */
static uint32_t draw(uint32_t below)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % below;
}

static int by_start(const void *left, const void *right)
{
	const struct overlap_span *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void draw_windows(struct scene *s)
{
	uint32_t at = 0, n = draw(WINDOWS + 1);

	s->o.windows_n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = at + draw(15), to = from + draw(25);
		s->windows[s->o.windows_n++] =
			(struct overlap_window){ from, to };
		at = to;
	}
}

static void draw_scene(struct scene *s)
{
	memset(&s->o, 0, sizeof s->o);
	s->o.spans = s->spans;
	s->o.windows = s->windows;
	s->o.set_of = s->set_of;
	s->o.spans_n = draw(SPANS + 1);
	s->o.strands_n = STRANDS;
	s->o.sets_n = SETS;
	s->o.family = FAMILY;
	for (uint32_t i = 0; i < STRANDS; i++)
		s->set_of[i] = draw(SETS);
	for (uint32_t i = 0; i < s->o.spans_n; i++) {
		int64_t from = draw(LONG);
		uint32_t strand = draw(STRANDS + 1);
		s->spans[i] = (struct overlap_span){ from, from + draw(20),
			strand == STRANDS ? OVERLAP_NO_STRAND : strand,
			(enum overlap_kind)draw(OVERLAP_KINDS) };
	}
	qsort(s->spans, s->o.spans_n, sizeof *s->spans, by_start);
	draw_windows(s);
}

/* Counts the nanosecond that begins at `at`. */
static void count_one(const struct scene *s, int64_t at, struct counted *c)
{
	bool strand[STRANDS] = { false }, set[SETS] = { false };
	uint32_t n = 0, kinds[OVERLAP_KINDS] = { 0 };
	uint32_t last = OVERLAP_NO_STRAND;

	for (uint32_t i = 0; i < s->o.spans_n; i++) {
		const struct overlap_span *x = &s->spans[i];
		if (at < x->start_ns || at >= x->end_ns)
			continue;
		n++;
		kinds[x->kind]++;
		last = x->strand;
		if (last != OVERLAP_NO_STRAND)
			strand[last] = set[s->set_of[last]] = true;
	}
	c->wall++;
	c->idle += n == 0;
	c->overlap += n > 1;
	c->other += n == 1 && last == OVERLAP_NO_STRAND;
	if (n == 1 && last != OVERLAP_NO_STRAND)
		c->exclusive[last]++;
	c->exposed += kinds[OVERLAP_COMM] && !kinds[OVERLAP_COMPUTE];
	for (uint32_t i = 0; i < STRANDS; i++)
		c->busy[i] += strand[i];
	for (uint32_t i = 0; i < SETS; i++) {
		c->set_busy[i] += set[i];
		for (uint32_t k = 0; k < SETS; k++)
			if (i != k && i / FAMILY == k / FAMILY)
				c->together[i * FAMILY + k % FAMILY] +=
					set[i] && set[k];
	}
}

static void count(const struct scene *s, struct counted *c)
{
	memset(c, 0, sizeof *c);
	for (uint32_t w = 0; w < s->o.windows_n; w++)
		for (int64_t at = s->windows[w].start_ns;
			at < s->windows[w].end_ns; at++)
			count_one(s, at, c);
}

static void expect(const struct overlap *o, const struct counted *c)
{
	int64_t sum = o->other_ns + o->overlap_ns + o->idle_ns;

	assert_int_equal(o->wall_ns, c->wall);
	assert_int_equal(o->idle_ns, c->idle);
	assert_int_equal(o->overlap_ns, c->overlap);
	assert_int_equal(o->other_ns, c->other);
	assert_int_equal(o->exposed_ns, c->exposed);
	for (uint32_t i = 0; i < STRANDS; i++) {
		assert_int_equal(o->exclusive_ns[i], c->exclusive[i]);
		assert_int_equal(o->busy_ns[i], c->busy[i]);
		sum += o->exclusive_ns[i];
	}
	for (uint32_t i = 0; i < SETS; i++)
		assert_int_equal(o->set_busy_ns[i], c->set_busy[i]);
	for (uint32_t i = 0; i < SETS * FAMILY; i++)
		assert_int_equal(o->together_ns[i], c->together[i]);
	assert_int_equal(sum, o->wall_ns);
}

static void every_nanosecond_is_counted_once(void **state)
{
	struct scene s = { 0 };
	struct counted c;
	int64_t seen[5] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		draw_scene(&s);
		count(&s, &c);
		assert_true(overlap_sweep(&s.o, &s.a));
		expect(&s.o, &c);
		seen[0] += c.idle;
		seen[1] += c.overlap;
		seen[2] += c.other;
		seen[3] += c.exposed;
		seen[4] += c.together[1];
		overlap_release(&s.o, &s.a);
	}
	for (uint32_t i = 0; i < 5; i++)
		assert_true(seen[i] > CASES / 10);
	arena_release(&s.a);
}

/* 40 spans of 40 different sets overlap. Only a limited number of sets is
 * counted in pairs. For the other sets, everything except the pairs is
 * exact. */
static void a_crowd_costs_no_more_than_its_pairs(void **state)
{
	enum { CROWD = 40 };
	struct arena a = { 0 };
	struct overlap_span spans[CROWD];
	struct overlap_window window = { 0, 100 };
	uint32_t set_of[CROWD];
	struct overlap o = { .spans = spans,
		.windows = &window,
		.set_of = set_of,
		.spans_n = CROWD,
		.windows_n = 1,
		.strands_n = CROWD,
		.sets_n = CROWD,
		.family = CROWD };

	(void)state;
	for (uint32_t i = 0; i < CROWD; i++) {
		set_of[i] = i;
		spans[i] = (struct overlap_span){ 10, 60, i, OVERLAP_COMPUTE };
	}
	assert_true(overlap_sweep(&o, &a));
	assert_int_equal(o.overlap_ns, 50);
	assert_int_equal(o.idle_ns, 50);
	for (uint32_t i = 0; i < CROWD; i++)
		assert_int_equal(o.set_busy_ns[i], 50);
	assert_int_equal(o.together_ns[1], 50);
	assert_int_equal(o.together_ns[OVERLAP_SETS_MOST - 1], 50);
	assert_int_equal(o.together_ns[OVERLAP_SETS_MOST], 0);
	overlap_release(&o, &a);
	arena_release(&a);
}

static void a_full_arena_is_reported(void **state)
{
	struct arena a = { .ceiling = 1000 };
	struct overlap_span span = { 0, 1, 0, OVERLAP_COMPUTE };
	struct overlap_window window = { 0, 1 };
	uint32_t set = 0;
	struct overlap o = { .spans = &span,
		.windows = &window,
		.set_of = &set,
		.spans_n = 1,
		.windows_n = 1,
		.strands_n = 1,
		.sets_n = 100000,
		.family = 1 };

	(void)state;
	assert_false(overlap_sweep(&o, &a));
	assert_true(a.full);
	overlap_release(&o, &a);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nanosecond_is_counted_once),
		cmocka_unit_test(a_crowd_costs_no_more_than_its_pairs),
		cmocka_unit_test(a_full_arena_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
