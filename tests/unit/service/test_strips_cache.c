/* test_strips_cache.c - a cache without runs, which every request of a server
 * checks. tests/api/24-timeline.http reads runs from it. */
#include "strips_cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_no_runs(void **state)
{
	(void)state;
	struct strips_cache *h = strips_cache_new();
	for (int i = 0; i < 2; i++)
		strips_cache_expire(h);
	strips_cache_free(h);
	strips_cache_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_runs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
