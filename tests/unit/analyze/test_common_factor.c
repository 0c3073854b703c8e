/* test_common_factor.c - tests that the common factor of two sides is the inverse of
 * that of the exchanged sides. */
#include "common_factor.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ITERATIONS = 6, KERNELS_MAX = 400 };

/* One run a side. Each kernel takes the same time in all iterations. */
struct factor_case {
	struct arena a;
	struct verdict_row rows[KERNELS_MAX];
	struct change means[KERNELS_MAX];
	struct verdict_input in;
};

static const uint32_t all_iterations = ITERATIONS;

static void factor_begin(struct factor_case *x)
{
	const struct verdict_side side = { 1, &all_iterations, ITERATIONS };
	*x = (struct factor_case){ .in = { .base = side,
					   .head = side,
					   .margin = 0.05,
					   .alpha = 0.05 } };
	x->in.rows = x->rows;
}

static void factor_kernel(struct factor_case *x, double base_ns, double head_ns)
{
	double *base = arena_array(&x->a, double, ITERATIONS),
	       *head = arena_array(&x->a, double, ITERATIONS);
	for (int i = 0; i < ITERATIONS; i++) {
		base[i] = base_ns;
		head[i] = head_ns;
	}
	x->rows[x->in.n] = (struct verdict_row){ .base = base,
		.head = head,
		.base_launches = 2 * ITERATIONS,
		.head_launches = 2 * ITERATIONS,
		.kernel = true,
		.floor = 0.01,
		.floor_df = 4 };
	x->means[x->in.n++] =
		(struct change){ .base_ns = base_ns, .head_ns = head_ns };
}

/* Compares the estimate and the report with those of the exchanged sides. */
static struct common_factor factor_mirrored(struct factor_case *x,
	struct common_estimate *to)
{
	struct factor_case y;
	struct common_estimate fro;
	factor_begin(&y);
	for (uint32_t i = 0; i < x->in.n; i++)
		factor_kernel(&y, x->means[i].head_ns, x->means[i].base_ns);
	assert_true(common_factor_estimate(&x->in, x->means, &x->a, to));
	assert_true(common_factor_estimate(&y.in, y.means, &y.a, &fro));
	struct common_factor a = common_factor_report(&x->in, to, x->means, 0,
				     true),
			     b = common_factor_report(&y.in, &fro, y.means, 0,
				     true);
	assert_true(to->known == fro.known && to->uniform == fro.uniform);
	assert_int_equal(to->kernels, fro.kernels);
	assert_true(to->log_ratio == -fro.log_ratio);
	assert_true(to->log_sd == fro.log_sd);
	assert_true(to->tolerance == fro.tolerance);
	assert_true(a.there == b.there && a.kernels == b.kernels);
	assert_true(fabs(a.ratio * b.ratio - 1) < 1e-12);
	assert_true(fabs(a.ns + b.ns) < 1e-6);
	arena_release(&y.a);
	return a;
}

/* 128 kernels are used at most. By the base, these were the first 128, which did not
 * change; by the head, 100 that take four times as long and 28 others. */
static void the_same_kernels_are_used_in_both_directions(void **state)
{
	struct factor_case x;
	struct common_estimate e;
	(void)state;

	factor_begin(&x);
	for (int i = 0; i < COMMON_FACTOR_ROWS_MAX; i++)
		factor_kernel(&x, 1000 + i, 1000 + i);
	for (int i = 0; i < 100; i++)
		factor_kernel(&x, 500 + i, 2000 + 4 * i);
	factor_mirrored(&x, &e);
	assert_true(e.known && e.uniform);
	/* By the sum, the 100 kernels of 2,500 ns and more, and 28 others. */
	assert_int_equal(e.kernels, 100);
	assert_true(fabs(e.log_ratio - log(4)) < 1e-12);
	arena_release(&x.a);
}

/* Ten of twenty kernels take half the time. Each half has more time on one side, but both
 * have half of the kernels, so no factor is uniform. One more kernel decides. */
static void most_of_the_time_is_that_of_both_sides(void **state)
{
	struct factor_case x;
	struct common_estimate e;
	(void)state;

	factor_begin(&x);
	for (int i = 0; i < 11; i++)
		factor_kernel(&x, 1000, 500);
	for (int i = 0; i < 10; i++)
		factor_kernel(&x, 900, 900);
	factor_mirrored(&x, &e);
	/* 11 * 1,500 of 34,500 ns: less than half. By the base alone, it were
	 * 11,000 of 20,000. */
	assert_true(e.known && !e.uniform);
	arena_release(&x.a);
}

/* 16 kernels of 1 µs become 25 % slower, and one of 8 µs does not. */
static void the_time_of_the_factor_is_negated(void **state)
{
	struct factor_case x;
	struct common_estimate e;
	(void)state;

	factor_begin(&x);
	for (int i = 0; i < 16; i++)
		factor_kernel(&x, 1000, 1250 + (i % 3 - 1));
	factor_kernel(&x, 8000, 8000);
	struct common_factor f = factor_mirrored(&x, &e);
	assert_true(f.there);
	assert_int_equal(f.kernels, 16);
	assert_true(fabs(f.ns - 16 * 250) < 2);
	arena_release(&x.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_kernels_are_used_in_both_directions),
		cmocka_unit_test(most_of_the_time_is_that_of_both_sides),
		cmocka_unit_test(the_time_of_the_factor_is_negated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
