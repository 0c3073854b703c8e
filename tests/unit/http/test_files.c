/* test_files.c - tests the files of the web page: their types and etags, and
 * that no file outside of the folders is served; and the compressed copies. */
#include "files.h"
#include "embedded.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/ks-files.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[100];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	char path[100];
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/web", dir);
	mkdir(path, 0700);
	put("web/index.html", "<p>page");
	put("web/app.js", "a()");
	snprintf(path, sizeof path, "%s/web/bundle", dir);
	mkdir(path, 0700);
	put("web/bundle/a.js", "a()");
	put("secret.txt", "s");
	snprintf(path, sizeof path, "%s/web/link.txt", dir);
	assert_int_equal(symlink("../secret.txt", path), 0);
	snprintf(path, sizeof path, "%s/web/dir.d", dir);
	mkdir(path, 0700);
	return 0;
}

/* The copy of the Perfetto UI is another folder, with the same rules. */
static void test_perfetto(void **state)
{
	char web[100], copy[100];
	struct web_file out;
	struct err e = { 0 };
	(void)state;
	snprintf(web, sizeof web, "%s/web", dir);
	snprintf(copy, sizeof copy, "%s/copy", dir);
	mkdir(copy, 0700);
	put("copy/index.html", "<p>Perfetto");
	put("copy/engine.wasm", "w");
	struct files *f = files_new(web, copy, &e);
	assert_true(files_get(f, "/perfetto/", false, &out, &e));
	assert_true(out.of_perfetto);
	assert_memory_equal(out.bytes, "<p>Perfetto", out.len);
	free(out.owned);
	assert_true(files_get(f, "/perfetto/engine.wasm", false, &out, &e));
	assert_string_equal(out.type, "application/wasm");
	free(out.owned);
	assert_true(files_get(f, "/app.js", false, &out, &e));
	assert_false(out.of_perfetto);
	free(out.owned);
	assert_false(files_get(f, "/perfetto/../secret.txt", false, &out, &e));
	assert_false(files_get(f, "/perfetto/app.js", false, &out, &e));
	files_free(f);
	f = files_new(web, NULL, &e);
	assert_false(files_get(f, "/perfetto/", false, &out, &e));
	files_free(f);
	e = (struct err){ 0 };
	assert_null(files_new(web, "/nowhere", &e));
	assert_string_equal(e.text,
		"there is no folder '/nowhere' for --perfetto-dir");
}

static int teardown(void **state)
{
	char command[100];
	(void)state;
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

static const struct {
	const char *path, *text, *type;
} rows[] = {
	{ "/", "<p>page", "text/html; charset=utf-8" },
	{ "/index.html", "<p>page", "text/html; charset=utf-8" },
	{ "/runs/7", "<p>page", "text/html; charset=utf-8" },
	{ "/app.js", "a()", "text/javascript; charset=utf-8" },
	{ "/none.js", NULL, "no such path: '/none.js'" },
	{ "/link.txt", NULL, "no such path: '/link.txt'" },
	{ "/../secret.txt", NULL, "no such path: '/../secret.txt'" },
	{ "/%2e%2e/secret.txt", NULL, "no such path: '/%2e%2e/secret.txt'" },
	{ "//etc/hosts.d", NULL, "no such path: '//etc/hosts.d'" },
	{ "/dir.d", NULL, "no such path: '/dir.d'" },
};

static void test_folder(void **state)
{
	(void)state;
	char web[100];
	struct err none = { 0 };
	snprintf(web, sizeof web, "%s/web", dir);
	struct files *f = files_new(web, NULL, &none);
	assert_non_null(f);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct web_file file;
		struct err e = { 0 };
		bool ok = files_get(f, rows[i].path, false, &file, &e);
		assert_int_equal(ok, rows[i].text != NULL);
		if (!ok) {
			assert_string_equal(e.text, rows[i].type);
			continue;
		}
		assert_int_equal(file.len, strlen(rows[i].text));
		assert_memory_equal(file.bytes, rows[i].text, file.len);
		assert_string_equal(file.type, rows[i].type);
		assert_true(files_match(file.etag, file.etag));
		free(file.owned);
	}
	files_free(f);
}

static void test_no_folder(void **state)
{
	(void)state;
	struct err e = { 0 };
	assert_null(files_new("/nowhere/at/all", NULL, &e));
	assert_string_equal(e.text,
		"there is no folder '/nowhere/at/all' for --web");
}

