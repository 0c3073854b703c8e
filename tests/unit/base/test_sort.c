/* test_sort.c - sorts the largest and smallest numbers, equal numbers, and an
 * empty list. */
#include "sort.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void sorted(void **state)
{
	int64_t i[] = { 3, INT64_MAX, -1, INT64_MIN, 3 };
	const int64_t i_is[] = { INT64_MIN, -1, 3, 3, INT64_MAX };
	uint32_t u[] = { UINT32_MAX, 0, 1u << 31, 1 };
	const uint32_t u_is[] = { 0, 1, 1u << 31, UINT32_MAX };
	double d[] = { 0.5, -1e300, 0.25, 1e300 };
	const double d_is[] = { -1e300, 0.25, 0.5, 1e300 };
	(void)state;
	sort_int64(i, 5);
	assert_memory_equal(i, i_is, sizeof i);
	sort_uint32(u, 4);
	assert_memory_equal(u, u_is, sizeof u);
	sort_double(d, 4);
	assert_memory_equal(d, d_is, sizeof d);
	sort_double(d, 0);
	assert_memory_equal(d, d_is, sizeof d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
