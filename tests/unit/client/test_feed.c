/* test_feed.c - files of every size and kind, packed, unpacked, compared. */
#include "feed.h"
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

enum { BIGGEST = 3 * PACK_PIECE + 77, ROOM = 2 * BIGGEST };

static char plain[BIGGEST], packed[ROOM], again[ROOM], unpacked[ROOM];
static char path[] = "/tmp/ks-feed-XXXXXX";

/* Text that packs, but not away. */
static int set_up(void **state)
{
	(void)state;
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof plain; i++) {
		x = x * 1664525 + 1013904223;
		plain[i] = "{\"ts\": 0123456789}"[x >> 28];
	}
	int fd = mkstemp(path);
	return fd < 0 || close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static size_t drain(struct feed *f, char *to, size_t step)
{
	size_t len, all = 0;
	struct err e = { 0 };
	do {
		assert_true(all + step <= ROOM);
		assert_true(feed_next(f, to + all, step, &len, &e));
		all += len;
	} while (len);
	assert_int_equal(feed_given(f), all);
	return all;
}

static size_t unpack(enum pack_kind kind, const char *from, size_t len)
{
	if (kind == PACK_NONE) {
		memcpy(unpacked, from, len);
		return len;
	}
	if (kind == PACK_ZSTD)
		return ZSTD_decompress(unpacked, ROOM, from, len);
	static struct inflate_state s;
	isal_inflate_init(&s);
	s.crc_flag = ISAL_GZIP;
	s.next_in = (uint8_t *)(uintptr_t)from;
	s.avail_in = (uint32_t)len;
	s.next_out = (uint8_t *)unpacked;
	s.avail_out = ROOM;
	assert_int_equal(isal_inflate(&s), ISAL_DECOMP_OK);
	assert_int_equal(s.block_state, ISAL_BLOCK_FINISH);
	return s.total_out;
}

static const enum pack_kind kinds[] = { PACK_NONE, PACK_ZSTD, PACK_GZIP };

static void test_round_trip_twice(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 2, 5, 1000, PACK_PIECE - 1,
		PACK_PIECE, PACK_PIECE + 1, 2 * PACK_PIECE, BIGGEST };
	for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
		enum pack_kind kind = kinds[i % 3];
		size_t size = sizes[i / 3];
		struct err e = { 0 };
		write_file(plain, size);
		struct feed *f = feed_new(path, kind, &e);
		assert_non_null(f);
		assert_int_equal(feed_total(f), size);
		assert_int_equal(feed_length(f),
			kind == PACK_NONE ? (int64_t)size : -1);
		size_t len = drain(f, packed, 1000);
		assert_int_equal(feed_taken(f), size);
		assert_int_equal(unpack(kind, packed, len), size);
		assert_memory_equal(unpacked, plain, size);
		/* started again, and read in other steps: the same bytes */
		assert_true(feed_restart(f, &e));
		assert_int_equal(drain(f, again, 65536), len);
		assert_memory_equal(again, packed, len);
		feed_free(f);
	}
}

/* A child writes the bytes in dribs, as a pipe brings them. */
static int pipe_of(const char *bytes, size_t len)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	if (fork() == 0) {
		close(ends[0]);
		for (size_t at = 0, n; at < len; at += n) {
			n = len - at < 777 ? len - at : 777;
			if (write(ends[1], bytes + at, n) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void test_pipe_gives_what_a_file_gives(void **state)
{
	(void)state;
	int before = dup(STDIN_FILENO);
	for (size_t i = 0; i < 3; i++) {
		struct err e = { 0 };
		write_file(plain, BIGGEST);
		struct feed *f = feed_new(path, kinds[i], &e);
		size_t len = drain(f, packed, 4096);
		feed_free(f);
		int from = pipe_of(plain, BIGGEST);
		dup2(from, STDIN_FILENO);
		close(from);
		f = feed_new("-", kinds[i], &e);
		assert_non_null(f);
		assert_null(feed_base_name(f));
		assert_string_equal(feed_label(f), "standard input");
		assert_int_equal(feed_total(f), -1);
		assert_true(feed_restart(f, &e)); /* nothing was given yet */
		assert_int_equal(drain(f, again, 4096), len);
		assert_memory_equal(again, packed, len);
		assert_false(feed_restart(f, &e));
		assert_string_equal(e.text,
			"'standard input' is a pipe and cannot be sent a "
			"second time; save it to a file");
		feed_free(f);
	}
	dup2(before, STDIN_FILENO);
	close(before);
}

static void test_packed_already(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = { { "\x1f\x8b\x08", 3 }, { "\x28\xb5\x2f\xfd", 4 },
		{ "BZh9", 4 }, { "PK\x03\x04", 4 },
		{ "\xfd"
		  "7zXZ\0",
			6 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		write_file(rows[i].bytes, rows[i].len);
		struct feed *f = feed_new(path, PACK_ZSTD, &e);
		assert_int_equal(feed_length(f), rows[i].len);
		assert_int_equal(drain(f, packed, 10), rows[i].len);
		assert_memory_equal(packed, rows[i].bytes, rows[i].len);
		feed_free(f);
	}
}

static void test_refused(void **state)
{
	(void)state;
	struct err e = { 0 };
	assert_null(feed_new("/nowhere/x\n.json", PACK_ZSTD, &e));
	assert_string_equal(e.text,
		"cannot open '/nowhere/x?.json': No such file or directory");
	e = (struct err){ 0 };
	assert_null(feed_new("/tmp", PACK_ZSTD, &e));
	assert_string_equal(e.text,
		"'/tmp' is a directory; name the files in it");
	e = (struct err){ 0 };
	assert_null(feed_new("/dev/null", PACK_ZSTD, &e));
	assert_string_equal(e.text, "'/dev/null' is empty");
}

static void test_shorter_meanwhile(void **state)
{
	(void)state;
	struct err e = { 0 };
	size_t len;
	write_file(plain, BIGGEST);
	struct feed *f = feed_new(path, PACK_NONE, &e);
	assert_int_equal(truncate(path, PACK_PIECE + 10), 0);
	while (feed_next(f, packed, 65536, &len, &e))
		assert_true(len > 0);
	assert_true(strstr(e.text, "' became shorter while it was sent"));
	assert_int_equal(feed_given(f), PACK_PIECE + 10);
	feed_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip_twice),
		cmocka_unit_test(test_pipe_gives_what_a_file_gives),
		cmocka_unit_test(test_packed_already),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shorter_meanwhile),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
