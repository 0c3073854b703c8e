/* test_param.c - tests the conversion of query parameters to typed values, and
 * the error message for each invalid value. */
#include "param.h"
#include "call.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

typedef json_t *handler(struct call *c, struct err *e);

static const struct {
	handler *of;
	const char *query, *text;
} wrong[] = {
	{ runs_get, "limit=0",
		"limit: '0' is not a whole number from 1 to 500" },
	{ runs_get, "limit=501",
		"limit: '501' is not a whole number from 1 to 500" },
	{ runs_get, "limit=1e2",
		"limit: '1e2' is not a whole number from 1 to 500" },
	{ runs_get, "limit=+5",
		"limit: ' 5' is not a whole number from 1 to 500" },
	{ runs_get, "limit=99999999999999999999",
		"limit: '99999999999999999999' is not a whole number from 1 to "
		"500" },
	{ runs_get, "sort=slow",
		"sort: 'slow' is not one of newest|oldest|busy|span|launches" },
	{ runs_get, "sort=bus",
		"sort: 'bus' is not one of newest|oldest|busy|span|launches" },
	{ runs_get, "since=yesterday",
		"since: 'yesterday' is not a moment such as "
		"2026-08-22T10:11:12Z" },
	{ runs_get, "limit=1&limit=2", "'limit' is given twice" },
	{ runs_get, "color=red",
		"'color' is not a parameter of this path; it has project, "
		"workload, framework, content, device, q, label.KEY, upload, "
		"job, since, until, sort, limit, cursor, total" },
	{ healthz_get, "verbose",
		"'verbose' is not a parameter of this path; it has none" },
	{ runs_get, "q=%zz",
		"'q=%zz' in the query is not percent-encoded UTF-8 text" },
	{ runs_get, "q=%2",
		"'q=%2' in the query is not percent-encoded UTF-8 text" },
	{ runs_get, "q=a%00b",
		"'q=a%00b' in the query is not percent-encoded UTF-8 text" },
	{ runs_get, "q=%ff",
		"'q=%ff' in the query is not percent-encoded UTF-8 text" },
	{ runs_get, "label.=x",
		"'label.' is not a label: a key of 1 to 100 bytes follows the "
		"dot" },
	{ runs_get, "label.a=1&label.a=2", "'label.a' is given twice" },
	{ upload_post, "gpu_hours=nan",
		"gpu_hours: 'nan' is not a number from 0 to 1e+09" },
	{ upload_post, "gpu_hours=-1",
		"gpu_hours: '-1' is not a number from 0 to 1e+09" },
	{ upload_post, "gpu_hours=0x10",
		"gpu_hours: '0x10' is not a number from 0 to 1e+09" },
	{ upload_post, "gpu_hours=1e999",
		"gpu_hours: '1e999' is not a number from 0 to 1e+09" },
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct arena a = { 0 };
		struct params ps;
		struct err e = { 0 };
		assert_false(
			params_read(&ps, &a, wrong[i].of, wrong[i].query, &e));
		assert_string_equal(e.text, wrong[i].text);
		assert_int_equal(e.code, ERR_INPUT);
		arena_release(&a);
	}
}

static void test_defaults(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct params ps;
	struct err e = { 0 };
	assert_true(params_read(&ps, &a, runs_get, NULL, &e));
	assert_int_equal(param(&ps, "limit")->whole, 50);
	assert_false(param(&ps, "limit")->given);
	assert_string_equal(param_text(&ps, "sort", NULL), "newest");
	assert_null(param_text(&ps, "q", NULL));
	assert_string_equal(param_text(&ps, "q", "none"), "none");
	assert_null(ps.labels);
	arena_release(&a);
}

static void test_values(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct params ps;
	struct err e = { 0 };
	assert_true(params_read(&ps, &a, runs_get,
		"project=a+b%2Bc&q=%C3%A4&limit=500&sort=launches&upload=&"
		"label.z=1&&label.a=%22&since=1970-01-02",
		&e));
	assert_string_equal(param_text(&ps, "project", NULL), "a b+c");
	assert_string_equal(param_text(&ps, "q", NULL), "ä");
	assert_int_equal(param(&ps, "limit")->whole, 500);
	assert_int_equal(param(&ps, "sort")->whole, 4);
	assert_false(param(&ps, "upload")->given);
	assert_true(param(&ps, "since")->whole == INT64_C(86400000000));
	assert_string_equal(ps.labels, "{\"a\":\"\\\"\",\"z\":\"1\"}");
	arena_release(&a);
}

static void test_too_long(void **state)
{
	(void)state;
	char query[260] = "project=";
	struct arena a = { 0 };
	struct params ps;
	struct err e = { 0 };
	memset(query + 8, 'x', 200);
	assert_true(params_read(&ps, &a, runs_get, query, &e));
	query[208] = 'x';
	assert_false(params_read(&ps, &a, runs_get, query, &e));
	assert_string_equal(e.text, "project: is longer than 200 bytes");
	arena_release(&a);
}

/* No other test would notice a default outside its own range. */
static void test_defaults_hold(void **state)
{
	(void)state;
	for (const struct param_spec *s = param_specs; s->handler; s++) {
		struct arena a = { 0 };
		struct params ps;
		struct err e = { 0 };
		assert_true(params_read(&ps, &a, s->handler, NULL, &e));
		assert_int_equal(e.code, ERR_NONE);
		assert_ptr_equal(param(&ps, s->name)->spec->handler,
			s->handler);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_defaults_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
