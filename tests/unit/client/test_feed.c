/* test_feed.c - tests that files of every size and kind are compressed, and
 * compares them after decompression. */
#include "feed_files.h"

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
		assert_int_equal(feed_bytes_read(f), size);
		assert_int_equal(unpack(kind, packed, len), size);
		assert_memory_equal(unpacked, plain, size);
		/* restarted and read in other steps: the same bytes */
		assert_true(feed_restart(f, &e));
		assert_int_equal(drain(f, again, 65536), len);
		assert_memory_equal(again, packed, len);
		feed_free(f);
	}
}

/* A child writes the bytes in small parts, as a pipe delivers them. */
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

static void test_pipe_equals_file(void **state)
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
		assert_true(feed_restart(f, &e)); /* no data yet */
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
	assert_int_equal(feed_bytes_sent(f), PACK_PIECE + 10);
	feed_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip_twice),
		cmocka_unit_test(test_pipe_equals_file),
		cmocka_unit_test(test_packed_already),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shorter_meanwhile),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
