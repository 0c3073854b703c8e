/* test_names.c - tests that equal bytes have equal ids, also after the table
 * grows. */
#include "names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void ids_in_order_of_first_sight(void **state)
{
	struct arena a = { 0 };
	struct names ns;
	(void)state;
	assert_true(names_init(&ns, &a));
	assert_int_equal(names_put(&ns, "", 0), 0);
	assert_int_equal(names_put(&ns, "b", 1), 1);
	assert_int_equal(names_put(&ns, "a", 1), 2);
	assert_int_equal(names_put(&ns, "b", 1), 1);
	assert_int_equal(names_find(&ns, "a", 1), 2);
	assert_int_equal(names_find(&ns, "c", 1), NAMES_NONE);
	assert_string_equal(names_text(&ns, 2), "a");
	assert_int_equal(ns.n, 3);
	arena_release(&a);
}

/* Bytes, not text: NULs count, and so does the length. */
static void bytes_of_any_kind(void **state)
{
	static const struct {
		const char *s;
		size_t len;
	} rows[] = { { "\0", 1 }, { "\0\0", 2 }, { "a\0", 2 }, { "a", 1 },
		{ "\0a", 2 }, { "aaaaaaaa", 8 }, { "aaaaaaaa\0", 9 },
		{ "aaaaaaaaa", 9 } };
	struct arena a = { 0 };
	struct names ns;
	(void)state;
	names_init(&ns, &a);
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(names_put(&ns, rows[i].s, rows[i].len), i + 1);
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(names_find(&ns, rows[i].s, rows[i].len),
			i + 1);
		assert_int_equal(ns.list[i + 1].len, rows[i].len);
	}
	arena_release(&a);
}

static void a_hundred_thousand(void **state)
{
	enum { N = 100000 };
	struct arena a = { 0 };
	struct names ns;
	char s[16];
	(void)state;
	names_init(&ns, &a);
	for (uint32_t i = 1; i <= N; i++) {
		int len = snprintf(s, sizeof s, "k%u", i);
		assert_int_equal(names_put(&ns, s, (size_t)len), i);
	}
	const char *first = names_text(&ns, 1);
	for (uint32_t i = 1; i <= N; i++) {
		int len = snprintf(s, sizeof s, "k%u", i);
		assert_int_equal(names_find(&ns, s, (size_t)len), i);
		assert_string_equal(names_text(&ns, i), s);
	}
	assert_ptr_equal(names_text(&ns, 1), first); /* texts do not move */
	arena_release(&a);
}

/* If the arena is full, known names stay known. */
static void a_full_arena(void **state)
{
	struct arena a = { .ceiling = 300 * 1024 };
	struct names ns;
	char s[16];
	uint32_t n = 0;
	(void)state;
	assert_true(names_init(&ns, &a));
	for (;; n++) {
		int len = snprintf(s, sizeof s, "k%u", n);
		if (names_put(&ns, s, (size_t)len) == NAMES_NONE)
			break;
	}
	assert_true(a.full && a.taken <= a.ceiling && n > 100);
	assert_int_equal(ns.n, n + 1);
	assert_int_equal(names_find(&ns, "k0", 2), 1);
	assert_int_equal(names_put(&ns, "k0", 2), 1);
	arena_release(&a);

	struct arena small = { .ceiling = 100 };
	assert_false(names_init(&ns, &small));
	arena_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_in_order_of_first_sight),
		cmocka_unit_test(bytes_of_any_kind),
		cmocka_unit_test(a_hundred_thousand),
		cmocka_unit_test(a_full_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
