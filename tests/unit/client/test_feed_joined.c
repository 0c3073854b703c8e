/* test_feed_joined.c - tests two files that are sent as one, with one
 * compression whatever compression they had. */
#include "feed_files.h"

/* Two files with a newline between them, for any compression. */
static void test_joined(void **state)
{
	(void)state;
	enum { FIRST = PACK_PIECE + 9, SECOND = 77 };
	for (size_t i = 0; i < 2; i++) {
		struct err e = { 0 };
		write_file(plain, FIRST);
		write_to(other, plain + FIRST, SECOND);
		struct feed *f = feed_joined(path, other, kinds[i], &e);
		assert_non_null(f);
		assert_int_equal(feed_total(f), FIRST + 1 + SECOND);
		assert_int_equal(feed_length(f),
			i == 0 ? FIRST + 1 + SECOND : -1);
		assert_string_equal(feed_base_name(f), path + strlen("/tmp/"));
		size_t len = drain(f, packed, 1000);
		assert_int_equal(feed_bytes_read(f), FIRST + 1 + SECOND);
		assert_int_equal(unpack(kinds[i], packed, len),
			FIRST + 1 + SECOND);
		assert_memory_equal(unpacked, plain, FIRST);
		assert_int_equal(unpacked[FIRST], '\n');
		assert_memory_equal(unpacked + FIRST + 1, plain + FIRST,
			SECOND);
		assert_true(feed_restart(f, &e));
		assert_int_equal(drain(f, again, 65536), len);
		assert_memory_equal(again, packed, len);
		feed_free(f);
	}
}

/* The compression of the first file decides how the rest is sent. */
static void test_joined_to_packed(void **state)
{
	(void)state;
	struct err e = { 0 };
	size_t gzip_len, all;
	write_file(plain, 1000);
	struct feed *f = feed_new(path, PACK_GZIP, &e);
	gzip_len = drain(f, again, 1000);
	feed_free(f);
	write_to(other, again, gzip_len);
	f = feed_joined(path, other, PACK_ZSTD, &e);
	all = drain(f, packed, 1000);
	feed_free(f);
	assert_memory_equal(packed, again, gzip_len);
	assert_memory_equal(packed + all - gzip_len, again, gzip_len);
	/* a newline in between, with the same compression */
	assert_int_equal(unpack(PACK_GZIP, packed + gzip_len,
				 all - 2 * gzip_len),
		1);
	assert_int_equal(unpacked[0], '\n');
}

/* A form has both files unchanged, and is the same when it is sent again. */
static void test_form(void **state)
{
	(void)state;
	enum { FIRST = PACK_PIECE + 9, SECOND = 77 };
	for (size_t i = 0; i < 2; i++) {
		struct err e = { 0 };
		const char *const second[] = { other };
		char want[400];
		write_file(plain, FIRST);
		write_to(other, plain + FIRST, SECOND);
		struct feed *f = feed_new(path, kinds[i], &e);
		const char *type = feed_form(f, "p", second, 1, &e);
		assert_memory_equal(type, "multipart/form-data; boundary=", 30);
		const char *boundary = type + 30;
		assert_string_equal(feed_base_name(f), path + strlen("/tmp/"));
		size_t len = drain(f, packed, 1000);
		size_t head = (size_t)snprintf(want, sizeof want,
			"--%s\r\nContent-Disposition: form-data; "
			"name=\"file\"; filename=\"%s\"\r\n\r\n",
			boundary, path + strlen("/tmp/"));
		assert_memory_equal(packed, want, head);
		if (i == 0)
			assert_memory_equal(packed + head, plain, FIRST);
		size_t tail = (size_t)snprintf(want, sizeof want,
			"\r\n--%s\r\nContent-Disposition: form-data; "
			"name=\"p\"; filename=\"%s\"\r\n\r\n%.*s\r\n--%s--"
			"\r\n",
			boundary, other + strlen("/tmp/"), SECOND,
			plain + FIRST, boundary);
		assert_memory_equal(packed + len - tail, want, tail);
		assert_int_equal(unpack(kinds[i], packed + head,
					 len - head - tail),
			FIRST);
		assert_memory_equal(unpacked, plain, FIRST);
		assert_true(feed_restart(f, &e));
		assert_int_equal(drain(f, again, 65536), len);
		assert_memory_equal(again, packed, len);
		feed_free(f);
		f = feed_new(path, kinds[i], &e);
		assert_false(
			feed_form(f, "p", (const char *[]){ "/none" }, 1, &e));
		assert_string_equal(e.text,
			"cannot open '/none': No such file or directory");
		feed_free(f);
	}
}

static void test_joined_refused(void **state)
{
	(void)state;
	static const struct {
		const char *first, *second;
	} rows[] = { { "\x1f\x8b", "\x28\xb5\x2f\xfd" }, { "BZh", "a" },
		{ "a", "BZh" }, { "BZh", "BZh" } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		write_file(rows[i].first, strlen(rows[i].first));
		write_to(other, rows[i].second, strlen(rows[i].second));
		assert_null(feed_joined(path, other, PACK_ZSTD, &e));
		snprintf(again, ROOM,
			"the compressions of '%s' and '%s' cannot be sent "
			"as one; decompress them, or compress both with gzip "
			"or zstd",
			path, other);
		assert_string_equal(e.text, again);
	}
	struct err e = { 0 };
	write_file("a", 1);
	assert_null(feed_joined(path, "/dev/null", PACK_ZSTD, &e));
	assert_string_equal(e.text, "'/dev/null' is empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_joined_to_packed),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_joined_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
