/* test_options.c - command lines, and what they are taken for. */
#include "options.h"
#include "options_trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ARGS = 12 };

static int count(char *const argv[])
{
	int n = 0;
	while (argv[n])
		n++;
	return n;
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		char *argv[ARGS];
		const char *sentence;
	} rows[] = {
		{ { NULL }, "no file is named; see 'kernsift help'" },
		{ { "--wait", NULL }, "no file is named; see 'kernsift help'" },
		{ { "--wiat", "a", NULL },
			"'--wiat' is not an option; see 'kernsift help'" },
		{ { "-w", "a", NULL },
			"'-w' is not an option; see 'kernsift help'" },
		{ { "--serverx", "a", NULL },
			"'--serverx' is not an option; see 'kernsift help'" },
		{ { "--serve", "a", NULL },
			"'--serve' is not an option; see 'kernsift help'" },
		{ { "a", "--project", NULL }, "'--project' lacks its value" },
		{ { "--wait=yes", "a", NULL }, "'--wait=yes' takes no value" },
		{ { "--retries", "-1", "a", NULL },
			"'-1' is not a number that '--retries' could be" },
		{ { "--retries=3x", "a", NULL },
			"'3x' is not a number that '--retries' could be" },
		{ { "--retries=99999999999999999999", "a", NULL },
			"'99999999999999999999' is not a number that "
			"'--retries' could be" },
		{ { "--label", "branch", "a", NULL },
			"'branch' is not a label; labels are key=value" },
		{ { "--label", "=main", "a", NULL },
			"'=main' is not a label; labels are key=value" },
		{ { "--gpu-hours", "many", "a", NULL },
			"'many' is not a number of GPU-hours" },
		{ { "--gpu-hours", "-1", "a", NULL },
			"'-1' is not a number of GPU-hours" },
		{ { "--gpu-hours", "inf", "a", NULL },
			"'inf' is not a number of GPU-hours" },
		{ { "--counters", "c.csv", "a", "b", NULL },
			"'--counters' goes with one pattern file, and 2 files "
			"are named" },
		{ { "--floor", "0.1", "a", NULL },
			"'--floor' is not an option of upload; see 'kernsift "
			"help'" },
		{ { "--compress", "xz", "a", NULL },
			"'xz' is not a compression; there are zstd, gzip and "
			"none" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options o;
		struct err e = { 0 };
		assert_false(options_init(&o, OPTIONS_UPLOAD,
			count(rows[i].argv), rows[i].argv, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(e.text, rows[i].sentence);
		options_release(&o);
	}
}

static void test_refused_by_compare(void **state)
{
	(void)state;
	static const struct {
		char *argv[ARGS];
		const char *sentence;
	} rows[] = {
		{ { "1", NULL },
			"compare takes two sides, BASE and HEAD, each such as "
			"3 or 1,2 or job:4 or 'label.branch=main last=20'; see "
			"'kernsift help'" },
		{ { "1", "2", "3", NULL },
			"compare takes two sides, BASE and HEAD, each such as "
			"3 or 1,2 or job:4 or 'label.branch=main last=20'; see "
			"'kernsift help'" },
		{ { "1", "2", "--wait", NULL },
			"'--wait' is not an option of compare; see 'kernsift "
			"help'" },
		{ { "1", "2", "--score=best", NULL },
			"'best' is not a score; there are verdict and "
			"published" },
		{ { "1", "2", "--format", "html", NULL },
			"'html' is not a format; there are text, json, csv and "
			"md" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options o;
		struct err e = { 0 };
		assert_false(options_init(&o, OPTIONS_COMPARE,
			count(rows[i].argv), rows[i].argv, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(e.text, rows[i].sentence);
		options_release(&o);
	}
}

static void test_refused_by_import(void **state)
{
	(void)state;
	static const struct {
		char *argv[ARGS];
		const char *sentence;
	} rows[] = {
		{ { NULL }, "no file is named; see 'kernsift help'" },
		{ { "--name", "fleet", "a", "b", NULL },
			"'--name' is of one set, and 2 files are named" },
		{ { "--wait", "a", NULL },
			"'--wait' is not an option of import; see 'kernsift "
			"help'" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct options o;
		struct err e = { 0 };
		assert_false(options_init(&o, OPTIONS_IMPORT,
			count(rows[i].argv), rows[i].argv, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(e.text, rows[i].sentence);
		options_release(&o);
	}
}

static void test_compare(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "job:1", "--range", "step", "2,3" };
	assert_true(options_init(&o, OPTIONS_COMPARE, 4, argv, &e));
	assert_string_equal(o.files.at[0], "job:1");
	assert_string_equal(o.files.at[1], "2,3");
	assert_string_equal(o.range, "step");
	assert_string_equal(o.score, "verdict");
	assert_string_equal(o.format, "text");
	assert_string_equal(o.floor, "");
	options_release(&o);
}

static void test_defaults(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "-" };
	assert_true(options_init(&o, OPTIONS_UPLOAD, 1, argv, &e));
	assert_string_equal(o.server, "http://127.0.0.1:8080");
	assert_string_equal(o.token_file, "");
	assert_string_equal(o.compress, "zstd");
	assert_int_equal(o.retries, 5);
	assert_false(o.wait);
	assert_int_equal(o.label.n, 0);
	assert_int_equal(o.files.n, 1);
	assert_string_equal(o.files.at[0], "-");
	options_release(&o);
}

static void test_files_anywhere_and_last_value_wins(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "a", "--token-file", "t", "b", "--label=x=1=2",
		"--project=p", "--label", "y=", "--project", "q", "--wait",
		"--", "--wait" };
	assert_true(options_init(&o, OPTIONS_UPLOAD, 13, argv, &e));
	assert_string_equal(o.token_file, "t");
	assert_string_equal(o.project, "q");
	assert_int_equal(o.label.n, 2);
	assert_string_equal(o.label.at[0], "x=1=2");
	assert_string_equal(o.label.at[1], "y=");
	assert_int_equal(o.files.n, 3);
	assert_string_equal(o.files.at[0], "a");
	assert_string_equal(o.files.at[1], "b");
	assert_string_equal(o.files.at[2], "--wait");
	assert_true(o.wait);
	options_release(&o);
}

/* The command begins where options end, and what it is given is its own. */
static void test_run(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "--window", "1s+2s", "--nvml-hz=0", "--project", "p",
		"--capture", "--window=3s+4s", "cmd", "--wait", "--", "x" };
	assert_true(options_init(&o, OPTIONS_RUN, 11, argv, &e));
	assert_string_equal(o.project, "p");
	assert_false(o.wait);
	assert_int_equal(o.files.n, 4);
	assert_string_equal(o.files.at[0], "cmd");
	assert_string_equal(o.files.at[2], "--");
	assert_null(o.files.at[4]);
	assert_int_equal(o.trace.n, 4);
	assert_string_equal(o.trace.at[0], "KERNSIFT_TRACE_WINDOW=1s+2s");
	assert_string_equal(o.trace.at[2], "KERNSIFT_TRACE_CAPTURE=1");
	assert_string_equal(options_trace_value(&o.trace,
				    "KERNSIFT_TRACE_WINDOW"),
		"3s+4s");
	assert_null(options_trace_value(&o.trace, "KERNSIFT_TRACE_WIN"));
	options_release(&o);
	char *dashes[] = { "--", "--window" };
	assert_true(options_init(&o, OPTIONS_RUN, 2, dashes, &e));
	assert_string_equal(o.files.at[0], "--window");
	assert_int_equal(o.trace.n, 0);
	options_release(&o);
}

static void test_environment(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "a", "--server=http://flag" };
	setenv("KERNSIFT_SERVER", "http://environment", 1);
	setenv("KERNSIFT_PROJECT", "", 1);
	setenv("KERNSIFT_RETRIES", "7", 1);
	assert_true(options_init(&o, OPTIONS_UPLOAD, 1, argv, &e));
	assert_string_equal(o.server, "http://environment");
	assert_string_equal(o.project, "");
	assert_int_equal(o.retries, 7);
	options_release(&o);
	assert_true(options_init(&o, OPTIONS_UPLOAD, 2, argv, &e));
	assert_string_equal(o.server, "http://flag");
	options_release(&o);
	setenv("KERNSIFT_RETRIES", "often", 1);
	assert_false(options_init(&o, OPTIONS_UPLOAD, 1, argv, &e));
	assert_string_equal(e.text,
		"'often' is not a number that '--retries' could be");
	options_release(&o);
	unsetenv("KERNSIFT_SERVER");
	unsetenv("KERNSIFT_PROJECT");
	unsetenv("KERNSIFT_RETRIES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_by_compare),
		cmocka_unit_test(test_refused_by_import),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_files_anywhere_and_last_value_wins),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_environment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
