/* test_damage.c - damaged parts are skipped, repaired and counted, and the
 * rest of the trace is used. */
#include "fixture.h"

#define GOOD(n)                                                         \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"good\",\"pid\":0," \
	"\"tid\":7,\"ts\":" #n ",\"dur\":1}"
#define EVENT(name, rest)                                                   \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0," \
	"\"tid\":7," rest "}"

/* Damaged text between two valid events: the number of kernels that are read,
 * and the only note that the damage causes. */
static const struct {
	const char *between;
	uint32_t kernels;
	enum note_code code;
	int64_t count;
	const char *detail;
} rows[] = {
	/* damaged JSON */
	{ "{\"ph\":\"X\",\"cat\":}", 2, NOTE_bad_event, 1, NULL },
	{ EVENT("lost", "\"ts\":1,,\"dur\":1"), 2, NOTE_bad_event, 1, "lost" },
	{ EVENT("lost", "\"ts\" 1"), 2, NOTE_bad_event, 1, "lost" },
	{ "5", 2, NOTE_bad_event, 1, NULL },
	{ "null", 2, NOTE_bad_event, 1, NULL },
	{ "[1,{\"ph\":\"X\"}]", 2, NOTE_bad_event, 1, NULL },
	{ "\"text, {\"", 2, NOTE_bad_event, 1, NULL },
	{ "{}", 2, NOTE_bad_event, 1, "(unnamed)" },
	{ "{\"name\":\"no phase\"}", 2, NOTE_bad_event, 1, "no phase" },
	{ "{\"ph\":\"Q\",\"name\":\"odd\"}", 2, NOTE_bad_event, 1, NULL },
	{ "{\"ph\":5,\"name\":\"odd\"}", 2, NOTE_bad_event, 1, NULL },
	{ "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"n\"}", 2,
		NOTE_category_unknown, 1, NULL },
	{ "\x01\x02", 2, NOTE_bad_event, 1, NULL },
	/* names */
	{ EVENT("f(\"x\")", "\"ts\":1,\"dur\":1"), 3, NOTE_name_quote, 1,
		"f(\"x\")" },
	{ EVENT("say \"a\", \"b\"", "\"ts\":1,\"dur\":1"), 3, NOTE_name_quote,
		1, "say \"a\", \"b\"" },
	{ EVENT("tab\there", "\"ts\":1,\"dur\":1"), 3, NOTE_name_mended, 1,
		"tab here" },
	{ EVENT("a\nb", "\"ts\":1,\"dur\":1"), 3, NOTE_name_mended, 1, "a b" },
	{ EVENT("\xFFx", "\"ts\":1,\"dur\":1"), 3, NOTE_name_mended, 1,
		"\xEF\xBF\xBDx" },
	{ EVENT("a\\u0000b", "\"ts\":1,\"dur\":1"), 3, NOTE_name_mended, 1,
		"a\xEF\xBF\xBD"
		"b" },
	{ EVENT("\\ud800", "\"ts\":1,\"dur\":1"), 3, NOTE_name_mended, 1,
		"\xEF\xBF\xBD" },
	/* times */
	{ EVENT("t", "\"ts\":NaN,\"dur\":1"), 2, NOTE_no_duration, 1, "t" },
	{ EVENT("t", "\"ts\":1,\"dur\":null"), 2, NOTE_no_duration, 1, "t" },
	{ EVENT("t", "\"ts\":1,\"dur\":Infinity"), 2, NOTE_no_duration, 1,
		"t" },
	{ EVENT("t", "\"ts\":1"), 2, NOTE_no_duration, 1, "t" },
	{ EVENT("t", "\"ts\":1,\"dur\":-1"), 2, NOTE_negative_time, 1, "t" },
	{ EVENT("t", "\"ts\":1,\"dur\":-0.0001"), 3, NOTE_CODES, 0, NULL },
	{ EVENT("t", "\"ts\":1e300,\"dur\":1"), 2, NOTE_huge_time, 1, "t" },
	{ EVENT("t", "\"ts\":1,\"dur\":1e300"), 2, NOTE_huge_time, 1, "t" },
	{ EVENT("t", "\"ts\":9007199254740,\"dur\":1"), 2, NOTE_huge_time, 1,
		"t" },
	/* 2^53 ns plus the first valid event's 1,000 is too large */
	{ EVENT("t", "\"ts\":1,\"dur\":9007199254740.992"), 2, NOTE_huge_time,
		1, "t" },
	/* valid as numbers */
	{ EVENT("t", "\"ts\":\"1.5\",\"dur\":\"1e0\""), 3, NOTE_CODES, 0,
		NULL },
	/* not usable */
	{ "{\"ph\":\"X\",\"cat\":\"sub_kernel\",\"name\":\"n\",\"pid\":0,"
	  "\"tid\":0,\"ts\":1,\"dur\":1}",
		2, NOTE_category_unknown, 1, "sub_kernel" },
	{ "{\"ph\":\"X\",\"name\":\"n\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":"
	  "1}",
		2, NOTE_category_unknown, 1, "(unnamed)" },
	{ "{\"ph\":\"s\",\"id\":5,\"cat\":\"ac2g\",\"name\":\"ac2g\"}", 2,
		NOTE_CODES, 0, NULL },
	{ "{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"o\",\"pid\":-1,"
	  "\"tid\":0,\"ts\":1,\"dur\":1}",
		2, NOTE_CODES, 0, NULL },
	{ "", 2, NOTE_CODES, 0, NULL },
};

