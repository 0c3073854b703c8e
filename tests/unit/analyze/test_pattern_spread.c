/* test_pattern_spread.c - tests launches sorted by duration: few, many, and
 * none kept. Also tests which changes they show if there are too few
 * iterations. */
#include "iteration_rows.h"
#include "pattern_execution.h"
#include "verdict.h"
#include <stdlib.h>

/* Fifteen launches that take 15 to 1 ns, in that order, and one launch in an
 * excluded iteration. */
static void test_few(void **state)
{
	struct world *w = *state;
	static struct given g;
	static const int64_t want[PATTERN_SPREAD] = { 1, 2, 3, 4, 5, 5, 6, 7, 8,
		9, 10, 11, 12, 12, 13, 14, 15 };
	g = (struct given){ 0 };
	for (int i = 0; i < 15; i++)
		rows_kernel(&w->t, "a", 20 * i, 15 - i, 0, 1);
	rows_kernel(&w->t, "a", 400, 90, 0, 1);
	rows_kernel(&w->t, "only there", 500, 9, 0, 1);
	given_iteration(w, &g, 0, 400);
	given_iteration(w, &g, 400, 200);
	g.iterations[1].use = ITERATION_WARMUP;
	given_rows(w, &g);
	given_patterns(w, &g);
	const struct pattern *a = given_find(w, "a", "GPU 0");
	const struct pattern *other = given_find(w, "only there", "GPU 0");
	for (int i = 0; i < PATTERN_SPREAD; i++)
		assert_int_equal(a->spread_ns[i], want[i]);
	assert_true(!other || !other->spread_ns);
}

static void test_one(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 7, 0, 1);
	given_iteration(w, &g, 0, 10);
	given_rows(w, &g);
	given_patterns(w, &g);
	for (int i = 0; i < PATTERN_SPREAD; i++)
		assert_int_equal(given_find(w, "a", "GPU 0")->spread_ns[i], 7);
}

/* There are more launches than are sorted. The quantiles of an even sample
 * must equal those of all launches. */
static void test_many(void **state)
{
	struct world *w = *state;
	static struct executions x;
	enum { N = 100000 };
	struct iteration iteration = { 0 };
	struct pattern row = { .name = "a" };
	uint32_t row_of[] = { 0 };
	x.list = arena_array(&w->arena, struct execution, N);
	for (x.n = 0; x.n < N; x.n++)
		x.list[x.n] = (struct execution){ .dur_ns = x.n * 37LL % N };
	w->p.arena = &w->arena;
	w->p.iterations = (struct iterations){ .iterations = &iteration,
		.n = 1,
		.kept_n = 1 };
	w->p.patterns = (struct patterns){ .rows = &row, .n = 1 };
	assert_true(pattern_execution_spread(&x, row_of, &w->p));
	for (int i = 0; i < PATTERN_SPREAD; i++)
		assert_in_range(llabs(row.spread_ns[i] - i * (N / 16LL)), 0,
			N / 50);
}

struct sides {
	double base[PATTERN_SPREAD], head[PATTERN_SPREAD], x[2];
	struct verdict_row row;
	struct change change;
};

/* One iteration per side with launches of 1 to 17 µs. The times of the head
 * are multiplied by `by`, except for `stay` launches. */
static enum change_class of_spread(double by, int stay)
{
	static const uint32_t one = 1;
	struct common_factor common;
	struct arena a = { 0 };
	struct err e = { 0 };
	uint32_t block;
	struct sides s = { 0 };
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		s.base[i] = 1000.0 * (i + 1);
		s.head[i] = i < stay ? s.base[i] : s.base[i] * by;
		s.x[0] += s.base[i];
		s.x[1] += s.head[i];
	}
	s.row = (struct verdict_row){ .base = &s.x[0],
		.head = &s.x[1],
		.base_launches = PATTERN_SPREAD,
		.head_launches = PATTERN_SPREAD,
		.floor = 0.03,
		.floor_df = 4,
		.spread = { s.base, s.base, s.head, s.head } };
	struct verdict_input in = { .base = { 1, &one, 1 },
		.head = { 1, &one, 1 },
		.rows = &s.row,
		.n = 1,
		.base_iteration_ns = s.x[0],
		.head_iteration_ns = s.x[1],
		.margin = 0.05,
		.alpha = 0.05,
		.permutations = 1 };
	assert_true(verdict_from(&in, &a, &s.change, &common, &block, &e));
	arena_release(&a);
	assert_int_equal(s.change.evidence, EVIDENCE_LAUNCHES);
	return s.change.is;
}

/* The ranges of both sides overlap. In the first case every launch changed all
 * the same; then one launch did not change; then all changed by less than runs
 * vary. */
static void test_launches(void **state)
{
	(void)state;
	assert_int_equal(of_spread(1.5, 0), CHANGE_LIKELY);
	assert_int_equal(of_spread(0.54, 0), CHANGE_LIKELY);
	assert_int_equal(of_spread(1.2, 1), CHANGE_UNDECIDED);
	assert_int_equal(of_spread(1.05, 0), CHANGE_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_few),
		WORLD_TEST(test_one),
		WORLD_TEST(test_many),
		cmocka_unit_test(test_launches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
