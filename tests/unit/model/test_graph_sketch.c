/* test_graph_sketch.c - bounds of the distance of two graphs, and how often similar
 * graphs share a band. */
#include "graph_sketch.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static struct graph_sketch sketch(struct arena *a, const char *kernels)
{
	const char *list[40];
	struct graph_sketch s;
	uint32_t n = 0;
	char *text = arena_strdup(a, kernels), *rest = text;

	for (char *k; (k = strtok_r(rest, " ", &rest));)
		list[n++] = k;
	assert_true(graph_sketch_from(list, n, a, &s));
	return s;
}

/* Names that only one side has, and names that one side has more often. */
static void bound_is_the_multiset_distance(void **state)
{
	static const struct {
		const char *left, *right;
		uint32_t distance;
	} cases[] = {
		{ "", "", 0 },
		{ "a b c", "c a b", 0 },
		{ "a b c", "a b", 1 },
		{ "a a a b", "a b b", 3 },
		{ "a b", "c d e", 5 },
		{ "a a a a", "a", 3 },
		{ "", "a b", 2 },
	};
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct graph_sketch l = sketch(&a, cases[i].left);
		struct graph_sketch r = sketch(&a, cases[i].right);
		assert_int_equal(graph_sketch_distance(&l, &r),
			cases[i].distance);
		assert_int_equal(graph_sketch_distance(&r, &l),
			cases[i].distance);
	}
	arena_release(&a);
}

/* Sketches are stored: they must not change. The numbers are from a Python
 * program with the same hash functions. */
static void value_is_stored(void **state)
{
	struct arena a = { 0 };
	struct graph_sketch s = sketch(&a, "b a b");
	(void)state;
	assert_int_equal(s.n, 3);
	assert_int_equal(s.names_n, 2);
	assert_true(s.names[0] == INT64_C(198367012849983736));
	assert_true(s.names[1] == INT64_C(4482684837372322821));
	assert_int_equal(s.counts[0], 1);
	assert_int_equal(s.counts[1], 2);
	assert_true(s.bands[0] == INT64_C(1154659942881594073));
	assert_true(s.bands[7] == INT64_C(-8288037634366445781));
	arena_release(&a);
}

/* Knuth's linear congruential generator; the room of models has no other. */
static uint32_t below(uint64_t *x, uint32_t n)
{
	*x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*x >> 33) % n);
}

enum { TRIALS = 2000, KERNELS = 1000 };

static bool shared(const struct graph_sketch *l, const struct graph_sketch *r)
{
	for (int i = 0; i < GRAPH_BANDS; i++)
		if (l->bands[i] == r->bands[i])
			return true;
	return false;
}

/* The share of pairs without a band in common, in `n` kernels of `names` names,
 * of which the right side lacks `lost`. */
static double missed(uint32_t n, uint32_t names, uint32_t lost, uint32_t seed)
{
	static char text[KERNELS][16];
	const char *list[KERNELS];
	uint32_t missing = 0;
	uint64_t x = seed;

	for (uint32_t t = 0; t < TRIALS; t++) {
		struct arena a = { 0 };
		struct graph_sketch l, r;
		for (uint32_t i = 0; i < n; i++) {
			snprintf(text[i], sizeof text[i], "%x %u", t,
				below(&x, names));
			list[i] = text[i];
		}
		assert_true(graph_sketch_from(list, n, &a, &l));
		for (uint32_t i = 0; i < lost; i++)
			list[below(&x, n - i)] = list[n - i - 1];
		assert_true(graph_sketch_from(list, n - lost, &a, &r));
		assert_int_equal(graph_sketch_distance(&l, &r), lost);
		missing += !shared(&l, &r);
		arena_release(&a);
	}
	return (double)missing / TRIALS;
}

/* At the greatest distances: 5 of 100 in 8 names or 100; 1 of 8, which is missed
 * once in 1,100 (graph_sketch.h), so 2,000 pairs miss at most 10 with a
 * probability of more than 0.9999. */
static void similar_graphs_share_a_band(void **state)
{
	(void)state;
	assert_true(missed(100, 8, 5, 1) < 0.001);
	assert_true(missed(100, 100, 5, 2) < 0.001);
	assert_true(missed(8, 100, 1, 3) <= 0.005);
}

/* Half of the kernels lost: J is 1/2, and 60 % of the pairs share no band. Other
 * names share none. */
static void other_graphs_share_none(void **state)
{
	struct arena a = { 0 };
	struct graph_sketch l = sketch(&a, "a b c d e f g h i j k l");
	struct graph_sketch r = sketch(&a, "m n o p q r s t u v w x");
	(void)state;
	assert_false(shared(&l, &r));
	arena_release(&a);
	assert_true(missed(200, 1000, 100, 4) > 0.5);
}

static void bound_of_the_distance(void **state)
{
	static const uint32_t max[][2] = { { 7, 0 }, { 8, 1 }, { 39, 1 },
		{ 40, 2 }, { 994, 49 }, { 1567, 64 }, { UINT32_MAX, 64 } };
	(void)state;
	for (size_t i = 0; i < sizeof max / sizeof *max; i++)
		assert_int_equal(graph_distance_max(max[i][0]), max[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound_is_the_multiset_distance),
		cmocka_unit_test(value_is_stored),
		cmocka_unit_test(similar_graphs_share_a_band),
		cmocka_unit_test(other_graphs_share_none),
		cmocka_unit_test(bound_of_the_distance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
