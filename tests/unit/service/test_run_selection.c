/* test_run_selection.c - tests the keywords of run queries, and the error
 * message for each invalid query. */
#include "run_selection.h"
#include "query.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void test_meant(void **state)
{
	(void)state;
	assert_true(run_selection_is_query("latest"));
	assert_true(run_selection_is_query("  latest "));
	assert_true(run_selection_is_query("1,2 last=3"));
	assert_false(run_selection_is_query("1,2"));
	assert_false(run_selection_is_query("1, job:2"));
	assert_false(run_selection_is_query("latestx"));
	assert_false(run_selection_is_query(""));
	assert_false(run_selection_is_query("  "));
}

static void test_words(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct run_query w;
	struct err e = { 0 };
	assert_true(run_selection_query_parse("base",
		" project=p workload=\"a  b\"  framework=vllm last=64 "
		"label.branch=main \"label.two words=x=\\\"y\\\\\" "
		"label.path=C:\\tmp since=2026-08-22 "
		"until=2026-08-22T00:00:01Z ",
		&a, &w, &e));
	assert_string_equal(w.project, "p");
	assert_string_equal(w.workload, "a  b");
	assert_string_equal(w.framework, "vllm");
	assert_int_equal(w.last, 64);
	assert_int_equal(w.until - w.since, 1000000);
	assert_int_equal(w.labels_n, 3);
	assert_string_equal(run_selection_query_labels(&w, &a),
		"{\"branch\":\"main\",\"path\":\"C:\\\\tmp\","
		"\"two words\":\"x=\\\"y\\\\\"}");

	assert_true(run_selection_query_parse("base", "latest", &a, &w, &e));
	assert_int_equal(w.last, 1);
	assert_null(w.project);
	assert_int_equal(w.since, NO_MOMENT);
	assert_null(run_selection_query_labels(&w, &a));
	arena_release(&a);
}

static void test_wrong(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
		{ "1,2 last=3",
			"base: '1,2' is no word of a query; it takes project=, "
			"workload=, framework=, label.KEY=, since=, until=, "
			"latest and last=N" },
		{ "branch=main",
			"base: 'branch' is no word of a query; it takes "
			"project=, workload=, framework=, label.KEY=, since=, "
			"until=, latest and last=N" },
		{ "last", "base: last: '' is not a whole number from 1 to 64" },
		{ "last=0",
			"base: last: '0' is not a whole number from 1 to 64" },
		{ "last=65",
			"base: last: '65' is not a whole number from 1 to 64" },
		{ "last=+1",
			"base: last: '+1' is not a whole number from 1 to 64" },
		{ "last=99999999999999999999",
			"base: last: '99999999999999999999' is not a whole "
			"number from 1 to 64" },
		{ "latest last=1",
			"base: the number of runs is given twice (latest "
			"means last=1)" },
		{ "latest=1",
			"base: 'latest' is no word of a query; it takes "
			"project=, workload=, framework=, label.KEY=, since=, "
			"until=, latest and last=N" },
		{ "project= last=1", "base: 'project=' has no value" },
		{ "label.k=\"\"", "base: 'label.k=' has no value" },
		{ "=x", "base: '' is no word of a query; it takes project=, "
			"workload=, framework=, label.KEY=, since=, until=, "
			"latest and last=N" },
		{ "project=a project=a", "base: 'project' is given twice" },
		{ "label.k=a label.k=b", "base: 'label.k' is given twice" },
		{ "since=2026-08-22 since=2026-08-22",
			"base: 'since' is given twice" },
		{ "label.=a",
			"base: 'label.' is not a label: a key of 1 to 100 "
			"bytes follows the dot" },
		{ "until=monday",
			"base: until: 'monday' is not a moment such as "
			"2026-08-22T10:11:12Z" },
		{ "project=a label.k=\"b c",
			"base: a quote is not closed in 'label.k=\"b c'" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct arena a = { 0 };
		struct run_query w;
		struct err e = { 0 };
		assert_false(run_selection_query_parse("base", wrong[i][0], &a,
			&w, &e));
		assert_string_equal(e.text, wrong[i][1]);
		assert_int_equal(e.code, ERR_INPUT);
		arena_release(&a);
	}
}

/* One byte and one label more than the limits. */
static void test_too_much(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct run_query w;
	struct err e = { 0 };
	char value[202] = { 0 };
	memset(value, 'x', 201);
	assert_false(run_selection_query_parse("head",
		arena_printf(&a, "label.k=%s", value), &a, &w, &e));
	assert_string_equal(e.text, "head: 'label.k' is longer than 200 bytes");
	value[200] = '\0';
	e = (struct err){ 0 };
	assert_true(run_selection_query_parse("head",
		arena_printf(&a, "label.k=%s", value), &a, &w, &e));
	const char *many = "";
	for (int i = 0; i < 33; i++)
		many = arena_printf(&a, "%s label.%d=x", many, i);
	assert_false(run_selection_query_parse("head", many, &a, &w, &e));
	assert_string_equal(e.text, "head: more than 32 labels are given");
	arena_release(&a);
}

static void test_given(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct run_query w, given;
	struct err e = { 0 };
	assert_true(run_selection_query_parse("head", "workload=w label.a=1",
		&a, &w, &e));
	assert_true(run_selection_query_parse("head",
		"project=p workload=other label.a=2 label.b=3 last=4", &a,
		&given, &e));
	run_selection_query_add(&w, &given);
	assert_string_equal(w.project, "p");
	assert_string_equal(w.workload, "w");
	assert_int_equal(w.last, 4);
	assert_string_equal(run_selection_query_labels(&w, &a),
		"{\"a\":\"1\",\"b\":\"3\"}");
	arena_release(&a);
}

static void test_word(void **state)
{
	(void)state;
	static const char odd[] = "a \"b\" \\c";
	struct arena a = { 0 };
	struct run_query w;
	struct err e = { 0 };
	const char *word = run_selection_query_word(&a, "project", odd);
	assert_string_equal(word, "project=\"a \\\"b\\\" \\\\c\"");
	assert_true(run_selection_query_parse("base", word, &a, &w, &e));
	assert_string_equal(w.project, odd);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meant),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
