/* test_trend.c - tests what the parameter of a metric is, its unit, and which
 * changes are for the worse. */
#include "trend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void parameters(void **state)
{
	(void)state;
	assert_int_equal(trend_of(TREND_METRIC_iteration), TREND_OF_NONE);
	assert_int_equal(trend_of(TREND_METRIC_kernel), TREND_OF_NAME);
	assert_int_equal(trend_of(TREND_METRIC_busbw), TREND_OF_KIND);
}

static void units(void **state)
{
	(void)state;
	assert_string_equal(trend_unit(TREND_METRIC_iteration, TREND_MED),
		"ns");
	assert_string_equal(trend_unit(TREND_METRIC_coverage, TREND_SHARE),
		"1");
	assert_string_equal(trend_unit(TREND_METRIC_busbw, TREND_AVG), "GB/s");
}

static void less_bandwidth_is_worse(void **state)
{
	(void)state;
	const struct trend none = { 0 }, lower = { .lower = true },
			   higher = { .higher = true };
	assert_true(trend_worse(TREND_METRIC_busbw, &none, 100, 90));
	assert_false(trend_worse(TREND_METRIC_busbw, &none, 90, 100));
	assert_true(trend_worse(TREND_METRIC_iteration, &none, 90, 100));
	assert_false(trend_worse(TREND_METRIC_iteration, &none, 100, 90));
	assert_false(trend_worse(TREND_METRIC_iteration, &none, 90, 90));
	assert_true(trend_worse(TREND_METRIC_measure, &lower, 90, 100));
	assert_false(trend_worse(TREND_METRIC_measure, &lower, 100, 90));
	assert_true(trend_worse(TREND_METRIC_measure, &higher, 100, 90));
	assert_false(trend_worse(TREND_METRIC_measure, &none, 100, 90));
	assert_false(trend_worse(TREND_METRIC_measure, &none, 90, 100));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters),
		cmocka_unit_test(units),
		cmocka_unit_test(less_bandwidth_is_worse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
