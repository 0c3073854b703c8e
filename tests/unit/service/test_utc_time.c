/* test_utc_time.c - tests how times are read and written; the expected numbers
 * are from date(1). */
#include "utc_time.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
	const char *text;
	bool ok;
	int64_t us;
} reads[] = {
	{ "1970-01-01", true, 0 },
	{ "2026-08-22T10:11:12Z", true, INT64_C(1787393472000000) },
	{ "2026-08-22T10:11:12", true, INT64_C(1787393472000000) },
	{ "2026-08-22T12:11:12+02:00", true, INT64_C(1787393472000000) },
	{ "2026-08-22T12:11:12+0200", true, INT64_C(1787393472000000) },
	{ "2026-08-22T05:11:12-05:00", true, INT64_C(1787393472000000) },
	/* the result of an unencoded '+' */
	{ "2026-08-22T12:11:12 02:00", true, INT64_C(1787393472000000) },
	{ "2026-08-22T10:11:12.5Z", true, INT64_C(1787393472500000) },
	{ "2026-08-22T10:11:12.1234567Z", true, INT64_C(1787393472123456) },
	{ "2026-08-22 10:11", true, INT64_C(1787393460000000) },
	{ "2024-02-29", true, INT64_C(1709164800000000) },
	{ "2023-02-29", false, 0 },
	{ "2026-06-31", false, 0 },
	{ "2026-13-01", false, 0 },
	{ "26-08-22", false, 0 },
	{ "2026-08-22T24:00:00Z", false, 0 },
	{ "2026-08-22T10:11:12Zx", false, 0 },
	{ "2026-08-22T10:11:12+2", false, 0 },
	{ "", false, 0 },
	{ "1787393472", false, 0 },
};

static void test_from(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		int64_t us = 0;
		bool ok = utc_time_parse(reads[i].text, &us);
		if (ok != reads[i].ok || (ok && us != reads[i].us))
			fail_msg("'%s' is %d %lld", reads[i].text, ok,
				(long long)us);
	}
}

static void test_text(void **state)
{
	(void)state;
	char text[UTC_TIME_TEXT];
	utc_time_format(INT64_C(1787393472123456), text);
	assert_string_equal(text, "2026-08-22T10:11:12.123456Z");
	utc_time_format(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000000Z");
	utc_time_format(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from),
		cmocka_unit_test(test_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
