/* test_hmac_sha256.c - the examples of RFC 4231, in one piece and in two. */
#include "hmac_sha256.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *key, *text, *hex;
} rows[] = {
	/* 4.3: a key shorter than the digest */
	{ "Jefe", "what do ya want for nothing?",
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec38"
		"43" },
	/* 4.2 */
	{ "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
	  "\x0b\x0b\x0b",
		"Hi There",
		"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cf"
		"f7" },
};

static void examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t digest[SHA256_BYTES];
		char hex[SHA256_HEX];
		const char *text = rows[i].text;
		const struct hmac_part whole = { text, strlen(text) },
				       halves[] = { { text, 3 }, { "", 0 },
					       { text + 3, strlen(text) - 3 } };
		hmac_sha256(rows[i].key, strlen(rows[i].key), &whole, 1,
			digest);
		sha256_hex(digest, hex);
		assert_string_equal(hex, rows[i].hex);
		hmac_sha256(rows[i].key, strlen(rows[i].key), halves, 3,
			digest);
		sha256_hex(digest, hex);
		assert_string_equal(hex, rows[i].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(examples) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
