/* test_plain.c - tests decompression in pieces of any size, and with every
 * possible end. */
#include "packed.h"

static int64_t all_notes(const struct notes *ns)
{
	int64_t n = 0;
	for (int c = 0; c < NOTE_CODES; c++)
		n += ns->count[c];
	return n;
}

/* 5,000 bytes with a long period. */
static const unsigned char *sample(size_t *len)
{
	static unsigned char bytes[5000];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof bytes; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = (unsigned char)"{}[]\",: 01234567"[x >> 24 & 15];
	}
	*len = sizeof bytes;
	return bytes;
}

static struct bytes b;
static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000, ROOM };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void same_however(size_t times)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	for (size_t i = 0; i < SIZES; i++)
		for (size_t o = 0; o < SIZES; o++) {
			struct result r;
			read_all(&r, &b, sizes[i], sizes[o]);
			assert_int_equal(r.len, times * len);
			for (size_t t = 0; t < times; t++)
				assert_memory_equal(r.at + t * len, plain, len);
			assert_int_equal(all_notes(&r.notes), 0);
			free(r.at);
		}
}

static void test_whole(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add(&b, plain, len);
	same_however(1);
	b.len = 0;
	add_gzip(&b, plain, len);
	same_however(1);
	add_gzip(&b, plain, len);
	add_gzip(&b, plain, len);
	same_however(3);
	b.len = 0;
	add_zstd(&b, plain, len);
	same_however(1);
	add_zstd(&b, plain, len);
	same_however(2);
}

/* Bytes after the last member are ignored and counted. */
static void test_garbage(void **state)
{
	static const char *const behind[] = { "x", "garbage", "\x1F",
		"\x1F\x8Bmore", "\0\0\0\0\0\0\0\0\0\0\0\0", "}" };
	static const size_t lens[] = { 1, 7, 1, 6, 12, 1 };
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
		for (size_t each = 0; each < SIZES; each++) {
			struct result r;
			b.len = 0;
			add_gzip(&b, plain, len);
			add(&b, behind[i], lens[i]);
			read_all(&r, &b, sizes[each], 1000);
			assert_int_equal(r.len, len);
			assert_int_equal(r.notes.count[NOTE_gzip_garbage],
				lens[i]);
			assert_int_equal(r.notes.count[NOTE_damaged], 0);
			free(r.at);
		}
	b.len = 0;
	add_zstd(&b, plain, len);
	add(&b, "garbage", 7);
	struct result r;
	read_all(&r, &b, 3, 1000);
	assert_int_equal(r.len, len);
	assert_int_equal(r.notes.count[NOTE_gzip_garbage], 7);
	free(r.at);
}

/* Truncated anywhere: the output so far is correct, and the truncation is
 * reported. */
static void cut_anywhere(void)
{
	size_t len, whole = b.len;
	const unsigned char *plain = sample(&len);
	for (b.len = 4; b.len < whole; b.len += b.len < 40 ? 1 : 97) {
		struct result r;
		read_all(&r, &b, 50, 1000);
		assert_true(r.len <= len);
		assert_memory_equal(r.at, plain, r.len);
		assert_int_equal(r.notes.count[NOTE_truncated] > 0 ||
					 r.len == 0,
			1);
		assert_int_equal(r.notes.count[NOTE_truncated], r.len);
		free(r.at);
	}
}

static void test_cut(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	cut_anywhere();
	b.len = 0;
	add_zstd(&b, plain, len);
	cut_anywhere();
}

static void test_checksum(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	struct result r;
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	b.at[b.len - 6] ^= 1;
	read_all(&r, &b, ROOM, 700);
	assert_int_equal(r.len, len);
	assert_int_equal(r.notes.count[NOTE_checksum], len);
	free(r.at);
}

/* A flipped bit anywhere in the middle is detected by some check. */
static void test_flipped(void **state)
{
	size_t len;
	const unsigned char *plain = sample(&len);
	(void)state;
	b.len = 0;
	add_gzip(&b, plain, len);
	/* The last four bytes are not changed: they are a length, which the
	 * checksum makes redundant. */
	for (size_t i = 12; i < b.len - 4; i += 61) {
		struct result r;
		b.at[i] ^= 0x10;
		read_all(&r, &b, 333, 1000);
		assert_true(r.len <= 2 * ROOM);
		if (all_notes(&r.notes) == 0 && r.len > 0)
			fail_msg("byte %zu of %zu", i, b.len);
		b.at[i] ^= 0x10;
		free(r.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_flipped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
