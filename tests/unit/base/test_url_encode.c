/* test_url_encode.c - tests the encoding of each kind of byte, as in RFC
 * 3986. */
#include "url_encode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void encoded(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *is;
	} rows[] = {
		{ "azAZ09-._~", 10, "azAZ09-._~" },
		{ "a b/c?d=e&f#g+h%", 16, "a%20b%2Fc%3Fd%3De%26f%23g%2Bh%25" },
		{ "\xC3\xA9\xFF", 3, "%C3%A9%FF" },
		{ "a\0b\x7F", 4, "a%00b%7F" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b;
		buf_init(&b, 100);
		url_encode(&b, rows[i].text, rows[i].len);
		assert_int_equal(b.len, strlen(rows[i].is));
		assert_memory_equal(b.at, rows[i].is, b.len);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
