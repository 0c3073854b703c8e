/* test_s3_sign.c - the examples of "Signature Calculations for the Authorization Header"
 * in Amazon's reference of S3, and the parts that they leave out. */
#include "s3_sign.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const struct s3_credentials amazons = { "AKIAIOSFODNN7EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "" };

/* Friday, 24 May 2013, 00:00 */
enum { THEN = 1369353600 };

static const struct {
	const char *name, *path, *query, *range, *names, *signature;
} rows[] = {
	{ "GET Object, with a range", "/test.txt", "", "bytes=0-9",
		"host;range;x-amz-content-sha256;x-amz-date",
		"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036b"
		"db41" },
	{ "GET Bucket lifecycle, a name without a value", "/", "lifecycle=", "",
		"host;x-amz-content-sha256;x-amz-date",
		"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a013678"
		"3543" },
	{ "GET Bucket, two parameters", "/", "max-keys=2&prefix=J", "",
		"host;x-amz-content-sha256;x-amz-date",
		"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69d"
		"c6f7" },
};

static void examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct s3_request r = { "GET",
			"examplebucket.s3.amazonaws.com", rows[i].path,
			rows[i].query, rows[i].range, "us-east-1", EMPTY,
			THEN };
		struct s3_signature s;
		char want[600];
		s3_sign(&amazons, &r, &s);
		snprintf(want, sizeof want,
			"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/"
			"20130524/us-east-1/s3/aws4_request, SignedHeaders=%s, "
			"Signature=%s",
			rows[i].names, rows[i].signature);
		assert_string_equal(s.date, "20130524T000000Z");
		assert_string_equal(s.authorization, want);
	}
}

/* The token of temporary credentials is signed, too. */
static void a_token_changes_the_signature(void **state)
{
	const struct s3_request r = { "GET", "h", "/", "", "", "r", EMPTY,
		THEN };
	struct s3_credentials who = amazons;
	struct s3_signature without, one, other;
	(void)state;
	s3_sign(&who, &r, &without);
	who.token = "one";
	s3_sign(&who, &r, &one);
	who.token = "other";
	s3_sign(&who, &r, &other);
	assert_null(strstr(without.authorization, "x-amz-security-token"));
	assert_non_null(
		strstr(one.authorization, "x-amz-date;x-amz-security-token, "));
	assert_string_not_equal(one.authorization, other.authorization);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(a_token_changes_the_signature),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
