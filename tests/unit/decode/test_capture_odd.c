/* test_capture_odd.c - tests capture files of traces with unusual edges. */
#include "capture_fixture.h"

/* An iteration may begin before all other timestamps. The base of all times is
 * then the iteration's start. */
static void iteration_comes_first(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded once, twice;
	(void)state;
	fill(&t, &arena);
#define KIND(kind, COLUMNS, what)               \
	for (uint32_t i = 0; i < t.kind.n; i++) \
		t.kind.start_ns[i] += 1000;
	TRACE_KINDS(KIND)
#undef KIND
	t.pattern.iteration_start_ns[0] = 300;
	t.pattern.iteration_start_ns[1] = 5000;
	decode_capture(&once, &t, CAPTURE_ALL, SIZE_MAX);
	decode_capture(&twice, &once.trace, CAPTURE_ALL, SIZE_MAX);
	assert_int_equal(once.trace.pattern.n, t.pattern.n);
	assert_int_equal(twice.trace.pattern.n, t.pattern.n);
	for (int i = 0; i < 2; i++)
		assert_int_equal(twice.trace.base_ns +
					 twice.trace.pattern
						 .iteration_start_ns[i],
			t.base_ns + t.pattern.iteration_start_ns[i]);
	assert_int_equal(twice.trace.base_ns + twice.trace.kernel.start_ns[0],
		t.base_ns + t.kernel.start_ns[0]);
	assert_int_equal(twice.trace.notes.count[NOTE_row_odd], 0);
	decoded_release(&twice);
	decoded_release(&once);
	arena_release(&arena);
}

/* A process that has only facts and nodes is not a run. */
static void idle_process(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
#define KIND(kind, COLUMNS, what) t.processes[0].kind = (struct slice){ 0, 0 };
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	t.processes[0].fact = t.processes[0].node = (struct slice){ 0, 3 };
	decode_capture(&d, &t, CAPTURE_ALL, SIZE_MAX);
	assert_int_equal(d.trace.processes_n, 1);
	assert_int_equal(d.trace.processes[0].pid, -1);
	assert_int_equal(d.trace.kernel.n, 3);
	assert_int_equal(d.trace.fact.n, 3);
	assert_int_equal(d.trace.fact.process[2], 0);
	assert_int_equal(d.trace.node.n, 3);
	assert_int_equal(d.trace.node.process[2], 0);
	assert_int_equal(d.trace.kernel.process[0], 0);
	assert_int_equal(d.trace.devices[1].process, 0);
	decoded_release(&d);
	arena_release(&arena);
}

/* Facts are short and have a name and a value. */
static void odd_facts(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	char text[1002];
	(void)state;
	fill(&t, &arena);
	memset(text, 'x', sizeof text);
	uint32_t hundred = names_put(&t.names, text, 100);
	uint32_t more = names_put(&t.names, text, 101);
	uint32_t thousand = names_put(&t.names, text, 1000);
	uint32_t too_long = names_put(&t.names, text, 1001);
	t.fact.name[0] = hundred;
	t.fact.value[0] = thousand;
	t.fact.name[1] = more;
	t.fact.value[2] = too_long;
	t.fact.name[3] = 0;
	t.fact.value[4] = 0;
	decode_capture(&d, &t, CAPTURE_ALL, SIZE_MAX);
	assert_int_equal(d.trace.notes.count[NOTE_row_odd], 4);
	assert_string_equal(d.trace.notes.detail[NOTE_row_odd], "fact");
	assert_int_equal(d.trace.fact.n, 2);
	assert_int_equal(strlen(names_text(&d.trace.names,
				 d.trace.fact.value[0])),
		1000);
	decoded_release(&d);
	arena_release(&arena);
}

/* The base is so late that a later timestamp would overflow. */
static void base_too_late(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
	t.base_ns = INT64_MAX - 10;
	decode_capture(&d, &t, CAPTURE_ALL, SIZE_MAX);
	assert_false(d.trace.base_is_utc);
	assert_int_equal(d.trace.notes.count[NOTE_row_odd], 1);
	assert_string_equal(d.trace.notes.detail[NOTE_row_odd], "about");
	decoded_release(&d);
	arena_release(&arena);
}

/* Values that the store could not hold are omitted and not passed on. */
static void out_of_range(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
	t.processes[0].rank = -7;
	t.devices[0].memory_bytes = -5;
	t.stat.time_pct[0] = 100.1;
	t.stat.avg_ns[1] = -1;
	t.stat.instances[2] = 0;
	t.pattern.interpolated[0] = 3;
	decode_capture(&d, &t, CAPTURE_ALL, SIZE_MAX);
	assert_int_equal(d.trace.notes.count[NOTE_row_odd], 6);
	assert_int_equal(d.trace.processes[0].rank, -1);
	assert_int_equal(d.trace.devices_n, 1);
	assert_int_equal(d.trace.stat.n, t.stat.n - 3);
	assert_int_equal(d.trace.pattern.n, t.pattern.n - 1);
	decoded_release(&d);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iteration_comes_first),
		cmocka_unit_test(idle_process),
		cmocka_unit_test(odd_facts),
		cmocka_unit_test(base_too_late),
		cmocka_unit_test(out_of_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
