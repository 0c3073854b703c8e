/* test_route.c - which path finds which route, and what the others are told. */
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
} rows[] = {
	{ "GET", "/api/v1/uploads", "/api/v1/uploads", 0, "", "" },
	{ "POST", "/api/v1/uploads", "/api/v1/uploads", 0, "", "" },
	{ "HEAD", "/api/v1/runs/7", "/api/v1/runs/{id}", 7, "", "" },
	{ "GET", "/api/v1/runs/7/kernels", "/api/v1/runs/{id}/kernels", 7, "",
		"" },
	{ "GET", "/healthz", "/api/v1/healthz", 0, "", "" },
	{ "GET", "/metrics", "/api/v1/metrics", 0, "", "" },
	{ "GET", "/openapi.json", "/api/v1/openapi.json", 0, "", "" },
	{ "GET", "/runs", NULL, 0, "", "there is nothing at '/runs'" },
	{ "GET", "/api/v1/runs/", NULL, 0, "",
		"there is nothing at '/api/v1/runs/'" },
	{ "GET", "/api/v1/runs/7/", NULL, 0, "",
		"there is nothing at '/api/v1/runs/7/'" },
	{ "GET", "/api/v1/runs/x", NULL, 0, "",
		"'x' is not an id: a whole number above 0" },
	{ "GET", "/api/v1/runs/0", NULL, 0, "",
		"'0' is not an id: a whole number above 0" },
	{ "GET", "/api/v1/runs/-1/notes", NULL, 0, "",
		"'-1' is not an id: a whole number above 0" },
	{ "GET", "/api/v1/runs/7x/notes", NULL, 0, "",
		"'7x' is not an id: a whole number above 0" },
	{ "GET", "/api/v1/runs/99999999999999999999", NULL, 0, "",
		"'99999999999999999999' is not an id: a whole number above 0" },
	{ "PUT", "/api/v1/runs/7", NULL, 0, "GET, HEAD, PATCH, DELETE",
		"PUT is not a method of '/api/v1/runs/7'; it has GET, HEAD, "
		"PATCH, DELETE" },
	{ "DELETE", "/api/v1/uploads", NULL, 0, "POST, GET, HEAD",
		"DELETE is not a method of '/api/v1/uploads'; it has POST, "
		"GET, "
		"HEAD" },
};

static void test_find(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char allow[ALLOW_TEXT];
		struct err e = { 0 };
		int64_t id = 0;
		const struct route *r = route_find(rows[i].method, rows[i].path,
			&id, allow, &e);
		assert_string_equal(e.text, rows[i].text);
		assert_string_equal(allow, rows[i].allow);
		if (!rows[i].route) {
			assert_null(r);
			continue;
		}
		assert_non_null(r);
		assert_string_equal(r->path, rows[i].route);
		assert_int_equal(id, rows[i].id);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_no_route_hides_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
