/* test_time_bucket.c - tests durations at the borders of buckets, which are
 * 32nds of an octave. */
#include "time_bucket.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The bucket is the largest b with 2^b <= d^32, computed with integers. */
static const struct {
	int64_t ns;
	int bucket;
} cases[] = {
	{ 0, -1 },
	{ 1, 0 },
	{ 2, 32 },
	{ 3, 50 }, /* 32 * log2(3) = 50.7 */
	{ 1023, 319 },
	{ 1024, 320 },
	{ 1046, 320 }, /* 2^(321/32) = 1046.4 */
	{ 1047, 321 },
	{ 1451134, 654 }, /* 2^(655/32) = 1451134.3 */
	{ 1451135, 655 },
	{ 1482910, 655 }, /* 2^(656/32) = 1482910.4 */
	{ 1482911, 656 },
	{ INT64_C(1) << 53, 1696 },
	{ (INT64_C(1) << 53) - 1, 1695 },
};

static void borders(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(time_bucket(cases[i].ns), cases[i].bucket);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(borders) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
