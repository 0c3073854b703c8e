/* test_note.c - tests that every note has a name, a severity and a complete
 * sentence. */
#include "note.h"
#include "utf8.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void test_every(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		const char *s = note_sentence(&a, c, 12345, "the first");
		assert_int_equal(note_from(note_name(c)), c);
		assert_non_null(note_severity_name(note_severity(c)));
		assert_non_null(strstr(s, "12345"));
		assert_null(strchr(s, '%'));
		assert_int_not_equal(s[strlen(s) - 1], '.');
		const char *shown = strstr(s, "the first: ");
		if (shown)
			assert_string_equal(shown, "the first: the first");
	}
	assert_int_equal(note_from("no such note"), NOTE_CODES);
	arena_release(&a);
}

/* The results of the collector's own notes. */
static void test_recorded(void **state)
{
	static const struct {
		const char *code;
		enum note_severity severity;
		const char *sentence;
	} rows[] = {
		{ "option_default", NOTE_WARN,
			"2 options of the collector could not be used, and "
			"their defaults were; the first: x" },
		{ "cupti_refused", NOTE_LOSS,
			"CUPTI could not record all of it, for 2 reasons; the "
			"first: x" },
		{ "cupti_stuck", NOTE_WARN,
			"2 calls of CUPTI took longer than 5 s; the first: x" },
		{ "cupti_kept", NOTE_LOSS,
			"2 buffers were never handed back by CUPTI: their "
			"records are missing, and in no other count" },
		{ "window_cut", NOTE_WARN,
			"2 windows of the recording were closed before their "
			"time; the first: x" },
		{ "clock_set", NOTE_WARN,
			"the host's clock was set 2 times during the "
			"recording: "
			"moments before and after do not fit together" },
	};
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum note_code code = note_from(rows[i].code);
		assert_int_not_equal(code, NOTE_CODES);
		assert_int_equal(note_severity(code), rows[i].severity);
		assert_string_equal(note_sentence(&a, code, 2, "x"),
			rows[i].sentence);
	}
	arena_release(&a);
}

static void test_detail(void **state)
{
	struct notes ns = { 0 };
	struct arena a = { 0 };
	(void)state;
	note_add(&ns, NOTE_bad_event, 2, NULL, 0);
	assert_string_equal(note_sentence(&a, NOTE_bad_event,
				    ns.count[NOTE_bad_event],
				    ns.detail[NOTE_bad_event]),
		"2 events could not be read and were skipped; the first: "
		"(unnamed)");
	note_add(&ns, NOTE_bad_event, 1, "a\nb\xFF", 4);
	note_add(&ns, NOTE_bad_event, 1, "second", 6);
	assert_int_equal(ns.count[NOTE_bad_event], 4);
	assert_string_equal(ns.detail[NOTE_bad_event], "a b\xEF\xBF\xBD");
	arena_release(&a);
}

/* The longest detail that is kept is valid text, wherever it was truncated. */
static void test_long(void **state)
{
	static const char *const units[] = { "x", "\xC3\xA9", "\xE2\x82\xAC",
		"\xF0\x9F\x98\x80", "\xFF" };
	(void)state;
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		struct notes ns = { 0 };
		char text[400] = "";
		size_t len = 0, each = strlen(units[u]);
		for (; len + each < sizeof text; len += each)
			memcpy(text + len, units[u], each);
		note_add(&ns, NOTE_name_long, 1, text, len);
		const char *kept = ns.detail[NOTE_name_long];
		assert_in_range(strlen(kept), 20, 79);
		assert_true(utf8_valid(kept, strlen(kept)));
	}
}

static void test_merge(void **state)
{
	struct notes a = { 0 }, b = { 0 };
	(void)state;
	note_add(&a, NOTE_bad_event, 1, "first", 5);
	note_add(&b, NOTE_bad_event, 2, "second", 6);
	note_add(&b, NOTE_truncated, 3, NULL, 0);
	note_merge(&a, &b);
	assert_int_equal(a.count[NOTE_bad_event], 3);
	assert_int_equal(a.count[NOTE_truncated], 3);
	assert_string_equal(a.detail[NOTE_bad_event], "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_detail),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_merge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
