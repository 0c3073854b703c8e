/* test_text.c - tests the conversion of JSON strings to names. */
#include "fixture.h"
#include "text.h"

static const struct {
	const char *json, *text;
	bool mended;
} strings[] = {
	{ "", "", false },
	{ "aten::mm", "aten::mm", false },
	{ "void f<int, 4>(int*)", "void f<int, 4>(int*)", false },
	{ "\\\"quoted\\\"", "\"quoted\"", false },
	{ "a\\\\b\\/c", "a\\b/c", false },
	{ "\\b\\f\\n\\r\\t", "\b\f\n\r\t", false },
	{ "\\u0041\\u00e9\\u20AC", "A\xC3\xA9\xE2\x82\xAC", false },
	{ "\\ud83d\\ude00", "\xF0\x9F\x98\x80", false },
	{ "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", false },
	/* invalid text is repaired */
	{ "a\\u0000b",
		"a\xEF\xBF\xBD"
		"b",
		true },
	{ "\\ud800", "\xEF\xBF\xBD", true },
	{ "\\ud800x", "\xEF\xBF\xBDx", true },
	{ "\\ud800\\u0041",
		"\xEF\xBF\xBD"
		"A",
		true },
	{ "\\udc00\\ud800", "\xEF\xBF\xBD\xEF\xBF\xBD", true },
	{ "\xFF\xFE", "\xEF\xBF\xBD\xEF\xBF\xBD", true },
	{ "\xC3", "\xEF\xBF\xBD", true },
	{ "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", true },
	{ "\\n\xFF", "\n\xEF\xBF\xBD", true },
	/* unescaped control characters are kept */
	{ "a\tb", "a\tb", true },
	/* invalid escapes stay as they are written */
	{ "C:\\path", "C:\\path", true },
	{ "\\u12", "\\u12", true },
	{ "\\uzzzz", "\\uzzzz", true },
	{ "x\\", "x\\", true },
};

struct setup {
	struct arena arena;
	struct trace trace;
	struct text text;
};

static void setup_init(struct setup *s)
{
	*s = (struct setup){ 0 };
	assert_true(trace_init(&s->trace, &s->arena));
	s->text.trace = &s->trace;
}

static uint32_t id_of(struct setup *s, const char *json)
{
	struct padded room;
	size_t len = strlen(json);
	struct text_span span = { pad(&room, json, len), (uint32_t)len, false };
	for (size_t i = 0; i < len; i++)
		span.escaped |=
			json[i] == '\\' || (unsigned char)json[i] < 0x20;
	return text_id(&s->text, &span);
}

static void test_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		struct setup s;
		setup_init(&s);
		uint32_t id = id_of(&s, strings[i].json);
		assert_string_equal(names_text(&s.trace.names, id),
			strings[i].text);
		assert_int_equal(s.trace.notes.count[NOTE_name_mended],
			strings[i].mended);
		arena_release(&s.arena);
	}
}

/* All spellings of a name give one name. */
static void test_one_name(void **state)
{
	struct setup s;
	(void)state;
	setup_init(&s);
	uint32_t id = id_of(&s, "a/b");
	assert_int_equal(id_of(&s, "a\\/b"), id);
	assert_int_equal(id_of(&s, "\\u0061/b"), id);
	assert_int_not_equal(id_of(&s, "a/c"), id);
	arena_release(&s.arena);
}

/* 4,000 invalid bytes become three bytes each, which exceeds the memory of the
 * unescaped name. */
static void test_mended_grows(void **state)
{
	struct setup s;
	static char json[3 + 4000 + 1];
	(void)state;
	setup_init(&s);
	memcpy(json, "\\n", 2);
	memset(json + 2, 0xFF, 4000);
	struct text_span span = { json, 4002, true };
	uint32_t id = text_id(&s.text, &span);
	assert_int_equal(s.trace.names.list[id].len, 1 + 3 * 4000);
	assert_int_equal(s.trace.notes.count[NOTE_name_long], 1);
	const char *detail = s.trace.notes.detail[NOTE_name_long];
	assert_int_equal(strlen(detail), 1 + 3 * 26);
	for (int i = 1; i < 1 + 3 * 26; i += 3)
		assert_memory_equal(detail + i, "\xEF\xBF\xBD", 3);
	arena_release(&s.arena);
}

/* A text of 64 KiB is not changed. Of a longer text, the characters that fit
 * completely before the mark are kept. The digits of the mark are those of
 * sha256sum for the bytes of the text. */
static const struct {
	/* the name: once the first, then the second repeated */
	const char *first, *unit;
	size_t times, kept;
	const char *mark;
} longest[] = {
	{ "", "k", 65536, 65536, "" },
	{ "", "k", 65537, 65517, "\342\200\2461303815132a61656" },
	{ "", "k", 2000000, 65517, "\342\200\246c54a4b85bdf0fd0c" },
	{ "x", "\xC3\xA9", 40000, 65517, "\342\200\2469a130bcfd3f38540" },
	{ "", "\xC3\xA9", 40000, 65516, "\342\200\2465af34165078f245d" },
};

