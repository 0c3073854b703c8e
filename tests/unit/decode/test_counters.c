/* test_counters.c - tests that counter events become samples, each assigned to
 * its process or device. */
#include "fixture.h"

#define CALL                                                          \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\"," \
	"\"pid\":77,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{"          \
	"\"correlation\":5}}"
#define KERNEL                                                       \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":3," \
	"\"tid\":7,\"ts\":2,\"dur\":1,\"args\":{\"correlation\":5}}"
#define COUNTER(pid, more, args)                                         \
	"{\"ph\":\"C\",\"name\":\"use\",\"pid\":" pid ",\"ts\":4.5" more \
	",\"args\":" args "}"

/* The samples of a counter event: "name device value; …" */
static const struct {
	const char *event, *want;
	int64_t bad;
} cases[] = {
	{ COUNTER("3", "", "{\"value\":1.5}"), "use 3 1.5", 0 },
	{ COUNTER("3", "", "{\"use\":2}"), "use 3 2", 0 },
	{ COUNTER("3", "", "{\"sm\":2,\"dram\":-3e2}"),
		"use/sm 3 2; use/dram 3 -300", 0 },
	{ COUNTER("77", "", "{\"sm\":\"0.25\"}"), "use/sm -1 0.25", 0 },
	{ COUNTER("77", "", "{\"value\":7,\"device\":2}"), "use 2 7", 0 },
	{ COUNTER("9", "", "{\"value\":7}"), "use -1 7", 0 },
	{ COUNTER("\"x\"", "", "{\"value\":7}"), "use -1 7", 0 },
	{ COUNTER("77", ",\"id\":4", "{\"value\":7}"), "use[4] -1 7", 0 },
	{ COUNTER("77", ",\"id\":\"a\"", "{\"sm\":7}"), "use[a]/sm -1 7", 0 },
	{ COUNTER("77", "", "{\"unit\":\"%\",\"sm\":7,\"of\":{\"a\":1}}"),
		"use/sm -1 7", 0 },
	/* args come before the fields that identify the event */
	{ "{\"args\":{\"sm\":7},\"name\":\"use\",\"ph\":\"C\",\"pid\":77,"
	  "\"ts\":4.5}",
		"use/sm -1 7", 0 },
	/* no sample */
	{ COUNTER("77", "", "{}"), "", 1 },
	{ COUNTER("77", "", "{\"device\":1}"), "", 1 },
	{ COUNTER("77", "", "{\"a\":NaN,\"b\":null,\"c\":\"\",\"d\":[1]}"), "",
		1 },
	{ COUNTER("77", "", "{\"a\":1e999,\"b\":0x10,\"c\":1-2}"), "", 1 },
	{ COUNTER("77", "", "7"), "", 1 },
	{ "{\"ph\":\"C\",\"name\":\"use\",\"pid\":77,\"ts\":4.5}", "", 1 },
};

static void samples(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct decoded d;
		char text[2000], got[500] = "";
		size_t at = 0;
		snprintf(text, sizeof text, "[%s,%s,%s]", CALL, cases[c].event,
			KERNEL);
		decode_text(&d, text);
		const struct counter_rows *r = &d.trace.counter;
		for (uint32_t i = 0; i < r->n; i++) {
			at += (size_t)snprintf(got + at, sizeof got - at,
				"%s%s %d %g", i ? "; " : "",
				text_of(&d, r->name[i]), r->device[i],
				r->value[i]);
			assert_int_equal(r->process[i], 0);
			assert_int_equal(r->start_ns[i], 3500);
		}
		assert_string_equal(got, cases[c].want);
		assert_int_equal(noted(&d, NOTE_bad_event), cases[c].bad);
		assert_int_equal(d.trace.processes_n, 1);
		assert_int_equal(d.trace.processes[0].counter.to, r->n);
		assert_int_equal(d.trace.kernel.n, 1);
		decoded_release(&d);
	}
}

/* A sample without a timestamp is ignored. Samples alone do not make a
 * trace. */
static void no_moment_and_nothing_else(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d, "[" KERNEL ",{\"ph\":\"C\",\"name\":\"use\",\"pid\":3,"
			"\"args\":{\"value\":1}}]");
	assert_int_equal(d.trace.counter.n, 0);
	assert_int_equal(noted(&d, NOTE_no_duration), 1);
	decoded_release(&d);
	static const char alone[] = "[" COUNTER("3", "", "{\"value\":1}") "]";
	decode_bytes(&d, alone, sizeof alone - 1, sizeof alone);
	assert_false(d.ok);
	assert_int_equal(d.err.code, ERR_TRACE);
	decoded_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(no_moment_and_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
