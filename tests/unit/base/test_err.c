/* test_err.c - the first failure is kept; sentences end at a whole
 * character. */
#include "err.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void the_first_failure_stays(void **state)
{
	struct err e = { 0 };
	(void)state;
	assert_false(err_set(&e, ERR_INPUT, "no %s %d", "run", 8));
	assert_false(err_set(&e, ERR_INTERNAL, "later"));
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "no run 8");
}

/* 399 bytes fit: 398 letters and then a character of 2, 3 or 4 bytes, which
 * does not fit. */
static void cut_at_a_whole_character(void **state)
{
	static const char *const wide[] = { "\xC3\xA9", "\xE2\x82\xAC",
		"\xF0\x9F\x98\x80" };
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct err e = { 0 };
		char text[500] = "";
		memset(text, 'a', 398);
		memcpy(text + 398, wide[i], strlen(wide[i]) + 1);
		err_set(&e, ERR_INPUT, "%s%s", text, "more");
		assert_int_equal(strlen(e.text), 398);
		/* One byte earlier, the character of two bytes fits. */
		e = (struct err){ 0 };
		err_set(&e, ERR_INPUT, "%s", text + 1);
		assert_int_equal(strlen(e.text), i == 0 ? 399 : 397);
	}
}

static void every_code_has_a_status_and_a_name(void **state)
{
	(void)state;
#define X(code, http, name)                           \
	assert_int_equal(err_http(ERR_##code), http); \
	assert_string_equal(err_name(ERR_##code), name);
	ERR_CODES(X)
#undef X
	assert_int_equal(err_http(ERR_NONE), 200);
}

/* Faults of the server name its files and tables: users read another sentence. */
static void faults_of_the_server_are_not_public(void **state)
{
	const struct err own = { ERR_TRACE, "line 3: no ts" },
			 database = { ERR_DATABASE, "relation \"run\"" },
			 internal = { ERR_INTERNAL, "/var/lib" };
	(void)state;
	assert_string_equal(err_public(&own), "line 3: no ts");
	assert_null(strstr(err_public(&database), "relation"));
	assert_null(strstr(err_public(&internal), "/var/lib"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_failure_stays),
		cmocka_unit_test(faults_of_the_server_are_not_public),
		cmocka_unit_test(cut_at_a_whole_character),
		cmocka_unit_test(every_code_has_a_status_and_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
