/* test_fusion_saving.c - what a fusion saves, compared with sums by hand. */
#include "fusions.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Two products of two tensors of 4 MB each: each reads 8 MB and writes 4 MB. */
static const struct fusion_sums two_products = { .first_leg = LEG_MEMORY,
	.bytes = 4000000,
	.first_bytes = 12000000,
	.second_bytes = 12000000,
	.pairs = 10,
	.first_s = 120e-6,
	.second_s = 120e-6,
	.gap_s = 5e-6 };

static const double peak = 2e12;

static void near(double x, double y)
{
	assert_true(fabs(x - y) <= 1e-12 * fabs(y));
}

/* The pair moves 24 MB in 24 us, which is 1 TB/s. Each of 10 pairs saves 8 MB:
 * 8 us, and at 2 TB/s 4 us. */
static void the_tensor_is_neither_written_nor_read(void **state)
{
	(void)state;
	struct fusion_saving s = fusion_saving(&two_products, peak);
	assert_int_equal(s.passes, 2);
	near(s.traffic_s, 80e-6);
	near(s.at_peak_s, 40e-6);
	near(s.gap_s, 5e-6);
}

static void the_tensor_must_be_written(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.must_write = true;
	struct fusion_saving s = fusion_saving(&sums, peak);
	assert_int_equal(s.passes, 1);
	near(s.traffic_s, 40e-6);
	near(s.at_peak_s, 20e-6);
}

/* The time of the first says nothing about its bandwidth. The second moves 12 MB
 * in 12 us: 1 TB/s, and saves 4 MB in each of 10 pairs. */
static void a_compute_bound_first_call_saves_only_the_read(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.first_leg = LEG_COMPUTE;
	sums.first_s = 1;
	struct fusion_saving s = fusion_saving(&sums, peak);
	assert_int_equal(s.passes, 1);
	near(s.traffic_s, 40e-6);
	near(s.at_peak_s, 20e-6);
}

static void an_unknown_tensor_saves_only_the_gap(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.bytes = -1;
	struct fusion_saving s = fusion_saving(&sums, peak);
	assert_true(isnan(s.traffic_s) && isnan(s.at_peak_s));
	near(s.gap_s, 5e-6);
}

static void an_unknown_cost_of_the_second_call(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.second_bytes = -1;
	assert_true(isnan(fusion_saving(&sums, peak).traffic_s));
}

/* A call of 12 MB cannot read 64 MB. */
static void a_tensor_that_the_calls_do_not_move(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.bytes = 64000000;
	struct fusion_saving s = fusion_saving(&sums, peak);
	assert_true(isnan(s.traffic_s) && isnan(s.at_peak_s));
	near(s.gap_s, 5e-6);
}

/* Nothing but the tensor is moved: the whole time, and no more. */
static void all_traffic_is_saved(void **state)
{
	(void)state;
	struct fusion_sums sums = two_products;
	sums.bytes = 12000000;
	near(fusion_saving(&sums, peak).traffic_s, 240e-6);
}

static void an_unknown_platform_has_no_peak(void **state)
{
	(void)state;
	struct fusion_saving s = fusion_saving(&two_products, (double)NAN);
	near(s.traffic_s, 80e-6);
	assert_true(isnan(s.at_peak_s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tensor_is_neither_written_nor_read),
		cmocka_unit_test(the_tensor_must_be_written),
		cmocka_unit_test(
			a_compute_bound_first_call_saves_only_the_read),
		cmocka_unit_test(an_unknown_tensor_saves_only_the_gap),
		cmocka_unit_test(an_unknown_cost_of_the_second_call),
		cmocka_unit_test(a_tensor_that_the_calls_do_not_move),
		cmocka_unit_test(all_traffic_is_saved),
		cmocka_unit_test(an_unknown_platform_has_no_peak),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
