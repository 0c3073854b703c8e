/* test_utf8.c - the limits of well-formed text (Unicode 15, table 3-7). */
#include "utf8.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MARK "\xEF\xBF\xBD"

static const struct {
	const char *odd, *bytes;
	size_t len;
	const char *mended; /* NULL: well-formed */
} rows[] = {
	{ "empty", "", 0, NULL },
	{ "ASCII", "kernel<int>", 11, NULL },
	{ "DEL and controls are text", "\x01\x1F\x7F", 3, NULL },
	{ "two bytes, the least", "\xC2\x80", 2, NULL },
	{ "two bytes, the most", "\xDF\xBF", 2, NULL },
	{ "three bytes, the least", "\xE0\xA0\x80", 3, NULL },
	{ "last before the surrogates", "\xED\x9F\xBF", 3, NULL },
	{ "first after the surrogates", "\xEE\x80\x80", 3, NULL },
	{ "four bytes, the least", "\xF0\x90\x80\x80", 4, NULL },
	{ "U+10FFFF", "\xF4\x8F\xBF\xBF", 4, NULL },
	{ "U+0000", "a\0b", 3, "a" MARK "b" },
	{ "U+0000 after eight letters", "abcdefgh\0", 9, "abcdefgh" MARK },
	{ "a lone continuation", "\x80", 1, MARK },
	{ "overlong slash", "\xC0\xAF", 2, MARK MARK },
	{ "C1", "\xC1\xBF", 2, MARK MARK },
	{ "overlong, three bytes", "\xE0\x9F\xBF", 3, MARK MARK MARK },
	{ "a surrogate", "\xED\xA0\x80", 3, MARK MARK MARK },
	{ "overlong, four bytes", "\xF0\x8F\xBF\xBF", 4, MARK MARK MARK MARK },
	{ "past U+10FFFF", "\xF4\x90\x80\x80", 4, MARK MARK MARK MARK },
	{ "F5", "\xF5\x80\x80\x80", 4, MARK MARK MARK MARK },
	{ "FF", "\xFF", 1, MARK },
	{ "cut after one of two", "a\xC3", 2, "a" MARK },
	{ "cut after two of three", "a\xE2\x82", 3, "a" MARK MARK },
	{ "cut after three of four", "\xF0\x9F\x98", 3, MARK MARK MARK },
	{ "a letter in place of a continuation", "\xE2\x82z", 3,
		MARK MARK "z" },
	{ "good ones around", "\xC3\xA9\xFF\xC3\xA9", 5,
		"\xC3\xA9" MARK "\xC3\xA9" },
};

/* Each also follows letters, so that it is at any position in a word. */
static void checked_and_mended(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t front = 0; front < 18; front++) {
			char in[64], out[192];
			memset(in, 'x', front);
			memcpy(in + front, rows[i].bytes, rows[i].len);
			size_t len = front + rows[i].len;
			if (utf8_valid(in, len) != !rows[i].mended)
				fail_msg("%s, %zu in front", rows[i].odd,
					front);
			size_t n = utf8_sanitize(out, in, len);
			const char *want = rows[i].mended;
			size_t want_len = want ? strlen(want) : rows[i].len;
			want = want ? want : rows[i].bytes;
			assert_int_equal(n, front + want_len);
			assert_memory_equal(out, in, front);
			assert_memory_equal(out + front, want, want_len);
			assert_true(utf8_valid(out, n));
		}
}

static void clipped(void **state)
{
	static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
	/* a 1, é 2–3, € 4–6, 😀 7–10, z 11 */
	static const size_t whole[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	(void)state;
	for (size_t len = 0; len < sizeof whole / sizeof *whole; len++)
		assert_int_equal(utf8_trim(text, len), whole[len]);
	/* Invalid text is not truncated further. */
	assert_int_equal(utf8_trim("\x80\x80\x80\x80\x80", 5), 5);
	assert_int_equal(utf8_trim("\x80", 1), 1);
}

/* The text ends where its memory ends, so that a sanitizer detects a read
 * after it. A limit beyond the end is not an end. */
static void clipped_inside(void **state)
{
	static const size_t limits[] = { 4, 5, 240, 65517, SIZE_MAX };
	(void)state;
	char *text = malloc(4);
	assert_non_null(text);
	memcpy(text, "a\xE2\x82\xAC", 4);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		assert_int_equal(utf8_clip(text, 4, limits[i]), 4);
	for (size_t max = 1; max < 4; max++)
		assert_int_equal(utf8_clip(text, 4, max), 1);
	assert_int_equal(utf8_clip(text, 4, 0), 0);
	/* Text within the limit is unchanged, even if it is invalid. */
	assert_int_equal(utf8_clip(text, 3, 3), 3);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checked_and_mended),
		cmocka_unit_test(clipped),
		cmocka_unit_test(clipped_inside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
