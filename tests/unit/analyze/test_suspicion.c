/* test_suspicion.c - tests the published score for runs of a few iterations,
 * with values worked out by hand. */
#include "analyze/suspicion_world.h"

/* β 1, 3 → 5, 7: mean 2, sd √2; mean 6, sd √2. Δ 4, Z 2√2, t = 4/√2 at 2 degrees:
 * p = 1 - t/√(2 + t²). The rank sums are as far apart as can be: 2 of 6 orders.
 *
 * ln(1 + μ) 0, 2 → 4, 4: Z = 3/√2. μ itself has no deviation in the head, so its
 * t has one degree: p = 1 - 2/π·atan |t|; its head values are equal, so U takes
 * the normal form: U 0, mean 2, variance 4/12·(5 - 6/12) = 1.5. */
static void by_hand(void **state)
{
	const double e2 = expm1(2), e4 = expm1(4), root2 = sqrt(2);
	const struct line base[] = { { "f", "GPU 7", "usage", { 1, 3 },
		{ 0, e2 }, ALL } };
	const struct line head[] = { { "f", "GPU 7", "usage", { 5, 7 },
		{ e4, e4 }, ALL } };
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 2, base, 1);
	run_of(&w, 1, "b", 1, 2, head, 1);
	score(&w, 1, 1);
	assert_int_equal(w.s.rows_n, 1);
	const struct suspicion_row *r = w.s.rows;
	assert_string_equal(r->device, "GPU 7");
	value("β", &r->beta,
		(struct suspicion_value){ 2, 6, 4, 2 * root2,
			1 - 2 * root2 / sqrt(10), 1 / 3.0 });
	double t = (e4 - e2 / 2) / (e2 / 2);
	value("μ", &r->mu,
		(struct suspicion_value){ e2 / 2, e4, e4 - e2 / 2,
			(e4 - e2 / 2) / (e2 / root2), 1 - M_2_PI * atan(t),
			erfc(1.5 / sqrt(1.5) / root2) });
	near_to("Z(log μ)", r->z_log_mu, 3 / root2);
	near_to("score", r->score, 4 * (2 * root2 + 3 / root2));
	arena_release(&w.arena);
}

/* A row without μ counts as 0. An iteration without a row is not counted: n is
 * 2, and a side of one iteration has no test. */
static void rows_and_iterations(void **state)
{
	const struct line base[] = {
		{ "f", "Host", "cpu", { 1, 9, 3, 9 }, { NO_MU, NO_MU, 2, 8 },
			{ 0, NONE, 2, NONE } },
		{ "g", "Host", "cpu", { 1, 9, 9, 9 }, { 1, 9, 9, 9 },
			{ 0, NONE, NONE, NONE } },
		{ "h", "Host", "cpu", { 1, 1, 1, 1 }, { 1, 1, 1, 1 },
			{ NONE, NONE, NONE, NONE } },
	};
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 4, base, 3);
	run_of(&w, 1, "b", 1, 4, base, 2);
	score(&w, 1, 1);
	assert_int_equal(w.s.rows_n, 2);
	const struct suspicion_row *f = row(&w, "f", "cpu");
	/* U is 2 of 2 and 2 with ties: as many above as below. */
	value("β of f", &f->beta, (struct suspicion_value){ 2, 2, 0, 0, 1, 1 });
	value("μ of f", &f->mu, (struct suspicion_value){ 1, 1, 0, 0, 1, 1 });
	const struct suspicion_row *g = row(&w, "g", "cpu");
	value("β of g", &g->beta, (struct suspicion_value){ 1, 1, 0, 0, 1, 1 });
	arena_release(&w.arena);
}

/* Nothing changes: there is no p. A change without any deviation is certain.
 * In both cases there is no Z, so the score is 0 however large the change
 * is. */
static void without_deviation(void **state)
{
	/* Not a multiple of any power of two: three of them, summed and
	 * divided, do not give the value itself. */
	const double c = 85.7049;
	const struct line base[] = {
		{ "f", "GPU 0", "memory", { 2, 2, 2 }, { c, c, c }, ALL },
	};
	const struct line head[] = {
		{ "f", "GPU 0", "memory", { 3, 3, 3 }, { c, c, c }, ALL },
	};
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 3, base, 1);
	run_of(&w, 1, "b", 1, 3, head, 1);
	score(&w, 1, 1);
	/* All of one side are below the other, six values of two kinds: U 0,
	 * mean 4.5, variance 9/12·(7 - 48/30) = 4.05. */
	value("β", &w.s.rows->beta,
		(struct suspicion_value){ 2, 3, 1, 0, 0,
			erfc(4 / sqrt(4.05) / sqrt(2)) });
	value("μ", &w.s.rows->mu,
		(struct suspicion_value){ c, c, 0, 0, NAN, 1 });
	assert_true(w.s.rows->score == 0);
	assert_int_equal(w.s.findings_n, 0);
	arena_release(&w.arena);
}

