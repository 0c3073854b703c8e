/* test_wire.c - tests valid token headers, and tokens that could forge a
 * header. */
#include "wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void write_file(char path[], const char *text)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void test_of_the_environment(void **state)
{
	(void)state;
	static const struct {
		const char *text, *header, *sentence;
	} rows[] = {
		{ NULL, "", "" },
		{ "", "", "" },
		{ " \n", "", "" },
		{ " ks_abc\n", "Authorization: Bearer ks_abc", "" },
		{ "ks_a\r\nHost: evil", "",
			"KERNSIFT_TOKEN does not contain a valid token" },
		{ "ks_\xc3\xa9", "",
			"KERNSIFT_TOKEN does not contain a valid token" },
		{ "two words", "",
			"KERNSIFT_TOKEN does not contain a valid token" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[WIRE_BEARER];
		struct err e = { 0 };
		assert_int_equal(wire_bearer(out, "", rows[i].text, &e),
			!*rows[i].sentence);
		assert_string_equal(out, rows[i].header);
		assert_string_equal(e.text, rows[i].sentence);
	}
}

static void test_of_a_file(void **state)
{
	(void)state;
	char out[WIRE_BEARER], wanted[200];
	struct err e = { 0 };
	char good[] = "/tmp/ks-bearer-XXXXXX",
	     empty[] = "/tmp/ks-bearer-XXXXXX";
	write_file(good, "ks_file\n");
	write_file(empty, "\n\n");
	assert_true(wire_bearer(out, good, "ks_environment", &e));
	assert_string_equal(out, "Authorization: Bearer ks_file");
	assert_false(wire_bearer(out, empty, "ks_environment", &e));
	snprintf(wanted, sizeof wanted, "the token file '%s' has no token",
		empty);
	assert_string_equal(e.text, wanted);
	unlink(good);
	unlink(empty);
	e = (struct err){ 0 };
	assert_false(wire_bearer(out, "/nowhere/token", NULL, &e));
	assert_string_equal(e.text,
		"cannot open the token file '/nowhere/token': No such file or "
		"directory");
	e = (struct err){ 0 };
	assert_false(wire_bearer(out, "/dev/zero", NULL, &e));
	assert_string_equal(e.text,
		"the token file does not contain a valid token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_environment),
		cmocka_unit_test(test_of_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
