/* test_rebase.c - tests clocks: the position of zero, and events that are far
 * from all others. */
#include "fixture.h"

static void events(struct decoded *d, const char *starts[], size_t n,
	const char *around)
{
	char text[4000], *p = text;
	p += sprintf(p, "{\"traceEvents\": [");
	for (size_t i = 0; i < n; i++)
		p += sprintf(p,
			"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%zu\","
			"\"pid\":0,\"tid\":7,\"ts\":%s,\"dur\":1}",
			i ? "," : "", i, starts[i]);
	sprintf(p, "]%s}", around);
	decode_text(d, text);
}

static const struct {
	const char *start, *around;
	int64_t base_ns;
	bool utc;
} clocks[] = {
	/* since boot, without a declared base */
	{ "1106964727344.319", "", 1106964727344319, false },
	/* since 1970 without a base, as until 2023 */
	{ "1606910596288053", "", 1606910596288053000, true },
	/* since a base that counts from 1970 */
	{ "1212075528731.110", ", \"baseTimeNanoseconds\": 1719853884000000000",
		1719853884000000000 + 1212075528731110, true },
	/* a base of zero */
	{ "5", ", \"baseTimeNanoseconds\": 0", 5000, false },
	{ "5", ", \"baseTimeNanoseconds\": null", 5000, false },
	{ "5", ", \"baseTimeNanoseconds\": 9223372036854775807", 5000, false },
	/* before the clock's zero */
	{ "-2.5", "", -2500, false },
};

static void test_clocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		struct decoded d;
		const char *starts[] = { clocks[i].start };
		events(&d, starts, 1, clocks[i].around);
		assert_int_equal(d.trace.base_ns, clocks[i].base_ns);
		assert_int_equal(d.trace.base_is_utc, clocks[i].utc);
		assert_int_equal(d.trace.kernel.start_ns[0], 0);
		decoded_release(&d);
	}
}

/* Most events are close together. An event with a broken clock is excluded,
 * whether it is earlier or later. */
static void test_far(void **state)
{
	const char *early[] = { "0", "1606910596288053", "1606910596288054",
		"1606910596288055" };
	const char *late[] = { "100", "101", "102", "1606910596288055" };
	const char *ends[] = { "9000000000000000", "100", "101", "102",
		"-9000000000000000" };
	struct decoded d;
	(void)state;
	events(&d, early, 4, "");
	assert_int_equal(d.trace.kernel.n, 3);
	assert_int_equal(d.trace.base_ns, 1606910596288053000);
	assert_int_equal(d.trace.kernel.start_ns[2], 2000);
	assert_int_equal(noted(&d, NOTE_huge_time), 1);
	assert_string_equal(d.trace.notes.detail[NOTE_huge_time], "k0");
	decoded_release(&d);
	events(&d, late, 4, "");
	assert_int_equal(d.trace.kernel.n, 3);
	assert_int_equal(d.trace.base_ns, 100000);
	assert_string_equal(d.trace.notes.detail[NOTE_huge_time], "k3");
	decoded_release(&d);
	events(&d, ends, 5, "");
	assert_int_equal(d.trace.kernel.n, 3);
	assert_int_equal(noted(&d, NOTE_huge_time), 2);
	decoded_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_far),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
