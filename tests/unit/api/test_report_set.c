/* test_report_set.c - the cells of a reference set's report, as published. */
#include "report_set.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* As seed 004 has them. */
static void cells(void **state)
{
	struct arena a = { 0 };
	(void)state;
	assert_string_equal(report_time(&a, 3426.8172, 2), "3.43 ms");
	assert_string_equal(report_time(&a, 27.17778, 2), "27.18 us");
	assert_string_equal(report_time(&a, 948.55, 2), "948.55 us");
	assert_string_equal(report_time(&a, 29361.38, 1), "29.4 ms");
	assert_string_equal(report_time(&a, 118.28, 1), "118 us");
	assert_string_equal(report_time(&a, NAN, 1), "");
	assert_string_equal(report_ai(&a, 15432.1), "15.4k");
	assert_string_equal(report_ai(&a, 102.797), "102.8");
	assert_string_equal(report_ai(&a, 0), "0.0");
	assert_string_equal(report_ai(&a, NAN), "");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
