/* test_table_text.c - tests aligned columns as in reports of pandas. */
#include "table.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void is(struct table_text_column *columns, int width, uint32_t rows,
	enum table_text_form form, const char *want)
{
	struct arena a = { 0 };
	struct buf b;
	buf_init(&b, 1 << 20);
	table_text(&b, &a, columns, width, rows, form);
	assert_string_equal(b.at, want);
	buf_release(&b);
	arena_release(&a);
}

/* Numbers are aligned by their decimal point; a number without a point is
 * treated as if one followed. The digits of an exponent are counted, nan is a
 * number, and integers are not changed. */
static void aligned_by_the_point(void **state)
{
	const char *text[] = { "f", "g(a, b)", "μ", "h" };
	const char *real[] = { "+1.50", "-0.00", "-103703814.29", "nan" };
	const char *whole[] = { "14", "-2", "1000000", "0" };
	struct table_text_column columns[] = { { "Name", text }, { "Δ", real },
		{ "n", whole } };
	(void)state;
	is(columns, 3, 4, TABLE_TEXT_SHORT,
		"| Name    |             Δ |       n |\n"
		"|:--------|--------------:|--------:|\n"
		"| f       |   1.5         |      14 |\n"
		"| g(a, b) |  -0           |      -2 |\n"
		"| μ       |  -1.03704e+08 | 1000000 |\n"
		"| h       | nan           |       0 |\n");
}

/* One cell that is not a number makes its column text: a thousands separator,
 * a dash. Numbers in it are then not reformatted. */
static void text_by_one_cell(void **state)
{
	const char *money[] = { "1,336.50", "2.00" };
	const char *dash[] = { "640425.0", "-" };
	const char *times[] = { "640425.0", "1250" };
	const char *hex[] = { "0x10", "1" };
	struct table_text_column columns[] = { { "μ", money }, { "a", dash },
		{ "b", times }, { "h", hex } };
	(void)state;
	is(columns, 4, 2, TABLE_TEXT_MONEY,
		"| μ        | a        |          b | h    |\n"
		"|:---------|:---------|-----------:|:-----|\n"
		"| 1,336.50 | 640425.0 | 640,425.00 | 0x10 |\n"
		"| 2.00     | -        |   1,250.00 | 1    |\n");
}

static void characters_that_break_tables(void **state)
{
	const char *text[] = { "a|b\nc", "" };
	struct table_text_column columns[] = { { "x\ty|", text } };
	(void)state;
	is(columns, 1, 2, TABLE_TEXT_SHORT,
		"| x y\\|   |\n"
		"|:--------|\n"
		"| a\\|b c  |\n"
		"|         |\n");
	struct table_text_column none[] = { { "μ", text } };
	is(none, 1, 0, TABLE_TEXT_SHORT,
		"| μ   |\n"
		"|:----|\n");
}

static void money(void **state)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = { { 0, "0.00" }, { -0.001, "-0.00" }, { 999.994, "999.99" },
		{ 999.996, "1,000.00" }, { -1234567.891, "-1,234,567.89" },
		{ 24867202484509.46, "24,867,202,484,509.46" },
		{ 100000, "100,000.00" }, { NAN, "nan" } };
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(table_text_money(&a, rows[i].v),
			rows[i].text);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligned_by_the_point),
		cmocka_unit_test(text_by_one_cell),
		cmocka_unit_test(characters_that_break_tables),
		cmocka_unit_test(money),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
