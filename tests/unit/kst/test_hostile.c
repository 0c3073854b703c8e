/* test_hostile.c - tests chunks with correct checksums and wrong contents. */
#include "made.h"
#include <zstd.h>

/* Reads a capture with this chunk. */
static struct reading one(int kind, uint32_t rows, const void *raw, size_t len)
{
	struct made m = made_new(KST_MAJOR, KST_MINOR);
	chunk_add(&m, kind, rows, raw, len, len);
	return made_reading(&m);
}

#define RAW(...)            \
	(const uint8_t[])   \
	{                   \
		__VA_ARGS__ \
	}
#define BYTES(...) sizeof RAW(__VA_ARGS__), RAW(__VA_ARGS__)
#define ONE(kind, rows, ...) \
	one(kind, rows, RAW(__VA_ARGS__), sizeof RAW(__VA_ARGS__))
#define BOTH(...) \
	RAW(__VA_ARGS__), sizeof RAW(__VA_ARGS__), sizeof RAW(__VA_ARGS__)
#define VARINT_10 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff

static void rows_wrong(void **state)
{
	const struct {
		const char *why;
		uint32_t rows;
		size_t len;
		const uint8_t *raw;
	} cases[] = {
		{ "nothing at all", 1, 0, RAW(0) },
		{ "no rows", 0, BYTES(0) },
		{ "more rows than may be", KST_ROWS_MAX + 1, BYTES(0) },
		{ "as many rows as fit", UINT32_MAX, BYTES(0) },
		{ "a place cut off", 1, BYTES(1, 1, 0, 0) },
		{ "a length cut off", 1, BYTES(1, 1, 0, 0, 0, 0x80) },
		{ "a length past the end", 1, BYTES(1, 1, 0, 0, 0, 5) },
		{ "a length of 64 bits", 1,
			BYTES(1, 1, 0, 0, 0, VARINT_10, 1) },
		{ "lengths that overflow", 1,
			BYTES(2, 1, 0, 0, 0, VARINT_10, 0, 2, 0, 0, 0, 2, 0,
				0) },
		{ "bytes behind the columns", 1,
			BYTES(1, 1, 0, 0, 0, 1, 7, 7) },
		{ "too few cells", 2, BYTES(1, 1, 0, 0, 0, 1, 7) },
		{ "too many cells", 1, BYTES(1, 1, 0, 0, 0, 2, 7, 7) },
		{ "a cell cut off", 1, BYTES(1, 1, 0, 0, 0, 1, 0x80) },
		{ "a cell of 65 bits", 1,
			BYTES(1, 1, 0, 0, 0, 10, VARINT_10, 2) },
		{ "an unknown expectation", 1, BYTES(1, 1, 9, 0, 0, 1, 7) },
		{ "an unknown packing", 1, BYTES(1, 1, 0, 9, 0, 1, 7) },
		{ "a column twice", 1,
			BYTES(2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 7, 7) },
		{ "a name beside its launch", 1, BYTES(1, 3, 0, 0, 0, 1, 0) },
		{ "looks at a column that comes later", 1,
			BYTES(2, 1, 2, 0, 2, 1, 2, 0, 0, 0, 1, 7, 7) },
		{ "looks at itself", 1, BYTES(1, 1, 2, 0, 1, 1, 7) },
		{ "looks at a column that is none", 1,
			BYTES(1, 1, 3, 0, 200, 1, 7) },
		{ "planes of another length", 1, BYTES(1, 1, 0, 2, 0, 1, 7) },
		{ "split too short", 2, BYTES(1, 1, 0, 3, 0, 3, 7, 7, 7) },
		{ "split past 64 bits", 1,
			BYTES(1, 1, 0, 3, 0, 10, 7, 7, 0x80, 0x80, 0x80, 0x80,
				0x80, 0x80, 0x80, 0x01) },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reading t = one(KST_kernel, cases[i].rows, cases[i].raw,
			cases[i].len);
		if (t.damage.damaged != 1 || *t.text || t.got != KST_END)
			fail_msg("%s: %s", cases[i].why, t.text);
		assert_string_equal(t.damage.first, "chunk 0 (kernel)");
		reading_free(&t);
	}
}

/* A column that a chunk lacks is read as not given. An unknown id is read as
 * lost. */
static void absent_and_lost(void **state)
{
	(void)state;
	struct reading t = ONE(KST_kernel, 1, 1, 1, 0, 0, 0, 1, 14);
	assert_string_equal(t.text, "kernel 0 7 0 /0/0 0 -1 -1 -1 -1 -1 "
				    "-1,-1,-1:-1,-1,-1:-1:-1\n");
	assert_int_equal(t.damage.lost, 0);
	reading_free(&t);
	t = ONE(KST_kernel, 1, 1, 10, 0, 0, 0, 1, 14);
	assert_string_equal(t.text, "kernel 0 0 0 (lost)/0/0 0 -1 -1 -1 -1 "
				    "-1 -1,-1,-1:-1,-1,-1:-1:-1\n");
	assert_int_equal(t.damage.lost, 1);
	reading_free(&t);
	t = ONE(KST_op, 1, 1, 3, 0, 0, 0, 1, 1);
	assert_int_equal(t.damage.lost, 1); /* a text with a negative id */
	reading_free(&t);
}

