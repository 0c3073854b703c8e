/* test_pattern_mean.c - tests means over kept iterations; the expected values
 * are worked out by hand. */
#include "pattern_mean.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

/* Four iterations: the first is a warm-up and the third is missing. */
static struct iteration iterations[] = {
	{ .dur_ns = 9000, .use = ITERATION_WARMUP },
	{ .dur_ns = 1000 },
	{ .dur_ns = 1500 },
	{ .dur_ns = 2000 },
};
static const struct iterations found = { .iterations = iterations,
	.n = 4,
	.kept_n = 3 };
static uint32_t iteration_of[] = { 0, 1, 3 };

/* The function runs in the warm-up and in the last iteration; a table gives
 * its β for the last alone. */
static int64_t dur_ns[] = { 8000, 0, 500 }, launches[] = { 9, 0, 2 },
	       min_ns[] = { 1, -1, 240 }, max_ns[] = { 900, -1, 260 };
static double beta_pct[] = { 90, NAN, 24.5 };
static double mu[] = { 99, NAN, 40 }, sigma[] = { 1, NAN, NAN };
static uint8_t interpolated[] = { 2, 0, 1 };
static double none[] = { NAN, NAN, NAN };

static struct pattern rows[] = {
	{ "f", FUNCTION_gpu_compute, "GPU 0", 0, dur_ns, launches, min_ns,
		max_ns, NULL, NULL, { 0 }, { 0 }, NULL, NULL },
	{ "g", FUNCTION_gpu_compute, "GPU 0", 0, dur_ns, launches, min_ns,
		max_ns, NULL, beta_pct, { 0 }, { 0 }, NULL, NULL },
};
static struct pattern_metric metrics[] = {
	{ 1, "clock", mu, sigma, interpolated },
	{ 1, "power", none, none, interpolated },
};
static const struct patterns patterns = { 3, iteration_of, rows, metrics, 2,
	2 };

static void test_kept_iterations(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct pattern_means m;
	assert_true(pattern_mean_from(&found, &patterns, &a, &m));
	assert_int_equal(m.iterations, 2);
	assert_int_equal(m.n, 2);
	/* (0 + 500) / 2; (0 + 2) / 2; (0 % + 500 / 2000) / 2 */
	assert_true(m.rows[0].ns == 250);
	assert_true(m.rows[0].launches == 1);
	assert_true(m.rows[0].beta_pct == 12.5);
	assert_int_equal(m.rows[0].min_ns, 240);
	assert_int_equal(m.rows[0].max_ns, 260);
	assert_int_equal(m.rows[0].iterations, 1);
	assert_int_equal(m.rows[0].metrics_n, 0);
	/* as given: (0 + 24.5) / 2 */
	assert_true(m.rows[1].beta_pct == 12.25);
	assert_int_equal(m.rows[1].metrics_n, 2);
	const struct metric_mean *clock = &m.rows[1].metrics[0];
	assert_string_equal(clock->name, "clock");
	assert_true(clock->mu == 40 && clock->sigma == 0);
	assert_int_equal(clock->iterations, 1);
	assert_int_equal(clock->partly, 1);
	assert_int_equal(clock->interpolated, 0);
	const struct metric_mean *power = &m.rows[1].metrics[1];
	assert_int_equal(power->iterations, 0);
	assert_true(isnan(power->mu) && isnan(power->sigma));
	arena_release(&a);
}

static void test_none_kept(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct pattern_means m;
	const struct iterations all = { .iterations = iterations, .n = 4 };
	assert_true(pattern_mean_from(&all, &patterns, &a, &m));
	assert_int_equal(m.iterations, 3);
	assert_int_equal(m.rows[0].max_ns, 900);
	assert_true(fabs(m.rows[0].ns - 8500 / 3.0) < 1e-9);
	arena_release(&a);
}

static void test_median(void **state)
{
	(void)state;
	struct arena a = { 0 };
	double ns;
	assert_true(iterations_median(&found, &a, &ns) && ns == 1500);
	const struct iterations all = { .iterations = iterations, .n = 4 };
	/* 1000 1500 2000 9000 */
	assert_true(iterations_median(&all, &a, &ns) && ns == 1750);
	const struct iterations no = { 0 };
	assert_true(iterations_median(&no, &a, &ns) && isnan(ns));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_iterations),
		cmocka_unit_test(test_none_kept),
		cmocka_unit_test(test_median),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
