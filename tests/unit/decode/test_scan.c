/* test_scan.c - tests strings, brackets and white space at every position in a
 * block. A block is scanned in one step. */
#include "fixture.h"
#include "scan.h"

enum { PLACES = 80 };

/* The text after n blanks. */
static const char *shifted(struct padded *room, const char *text, size_t n,
	struct scan *s)
{
	char line[1024];
	int len = snprintf(line, sizeof line, "%*s%s", (int)n, "", text);
	const char *p = pad(room, line, (size_t)len);
	*s = (struct scan){ .end = p + len };
	return p + n;
}

static void test_ws(void **state)
{
	(void)state;
	for (size_t n = 0; n < PLACES; n++) {
		struct padded room;
		char line[PLACES + 2];
		memset(line, ' ', n);
		memcpy(line + n, "x", 2);
		for (size_t i = 0; i < n; i++)
			line[i] = " \t\r\n"[i % 4];
		const char *p = pad(&room, line, n + 1);
		assert_ptr_equal(scan_ws(p), p + n);
		p = pad(&room, line, n);
		assert_ptr_equal(scan_ws(p), p + n);
	}
}

/* A text and whether it is a value, for both ways of skipping. */
static const struct {
	const char *text;
	bool whole;
} values[] = {
	{ "[]", true },
	{ "{}", true },
	{ "[[1, 2], [3]]", true },
	{ "{\"a\": [1, {\"b\": \"]}\"}]}", true },
	{ "[\"\\\"\", \"\\\\\"]", true },
	{ "[\"]\", \"[\", \"}{\"]", true },
	{ "\"text\"", true },
	{ "\"with \\\" in it\"", true },
	{ "\"ends in \\\\\"", true },
	{ "NaN", true },
	{ "-1.5e300", true },
	{ "{\"a\": \"0123456789012345678901234567890123456789012345678901\"}",
		true },
	{ "[0000000000000000000000000000000000000000000000000000000000000000]",
		true },
	{ "[\"a\nb\"]", false },
	{ "\"a\tb\"", false },
};

static void test_skip(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		for (size_t n = 0; n < PLACES; n++) {
			struct padded room;
			struct scan s;
			char text[256];
			size_t len = strlen(values[i].text);
			snprintf(text, sizeof text, "%s, \"next\": [1]}",
				values[i].text);
			const char *p = shifted(&room, text, n, &s);
			const char *q = scan_skip(&s, p, true);
			if (values[i].whole ? q != p + len : q != NULL)
				fail_msg("'%s' at %zu", text, n);
			if (!values[i].whole)
				assert_true(s.at < s.end);
		}
	}
}

/* Truncated anywhere, each value requires more text; a scalar just ends. */
static void test_skip_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		const char *text = values[i].text;
		if (!strchr("[{\"", *text) || !values[i].whole)
			continue;
		for (size_t len = 1; len < strlen(text); len++) {
			struct padded room;
			const char *p = pad(&room, text, len);
			struct scan s = { .end = p + len };
			assert_null(scan_skip(&s, p, true));
			assert_true(s.at >= s.end);
		}
	}
}

static void test_depth(void **state)
{
	static char deep[4000], brackets[4000];
	struct padded room;
	(void)state;
	memset(brackets, '[', sizeof brackets);
	for (int depth = SCAN_DEPTH - 40; depth < SCAN_DEPTH + 200; depth++) {
		memset(deep, '[', (size_t)depth);
		memset(deep + depth, ']', (size_t)depth);
		const char *p = pad(&room, deep, (size_t)depth * 2);
		struct scan s = { .end = p + depth * 2 };
		const char *q = scan_skip(&s, p, true);
		if (depth <= SCAN_DEPTH)
			assert_ptr_equal(q, s.end);
		/* The scanner passes one block of brackets before it checks
		 * the depth. */
		if (depth > SCAN_DEPTH + 64)
			assert_null(q);
	}
	const char *p = pad(&room, brackets, sizeof brackets);
	struct scan s = { .end = p + sizeof brackets };
	assert_null(scan_skip(&s, p, true));
	assert_true(s.at < s.end);
}

/* Names with unescaped quotes in an object or a list, and the string that is
 * recovered. */
static const struct {
	const char *text, *string; /* NULL: its end was not found */
	bool in_object, quoted;
} broken[] = {
	{ "plain\", \"pid\": 1}", "plain", true, false },
	{ "plain\"}", "plain", true, false },
	{ "say \"hi\" now\", \"pid\": 1}", "say \"hi\" now", true, true },
	{ "f(\"x\",\"y\")\", \"pid\": 1}", "f(\"x\",\"y\")", true, true },
	{ "a\", \"b\", \"pid\": 1}", "a\", \"b", true, true },
	{ "operator\"\" _s\" , \"ts\": 1}", "operator\"\" _s", true, true },
	{ "tab\there\", \"pid\": 1}", "tab\there", true, false },
	{ "two\nlines\"}", "two\nlines", true, false },
	{ "escaped \\\" too\", \"pid\": 1}", "escaped \\\" too", true, false },
	{ "no end, \"pid\": 1, \"ph\": \"X\", \"a\": 1}", NULL, true, true },
	{ "a\"b\", \"c\"]", "a\"b", false, true },
	{ "a\", 1]", "a", false, false },
	{ "a\"]", "a", false, false },
};

static void test_repair(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct padded room;
		size_t len = strlen(broken[i].text);
		const char *p = pad(&room, broken[i].text, len);
		struct scan s = { .end = p + len, .lenient = true };
		const char *q = scan_value(&s, p, broken[i].in_object);
		if (!broken[i].string) {
			assert_null(q);
			assert_true(s.at < s.end);
			continue;
		}
		if (!q || (size_t)(q - p) != strlen(broken[i].string))
			fail_msg("'%s': %.*s", broken[i].text,
				q ? (int)(q - p) : 4, q ? p : "NULL");
		assert_int_equal(s.quoted, broken[i].quoted);
	}
}

static void test_repair_close(void **state)
{
	static const char text[] =
		"\"a\": \"x \"]} y\", \"b\": [\"p\"q\", {\"c\": \"}\"}]}, next";
	struct padded room;
	(void)state;
	const char *p = pad(&room, text, strlen(text));
	struct scan s = { .end = p + strlen(text), .lenient = true };
	assert_string_equal(scan_close(&s, p, true), ", next");
}

/* The search for the end of a string stops at a plausible length of a name. */
static void test_repair_bound(void **state)
{
	static char text[40000];
	struct scan s = { .end = text + 30000, .lenient = true };
	(void)state;
	memset(text, 'x', 30000);
	for (size_t i = 0; i < 30000; i += 100)
		text[i] = '"';
	assert_null(scan_value(&s, text, true));
	assert_true(s.at < s.end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ws),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_skip_cut),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_repair_close),
		cmocka_unit_test(test_repair_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
