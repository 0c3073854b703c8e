/* test_figure.c - tests unusual spellings of numbers by people and programs. */
#include "figure.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *text;
	enum figure_unit unit;
	int power; /* the power of ten at which it is read */
	int64_t whole;
	double real;
} good[] = {
	{ "0", FIGURE_PLAIN, 0, 0, 0 },
	{ "007", FIGURE_PLAIN, 0, 7, 7 },
	{ "  41.5%  ", FIGURE_PERCENT, 0, 42, 41.5 },
	{ "41.5 %", FIGURE_PERCENT, 0, 42, 41.5 },
	{ "4.122 s", FIGURE_S, 9, 4122000000, 4122000000.0 },
	{ "4.122s", FIGURE_S, 9, 4122000000, 4122000000.0 },
	{ "64.406 ms", FIGURE_MS, 6, 64406000, 64406000.0 },
	{ "370.080 \xCE\xBCs", FIGURE_US, 3, 370080, 370080.0 },
	{ "370.080 \xC2\xB5s", FIGURE_US, 3, 370080, 370080.0 },
	{ "370.080\xC2\xA0us", FIGURE_US, 3, 370080, 370080.0 },
	{ "960 ns", FIGURE_NS, 0, 960, 960 },
	{ "960\tnsec", FIGURE_NS, 0, 960, 960 },
	{ "1,234,567", FIGURE_PLAIN, 0, 1234567, 1234567 },
	{ "12,345.6", FIGURE_PLAIN, 0, 12346, 12345.6 },
	{ "123,456", FIGURE_PLAIN, 0, 123456, 123456 },
	/* exactly a half rounds up */
	{ "0.5", FIGURE_PLAIN, 0, 1, 0.5 },
	{ "0.4999999999999999999", FIGURE_PLAIN, 0, 0, 0.5 },
	{ "2.0005", FIGURE_PLAIN, 3, 2001, 2000.5 },
	{ "2.0004", FIGURE_PLAIN, 3, 2000, 2000.4 },
	{ "1e3", FIGURE_PLAIN, 0, 1000, 1000 },
	{ "1.5E+2", FIGURE_PLAIN, 0, 150, 150 },
	{ "15e-1", FIGURE_PLAIN, 0, 2, 1.5 },
	{ "0e300", FIGURE_PLAIN, 0, 0, 0 },
	{ "1e-300", FIGURE_PLAIN, 0, 0, 1e-300 },
	{ "9223372036854775807", FIGURE_PLAIN, 0, INT64_MAX, 0x1p63 },
	{ "1763013921174589.5000", FIGURE_PLAIN, 3, 1763013921174589500,
		1763013921174589500.0 },
	{ "110313762816.000000", FIGURE_PLAIN, 0, 110313762816,
		110313762816.0 },
	/* decimals beyond 64 bits are below any significant digit */
	{ "3745.33333333333333333333333333", FIGURE_PLAIN, 0, 3745,
		3745.3333333333335 },
};

static const char *const bad[] = { "", " ", ".", "1.", ".5", "1.2.3", "1..2",
	"-1", "+1", "--1", "1-", "1 2", "nan", "inf", "NaN", "null", "N/A",
	"0x10", "1e", "1e+", "1e999", "1e99999999999999999999", "1,23",
	"1,2345", "1234,567", ",123", "1,,234", "1,234,56", "12,34,567",
	"1.234,567", "1.234.567", "1'234", "4.122 h", "4 S", "4 MS", "4 m",
	"4 %%", "18446744073709551616", "99999999999999999999999", "\xD9\xA1",
	"1\xC2\xB5", "1 ns ms" };

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct figure f;
		int64_t whole;
		assert_true(
			figure_read(good[i].text, strlen(good[i].text), &f));
		assert_int_equal(f.unit, good[i].unit);
		assert_true(figure_whole(&f, good[i].power, &whole));
		assert_int_equal(whole, good[i].whole);
		assert_true(figure_real(&f, good[i].power) == good[i].real);
	}
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct figure f;
		if (figure_read(bad[i], strlen(bad[i]), &f))
			fail_msg("'%s' was taken for a number", bad[i]);
	}
}

static void test_too_large(void **state)
{
	static const char *const rows[] = { "9223372036854775808",
		"18446744073709551615", "9223372036.9 s", "1e19", "1e300" };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct figure f;
		int64_t whole;
		assert_true(figure_read(rows[i], strlen(rows[i]), &f));
		assert_false(figure_whole(&f, figure_ns_power(f.unit), &whole));
	}
}

/* Each prefix of a number is read or rejected, and no byte after its end is
 * read. */
static void test_ends(void **state)
{
	static const char text[] = "1,234.56e7 \xCE\xBCs";
	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		char room[sizeof text];
		struct figure f;
		memset(room, '9', sizeof room);
		memcpy(room, text, n);
		bool is = n == 1 || n == 5 || n == 7 || n == 8 || n == 10 ||
			  n == 11 || n == sizeof text - 1;
		assert_int_equal(figure_read(room, n, &f), is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
