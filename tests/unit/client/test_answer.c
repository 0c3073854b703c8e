/* test_answer.c - tests JSON responses of the server, and text that only looks
 * like JSON. */
#include "answer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_uploads(void **state)
{
	(void)state;
	static struct upload_answer u;
	struct err e = { 0 };
	const char *new = "{\"id\":12,\"state\":\"queued\",\"existing\":false}";
	assert_true(answer_upload(new, strlen(new), &u, &e));
	assert_int_equal(u.id, 12);
	assert_int_equal(u.state, UPLOAD_QUEUED);
	assert_false(u.existing);
	assert_string_equal(u.stage, "");
	assert_int_equal(u.total_bytes, -1);
	assert_int_equal(u.runs_n, 0);

	const char *working =
		"{\"id\":9007199254740991,\"state\":\"working\",\"progress\":"
		"{\"stage\":\"dec\\u001bode\",\"done_bytes\":3,"
		"\"total_bytes\":null},\"error\":null,\"runs\":[]}";
	assert_true(answer_upload(working, strlen(working), &u, &e));
	assert_int_equal(u.id, 9007199254740991);
	assert_string_equal(u.stage, "dec ode");
	assert_int_equal(u.done_bytes, 3);
	assert_int_equal(u.total_bytes, -1);

	const char *done = "{\"id\":1,\"state\":\"done\",\"existing\":true,"
			   "\"progress\":null,\"runs\":[4,7]}";
	assert_true(answer_upload(done, strlen(done), &u, &e));
	assert_true(u.existing);
	assert_int_equal(u.runs_n, 2);
	assert_int_equal(u.runs[1], 7);

	const char *failed = "{\"id\":1,\"state\":\"failed\",\"error\":"
			     "\"the file is empty\",\"runs\":[]}";
	assert_true(answer_upload(failed, strlen(failed), &u, &e));
	assert_int_equal(u.state, UPLOAD_FAILED);
	assert_string_equal(u.error, "the file is empty");
}

static void test_not_uploads(void **state)
{
	(void)state;
	static const char *const rows[] = { "", "{", "[]", "{}",
		"<html>welcome</html>", "{\"id\":1}", "{\"state\":\"done\"}",
		"{\"id\":\"1\",\"state\":\"done\"}",
		"{\"id\":-1,\"state\":\"done\"}",
		"{\"id\":1,\"state\":\"lost\"}",
		"{\"id\":1,\"state\":\"done\",\"runs\":[\"x\"]}" };
	static struct upload_answer u;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		assert_false(answer_upload(rows[i], strlen(rows[i]), &u, &e));
		assert_string_equal(e.text, "the server's answer is not an "
					    "upload; is it a kernsift server?");
	}
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		int status;
		const char *body, *sentence;
	} rows[] = {
		{ 415,
			"{\"error\":{\"code\":\"unknown_format\",\"message\":"
			"\"this is a PNG image\"}}",
			"this is a PNG image" },
		{ 400,
			"{\"error\":{\"code\":\"x\",\"message\":\"a\\nb\\u001b["
			"31m\"}}",
			"a b [31m" },
		{ 502, "<html>Bad Gateway</html>",
			"the server returned status 502 without a message; is it a "
			"kernsift server?" },
		{ 500, "",
			"the server returned status 500 without a message; is it a "
			"kernsift server?" },
		{ 404, "{\"error\":\"not found\"}",
			"the server returned status 404 without a message; is it a "
			"kernsift server?" },
		{ 404, "{\"error\":{\"message\":\"\"}}",
			"the server returned status 404 without a message; is it a "
			"kernsift server?" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		assert_false(answer_error(rows[i].status, rows[i].body,
			strlen(rows[i].body), &e));
		assert_string_equal(e.text, rows[i].sentence);
	}
}

static void test_sets(void **state)
{
	(void)state;
	static const char good[] =
		"{\"name\":\"a\\nb\",\"operators\":30,\"shapes\":440,"
		"\"existing\":true}";
	static const char *const bad[] = { "", "[]", "<html>",
		"{\"operators\":30,\"shapes\":440}",
		"{\"name\":\"a\",\"operators\":\"30\",\"shapes\":440}",
		"{\"name\":\"a\",\"operators\":30}" };
	struct set_answer set;
	struct err e = { 0 };
	assert_true(answer_set(good, strlen(good), &set, &e));
	assert_string_equal(set.name, "a b");
	assert_int_equal(set.operators, 30);
	assert_int_equal(set.shapes, 440);
	assert_true(set.existing);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		e = (struct err){ 0 };
		assert_false(answer_set(bad[i], strlen(bad[i]), &set, &e));
		assert_string_equal(e.text,
			"the server's answer is not a reference set; is it a kernsift "
			"server?");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uploads),
		cmocka_unit_test(test_not_uploads),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
