/* test_archive.c - tests that archives are read back as written, that
 * truncated or changed archives are rejected, and that existing files are
 * kept. */
#include "archive.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { BYTES = 5 << 20 };

static char dir[] = "/tmp/ks-archive-XXXXXX";
static char path[64];

/* Half of it is incompressible, so that there are many pieces. */
static unsigned char *bytes_made(void)
{
	unsigned char *b = malloc(BYTES);
	uint32_t x = 1;
	assert_non_null(b);
	for (int i = 0; i < BYTES; i++) {
		x = x * 1664525 + 1013904223;
		b[i] = i & 1 << 19 ? (unsigned char)(x >> 24) : 'a';
	}
	return b;
}

static struct manifest manifest_made(void)
{
	struct manifest m = { .postgres = 15,
		.schema = 8,
		.raw = 1,
		.uploads = 2,
		.chunks = INT64_MAX,
		.runs = 3,
		.kernels = 4,
		.tokens = 5 };
	snprintf(m.made_at, sizeof m.made_at, "2026-08-22T10:11:12Z");
	snprintf(m.version, sizeof m.version, "0.1.0");
	memset(m.migrations, 'a', SHA256_HEX - 1);
	return m;
}

static void put(const unsigned char *b, size_t len)
{
	struct err e = { 0 };
	struct manifest m = manifest_made();
	struct archive_writer *w = archive_writer_new(path, &e);
	assert_non_null(w);
	for (size_t at = 0, piece = 1; at < len; at += piece, piece += 997) {
		if (piece > len - at)
			piece = len - at;
		assert_true(archive_write(w, b + at, piece, &e));
	}
	assert_int_equal(access(path, F_OK), -1);
	assert_true(archive_writer_end(w, &m, &e));
	archive_writer_free(w);
}

static void there_and_back(void **state)
{
	unsigned char *b = bytes_made();
	struct err e = { 0 };
	struct manifest m, was = manifest_made();
	struct stat st;
	const void *bytes;
	size_t at = 0;
	(void)state;
	put(b, BYTES);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	struct archive_reader *r = archive_reader_new(path, &m, &e);
	assert_non_null(r);
	assert_int_equal(m.bytes, st.st_size - 4096);
	assert_int_equal(strlen(m.sha256), SHA256_HEX - 1);
	was.bytes = m.bytes;
	memcpy(was.sha256, m.sha256, sizeof was.sha256);
	assert_memory_equal(&m, &was, sizeof m);
	for (size_t n = 1; n; at += n) {
		assert_true(archive_read(r, &bytes, &n, &e));
		assert_true(at + n <= BYTES);
		assert_memory_equal(bytes, b + at, n);
	}
	assert_int_equal(at, BYTES);
	archive_reader_free(r);
	free(b);
	unlink(path);
}

static void an_existing_file_stays(void **state)
{
	struct err e = { 0 };
	(void)state;
	put((const unsigned char *)"x", 1);
	assert_null(archive_writer_new(path, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	unlink(path);
}

/* Without its end there is no file, of any name. */
static void left_half(void **state)
{
	struct err e = { 0 };
	struct archive_writer *w;
	(void)state;
	w = archive_writer_new(path, &e);
	assert_true(archive_write(w, "x", 1, &e));
	archive_writer_free(w);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
}

static bool refused(struct err *e)
{
	struct manifest m;
	*e = (struct err){ 0 };
	struct archive_reader *r = archive_reader_new(path, &m, e);
	archive_reader_free(r);
	return !r && e->code == ERR_FORMAT;
}

/* After the last line of the manifest, the rest of the manifest's frame is
 * empty, and its bytes have no meaning. */
static void every_byte_counts(void **state)
{
	unsigned char whole[8192], was;
	struct err e;
	(void)state;
	put((const unsigned char *)"kernels", 7);
	int fd = open(path, O_RDWR);
	ssize_t len = pread(fd, whole, sizeof whole, 0);
	const char *text = (const char *)whole + 8;
	ssize_t manifest_end = 8 + (ssize_t)strlen(text);
	for (ssize_t i = 0; i < len; i++) {
		if (i >= manifest_end && i < 4096)
			continue;
		was = whole[i] ^ 1;
		assert_int_equal(pwrite(fd, &was, 1, i), 1);
		assert_true(refused(&e));
		assert_int_equal(pwrite(fd, &whole[i], 1, i), 1);
	}
	assert_false(refused(&e));
	for (ssize_t i = len - 1; i >= 0; i -= i > 4096 ? 1 : 64) {
		assert_int_equal(ftruncate(fd, i), 0);
		assert_true(refused(&e));
	}
	close(fd);
	unlink(path);
}

static const struct {
	const char *text, *sentence;
} odd[] = {
	{ "", "is not a backup of kernsift" },
	{ "kernsift", "is not a backup of kernsift" },
	{ "kernsift backup 2\nx", "is a backup of format 2, which this program "
				  "cannot read; use a newer kernsiftd" },
	{ "kernsift backup 1\n", "is damaged: its manifest is inconsistent" },
	{ "kernsift backup 1\nmade_at x\n",
		"is damaged: its manifest is inconsistent" },
};

static void invalid_manifests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		char text[MANIFEST_TEXT];
		struct manifest m;
		struct err e = { 0 };
		snprintf(text, sizeof text, "%s", odd[i].text);
		assert_false(manifest_from(&m, text, &e));
		assert_string_equal(e.text, odd[i].sentence);
	}
}

/* Its own hash is correct; one line is invalid. */
static void lines_that_do_not_fit(void **state)
{
	static const char *const swap[][2] = { { "runs 3", "runs -3" },
		{ "runs 3", "runs 3 " }, { "runs 3", "runs x" },
		{ "runs 3", "runs 99999999999999999999" },
		{ "runs 3", "Runs 3" }, { "runs 3\n", "" },
		{ "runs 3\n", "runs 3\nruns 3\n" }, { "aaa\n", "aa\n" },
		{ "aaa\n", "aaaa\n" },
		{ "version ", "version "
			      "0123456789012345678901234567890123456789" } };
	(void)state;
	for (size_t i = 0; i < sizeof swap / sizeof *swap; i++) {
		char text[MANIFEST_TEXT], other[2 * MANIFEST_TEXT];
		char hex[SHA256_HEX];
		uint8_t digest[SHA256_BYTES];
		struct manifest m = manifest_made();
		struct err e = { 0 };
		memset(m.sha256, 'b', SHA256_HEX - 1);
		manifest_text(&m, text);
		char *at = strstr(text, swap[i][0]);
		*strstr(text, "manifest ") = '\0';
		int n = snprintf(other, sizeof other, "%.*s%s%s",
			(int)(at - text), text, swap[i][1],
			at + strlen(swap[i][0]));
		sha256_of(other, (size_t)n, digest);
		sha256_hex(digest, hex);
		snprintf(other + n, sizeof other - (size_t)n, "manifest %s\n",
			hex);
		assert_false(manifest_from(&m, other, &e));
		assert_int_equal(e.code, ERR_FORMAT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(an_existing_file_stays),
		cmocka_unit_test(left_half),
		cmocka_unit_test(every_byte_counts),
		cmocka_unit_test(invalid_manifests),
		cmocka_unit_test(lines_that_do_not_fit),
	};
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/b", dir);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return failed;
}
