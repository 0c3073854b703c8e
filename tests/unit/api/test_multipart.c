/* test_multipart.c - tests multipart forms, complete and in pieces of every
 * size. */
#include "multipart.h"
#include "buf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct multipart form;
static int provenances;

/* The name of a provenance file is written before its bytes. */
static bool keep(void *ctx, const void *bytes, size_t len, struct err *e)
{
	(void)e;
	if (form.in_provenance && provenances != form.provenances)
		buf_printf(ctx, "[%s]", form.provenance_name);
	provenances = form.provenances;
	buf_add(ctx, bytes, len);
	return true;
}

#define PART \
	"Content-Disposition: form-data; name=\"file\"; filename=\"a.json\""
#define FILES(name) \
	"Content-Disposition: form-data; name=\"files\"; filename=\"" name "\""

static const struct {
	const char *body, *file, *name, *text;
} rows[] = {
	{ "--X\r\n" PART "\r\nContent-Type: a/b\r\n\r\n{\"a\":1}\r\n--X--\r\n",
		"{\"a\":1}", "a.json", "" },
	/* text before the first delimiter and after the last is ignored */
	{ "hello\r\n--X\r\n" PART "\r\n\r\nab\r\n--X--\r\nbye", "ab", "a.json",
		"" },
	/* text that only looks like a delimiter belongs to the file */
	{ "--X\r\n" PART "\r\n\r\n\r\n--\r\r\n-\r\n--Y\r\n\r\n--X--",
		"\r\n--\r\r\n-\r\n--Y\r\n", "a.json", "" },
	{ "--X \t\r\n" PART "\r\n\r\n\r\n--X--", "", "a.json", "" },
	{ "--X\r\ncontent-disposition: form-data; filename=\"a\\\"b.json\"; "
	  "name=f\r\n\r\nz\r\n--X--",
		"z", "a\"b.json", "" },
	{ "--X\r\nContent-Disposition: form-data; filename=plain.gz\r\n\r\nz"
	  "\r\n--X--",
		"z", "plain.gz", "" },
	{ "--X\r\nContent-Disposition: form-data; filename=\"\xff.gz\"\r\n\r\nz"
	  "\r\n--X--",
		"z", "\xef\xbf\xbd.gz", "" },
	/* files with the name "provenance" */
	{ "--X\r\n" PART "\r\n\r\nab\r\n--X\r\nContent-Disposition: form-data; "
	  "name=\"provenance\"; filename=\"p.json\"\r\n\r\n{}\r\n--X--",
		"ab[p.json]{}", "a.json", "" },
	{ "--X\r\nContent-Disposition: form-data; name=provenance; filename=p"
	  "\r\n\r\nz\r\n--X--",
		"[p]z", "",
		"the form has no file; add a part with a filename" },
	{ "--X--\r\n", "", "",
		"the form has no file; add a part with a filename" },
	{ "", "", "",
		"the form ends before its closing boundary; send it again" },
	{ "--X\r\n" PART "\r\n\r\nabc", "abc", "a.json",
		"the form ends before its closing boundary; send it again" },
	{ "--X\r\n" PART "\r\n\r\na\r\n--X\r\n" PART "\r\n\r\nb\r\n--X--", "a",
		"a.json",
		"the form has several files; name the field of each 'files' if "
		"they belong together (a trace and its captures), or send one "
		"at a time" },
	{ "--X\r\n" FILES("a") "\r\n\r\nx\r\n--X\r\n" FILES(
		  "b") "\r\n\r\ny\r\n--X--",
		"xy", "b", "" },
	{ "--X\r\n" FILES("a") "\r\n\r\nx\r\n--X\r\n" PART "\r\n\r\ny\r\n--X--",
		"x", "a",
		"the form has several files; name the field of each 'files' if "
		"they belong together (a trace and its captures), or send one "
		"at a time" },
	{ "--X\r\nContent-Disposition: form-data; name=\"project\"\r\n\r\np\r\n"
	  "--X--",
		"", "",
		"the form's field 'project' is not a file; give it in the "
		"query" },
	{ "--X\r\nContent-Type: a/b\r\n\r\nz\r\n--X--", "", "",
		"a part of the form has no Content-Disposition" },
	{ "--Xy\r\n" PART "\r\n\r\nz\r\n--X--", "", "",
		"the form's boundary is damaged" },
};

