/* test_object_store.c - places and files of credentials. Requests are tested with a real
 * storage by verify.object_storage. */
#include "object_credentials.h"
#include "object_store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct {
	const char *place;
	bool ok;
} places[] = {
	{ "s3://traces", true },
	{ "s3://traces.corp/kernsift/eu", true },
	{ "s3://traces/", false }, /* an empty prefix */
	{ "s3://traces/a//b", false },
	{ "s3://traces/a/../b", false },
	{ "s3://Traces", false }, /* buckets are lower case */
	{ "s3://ab", false }, /* three letters at least */
	{ "s3://traces/a b", false },
	{ "s3://traces/\xc3\xa9", false },
	{ "traces", false },
	{ "https://traces", false },
};

static void places_are_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct err e = { 0 };
		if (object_place_check(places[i].place, &e) != places[i].ok)
			fail_msg("%s: %s", places[i].place, e.text);
		assert_int_equal(e.code, places[i].ok ? ERR_NONE : ERR_INPUT);
	}
}

static const struct {
	const char *name, *text, *key_id, *secret, *token; /* NULL: rejected */
} files[] = {
	{ "as Amazon's tools write it",
		"[default]\naws_access_key_id = A\naws_secret_access_key = B/c=\n",
		"A", "B/c=", "" },
	{ "temporary, without blanks, with carriage returns",
		"[default]\r\naws_access_key_id=A\r\naws_secret_access_key=B\r\n"
		"aws_session_token=T==\r\n",
		"A", "B", "T==" },
	{ "another section comes first",
		"[other]\naws_access_key_id = X\naws_secret_access_key = Y\n"
		"[default]\n# A\naws_access_key_id = A\n"
		"aws_secret_access_key = B\nregion = r\n",
		"A", "B", "" },
	{ "only another section",
		"[other]\naws_access_key_id = X\naws_secret_access_key = Y\n",
		NULL, NULL, NULL },
	{ "no secret", "[default]\naws_access_key_id = A\n", NULL, NULL, NULL },
	{ "empty", "", NULL, NULL, NULL },
};

static void files_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[] = "/tmp/kernsift-test-XXXXXX";
		struct object_credentials c;
		struct err e = { 0 };
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		ssize_t n = write(fd, files[i].text, strlen(files[i].text));
		assert_int_equal(n, strlen(files[i].text));
		close(fd);
		bool ok = object_credentials_read(path, &c, &e);
		unlink(path);
		if (ok != (files[i].key_id != NULL))
			fail_msg("%s: %s", files[i].name, e.text);
		if (!ok) {
			assert_int_equal(e.code, ERR_FILE);
			continue;
		}
		assert_string_equal(c.key_id, files[i].key_id);
		assert_string_equal(c.secret, files[i].secret);
		assert_string_equal(c.token, files[i].token);
	}
}

static void a_missing_file_is_named(void **state)
{
	struct object_credentials c;
	struct err e = { 0 };
	(void)state;
	assert_false(object_credentials_read("/nowhere/s3", &c, &e));
	assert_string_equal(e.text,
		"cannot read '/nowhere/s3': No such file or directory");
}

static void an_endpoint_is_an_origin(void **state)
{
	static const struct {
		const char *endpoint;
		bool ok;
	} rows[] = { { "", true }, { "https://s3.corp", true },
		{ "http://127.0.0.1:9000/", true },
		{ "https://s3.corp/path", false }, { "https://", false },
		{ "ftp://s3.corp", false }, { "https://a:b@s3.corp", false } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct object_settings is = { rows[i].endpoint,
			"us-east-1", "k", "s", "", "" };
		struct err e = { 0 };
		struct object_store *s = object_store_new(&is, &e);
		if ((s != NULL) != rows[i].ok)
			fail_msg("'%s': %s", rows[i].endpoint, e.text);
		object_store_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_checked),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(an_endpoint_is_an_origin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