static void texts_wrong(void **state)
{
	const struct {
		uint32_t rows;
		size_t len;
		const uint8_t *raw;
	} cases[] = {
		{ 0, BYTES(1) }, /* none */
		{ 1, 0, RAW(0) }, /* no first id */
		{ 1, BYTES(0, 1, 'a') }, /* id 0 is reserved */
		{ 1, BYTES(1) }, /* no length */
		{ 1, BYTES(1, 5) }, /* longer than the chunk */
		{ 2, BYTES(1, 1, 'a') }, /* fewer than the count */
		{ 1, BYTES(1, 1, 'a', 'b') }, /* more than the count */
		{ 1, BYTES(1, VARINT_10, 1) }, /* a length of 64 bits */
		{ 1, BYTES(VARINT_10, 1, 1, 'a') }, /* an id of 64 bits */
		{ UINT32_MAX, BYTES(1, 1, 'a') },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reading t = one(KST_text, cases[i].rows, cases[i].raw,
			cases[i].len);
		assert_int_equal(t.damage.damaged, 1);
		reading_free(&t);
	}
	struct made m = made_new(KST_MAJOR, KST_MINOR);
	chunk_add(&m, KST_text, 1, BOTH(9, 1, 'a'));
	chunk_add(&m, KST_text, 1, BOTH(9, 1, 'b')); /* again */
	chunk_add(&m, KST_text, 1, BOTH(3, 1, 'c')); /* backwards */
	chunk_add(&m, KST_op, 1, BOTH(1, 3, 0, 0, 0, 1, 18));
	struct reading t = made_reading(&m);
	assert_int_equal(t.damage.damaged, 2);
	assert_non_null(strstr(t.text, " a/1/"));
	reading_free(&t);
}

static void launches_wrong(void **state)
{
	(void)state;
	/* ids 1 and 3 */
	struct reading t = ONE(KST_launch, 2, 1, 0, 1, 0, 0, 2, 2, 4);
	assert_int_equal(t.damage.damaged, 1);
	reading_free(&t);
	/* id 0 */
	t = ONE(KST_launch, 1, 1, 0, 0, 0, 0, 1, 0);
	assert_int_equal(t.damage.damaged, 1);
	reading_free(&t);
	/* a grid of 2^31: zigzag 2^32 */
	t = ONE(KST_launch, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 5, 2, 0x80, 0x80,
		0x80, 0x80, 0x10);
	assert_int_equal(t.damage.damaged, 1);
	reading_free(&t);
}

/* Contents of a later version are skipped, and the rest is read. */
static void later_minor(void **state)
{
	struct made m = made_new(KST_MAJOR, KST_MINOR + 7);
	(void)state;
	chunk_add(&m, KST_about, 0, BOTH(99, 1, 'x', 2, 2, 'k', 'i'));
	chunk_add(&m, 77, 5, "whatever", 8, 8);
	chunk_add(&m, 255, 5, "", 0, 0);
	chunk_add(&m, KST_op, 1,
		BOTH(2, 200, 99, 99, 99, 1, 1, 0, 0, 0, 1, 7, 14));
	struct reading t = made_reading(&m);
	assert_string_equal(t.text, "op 0 7 0 /0/0 /0/0 -1 /0/0 /0/0 /0/0 0\n");
	assert_int_equal(t.damage.unknown_chunks, 2);
	assert_int_equal(t.damage.unknown_columns, 2);
	assert_string_equal(t.about.source, "ki");
	assert_string_equal(t.damage.first_unknown, "field 99 of about");
	assert_int_equal(t.damage.damaged, 0);
	reading_free(&t);
}

static void other_major(void **state)
{
	(void)state;
	struct made m = made_new(KST_MAJOR + 1, 0);
	struct reading t = made_reading(&m);
	assert_int_equal(t.got, KST_NEWER);
	reading_free(&t);
	m = made_new(0, 9);
	t = made_reading(&m);
	assert_int_equal(t.got, KST_FOREIGN);
	reading_free(&t);
}

/* Compressed data that is larger or smaller than in the head, or invalid. */
static void unpacks_wrong(void **state)
{
	static const size_t claims[] = { 0, 6, 99, KST_RAW_MAX, KST_RAW_MAX + 1,
		UINT32_MAX };
	uint8_t zeros[100] = { 0 }, packed[200];
	size_t n = ZSTD_compress(packed, sizeof packed, zeros, 100, 1);
	(void)state;
	for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
		struct made m = made_new(KST_MAJOR, KST_MINOR);
		chunk_add(&m, KST_kernel, 1, packed, n, claims[i]);
		chunk_add(&m, KST_kernel, 1, "not zstd", 8, claims[i]);
		struct reading t = made_reading(&m);
		assert_int_equal(t.damage.damaged, 2);
		reading_free(&t);
	}
}

static void about_wrong(void **state)
{
	const struct {
		size_t len;
		const uint8_t *raw;
	} cases[] = {
		{ BYTES(1) }, /* no length */
		{ BYTES(1, 5, 'a') }, /* longer than the chunk */
		{ BYTES(1, VARINT_10, 1, 'a') }, /* overflows */
		{ BYTES(3, 32, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
			'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
			'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
			'a') }, /* a word that fills its field */
		{ BYTES(4, 1, 0x80) }, /* a number cut off */
		{ BYTES(4, 2, 1, 1) }, /* more bytes after a number */
		{ BYTES(4, 0) }, /* not a number */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reading t =
			one(KST_about, 0, cases[i].raw, cases[i].len);
		assert_int_equal(t.damage.damaged, 1);
		reading_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_wrong),
		cmocka_unit_test(absent_and_lost),
		cmocka_unit_test(texts_wrong),
		cmocka_unit_test(launches_wrong),
		cmocka_unit_test(later_minor),
		cmocka_unit_test(other_major),
		cmocka_unit_test(unpacks_wrong),
		cmocka_unit_test(about_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