static void check(size_t i, const char *text)
{
	struct decoded d;
	int64_t notes = 0;
	decode_text(&d, text);
	if (d.trace.kernel.n != rows[i].kernels)
		fail_msg("%s: %u kernels", rows[i].between, d.trace.kernel.n);
	for (int c = 0; c < NOTE_CODES; c++)
		if (c != NOTE_no_process)
			notes += d.trace.notes.count[c];
	if (notes != rows[i].count)
		fail_msg("%s: %lld notes", rows[i].between, (long long)notes);
	if (rows[i].code == NOTE_CODES) {
		decoded_release(&d);
		return;
	}
	if (noted(&d, rows[i].code) != rows[i].count)
		fail_msg("%s: %lld of %s", rows[i].between,
			(long long)noted(&d, rows[i].code),
			note_name(rows[i].code));
	if (rows[i].detail)
		assert_string_equal(d.trace.notes.detail[rows[i].code],
			rows[i].detail);
	decoded_release(&d);
}

static void test_between(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1000];
		snprintf(text, sizeof text, "[%s,\n%s,\n%s]", GOOD(1),
			rows[i].between, GOOD(2));
		check(i, text);
		snprintf(text, sizeof text,
			"{\"traceEvents\":[%s,%s,%s],\"traceName\":\"t\"}",
			GOOD(1), rows[i].between, GOOD(2));
		check(i, text);
	}
}

/* The last event is damaged: the end of the list is still found. */
static void test_last(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"{\"traceEvents\":[" GOOD(1) ",{\"ph\":\"X\" \"cat\"}],"
					     "\"distributedInfo\":{\"rank\":3,"
					     "\"world_size\":4}}");
	assert_int_equal(d.trace.kernel.n, 1);
	assert_int_equal(noted(&d, NOTE_bad_event), 1);
	assert_int_equal(noted(&d, NOTE_truncated), 0);
	assert_int_equal(d.trace.processes[0].rank, 3);
	decoded_release(&d);
	decode_text(&d, "[" GOOD(1) ",{\"ph\":\"X\" \"cat\"}]");
	assert_int_equal(noted(&d, NOTE_bad_event), 1);
	assert_int_equal(noted(&d, NOTE_truncated), 0);
	decoded_release(&d);
}

/* Truncated anywhere after the first event: one or two kernels, and a note. */
static void test_cut(void **state)
{
	static const char text[] =
		"{\"schemaVersion\": 1, \"traceEvents\": [" GOOD(1) ", " GOOD(
			2) "], \"deviceProperties\": [{\"id\": 0, "
			   "\"name\": \"Tesla\"}], \"baseTimeNanoseconds\": "
			   "12345}";
	size_t first =
		strlen("{\"schemaVersion\": 1, \"traceEvents\": [" GOOD(1));
	(void)state;
	for (size_t len = first; len < sizeof text - 1; len++) {
		struct decoded d;
		decode_bytes(&d, text, len, len);
		assert_true(d.ok);
		bool both = len >= first + 2 + strlen(GOOD(2));
		assert_int_equal(d.trace.kernel.n, both ? 2 : 1);
		assert_int_equal(noted(&d, NOTE_truncated), len);
		assert_int_equal(noted(&d, NOTE_bad_event), 0);
		assert_int_equal(noted(&d, NOTE_json_garbage), 0);
		decoded_release(&d);
	}
}

static void test_garbage(void **state)
{
	static const struct {
		const char *text;
		int64_t garbage;
	} outside[] = {
		{ "[" GOOD(1) "] \n ", 0 },
		{ "[" GOOD(1) "]]}x", 3 },
		{ "{\"traceEvents\":[" GOOD(1) "]} {\"a\": 1}", 7 },
		{ "{\"a\": 1 \"traceEvents\":[" GOOD(1) "]}", 0 },
		{ "{\"traceEvents\":[" GOOD(1) "], nonsense}", 9 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
		struct decoded d;
		decode_text(&d, outside[i].text);
		assert_int_equal(d.trace.kernel.n, 1);
		if (noted(&d, NOTE_json_garbage) != outside[i].garbage)
			fail_msg("%s: %lld", outside[i].text,
				(long long)noted(&d, NOTE_json_garbage));
		assert_int_equal(noted(&d, NOTE_truncated), 0);
		decoded_release(&d);
	}
}

static const struct {
	const char *text;
	const char *sentence;
} useless[] = {
	{ "{\"traceEvents\": []}",
		"the list of events is empty; was the profiler running while "
		"the work was done?" },
	{ "{\"a\": 1}", "the JSON has no list 'traceEvents'; upload what "
			"torch.profiler's export_chrome_trace() wrote" },
	{ "{\"traceEvents\": null}",
		"the JSON has no list 'traceEvents'; upload what "
		"torch.profiler's export_chrome_trace() wrote" },
	{ "{\"schemaVersion\": 1, \"traceEv",
		"the file breaks off before its first event" },
	{ "{\"traceEvents\": [{\"ph\": \"X\", \"ca",
		"the file breaks off before its first event" },
	{ "[{\"id\": 1}, {\"id\": 2}]",
		"none of the 2 events is a kernel, copy, call, operator or "
		"range that could be read" },
};

static void test_useless(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
		struct decoded d;
		decode_bytes(&d, useless[i].text, strlen(useless[i].text), 7);
		assert_false(d.ok);
		assert_int_equal(d.err.code, ERR_TRACE);
		assert_string_equal(d.err.text, useless[i].sentence);
		decoded_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_useless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
