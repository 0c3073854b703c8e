/* test_nvtx_json.c - tests JSON in the server's form, UTF-8, and wide text. */
#include "nvtx_json.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <cmocka.h>

static char room[256];
static struct nvtx_json j;

static void begin(size_t most)
{
	j = (struct nvtx_json){ .at = room, .room = most };
}

static void is(const char *want)
{
	assert_false(j.full);
	assert_int_equal(j.len, strlen(want));
	assert_memory_equal(room, want, j.len);
}

static void test_texts(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "a \"b\" \\c/", "\"a \\\"b\\\" \\\\c/\"" },
		{ "tab\tend\n\x1f\x7f", "\"tab\\u0009end\\u000a\\u001f\x7f\"" },
		{ "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80",
			"\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC "
			"\xF0\x9F\x98\x80\"" },
		/* a lone continuation byte, a truncated character, a surrogate,
		 * overlong */
		{ "\x80", "\"\xEF\xBF\xBD\"" },
		{ "\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"" },
		{ "\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
		{ "\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"" },
		{ "\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
				      "\xEF\xBF\xBD\"" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(sizeof room);
		nvtx_json_text(&j, cases[i].text, strlen(cases[i].text));
		is(cases[i].want);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	begin(sizeof room);
	nvtx_json_raw(&j, "[", 1);
	nvtx_json_comma(&j);
	nvtx_json_int(&j, INT64_MIN);
	nvtx_json_comma(&j);
	nvtx_json_int(&j, -1);
	nvtx_json_comma(&j);
	nvtx_json_uint(&j, 0);
	nvtx_json_comma(&j);
	nvtx_json_uint(&j, UINT64_MAX);
	is("[-9223372036854775808,-1,0,18446744073709551615");
}

static void test_reals(void **state)
{
	static const struct {
		double real;
		const char *want;
	} cases[] = {
		{ 0.5, "0.5" },
		{ -0.0, "-0" },
		{ 0.1, "0.10000000000000001" },
		{ (double)0.1f, "0.10000000149011612" },
		{ 1e300, "1.0000000000000001e+300" },
		{ 3, "3" },
		{ (double)NAN, "null" },
		{ -(double)INFINITY, "null" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(sizeof room);
		nvtx_json_real(&j, cases[i].real);
		is(cases[i].want);
	}
}

/* The host may have a locale whose decimal point is a comma, or longer than
 * one byte. */
static void test_reals_in_a_locale(void **state)
{
	static const char *const texts[] = { "-1.5e-07", "-1,5e-07",
		("-1\xD9\xAB"
		 "5e-07") };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		begin(sizeof room);
		nvtx_json_printed(&j, texts[i], strlen(texts[i]));
		is("-1.5e-07");
	}
}

static void test_longer_than_the_buffer(void **state)
{
	(void)state;
	begin(7);
	nvtx_json_text(&j, "12345", 5);
	is("\"12345\"");
	begin(6);
	nvtx_json_text(&j, "12345", 5);
	assert_true(j.full);
	nvtx_json_raw(&j, "", 0);
	assert_true(j.full);
}

static void test_clip(void **state)
{
	(void)state;
	assert_int_equal(nvtx_utf8_clip("abc", 3), 3);
	assert_int_equal(nvtx_utf8_clip("", 0), 0);
	/* within a character of 2, 3 and 4 bytes, and after it */
	assert_int_equal(nvtx_utf8_clip("a\xC3", 2), 1);
	assert_int_equal(nvtx_utf8_clip("a\xC3\xBC", 3), 3);
	assert_int_equal(nvtx_utf8_clip("a\xE2\x82", 3), 1);
	assert_int_equal(nvtx_utf8_clip("a\xF0\x9F\x98", 4), 1);
	assert_int_equal(nvtx_utf8_clip("a\xF0\x9F\x98\x80", 5), 5);
	/* not a character: unchanged */
	assert_int_equal(nvtx_utf8_clip("\x80\x80\x80\x80", 4), 4);
}

static void wide_is(const wchar_t *wide, size_t most, const char *want)
{
	assert_int_equal(nvtx_utf8_from(room, most, wide), strlen(want));
	assert_memory_equal(room, want, strlen(want));
}

static void test_wide(void **state)
{
	static const wchar_t odd[] = { 0xD800, 0x110000, (wchar_t)0x80000000,
		'z', 0 };
	(void)state;
	wide_is(L"", 10, "");
	wide_is(L"plain", 10, "plain");
	wide_is(L"\u00fc\u20ac\U0001F600", 10,
		"\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80");
	/* invalid: a surrogate, one above the last, a negative one */
	wide_is(odd, 20, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
	/* a character is never split */
	wide_is(L"ab\u20ac", 4, "ab");
	wide_is(L"ab\u20ac", 5, "ab\xE2\x82\xAC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_reals),
		cmocka_unit_test(test_reals_in_a_locale),
		cmocka_unit_test(test_longer_than_the_buffer),
		cmocka_unit_test(test_clip),
		cmocka_unit_test(test_wide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