/* A function on one side only: the other side is 0 and the tests are 1. New
 * functions score 0. Equal scores are sorted by name, metric, device. */
static void one_side_alone(void **state)
{
	const struct line base[] = { { "gone", "GPU 0", "u", { 1, 3 }, { 5, 5 },
		ALL } };
	const struct line head[] = {
		{ "new", "GPU 1", "u", { 40, 60 }, { 5, 6 }, ALL },
		{ "new", "GPU 0", "v", { 40, 60 }, { 5, 6 }, ALL },
		{ "new", "GPU 0", "u", { 40, 60 }, { 5, 6 }, ALL },
		{ "also", "GPU 1", "v", { 40, 60 }, { 5, 6 }, ALL },
	};
	static const char *const order[] = { "gone u GPU 0", "also v GPU 1",
		"new u GPU 0", "new u GPU 1", "new v GPU 0" };
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 2, base, 1);
	run_of(&w, 1, "b", 1, 2, head, 4);
	score(&w, 1, 1);
	assert_int_equal(w.s.rows_n, 5);
	for (int i = 0; i < 5; i++) {
		char text[80];
		snprintf(text, sizeof text, "%s %s %s", w.s.rows[i].name,
			w.s.rows[i].metric, w.s.rows[i].device);
		assert_string_equal(text, order[i]);
	}
	value("gone", &w.s.rows->beta,
		(struct suspicion_value){ 2, 0, -2, -sqrt(2), 1, 1 });
	/* ln(1 + μ) has no deviation. */
	near_to("score", w.s.rows->score, 2 * sqrt(2));
	value("new", &w.s.rows[2].beta,
		(struct suspicion_value){ 0, 50, 50, 0, 1, 1 });
	arena_release(&w.arena);
}

/* Two runs of a side are one run with the iterations of both. An iteration in
 * which a function has two types counts once, although it has two rows. */
static void several_runs(void **state)
{
	const struct line one[] = { { "f", "GPU 0", "u", { 1 }, { 1 }, ALL } };
	const struct line two[] = { { "f", "GPU 0", "u", { 3 }, { 1 }, ALL } };
	const struct line twice[] = {
		{ "f", "GPU 0", "u", { 5, 5 }, { 1, 1 }, ALL },
		{ "g", "GPU 0", "u", { 5, 5 }, { 1, 1 }, ALL },
		{ "f", "GPU 0", "u", { 7, 7 }, { 1, 1 }, ALL },
	};
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 1, one, 1);
	run_of(&w, 1, "b", 2, 1, two, 1);
	run_of(&w, 2, "c", 3, 2, twice, 3);
	score(&w, 2, 1);
	const struct suspicion_row *f = row(&w, "f", "u");
	/* 1, 3 → 5, 5, 7, 7: variances 2 and 4/3 over 2 iterations each:
	 * 5/3. */
	double v = 5 / 3.0, df = v * v / (1 + 4 / 9.0);
	near_to("delta", f->beta.delta, 4);
	/* 25/13 degrees have no closed form: Simpson's rule over the density,
	 * from either end. */
	near_to("degrees", df, 25 / 13.0);
	assert_true(fabs(f->beta.p - 0.09480728040) < 1e-10);
	assert_int_equal(w.s.base.iterations_n, 2);
	near_to("mean of iterations", w.s.base.iteration_us, 1000);
	assert_string_equal(w.s.base.name, "a+b");
	assert_int_equal(w.s.base.pid, -1);
	arena_release(&w.arena);
}

/* If neither side has a counter, only β is scored. If one has any, rows
 * without a metric are ignored, as published. */
static void without_metrics(void **state)
{
	const struct line none[] = { { "f", "", "", { 1, 3, NAN }, { 0 },
		{ 0, 0, 0, NONE } } };
	const struct line some[] = { { "g", "GPU 0", "u", { 1, 3 }, { 1, 1 },
		ALL } };
	struct world w = { 0 };
	(void)state;
	struct compared_run *r = run_of(&w, 0, "a", 1, 4, none, 1);
	/* The share is not given: 1.5 of the 3 ms of the third iteration. */
	r->patterns.rows->dur_ns[2] = 1500000;
	run_of(&w, 1, "b", 1, 2, none, 1);
	score(&w, 1, 1);
	assert_false(w.s.metrics);
	const struct suspicion_row *f = row(&w, "f", "N/A");
	assert_string_equal(f->device, "N/A");
	near_to("β", f->beta.base, 18);
	value("μ", &f->mu, (struct suspicion_value){ 0, 0, 0, 0, NAN, 1 });
	run_of(&w, 1, "b", 1, 2, some, 1);
	score(&w, 1, 1);
	assert_true(w.s.metrics);
	assert_int_equal(w.s.rows_n, 1);
	assert_string_equal(w.s.rows->name, "g");
	arena_release(&w.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(rows_and_iterations),
		cmocka_unit_test(without_deviation),
		cmocka_unit_test(one_side_alone),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(without_metrics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
