/* test_run_operators.c - tests the reachable headroom of a run's operators. */
#include "run_operators.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct fleet_best best[] = {
	{ "H20", "gemm", DTYPE_BF16, LEG_COMPUTE, 31, 0.5, 7 },
	{ "H20", "gemm", DTYPE_BF16, LEG_MEMORY, 20, 0.25, 8 },
	{ "H20", "collective", DTYPE_BF16, LEG_LINK, 20, 0.25, 9 },
};
static struct fleet_bests bests = { best, 3 };
static struct operator_stat rows[] = {
	{ .name = "gemm", .dtype = DTYPE_BF16, .bound_ns = 400 },
	{ .name = "collective", .dtype = DTYPE_BF16, .collective = true },
	{ .name = "gemm", .dtype = DTYPE_FP16 },
};
static const struct run_operators run = { .platform = "H20",
	.gpu_ns = 1000,
	.rows = rows,
	.n = 3 };
/* row, leg, size class, time, S */
static const struct bound_shape shapes[] = {
	{ 0, LEG_COMPUTE, 31, 101, 0.25 }, /* 50.5 */
	{ 0, LEG_COMPUTE, 31, 100, 0.75 }, /* better than the best: 0 */
	{ 0, LEG_MEMORY, 20, 100, 0.0625 }, /* 75 */
	{ 0, LEG_MEMORY, -1, 100, 0.0625 }, /* from before: unknown */
	{ 1, LEG_LINK, 20, 100, 0.0625 }, /* 75, waiting included */
	{ 2, LEG_COMPUTE, 31, 100, 0.25 }, /* no best of its type */
};

static void rows_add_up_what_their_shapes_would_save(void **state)
{
	struct arena a = { 0 };
	struct run_operators_table m = { .is = &run, .bests = &bests };
	(void)state;
	reachable_sort(&bests);
	const struct reachable_sum *sum =
		run_operators_reachable_from(&m, shapes, 6, &a);
	assert_true(sum[0].known == 301 && sum[0].saved == 51 + 75);
	assert_int_equal(sum[0].best->run, 8);
	assert_true(sum[1].known == 100 && sum[1].saved == 75);
	assert_int_equal(sum[1].best->run, 9);
	assert_true(sum[2].known == 0 && !sum[2].best);
	assert_int_equal(run_operators_reachable_ns(100, 0.25, sum[0].best), 0);
	assert_int_equal(run_operators_reachable_ns(99, 0.125, sum[0].best),
		50); /* 49.5 */
	assert_int_equal(run_operators_reachable_ns(100, 0.25, NULL), -1);
	m.bests = NULL;
	assert_null(run_operators_best(&m, &rows[0], LEG_COMPUTE, 31));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up_what_their_shapes_would_save),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
