/* test_options.c - tests how command lines are parsed. */
#include "options.h"
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

/* The message for a command line; "" if it is valid. */
static const char *message_of(enum options_of command, char *const argv[])
{
	static struct err e;
	struct options o;

	e = (struct err){ 0 };
	enum cli_result got = options_init(&o, command, count(argv), argv, &e);
	options_release(&o);
	assert_int_equal(got == CLI_BAD, e.code == ERR_INPUT);
	return e.text;
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		enum options_of command;
		char *argv[ARGS];
		const char *message;
	} rows[] = {
		{ OPTIONS_UPLOAD, { "--wait", NULL },
			"'kernsift upload' needs FILE... (see 'kernsift upload "
			"--help')" },
		{ OPTIONS_UPLOAD, { "--wiat", "a", NULL },
			"'--wiat' is not an option of 'kernsift upload' (did "
			"you mean '--wait'? see 'kernsift upload --help')" },
		{ OPTIONS_UPLOAD, { "-w", "a", NULL },
			"'-w' is not an option of 'kernsift upload' (see "
			"'kernsift upload --help')" },
		{ OPTIONS_UPLOAD, { "--serverx", "a", NULL },
			"'--serverx' is not an option of 'kernsift upload' "
			"(did you mean '--server'? see 'kernsift upload "
			"--help')" },
		{ OPTIONS_UPLOAD, { "--serve", "a", NULL },
			"'--serve' is not an option of 'kernsift upload' (did "
			"you mean '--server'? see 'kernsift upload --help')" },
		{ OPTIONS_UPLOAD, { "a", "--project", NULL },
			"--project: the value is missing (use --project NAME, "
			"for example --project chat)" },
		{ OPTIONS_UPLOAD, { "--wait=yes", "a", NULL },
			"--wait: takes no value, and 'yes' is one (use --wait "
			"alone)" },
		{ OPTIONS_UPLOAD, { "--retries", "-1", "a", NULL },
			"--retries: '-1' is not a whole number from 0 to "
			"2147483647 (for example 5)" },
		{ OPTIONS_UPLOAD, { "--retries=3x", "a", NULL },
			"--retries: '3x' is not a whole number from 0 to "
			"2147483647 (for example 5)" },
		{ OPTIONS_UPLOAD,
			{ "--retries=99999999999999999999", "a", NULL },
			"--retries: '99999999999999999999' is not a whole "
			"number from 0 to 2147483647 (for example 5)" },
		{ OPTIONS_UPLOAD, { "--label", "branch", "a", NULL },
			"--label: 'branch' is not KEY=VALUE (for example "
			"branch=main)" },
		{ OPTIONS_UPLOAD, { "--label", "=main", "a", NULL },
			"--label: '=main' is not KEY=VALUE (for example "
			"branch=main)" },
		{ OPTIONS_UPLOAD, { "--gpu-hours", "many", "a", NULL },
			"--gpu-hours: 'many' is not a number of at least 0 "
			"(for example 12.5)" },
		{ OPTIONS_UPLOAD, { "--gpu-hours", "-1", "a", NULL },
			"--gpu-hours: '-1' is not a number of at least 0 (for "
			"example 12.5)" },
		{ OPTIONS_UPLOAD, { "--gpu-hours", "inf", "a", NULL },
			"--gpu-hours: 'inf' is not a number of at least 0 (for "
			"example 12.5)" },
		{ OPTIONS_UPLOAD, { "--counters", "c.csv", "a", "b", NULL },
			"--counters: belongs to one pattern file, and 2 files "
			"are given (send them one by one)" },
		{ OPTIONS_UPLOAD, { "--noise-floor", "0.1", "a", NULL },
			"'--noise-floor' is an option of other commands, not of "
			"'kernsift upload' (see 'kernsift upload --help')" },
		{ OPTIONS_UPLOAD, { "--compress", "xz", "a", NULL },
			"--compress: 'xz' is not one of zstd, gzip, none" },
		{ OPTIONS_COMPARE, { "1", NULL },
			"'kernsift compare' needs BASE HEAD (see 'kernsift "
			"compare --help')" },
		{ OPTIONS_COMPARE, { "1", "2", "3", NULL },
			"'3' is one argument too many for 'kernsift compare' "
			"(see 'kernsift compare --help')" },
		{ OPTIONS_COMPARE, { "1", "2", "--score=best", NULL },
			"--score: 'best' is not one of verdict, published" },
		{ OPTIONS_COMPARE, { "1", "2", "--format", "html", NULL },
			"--format: 'html' is not one of text, json, csv, md" },
		{ OPTIONS_IMPORT, { "--name", "fleet", "a", "b", NULL },
			"--name: names one reference set, and 2 files are "
			"given (send them one by one)" },
		{ OPTIONS_GATE, { "1", "2", "--operator-pct", "=5", NULL },
			"--operator-pct: '=5' is not NAME=PERCENT (for example "
			"attention=5)" },
		{ OPTIONS_GATE, { "1", "2", "--operator-pct", "a=", NULL },
			"--operator-pct: 'a=' is not NAME=PERCENT (for example "
			"attention=5)" },
		{ OPTIONS_RUN, { "--trace=2", "true", NULL },
			"--trace: '2' is not 0 or 1" },
		{ OPTIONS_RUN, { "--server", "x", "true", NULL },
			"--server: 'x' does not start with http:// or https:// "
			"(for example http://127.0.0.1:8080)" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(message_of(rows[i].command, rows[i].argv),
			rows[i].message);
}

static void test_servers(void **state)
{
	(void)state;
	static const struct {
		/* NULL: the command line is valid */
		const char *server, *reason;
	} rows[] = {
		{ "http://127.0.0.1:8080", NULL },
		{ "HTTPS://LocalHost/", NULL },
		{ "http://[::1]:80/base", NULL },
		{ "https://gpu.example.com/kernsift", NULL },
		{ "gpu.example.com",
			"does not start with http:// or https://" },
		{ "ftp://gpu", "does not start with http:// or https://" },
		{ "http://", "names no host" },
		{ "http://:80", "names no host" },
		{ "http://a?b", "has something behind host, port and path" },
		{ "http://a b", "has something behind host, port and path" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char arg[100], want[200] = "";
		snprintf(arg, sizeof arg, "--server=%s", rows[i].server);
		if (rows[i].reason)
			snprintf(want, sizeof want,
				"--server: '%s' %s (for example "
				"http://127.0.0.1:8080)",
				rows[i].server, rows[i].reason);
		char *argv[] = { arg, NULL };
		assert_string_equal(message_of(OPTIONS_HEALTH, argv), want);
	}
}

/* Options for the server alone need not be valid if nothing is sent. */
static void test_no_upload(void **state)
{
	(void)state;
	char *argv[] = { "--no-upload", "--server", "x", "--token-file",
		"/no/such", "true", NULL };
	assert_string_equal(message_of(OPTIONS_RUN, argv), "");
}

static void test_help(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *with_help[] = { "--retries", "x", "--help", "--nothing" };
	assert_int_equal(options_init(&o, OPTIONS_UPLOAD, 4, with_help, &e),
		CLI_HELP);
	options_release(&o);
	/* an option of the command, not of this program */
	char *others[] = { "true", "--help" };
	assert_int_equal(options_init(&o, OPTIONS_RUN, 2, others, &e), CLI_OK);
	options_release(&o);
}

static bool init(struct options *o, enum options_of command, int argc,
	char *const argv[], struct err *e)
{
	return options_init(o, command, argc, argv, e) == CLI_OK;
}

static void test_compare(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "job:1", "--range", "step", "2,3" };
	assert_true(init(&o, OPTIONS_COMPARE, 4, argv, &e));
	assert_string_equal(o.files.at[0], "job:1");
	assert_string_equal(o.files.at[1], "2,3");
	assert_string_equal(o.range, "step");
	assert_string_equal(o.score, "verdict");
	assert_string_equal(o.format, "text");
	assert_string_equal(o.noise_floor, "");
	options_release(&o);
}

static void test_defaults(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "-" };
	assert_true(init(&o, OPTIONS_UPLOAD, 1, argv, &e));
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
	char *argv[] = { "a", "--token-file", "/dev/null", "b", "--label=x=1=2",
		"--project=p", "--label", "y=", "--project", "q", "--wait",
		"--", "--wait" };
	assert_true(init(&o, OPTIONS_UPLOAD, 13, argv, &e));
	assert_string_equal(o.token_file, "/dev/null");
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

/* The command begins after the options, and its arguments are its own. */
static void test_run(void **state)
{
	(void)state;
	struct options o;
	struct err e = { 0 };
	char *argv[] = { "--window", "1s+2s", "--nvml-hz=0", "--project", "p",
		"--capture", "--window=3s+4s", "cmd", "--wait", "--", "x" };
	assert_true(init(&o, OPTIONS_RUN, 11, argv, &e));
	assert_string_equal(o.project, "p");
	assert_false(o.wait);
	assert_int_equal(o.files.n, 4);
	assert_string_equal(o.files.at[0], "cmd");
	assert_string_equal(o.files.at[2], "--");
	assert_null(o.files.at[4]);
	assert_int_equal(o.trace.n, 4);
	assert_string_equal(o.trace.at[0], "KERNSIFT_TRACE_WINDOW=1s+2s");
	assert_string_equal(o.trace.at[2], "KERNSIFT_TRACE_CAPTURE=1");
	assert_string_equal(options_trace_value(&o, "KERNSIFT_TRACE_WINDOW"),
		"3s+4s");
	assert_null(options_trace_value(&o, "KERNSIFT_TRACE_WIN"));
	options_release(&o);
	char *dashes[] = { "--", "--window" };
	assert_true(init(&o, OPTIONS_RUN, 2, dashes, &e));
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
	assert_true(init(&o, OPTIONS_UPLOAD, 1, argv, &e));
	assert_string_equal(o.server, "http://environment");
	assert_string_equal(o.project, "");
	assert_int_equal(o.retries, 7);
	options_release(&o);
	assert_true(init(&o, OPTIONS_UPLOAD, 2, argv, &e));
	assert_string_equal(o.server, "http://flag");
	options_release(&o);
	setenv("KERNSIFT_RETRIES", "often", 1);
	assert_false(init(&o, OPTIONS_UPLOAD, 1, argv, &e));
	assert_string_equal(e.text,
		"KERNSIFT_RETRIES: 'often' is not a whole number from 0 to "
		"2147483647 (for example 5)");
	options_release(&o);
	unsetenv("KERNSIFT_SERVER");
	unsetenv("KERNSIFT_PROJECT");
	unsetenv("KERNSIFT_RETRIES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_servers),
		cmocka_unit_test(test_no_upload),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_files_anywhere_and_last_value_wins),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_environment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