static void test_clipped(void **state)
{
	static char json[2000000 + SCAN_PAD];
	struct setup s;
	(void)state;
	setup_init(&s);
	for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
		size_t unit = strlen(longest[i].unit), kept = longest[i].kept;
		size_t len = strlen(longest[i].first);
		memcpy(json, longest[i].first, len);
		for (size_t n = 0; n < longest[i].times; n++, len += unit)
			memcpy(json + len, longest[i].unit, unit);
		struct text_span span = { json, (uint32_t)len, false };
		uint32_t id = text_id(&s.text, &span);
		const struct name *name = &s.trace.names.list[id];
		/* All are different names, and each is found again. */
		assert_int_equal(id, i + 1);
		assert_int_equal(text_id(&s.text, &span), id);
		assert_memory_equal(name->text, json, kept);
		assert_string_equal(name->text + kept, longest[i].mark);
		assert_int_equal(s.trace.notes.count[NOTE_name_clipped], i);
	}
	assert_string_equal(s.trace.notes.detail[NOTE_name_clipped],
		"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
		"kkkkkkkkkkkkkkkkkkkkkk");
	arena_release(&s.arena);
}

/* A lower limit of the caller truncates the text. The memory ends with the
 * text, so that a sanitizer detects a read beyond it. The digits are those of
 * sha256sum. */
static void test_clipped_to(void **state)
{
	enum { LEN = 300, MAX = 240, MARK = 3 + 16 };
	struct setup s;
	(void)state;
	setup_init(&s);
	char *text = malloc(LEN);
	assert_non_null(text);
	memset(text, 'k', LEN);
	uint32_t id = text_put(&s.text, text, LEN, MAX);
	const struct name *name = &s.trace.names.list[id];
	assert_int_equal(name->len, MAX);
	assert_memory_equal(name->text, text, MAX - MARK);
	assert_string_equal(name->text + MAX - MARK,
		"\342\200\24617b16d8ef494060f");
	assert_int_equal(text_put(&s.text, text, LEN, MAX), id);
	assert_int_equal(text_put(&s.text, text, MAX, MAX), id + 1);
	assert_int_equal(s.trace.names.list[id + 1].len, MAX);
	assert_int_equal(s.trace.notes.count[NOTE_name_clipped], 1);
	free(text);
	arena_release(&s.arena);
}

static void test_json(void **state)
{
	static const char *const rows[][2] = {
		{ "[]", "[]" },
		{ "[ [ 1,\n    2 ], [] ]", "[[1,2],[]]" },
		{ "[\"a b\", \"c\\\" d\"]", "[\"a b\",\"c\\\" d\"]" },
		{ "[\t\"\\\\\" ]", "[\"\\\\\"]" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct setup s;
		struct padded room;
		setup_init(&s);
		size_t len = strlen(rows[i][0]);
		struct text_span span = { pad(&room, rows[i][0], len),
			(uint32_t)len, false };
		uint32_t id = text_json_id(&s.text, &span);
		assert_string_equal(names_text(&s.trace.names, id), rows[i][1]);
		arena_release(&s.arena);
	}
}

static uint32_t json_id(struct text *t, const char *s)
{
	char room[TEXT_WRITTEN_BYTES + 64 + SCAN_PAD] = { 0 };
	size_t len = strlen(s);
	assert_true(len < sizeof room - SCAN_PAD);
	memcpy(room, s, len);
	return text_json_id(t,
		&(struct text_span){ room, (uint32_t)len, false });
}

/* Values are looked up as they are written: white space and the last bytes
 * count there, but only the last bytes in the id. */
static void test_json_again(void **state)
{
	static const char *const values[] = { "[1, 2]", "[1,2]", "[1, 2 ]",
		"[1, 3]", "[1, 2]" };
	static const uint32_t same[] = { 0, 0, 0, 3, 0 };
	uint32_t ids[sizeof values / sizeof *values];
	struct setup s;
	(void)state;
	setup_init(&s);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		ids[i] = json_id(&s.text, values[i]);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_int_equal(ids[i], ids[same[i]]);
	assert_int_not_equal(ids[0], ids[3]);
	assert_string_equal(names_text(&s.trace.names, ids[0]), "[1,2]");
	assert_string_equal(names_text(&s.trace.names, ids[3]), "[1,3]");
	arena_release(&s.arena);
}

/* Values beyond what is stored as written have ids too, the same each time. */
static void test_json_many(void **state)
{
	enum { MANY = TEXT_WRITTEN_MAX + 100 };
	char text[TEXT_WRITTEN_BYTES + 64], expected[TEXT_WRITTEN_BYTES + 64];
	struct setup s;
	(void)state;
	setup_init(&s);
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < MANY; i++) {
			snprintf(text, sizeof text, "[%d, 1]", i);
			snprintf(expected, sizeof expected, "[%d,1]", i);
			uint32_t id = json_id(&s.text, text);
			assert_string_equal(names_text(&s.trace.names, id),
				expected);
			assert_int_equal(id, i + 1);
		}
	assert_int_equal(s.text.written.n, TEXT_WRITTEN_MAX);
	/* one value longer than what is stored */
	snprintf(text, sizeof text, "[ %0*d]", TEXT_WRITTEN_BYTES, 7);
	snprintf(expected, sizeof expected, "[%0*d]", TEXT_WRITTEN_BYTES, 7);
	assert_string_equal(names_text(&s.trace.names, json_id(&s.text, text)),
		expected);
	assert_int_equal(json_id(&s.text, text), MANY + 1);
	arena_release(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_one_name),
		cmocka_unit_test(test_mended_grows),
		cmocka_unit_test(test_clipped),
		cmocka_unit_test(test_clipped_to),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_again),
		cmocka_unit_test(test_json_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
