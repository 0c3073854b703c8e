/* test_verdict_needs.c - checks with the verdict itself whether the computed number of
 * iterations or runs proves a change.
 *
 * The data have exactly the mean and the deviation of the plan, and a shape that
 * differs by the seed. With one more than the computed number most seeds must
 * prove the change, with two fewer most must not: the number is right within
 * one. */
#include "verdict.h"
#include "verdict_needs.h"
#include "xoshiro.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SEEDS = 15, PER_RUN = 4, ROWS_MAX = 60 };
static const double base_ns = 1e6;

struct plan_case {
	double ratio, sd, floor, floor_df;
	uint32_t family;
	bool runs; /* sd: of runs' means */
};

/* n values with mean `at` and deviation `sd`, both exact. */
static void fill(double *x, uint32_t n, double at, double sd, struct xoshiro *r)
{
	double sum = 0, squares = 0;
	for (uint32_t i = 0; i < n; i++) {
		x[i] = 0; /* twelve uniform numbers are nearly normal */
		for (int k = 0; k < 12; k++)
			x[i] += xoshiro_below(r, 1 << 20) / 1048576.0 - 0.5;
		sum += x[i];
	}
	for (uint32_t i = 0; i < n; i++)
		squares += (x[i] - sum / n) * (x[i] - sum / n);
	for (uint32_t i = 0; i < n; i++)
		x[i] = at +
		       (n > 1 ? (x[i] - sum / n) * sd / sqrt(squares / (n - 1))
			      : 0);
}

static void fill_side(double *x, uint32_t n, double at,
	const struct plan_case *c, struct xoshiro *r)
{
	double means[4 * 1000];
	if (!c->runs) {
		fill(x, n, at, c->sd * base_ns, r);
		return;
	}
	fill(means, n, at, c->sd * base_ns, r);
	for (uint32_t u = 0; u < n; u++)
		fill(x + (size_t)u * PER_RUN, PER_RUN, means[u],
			0.001 * base_ns, r);
}

static bool proves(const struct plan_case *c, uint32_t n, uint64_t seed)
{
	struct arena a = { 0 };
	struct xoshiro r;
	struct verdict_row rows[ROWS_MAX];
	struct change changes[ROWS_MAX];
	struct common_factor common;
	uint32_t block, total = c->runs ? n * PER_RUN : n;
	uint32_t *units = arena_array(&a, uint32_t, n);
	struct verdict_side side = { c->runs ? n : 1, units, total };
	struct err e = { 0 };
	xoshiro_init(&r, seed);
	for (uint32_t u = 0; u < side.units; u++)
		units[u] = c->runs ? PER_RUN : n;
	for (uint32_t i = 0; i < c->family; i++) {
		double *base = arena_array(&a, double, total),
		       *head = arena_array(&a, double, total);
		fill_side(base, n, base_ns, c, &r);
		fill_side(head, n, i ? base_ns : c->ratio * base_ns, c, &r);
		rows[i] = (struct verdict_row){ .base = base,
			.head = head,
			.base_min_ns = NAN,
			.base_max_ns = NAN,
			.head_min_ns = NAN,
			.head_max_ns = NAN,
			.floor = c->floor,
			.floor_df = c->floor_df };
	}
	struct verdict_input in = { .base = side,
		.head = side,
		.rows = rows,
		.n = c->family,
		.base_iteration_ns = base_ns,
		.head_iteration_ns = base_ns,
		.margin = 0.05,
		.alpha = 0.05,
		.permutations = 2000,
		.seed = seed };
	assert_true(verdict_from(&in, &a, changes, &common, &block, &e));
	enum change_class is = changes[0].is;
	arena_release(&a);
	return is == CHANGE_REGRESSED || is == CHANGE_IMPROVED;
}

static uint32_t proven(const struct plan_case *c, uint32_t n)
{
	uint32_t found = 0;
	for (uint64_t seed = 1; n && seed <= SEEDS; seed++)
		found += proves(c, n, seed);
	return found;
}

static uint32_t needed(const struct plan_case *c)
{
	const struct verdict_plan p = { .delta_ns = (c->ratio - 1) * base_ns,
		.mean_ns = (1 + c->ratio) / 2 * base_ns,
		.iteration_sd_ns = c->runs ? 0.001 * base_ns : c->sd * base_ns,
		.run_sd_ns = c->runs ? c->sd * base_ns : NAN,
		.floor = c->floor,
		.floor_df = c->floor_df,
		.prior = c->floor,
		.prior_df = c->floor_df,
		.alpha = 0.05,
		.units = 1,
		.iterations = PER_RUN,
		.family = c->family };
	return c->runs ? verdict_needs_runs(&p) : verdict_needs_iterations(&p);
}

static void the_verdict_agrees_within_one(void **state)
{
	static const struct plan_case cases[] = {
		/* iterations: the number of splits is the limit */
		{ 0.2, 0.02, 0.03, 4, 20, false },
		{ 0.2, 0.2, 0.03, 4, 10, false },
		/* the spread of iterations is the limit */
		{ 1.5, 0.2, 0.03, 4, 10, false },
		{ 1.5, 0.4, 0.03, 10, 20, false },
		{ 0.7, 0.2, 0.01, 10, 10, false },
		{ 1.3, 0.2, 0.01, 10, 20, false },
		{ 1.2, 0.2, 0.01, 10, 40, false },
		/* runs */
		{ 1.5, 0.02, 0.03, 4, 20, true },
		{ 1.1, 0.05, 0.03, 4, 1, true },
		{ 1.1, 0.08, 0.03, 4, 1, true },
		{ 1.1, 0.08, 0.03, 4, 20, true },
		{ 0.9, 0.05, 0.03, 4, 20, true },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t n = needed(&cases[i]);
		uint32_t more = proven(&cases[i], n + 1),
			 fewer = n >= 6 ? proven(&cases[i], n - 2) : 0;
		if (!n || 2 * more < SEEDS || 2 * fewer > SEEDS)
			print_error("case %zu: %u; %u of %d prove it with one "
				    "more, %u with two fewer\n",
				i, n, more, SEEDS, fewer);
		assert_true(n && 2 * more >= SEEDS && 2 * fewer <= SEEDS);
	}
}

/* +10 % does not exceed what runs differ by, 3 % with four degrees of freedom:
 * 2.78 * 3 % * sqrt(2) = 11.8 %. More runs prove it. */
static void no_number_of_iterations_overcomes_the_noise_between_runs(
	void **state)
{
	const struct plan_case c = { 1.1, 0.001, 0.03, 4, 1, false };
	struct plan_case runs = c;
	(void)state;

	assert_int_equal(needed(&c), 0);
	assert_int_equal(proven(&c, 200), 0);
	runs.runs = true;
	runs.sd = 0.03;
	/* Two runs a side halve the variance between runs, and count with the
	 * floor's four degrees: 2.45 * 3 % = 7.3 %, below the change. */
	assert_int_equal(needed(&runs), 2);
	/* no difference is never proven */
	runs.ratio = 1;
	assert_int_equal(needed(&runs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_agrees_within_one),
		cmocka_unit_test(
			no_number_of_iterations_overcomes_the_noise_between_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
