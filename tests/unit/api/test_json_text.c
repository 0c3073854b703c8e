/* test_json_text.c - tests values that are written directly as bytes of
 * JSON. */
#include "json_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static void same(struct buf *b, const char *want)
{
	assert_string_equal(b->at, want);
	buf_release(b);
	buf_init(b, 1 << 20);
}

static const struct {
	const char *s, *want;
	size_t len; /* 0: up to the NUL */
} strings[] = {
	{ "gemm", "\"gemm\"", 0 },
	{ "", "\"\"", 0 },
	{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"", 0 },
	{ "\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\\u007f\"", 0 },
	{ "Größe", "\"Größe\"", 0 },
	{ "a\xff\"b", "\"a\xef\xbf\xbd\\\"b\"", 0 },
	{ "a\0b",
		"\"a\xef\xbf\xbd"
		"b\"",
		3 },
	{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", 0 },
};

static void test_strings(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		json_text_string(&b, strings[i].s,
			strings[i].len ? strings[i].len : strlen(strings[i].s));
		same(&b, strings[i].want);
	}
	buf_release(&b);
}

static const struct {
	int64_t ns;
	const char *whole, *us;
} numbers[] = {
	{ 0, "0", "0.000" },
	{ 1, "1", "0.001" },
	{ 999, "999", "0.999" },
	{ 1000, "1000", "1.000" },
	{ 1234567, "1234567", "1234.567" },
	{ -1, "-1", "-0.001" },
	{ -1500, "-1500", "-1.500" },
	/* beyond the range of a double */
	{ INT64_C(1755848102123456789), "1755848102123456789",
		"1755848102123456.789" },
	{ INT64_MAX, "9223372036854775807", "9223372036854775.807" },
	{ INT64_MIN, "-9223372036854775808", "-9223372036854775.808" },
};

static void test_numbers(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		json_text_whole(&b, numbers[i].ns);
		same(&b, numbers[i].whole);
		json_text_us(&b, numbers[i].ns);
		same(&b, numbers[i].us);
	}
	json_text_real(&b, 55.5);
	same(&b, "55.5");
	json_text_real(&b, -1e300);
	same(&b, "-1.0000000000000001e300");
	json_text_real(&b, (double)NAN);
	same(&b, "null");
	json_text_real(&b, (double)INFINITY);
	same(&b, "null");
	buf_release(&b);
}

static void test_commas(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 1 << 20);
	json_text_open(&b, '{');
	json_text_key(&b, "a");
	json_text_open(&b, '[');
	json_text_whole(&b, 1);
	json_text_us(&b, 2);
	json_text_raw(&b, "[ ]", 3);
	json_text_string(&b, "x,", 2);
	json_text_open(&b, '{');
	json_text_close(&b, '}');
	json_text_real(&b, 3);
	json_text_close(&b, ']');
	json_text_key(&b, "{");
	json_text_open(&b, '[');
	json_text_close(&b, ']');
	json_text_close(&b, '}');
	same(&b, "{\"a\":[1,0.002,[ ],\"x,\",{},3.0],\"{\":[]}");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_commas),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
