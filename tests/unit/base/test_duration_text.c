/* test_duration_text.c - tests the unit and the digits of durations, also of
 * those that round to the next unit. */
#include "duration_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void each_unit(void **state)
{
	static const struct {
		double ns;
		const char *is;
	} rows[] = {
		{ 0, "0 ns" },
		{ 12.34, "12.3 ns" },
		{ 999.4, "999 ns" },
		{ 999.6, "0.9996 µs" },
		{ -1234, "-1.234 µs" },
		{ 999949, "999.9 µs" },
		{ 999960, "1 ms" },
		{ 900e6, "900 ms" },
		{ 999.96e6, "1.00 s" },
		{ -86400e9, "-86400.00 s" },
	};
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(duration_text(&a, rows[i].ns), rows[i].is);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
