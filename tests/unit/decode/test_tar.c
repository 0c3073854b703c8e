/* test_tar.c - reads tar archives in pieces of many sizes, with the headers that
 * the server writes */
#include "arena.h"
#include "decode.h"
#include "tar_header.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct arena arena;
	const char *bytes;
	size_t len, each;
	bool whole; /* read each file to its end */
	char *out;
	size_t at, size;
};

static bool piece_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct reading *r = ctx;
	(void)e;
	*bytes = r->bytes;
	*len = r->len < r->each ? r->len : r->each;
	r->bytes += *len;
	r->len -= *len;
	return true;
}

static bool keep(void *ctx, const char *name, struct source *s, struct err *e)
{
	struct reading *r = ctx;
	const void *from;
	size_t n = 1;

	r->at += (size_t)snprintf(r->out + r->at, r->size - r->at, "%s=", name);
	while (r->whole && n) {
		if (!s->next(s->ctx, &from, &n, e))
			return false;
		memcpy(r->out + r->at, from, n);
		r->at += n;
	}
	r->out[r->at++] = ';';
	return true;
}

/* Reads the archive; writes "NAME=BYTES;" of each file, and the error. */
static void read_all(const char *bytes, size_t len, size_t each, bool whole,
	char *out, size_t size)
{
	static const struct decode_limits limits = { 16384, 200 };
	struct reading r = { .bytes = bytes,
		.len = len,
		.each = each,
		.whole = whole,
		.out = out,
		.size = size };
	struct source s = { piece_next, &r, -1 };
	struct trace t;
	const struct decode_target to = { &t, keep, &r };
	struct err e = { 0 };
	bool archive = false;

	assert_true(trace_init(&t, &r.arena));
	bool ok = decode_files(&s, &limits, NULL, &to, &archive, &e);
	assert_int_equal(ok, !e.code);
	assert_true(archive);
	snprintf(out + r.at, size - r.at, "%s", e.text);
	arena_release(&r.arena);
}

struct member {
	const char *name, *bytes;
	char type;
};

static size_t write_all(const struct member *m, unsigned char *to)
{
	size_t at = 0;
	for (; m->name; m++) {
		size_t len = strlen(m->bytes);
		tar_header_write(to + at, m->name, (int64_t)len, m->type);
		memcpy(to + at + TAR_BLOCK, m->bytes, len);
		at += TAR_BLOCK + len +
		      (size_t)tar_header_padding((int64_t)len);
	}
	return at + 2 * TAR_BLOCK;
}

#define LONG_NAME                                                            \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json"

static const struct {
	struct member members[5];
	const char *read, *skipped;
} rows[] = {
	{ { { "a.json", "abc", '0' }, { "b", "", '0' } }, "a.json=abc;b=;",
		"a.json=;b=;" },
	/* continuations belong to the file before them, also if it is skipped
	 */
	{ { { "a", "abc", '0' }, { "a", "def", 'M' }, { "a", "", 'M' },
		  { "b", "x", '0' } },
		"a=abcdef;b=x;", "a=;b=;" },
	{ { { "a", "", '0' }, { "a", "def", 'M' } }, "a=def;", "a=;" },
	{ { { "b/" LONG_NAME LONG_NAME, "1", '0' } }, LONG_NAME "=1;",
		LONG_NAME "=;" },
	{ { { "a", "1", '0' }, { "b", "", '2' } },
		"a=1;'b' in the tar archive is a link; pack regular files only "
		"(`tar -h` follows links)",
		"a=;'b' in the tar archive is a link; pack regular files only "
		"(`tar -h` follows links)" },
	{ { { "x..y/..z/a..", "1", '0' }, { "a/..", "", '0' } },
		"x..y/..z/a..=1;'a/..' in the tar archive leads out of its "
		"folder; pack the files without '..'",
		"x..y/..z/a..=;'a/..' in the tar archive leads out of its "
		"folder; pack the files without '..'" },
};

static void test_files(void **state)
{
	static unsigned char archive[8192];
	char got[1000];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t each = 1; each < 3000; each += 97) {
			memset(archive, 0, sizeof archive);
			size_t len = write_all(rows[i].members, archive);
			read_all((char *)archive, len, each, true, got,
				sizeof got);
			assert_string_equal(got, rows[i].read);
			read_all((char *)archive, len, each, false, got,
				sizeof got);
			assert_string_equal(got, rows[i].skipped);
		}
}

/* However many bytes are missing, it is an error. Without a whole header it is
 * not known to be an archive. */
static void test_cut(void **state)
{
	static unsigned char archive[8192];
	const struct member members[] = { { "a", "abc", '0' },
		{ "b", "def", '0' }, { 0 } };
	size_t len = write_all(members, archive);
	char got[1000];
	(void)state;
	for (size_t cut = TAR_BLOCK + 1; cut <= len - TAR_BLOCK; cut++) {
		read_all((char *)archive, len - cut, 512, true, got,
			sizeof got);
		assert_non_null(strstr(got, "the tar archive breaks off in"));
	}
}

static void test_sizes(void **state)
{
	static unsigned char archive[8192];
	char got[1000];
	(void)state;
	tar_header_write(archive, "a", 16385, '0');
	read_all((char *)archive, sizeof archive, 512, true, got, sizeof got);
	assert_string_equal(got,
		"'a' in the tar archive has 0 MiB; the maximum is 0, see "
		"--max-uncompressed-mib");
	tar_header_write(archive, "a", INT64_C(3) << 40, '0');
	read_all((char *)archive, sizeof archive, 512, true, got, sizeof got);
	assert_string_equal(got,
		"'a' in the tar archive has 3145728 MiB; the maximum is 0, see "
		"--max-uncompressed-mib");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