/* Reads the form in pieces of `piece` bytes; returns the error message, or
 * "". */
static const char *play(const char *body, size_t piece, struct buf *file)
{
	static struct err e;
	struct multipart *m = &form;
	provenances = 0;
	size_t len = strlen(body);
	e = (struct err){ 0 };
	assert_true(multipart_init(m, "multipart/form-data; boundary=X", &e));
	for (size_t i = 0; i < len; i += piece) {
		size_t n = len - i < piece ? len - i : piece;
		if (!multipart_feed(m, body + i, n, keep, file, &e))
			return e.text;
	}
	multipart_end(m, &e);
	return e.text;
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t piece = 1; piece <= 200; piece++) {
			struct buf file;
			buf_init(&file, 1000);
			buf_puts(&file, "");
			assert_string_equal(play(rows[i].body, piece, &file),
				rows[i].text);
			assert_string_equal(file.at, rows[i].file);
			assert_string_equal(form.file_name, rows[i].name);
			buf_release(&file);
		}
}

static void test_headers_too_long(void **state)
{
	(void)state;
	static char body[MULTIPART_HEADERS + 100];
	struct buf file;
	memset(body, 'h', sizeof body - 1);
	memcpy(body, "--X\r\n", 5);
	buf_init(&file, 1000);
	assert_string_equal(play(body, 64, &file),
		"a part of the form has headers of over 4096 bytes");
	buf_release(&file);
}

static const struct {
	const char *type;
	bool form;
	const char *delimiter, *text;
} types[] = {
	{ "multipart/form-data; boundary=abc", true, "\r\n--abc", "" },
	{ "Multipart/Form-Data; charset=x; Boundary=\"a b\"", true, "\r\n--a b",
		"" },
	{ "application/octet-stream", false, NULL, "" },
	{ NULL, false, NULL, "" },
	{ "multipart/form-data", false, NULL,
		"the form's Content-Type has no boundary of 1 to 70 "
		"characters" },
	{ "multipart/form-data; boundary=\"abc", false, NULL,
		"the form's Content-Type has no boundary of 1 to 70 "
		"characters" },
	{ "multipart/form-data; boundary="
	  "12345678901234567890123456789012345678901234567890"
	  "123456789012345678901",
		false, NULL,
		"the form's Content-Type has no boundary of 1 to 70 "
		"characters" },
};

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct multipart m;
		struct err e = { 0 };
		assert_int_equal(multipart_init(&m, types[i].type, &e),
			types[i].form);
		assert_string_equal(e.text, types[i].text);
		if (types[i].form)
			assert_string_equal(m.delimiter, types[i].delimiter);
	}
}

/* A name of 255 bytes is valid. A name of 256 bytes, also after repair, is
 * too long. */
static void test_file_name_too_long(void **state)
{
	(void)state;
	static const char too_long[] =
		"the name of the form's file is longer than 255 bytes";
	static const struct {
		size_t n;
		char letter;
		const char *quote, *text;
	} names[] = {
		{ 255, 'x', "\"", "" },
		{ 256, 'x', "\"", too_long },
		{ 255, 'x', "", "" },
		{ 256, 'x', "", too_long },
		{ 85, '\xff', "\"", "" },
		{ 86, '\xff', "\"", too_long },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char body[600], name[300] = "";
		struct buf file;
		memset(name, names[i].letter, names[i].n);
		snprintf(body, sizeof body,
			"--X\r\nContent-Disposition: form-data; name=f; "
			"filename=%s%s%s\r\n\r\nz\r\n--X--",
			names[i].quote, name, names[i].quote);
		buf_init(&file, 1000);
		assert_string_equal(play(body, 64, &file), names[i].text);
		if (!*names[i].text)
			assert_int_equal(strlen(form.file_name), 255);
		buf_release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_name_too_long),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_headers_too_long),
		cmocka_unit_test(test_types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
