/* test_sha256.c - the examples of FIPS 180-2, in one piece and in many. */
#include "sha256.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *text, *hex;
} rows[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85"
	      "5" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2001"
		 "5ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06"
		"c1" },
};

static void examples(void **state)
{
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sha256_of(rows[i].text, strlen(rows[i].text), digest);
		sha256_hex(digest, hex);
		assert_string_equal(hex, rows[i].hex);
	}
}

/* A million times 'a', in parts of every length, twice with one struct. */
static void parts_of_every_length(void **state)
{
	static char as[1000];
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	struct sha256 s;
	(void)state;
	memset(as, 'a', sizeof as);
	sha256_init(&s);
	for (int round = 0; round < 2; round++) {
		size_t left = 1000000, piece = 0;
		while (left) {
			size_t n = piece++ % sizeof as;
			n = n < left ? n : left;
			sha256_add(&s, as, n);
			left -= n;
		}
		sha256_end(&s, digest);
		sha256_hex(digest, hex);
		assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809"
					 "a48a497200e046d39c"
					 "cc7112cd0");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(parts_of_every_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
