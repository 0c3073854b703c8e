/* test_route.c - which path matches which route, and the responses to all
 * other paths. */
#include "route.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static const struct {
	const char *method, *path, *route;
	int64_t id;
	const char *allow, *text;
	int64_t k;
} rows[] = {
	{ "GET", "/api/v1/uploads", "/api/v1/uploads", 0, "", "", 0 },
	{ "POST", "/api/v1/uploads", "/api/v1/uploads", 0, "", "", 0 },
	{ "HEAD", "/api/v1/runs/7", "/api/v1/runs/{id}", 7, "", "", 0 },
	{ "GET", "/api/v1/runs/7/kernels", "/api/v1/runs/{id}/kernels", 7, "",
		"", 0 },
	{ "GET", "/api/v1/runs/7/kernels/12/callers",
		"/api/v1/runs/{id}/kernels/{k}/callers", 7, "", "", 12 },
	{ "GET", "/api/v1/runs/7/kernels/x/callers", NULL, 0, "",
		"'x' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/x/kernels/3/callers", NULL, 0, "",
		"'x' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/7/kernels//callers", NULL, 0, "",
		"no such path: '/api/v1/runs/7/kernels//callers'", 0 },
	{ "GET", "/api/v1/runs/7/kernels/3", NULL, 0, "",
		"no such path: '/api/v1/runs/7/kernels/3'", 0 },
	{ "GET", "/api/v1/runs/7/operators/rms_norm/shapes",
		"/api/v1/runs/{id}/operators/{op}/shapes", 7, "", "", 0 },
	{ "GET", "/api/v1/importance/12/shapes",
		"/api/v1/importance/{op}/shapes", 0, "", "", 0 },
	{ "GET", "/api/v1/importance/a b/shapes", NULL, 0, "",
		"'a b' is not a name: 1 to 100 letters, digits and _ . : + -",
		0 },
	{ "GET", "/healthz", "/api/v1/healthz", 0, "", "", 0 },
	{ "GET", "/metrics", "/api/v1/metrics", 0, "", "", 0 },
	{ "GET", "/openapi.json", "/api/v1/openapi.json", 0, "", "", 0 },
	{ "GET", "/runs", NULL, 0, "", "no such path: '/runs'", 0 },
	{ "GET", "/api/v1/runs/", NULL, 0, "", "no such path: '/api/v1/runs/'",
		0 },
	{ "GET", "/api/v1/runs/7/", NULL, 0, "",
		"no such path: '/api/v1/runs/7/'", 0 },
	{ "GET", "/api/v1/runs/x", NULL, 0, "",
		"'x' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/0", NULL, 0, "",
		"'0' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/-1/notes", NULL, 0, "",
		"'-1' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/7x/notes", NULL, 0, "",
		"'7x' is not an id: a whole number above 0", 0 },
	{ "GET", "/api/v1/runs/99999999999999999999", NULL, 0, "",
		"'99999999999999999999' is not an id: a whole number above 0",
		0 },
	{ "PUT", "/api/v1/runs/7", NULL, 0, "GET, HEAD, PATCH, DELETE",
		"PUT is not a method of '/api/v1/runs/7'; it has GET, HEAD, "
		"PATCH, DELETE",
		0 },
	{ "DELETE", "/api/v1/uploads", NULL, 0, "POST, GET, HEAD",
		"DELETE is not a method of '/api/v1/uploads'; it has POST, "
		"GET, "
		"HEAD",
		0 },
};

static void test_find(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char allow[ALLOW_TEXT];
		struct err e = { 0 };
		struct route_at at;
		const struct route *r = route_find(rows[i].method, rows[i].path,
			&at, allow, &e);
		assert_string_equal(e.text, rows[i].text);
		assert_string_equal(allow, rows[i].allow);
		if (!rows[i].route) {
			assert_null(r);
			continue;
		}
		assert_non_null(r);
		assert_string_equal(r->path, rows[i].route);
		assert_int_equal(at.ids[0], rows[i].id);
		assert_int_equal(at.ids[1], rows[i].k);
	}
}

/* A second route of the same method and form would never be reached. */
static void test_no_route_hides_another(void **state)
{
	(void)state;
	for (const struct route *a = routes; a->handler; a++)
		for (const struct route *b = a + 1; b->handler; b++)
			assert_false(!strcmp(a->method, b->method) &&
				     !strcmp(a->path, b->path));
}

static void test_word(void **state)
{
	static const struct {
		const char *text, *word, *why;
	} words[] = {
		{ "rms_norm", "rms_norm", "" },
		{ "aten%3A%3Aadd+1.0-b", "aten::add+1.0-b", "" },
		{ "a%2Fb", NULL,
			"'a%2Fb' is not a name: 1 to 100 letters, digits and "
			"_ . : + -" },
		{ "a%00", NULL,
			"'a%00' is not a name: 1 to 100 letters, digits and "
			"_ . : + -" },
		{ "a%2", NULL,
			"'a%2' is not a name: 1 to 100 letters, digits and "
			"_ . : + -" },
		{ "%C3%A9", NULL,
			"'%C3%A9' is not a name: 1 to 100 letters, digits and "
			"_ . : + -" },
	};
	char word[ROUTE_WORD], hundred[102];
	struct err e;
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *text = words[i].text;
		e = (struct err){ 0 };
		assert_int_equal(route_word(text, strlen(text), word, &e),
			words[i].word != NULL);
		assert_string_equal(e.text, words[i].why);
		if (words[i].word)
			assert_string_equal(word, words[i].word);
	}
	memset(hundred, 'x', sizeof hundred);
	e = (struct err){ 0 };
	assert_true(route_word(hundred, 100, word, &e));
	assert_int_equal(strlen(word), 100);
	assert_false(route_word(hundred, 101, word, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_no_route_hides_another),
		cmocka_unit_test(test_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
