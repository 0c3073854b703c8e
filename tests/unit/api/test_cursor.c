/* test_cursor.c - tests that a cursor is read as it was written, and only by
 * the list that wrote it. */
#include "cursor.h"
#include "route.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void call_of(struct call *c, const char *path, const char *query)
{
	char allow[ALLOW_TEXT];
	struct err e = { 0 };
	*c = (struct call){ 0 };
	struct route_at at;
	c->route = route_find("GET", path, &at, allow, &e);
	assert_non_null(c->route);
	c->id = at.ids[0];
	c->k = at.ids[1];
	assert_true(params_read(&c->params, &c->s.arena, c->route->handler,
		query, &e));
}

static const char list[] = "/api/v1/runs/7/kernels";

/* The message with which a list rejects this cursor, or "" if it accepts it. */
static const char *refusal(const char *path, const char *query,
	const char *cursor, int64_t *a, int64_t *b)
{
	static struct err e;
	struct call c;
	char all[200];
	snprintf(all, sizeof all, "%s&cursor=%s", query, cursor);
	e = (struct err){ 0 };
	call_of(&c, path, all);
	bool ok = cursor_read(&c, a, b, &e);
	assert_int_equal(ok, e.code == ERR_NONE);
	arena_release(&c.s.arena);
	return e.text;
}

static void test_there_and_back(void **state)
{
	(void)state;
	const int64_t rows[][2] = { { 0, 0 }, { 1, 2 }, { -1, INT64_MAX },
		{ INT64_MIN, 7 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct call c;
		char text[CURSOR_TEXT];
		int64_t a, b;
		call_of(&c, list, "q=gemm&limit=5");
		cursor_write(&c, rows[i][0], rows[i][1], text);
		arena_release(&c.s.arena);
		/* another limit does not make another list */
		assert_string_equal(refusal(list, "q=gemm&limit=9", text, &a,
					    &b),
			"");
		assert_true(a == rows[i][0] && b == rows[i][1]);
	}
}

static const char elsewhere[] =
	"cursor: it belongs to another list or was changed; start again "
	"without it";

static void test_elsewhere(void **state)
{
	(void)state;
	struct call c;
	char text[CURSOR_TEXT];
	int64_t a, b;
	call_of(&c, list, "q=gemm");
	cursor_write(&c, 500, 0, text);
	arena_release(&c.s.arena);
	assert_string_equal(refusal(list, "q=gemv", text, &a, &b), elsewhere);
	assert_string_equal(refusal(list, "", text, &a, &b), elsewhere);
	assert_string_equal(refusal(list, "q=gemm&sort=mean", text, &a, &b),
		elsewhere);
	assert_string_equal(refusal("/api/v1/runs/8/kernels", "q=gemm", text,
				    &a, &b),
		elsewhere);
	assert_string_equal(refusal("/api/v1/uploads", "", text, &a, &b),
		elsewhere);
	call_of(&c, "/api/v1/runs/7/kernels/3/callers", "");
	cursor_write(&c, 100, 0, text);
	arena_release(&c.s.arena);
	assert_string_equal(refusal("/api/v1/runs/7/kernels/4/callers", "",
				    text, &a, &b),
		elsewhere);
	assert_string_equal(refusal("/api/v1/runs/7/kernels/3/callers", "",
				    text, &a, &b),
		"");
}

/* Every letter counts. */
static void test_tampered(void **state)
{
	(void)state;
	struct call c;
	char text[CURSOR_TEXT];
	int64_t a, b;
	call_of(&c, list, "");
	cursor_write(&c, 500, 0, text);
	arena_release(&c.s.arena);
	for (int i = 0; i < CURSOR_TEXT - 1; i++) {
		char kept = text[i];
		text[i] = kept == 'A' ? 'B' : 'A';
		assert_string_equal(refusal(list, "", text, &a, &b), elsewhere);
		text[i] = kept;
	}
	assert_string_equal(refusal(list, "", "abc", &a, &b),
		"cursor: 'abc' is not a cursor of this list; start again "
		"without it");
	text[3] = '!';
	assert_non_null(strstr(refusal(list, "", text, &a, &b),
		"is not a cursor of this list"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_tampered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
