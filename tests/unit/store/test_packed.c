/* test_packed.c - tests numbers at the limits of each width, and invalid
 * bytes. */
#include "packed.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 4 };

static const struct {
	const char *odd;
	int64_t v[MOST];
	uint32_t n;
	const char *bytes;
	size_t len;
} rows[] = {
	{ "none", { 0 }, 0, "\0\0\0\0\0\0\0\0\0", 9 },
	{ "one", { 5 }, 1, "\0\0\0\0\0\0\0\0\5", 9 },
	{ "all the same", { -1, -1, -1 }, 3,
		"\0\377\377\377\377\377\377\377\377", 9 },
	{ "all the least", { INT64_MIN, INT64_MIN }, 2, "\0\200\0\0\0\0\0\0\0",
		9 },
	{ "a byte", { 127, -128, 0 }, 3, "\1\177\200\0", 4 },
	{ "past a byte", { 128, 0 }, 2, "\2\0\200\0\0", 5 },
	{ "below a byte", { -129, 0 }, 2, "\2\377\177\0\0", 5 },
	{ "two bytes", { 32767, -32768 }, 2, "\2\177\377\200\0", 5 },
	{ "past two", { 32768, -1 }, 2, "\4\0\0\200\0\377\377\377\377", 9 },
	{ "four bytes", { INT32_MAX, INT32_MIN }, 2,
		"\4\177\377\377\377\200\0\0\0", 9 },
	{ "past four", { INT64_C(2147483648), 0 }, 2,
		"\10\0\0\0\0\200\0\0\0\0\0\0\0\0\0\0\0", 17 },
	{ "eight bytes", { INT64_MAX, INT64_MIN }, 2,
		"\10\177\377\377\377\377\377\377\377\200\0\0\0\0\0\0\0", 17 },
};

static void numbers_are_as_wide_as_the_widest(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t v[MOST] = { 0 };
		int width = packed_width(rows[i].v, rows[i].n);
		if (width != rows[i].bytes[0] ||
			packed_bytes(width, rows[i].n) != rows[i].len)
			fail_msg("%s: %d wide", rows[i].odd, width);
		if (!packed_read(rows[i].bytes, rows[i].len, v, rows[i].n) ||
			memcmp(v, rows[i].v, rows[i].n * sizeof *v) != 0)
			fail_msg("%s: read otherwise", rows[i].odd);
	}
}

static void bytes_of_other_numbers_are_refused(void **state)
{
	(void)state;
	int64_t v[MOST];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *b = rows[i].bytes;
		size_t len = rows[i].len;
		assert_false(packed_read(b, len - 1, v, rows[i].n));
		assert_false(packed_read(b, 0, v, rows[i].n));
		/* One number fits any count. */
		if (*b) {
			assert_false(packed_read(b, len, v, rows[i].n + 1));
			assert_false(packed_read(b, len, v, rows[i].n - 1));
		}
	}
	assert_false(packed_read("\3\1\2\3", 4, v, 1));
	assert_false(packed_read("\11\1\2\3\4\5\6\7\10\11", 10, v, 1));
	assert_false(packed_read("\377\1", 2, v, 1));
}

static void doubles_keep_their_bits(void **state)
{
	(void)state;
	double odd = NAN, v[2] = { 0 };
	/* A NaN with a payload. */
	const int64_t bits = INT64_C(0x7ff8000000abcdef);
	memcpy(&odd, &bits, sizeof odd);
	const double in[] = { odd, -0.0 };
	assert_int_equal(packed_width(in, 2), 8);
	assert_true(packed_read("\10\177\370\0\0\0\253\315\357\200\0\0\0\0\0\0",
		17, v, 2));
	assert_memory_equal(v, in, sizeof in);
	const double nan[] = { NAN, NAN };
	assert_int_equal(packed_width(nan, 2), 0);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(numbers_are_as_wide_as_the_widest),
		cmocka_unit_test(bytes_of_other_numbers_are_refused),
		cmocka_unit_test(doubles_keep_their_bits),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
