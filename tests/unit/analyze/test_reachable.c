/* test_reachable.c - tests the fleet-best of calls, and sums of reachable
 * headroom. */
#include "reachable.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct fleet_best rows[] = {
	{ "H20", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.5, 7 },
	{ "A100", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.75, 8 },
	{ "H20", "gemm", DTYPE_FP16, LEG_COMPUTE, 31, 0.25, 9 },
	{ "H20", "add", DTYPE_BF16, LEG_MEMORY, 31, 0.125, 0 },
	{ "H20", "gemm", DTYPE_BF16, LEG_MEMORY, 30, 0.625, 11 },
};
static struct fleet_bests all = { rows, sizeof rows / sizeof *rows };

static void a_best_is_of_its_platform_operator_type_leg_and_class(void **state)
{
	static const struct {
		struct reachable_calls of;
		int64_t run; /* -1: none */
	} cases[] = {
		{ { "H20", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.1 }, 7 },
		{ { "A100", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.1 }, 8 },
		{ { "H20", "gemm", DTYPE_FP16, LEG_COMPUTE, 31, 0.1 }, 9 },
		{ { "H20", "add", DTYPE_BF16, LEG_MEMORY, 31, 0.1 }, 0 },
		{ { "H20", "gemm", DTYPE_BF16, LEG_MEMORY, 30, 0.1 }, 11 },
		{ { "H20", "gemm", DTYPE_BF16, LEG_COMPUTE, 32, 0.1 }, -1 },
		{ { "H20", "gemm", DTYPE_FP32, LEG_COMPUTE, 31, 0.1 }, -1 },
		{ { "A100", "add", DTYPE_BF16, LEG_MEMORY, 31, 0.1 }, -1 },
		{ { "H20", "gemm", DTYPE_BF16, LEG_MEMORY, 31, 0.1 }, -1 },
		{ { "H20", "gemm", DTYPE_BF16, LEG_NONE, -1, 0.1 }, -1 },
		{ { NULL, "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.1 }, -1 },
		{ { "H20", NULL, DTYPE_BF16, LEG_COMPUTE, 31, 0.1 }, -1 },
	};
	(void)state;
	reachable_sort(&all);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct fleet_best *b = reachable_best(&all, &cases[i].of);
		assert_int_equal(b ? b->run : -1, cases[i].run);
	}
	assert_null(reachable_best(&(struct fleet_bests){ 0 }, &cases[0].of));
}

static void a_share_is_measured_from_the_best(void **state)
{
	const struct fleet_best best = { .s = 0.5 };
	(void)state;
	assert_true(reachable_share(0.25, &best) == 0.5);
	assert_true(reachable_share(0.5, &best) == 0);
	assert_true(reachable_share(0.75, &best) == 0);
	assert_true(reachable_share(3, &best) == 0);
	assert_true(isnan(reachable_share(NAN, &best)));
	assert_true(isnan(reachable_share(0.25, NULL)));
}

static void a_sum_names_the_best_of_the_shape_with_the_most(void **state)
{
	const struct fleet_best a = { .run = 1 }, b = { .run = 2 },
				c = { .run = 3 };
	struct reachable_sum sum = { 0 };
	(void)state;
	reachable_add(&sum, 1000, NAN, NULL);
	assert_null(sum.best);
	assert_true(sum.known == 0);
	reachable_add(&sum, 100, 0, &a);
	reachable_add(&sum, 200, 0, &b);
	assert_ptr_equal(sum.best, &b); /* equal: the longer one */
	reachable_add(&sum, 10, 5, &c);
	reachable_add(&sum, 50, 4, &a);
	reachable_add(&sum, 900, NAN, &a);
	assert_ptr_equal(sum.best, &c);
	assert_true(sum.known == 360 && sum.saved == 9);
}

/* The class is that of the work that bounds the calls. */
static void a_size_class_is_a_power_of_two(void **state)
{
	struct cost c = { .read_bytes = 1000, .write_bytes = 24 };
	(void)state;
	assert_int_equal(cost_size_class(&c, LEG_MEMORY), 10);
	c.write_bytes = 23;
	assert_int_equal(cost_size_class(&c, LEG_MEMORY), 9);
	assert_int_equal(cost_size_class(&c, LEG_NONE), -1);
	assert_int_equal(cost_size_class(&c, LEG_COMPUTE), -1);
	c.flops[DTYPE_BF16] = 1500;
	c.flops[DTYPE_FP32] = 548;
	c.flops[DTYPE_INT32] = 1 << 20; /* not counted */
	assert_int_equal(cost_size_class(&c, LEG_COMPUTE), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_best_is_of_its_platform_operator_type_leg_and_class),
		cmocka_unit_test(a_share_is_measured_from_the_best),
		cmocka_unit_test(
			a_sum_names_the_best_of_the_shape_with_the_most),
		cmocka_unit_test(a_size_class_is_a_power_of_two),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
