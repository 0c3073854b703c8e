/* test_table.c - tests CSV in nsys' form, and Markdown that shows names
 * unchanged. */
#include "table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

static const struct column columns[] = { { "Time (%)", true },
	{ "Name", false } };

static const struct {
	const char *name, *csv, *md;
} cells[] = {
	{ "gemm_128x64", "gemm_128x64", "gemm_128x64" },
	{ "f<int, 2>(T1 *)", "\"f<int, 2>(T1 *)\"", "f\\<int, 2>(T1 \\*)" },
	{ "a|b", "a|b", "a\\|b" },
	{ "a\\b", "a\\b", "a\\\\b" },
	{ "say \"hi\"", "\"say \"\"hi\"\"\"", "say \"hi\"" },
	{ "\"", "\"\"\"\"", "\"" },
	{ "two\nlines", "\"two\nlines\"", "two lines" },
	{ "__half x_", "__half x_", "\\_\\_half x\\_" },
	{ "`code` [1]", "`code` [1]", "\\`code\\` \\[1]" },
	{ "", "", "" },
};

static void test_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		const char *row[] = { "31.4", cells[i].name };
		const struct table t = { columns, 2, row, 1 };
		char want[200];
		struct buf b;
		buf_init(&b, 1000);
		table_csv(&t, &b);
		snprintf(want, sizeof want, "Time (%%),Name\n31.4,%s\n",
			cells[i].csv);
		assert_string_equal(b.at, want);
		buf_release(&b);
		table_md(&t, &b);
		snprintf(want, sizeof want,
			"| Time (%%) | Name |\n|---:|:---|\n| 31.4 | %s |\n",
			cells[i].md);
		assert_string_equal(b.at, want);
		buf_release(&b);
	}
}

static void test_no_rows(void **state)
{
	(void)state;
	const struct table t = { columns, 2, NULL, 0 };
	struct buf b;
	buf_init(&b, 1000);
	table_csv(&t, &b);
	assert_string_equal(b.at, "Time (%),Name\n");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_no_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
