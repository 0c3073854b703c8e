/* test_buf.c - tests that bytes are appended up to the limit, or not at all. */
#include "buf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void adds_up(void **state)
{
	struct buf b;
	(void)state;
	buf_init(&b, 100);
	buf_puts(&b, "");
	assert_string_equal(b.at, "");
	buf_add(&b, "a\0b", 3);
	buf_printf(&b, "%03d", 7);
	assert_int_equal(b.len, 6);
	assert_memory_equal(b.at, "a\0b007", 7);
	buf_release(&b);
	assert_null(b.at);
	assert_int_equal(b.ceiling, 100);
}

static void full_at_the_ceiling_and_stays(void **state)
{
	struct buf b;
	(void)state;
	buf_init(&b, 5);
	buf_puts(&b, "abc");
	buf_puts(&b, "de");
	assert_false(b.full);
	buf_puts(&b, "");
	assert_false(b.full);
	buf_puts(&b, "f");
	assert_true(b.full);
	assert_string_equal(b.at, "abcde");
	buf_release(&b);
	assert_false(b.full);

	buf_puts(&b, "abcdef");
	assert_true(b.full);
	/* it would fit, but an earlier part is already missing */
	buf_puts(&b, "a");
	buf_printf(&b, "%d", 1);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

static void the_caller_owns_taken_bytes(void **state)
{
	struct buf b;
	size_t len = 9;
	(void)state;
	buf_init(&b, 100);
	char *p = buf_take(&b, &len);
	assert_string_equal(p, "");
	assert_int_equal(len, 0);
	free(p);
	buf_puts(&b, "left");
	p = buf_take(&b, &len);
	assert_string_equal(p, "left");
	assert_int_equal(len, 4);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.ceiling, 100);
	free(p);
}

/* Nothing was appended, because nothing fits; the buffer is still text. */
static void nothing_fits(void **state)
{
	struct buf b;
	size_t len = 9;
	(void)state;
	buf_init(&b, 0);
	buf_puts(&b, "x");
	assert_true(b.full);
	char *p = buf_take(&b, &len);
	assert_string_equal(p, "");
	assert_int_equal(len, 0);
	free(p);
}

static void many_small_ones(void **state)
{
	struct buf b;
	(void)state;
	buf_init(&b, 1 << 20);
	for (int i = 0; i < 100000; i++)
		buf_puts(&b, "0123456789");
	assert_int_equal(b.len, 1000000);
	assert_int_equal(strlen(b.at), 1000000);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(full_at_the_ceiling_and_stays),
		cmocka_unit_test(the_caller_owns_taken_bytes),
		cmocka_unit_test(nothing_fits),
		cmocka_unit_test(many_small_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