/* A file that was downloaded for the page is in no folder, and is still
 * served. */
static void test_kept(void **state)
{
	(void)state;
	char web[100];
	struct err e = { 0 };
	struct web_file file, own;
	snprintf(web, sizeof web, "%s/web", dir);
	struct files *f = files_new(web, NULL, &e),
		     *program = files_new("", NULL, &e);
	assert_true(files_get(program, "/kept/package.json", false, &own, &e));
	assert_true(files_get(f, "/kept/package.json", false, &file, &e));
	assert_ptr_equal(file.bytes, own.bytes);
	assert_null(file.owned);
	assert_string_equal(file.etag, own.etag);
	assert_true(files_get(program, "/icon.svg", false, &own, &e));
	assert_false(files_get(f, "/icon.svg", false, &file, &e));
	files_free(f);
	files_free(program);
}

/* The frame of the page is in the program in two forms, the icon in one: it is
 * smaller than a packet. */
static void test_gzip(void **state)
{
	(void)state;
	struct err e = { 0 };
	struct web_file plain, gzip;
	struct files *f = files_new(NULL, NULL, &e);
	assert_true(files_get(f, "/", false, &plain, &e));
	assert_true(files_get(f, "/", true, &gzip, &e));
	assert_true(plain.has_gzip && gzip.has_gzip);
	assert_true(!plain.gzip && gzip.gzip);
	assert_memory_equal(plain.bytes, "<!doctype html>", 15);
	assert_memory_equal(gzip.bytes, "\x1f\x8b", 2);
	assert_true(gzip.len < plain.len);
	assert_string_equal(gzip.type, plain.type);
	assert_string_equal(gzip.etag, plain.etag);
	assert_true(files_get(f, "/icon.svg", true, &gzip, &e));
	assert_false(gzip.gzip || gzip.has_gzip);
	files_free(f);
}

extern const struct embedded web_files[];

/* The names of bundled files contain a hash, so only these files never
 * change. */
static void test_never_changes(void **state)
{
	(void)state;
	struct err e = { 0 };
	struct web_file file;
	struct files *f = files_new("", NULL, &e);
	for (size_t i = 0; web_files[i].path; i++) {
		assert_true(files_get(f, web_files[i].path, false, &file, &e));
		assert_int_equal(file.never_changes,
			!strncmp(web_files[i].path, "bundle/", 7));
	}
	files_free(f);
}

/* A folder has no compressed copies, and every file in it can change. */
static void test_gzip_of_folder(void **state)
{
	(void)state;
	char web[100];
	struct err e = { 0 };
	struct web_file file;
	snprintf(web, sizeof web, "%s/web", dir);
	struct files *f = files_new(web, NULL, &e);
	assert_true(files_get(f, "/", true, &file, &e));
	assert_false(file.gzip || file.has_gzip);
	assert_memory_equal(file.bytes, "<p>page", file.len);
	free(file.owned);
	assert_true(files_get(f, "/bundle/a.js", false, &file, &e));
	assert_false(file.never_changes);
	free(file.owned);
	files_free(f);
}

/* the beginning of sha256("<p>page"), from sha256sum */
static void test_etag(void **state)
{
	(void)state;
	char web[100];
	struct err e = { 0 };
	struct web_file file;
	snprintf(web, sizeof web, "%s/web", dir);
	struct files *f = files_new(web, NULL, &e);
	assert_true(files_get(f, "/", false, &file, &e));
	assert_string_equal(file.etag, "\"14f7bff480f9c15c\"");
	free(file.owned);
	files_free(f);
}

static const struct {
	const char *header;
	bool match;
} matches[] = {
	{ NULL, false },
	{ "", false },
	{ "*", true },
	{ "\"abc\"", true },
	{ "W/\"abc\"", true },
	{ "\"x\", \"abc\"", true },
	{ "\"x\",\"abc\",\"y\"", true },
	{ "\"ab\"", false },
	{ "\"abcd\"", false },
	{ "abc", false },
};

static void test_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof matches / sizeof *matches; i++)
		assert_int_equal(files_match(matches[i].header, "\"abc\""),
			matches[i].match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_never_changes),
		cmocka_unit_test(test_gzip_of_folder),
		cmocka_unit_test(test_etag),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_perfetto),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
