/* test_patterns.c - every column of a pattern file and of its counters; lines
 * and quotes made to be expensive. */
#include "fixture.h"
#include <math.h>

#define HEADING                                                         \
	"cycle,pid,hostname,beta_pct,function_name,metric_name,device," \
	"func_type,mu_pct,sigma_pct,duration,interpolation_status,"     \
	"anchor_name,anchor_dur_us,cycle_start_ts,instances_count,"     \
	"simple_name\n"
#define FIRST                                                            \
	"3,4711,node1,30.0123,\"f<int, 4>(\"\"x\"\")\",gpu_usage,GPU 7," \
	"gpu_compute,6.3200,0.1000,300.1005,**,step,1000.25,"            \
	"1763013921000000.5000,3,f\n"
#define SECOND                                                             \
	"4,4711,node1,0.0022,write,N/A,Host,disk,,,2.2724, ,step,1000.25," \
	"1763013921001000.7500,1,write\n"
#define COUNTERS                                                              \
	"counter_name,timestamp,value,hostname\n"                             \
	"temperature,1763013920999999.5,-3.25,node1\n"                        \
	"process_mem_rss_4711,1763013921000000.5,110313762816.000000,node1\n" \
	"process_mem_rss_9,1763013921000000.5,1.0,node2\n"

static void check_rows(const struct decoded *d)
{
	const struct pattern_rows *p = &d->trace.pattern;
	const struct counter_rows *c = &d->trace.counter;
	assert_int_equal(p->n, 2);
	assert_int_equal(d->trace.processes_n, 1);
	assert_int_equal(d->trace.processes[0].pid, 4711);
	assert_string_equal(text_of(d, d->trace.processes[0].host), "node1");
	assert_int_equal(d->trace.base_ns, 1763013920999999500);
	assert_true(d->trace.base_is_utc);

	assert_int_equal(p->iteration[0], 3);
	assert_string_equal(text_of(d, p->name[0]), "f<int, 4>(\"x\")");
	assert_string_equal(text_of(d, p->metric[0]), "gpu_usage");
	assert_string_equal(text_of(d, p->device[0]), "GPU 7");
	assert_string_equal(text_of(d, p->func_type[0]), "gpu_compute");
	assert_string_equal(text_of(d, p->anchor[0]), "step");
	assert_true(p->beta_pct[0] == 30.0123 && p->mu_pct[0] == 6.32 &&
		    p->sigma_pct[0] == 0.1);
	assert_int_equal(p->dur_ns[0], 300101); /* 300,100.5 */
	assert_int_equal(p->iteration_ns[0], 1000250);
	assert_int_equal(p->iteration_start_ns[0], 1000);
	assert_int_equal(p->instances[0], 3);
	assert_int_equal(p->interpolated[0], 2);

	assert_int_equal(p->row[1], 1);
	assert_int_equal(p->dur_ns[1], 2272);
	assert_int_equal(p->metric[1], 0);
	assert_int_equal(p->interpolated[1], 0);
	assert_true(isnan(p->mu_pct[1]) && isnan(p->sigma_pct[1]));

	assert_int_equal(c->n, 2);
	assert_string_equal(text_of(d, c->name[0]), "temperature");
	assert_int_equal(c->start_ns[0], 0);
	assert_true(c->value[0] == -3.25);
	assert_int_equal(c->start_ns[1], 1000);
	assert_true(c->value[1] == 110313762816.0);
	assert_int_equal(noted(d, NOTE_counter_host), 1);
	assert_int_equal(noted(d, NOTE_pattern_row), 0);
}

/* The pieces of the input may have any size. */
static void test_columns(void **state)
{
	static const char text[] = HEADING FIRST SECOND COUNTERS;
	(void)state;
	for (size_t each = 1; each < 300; each += 7) {
		struct decoded d;
		decode_bytes(&d, text, sizeof text - 1, each);
		assert_true(d.ok);
		check_rows(&d);
		decoded_release(&d);
	}
}

/* Missing columns are unknown, not zero. */
static void test_fewest_columns(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d, "device,pid,cycle,duration,func_type,metric_name,"
			"function_name,instances_count\n"
			"GPU 0,1,1,5,gpu_compute,,f,2\n");
	const struct pattern_rows *p = &d.trace.pattern;
	assert_int_equal(p->dur_ns[0], 5000);
	assert_int_equal(p->instances[0], 2);
	assert_int_equal(p->iteration_ns[0], -1);
	assert_int_equal(p->iteration_start_ns[0], -1);
	assert_int_equal(p->anchor[0], 0);
	assert_int_equal(p->metric[0], 0);
	assert_true(isnan(p->beta_pct[0]) && isnan(p->mu_pct[0]));
	assert_int_equal(d.trace.base_ns, 0);
	assert_false(d.trace.base_is_utc);
	decoded_release(&d);
}

/* A row is rejected if a capture file could not hold its iteration number. */
static void test_iteration_number(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d, "device,pid,cycle,duration,func_type,metric_name,"
			"function_name,instances_count\n"
			"GPU 0,1,9007199254740992,5,gpu_compute,,f,2\n"
			"GPU 0,1,9007199254740993,5,gpu_compute,,f,2\n");
	assert_int_equal(d.trace.pattern.n, 1);
	assert_int_equal(noted(&d, NOTE_pattern_row), 1);
	decoded_release(&d);
}

/* A counter with a pid belongs to that process on every host of that name. A
 * counter without a pid belongs to each process of its host. */
static void test_counters_per_process(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d, "cycle,pid,hostname,function_name,metric_name,device,"
			"func_type,duration,instances_count\n"
			"1,7,a,f,,GPU 0,gpu_compute,1,1\n"
			"1,8,a,f,,GPU 0,gpu_compute,1,1\n"
			"1,8,b,f,,GPU 0,gpu_compute,1,1\n"
			"counter_name,timestamp,value,hostname\n"
			"usage,1,1,a\nusage,2,2,b\nrss_8,3,3,a\nrss_9,4,4,a\n");
	/* 7 on a, 8 on a, 8 on b */
	static const uint32_t samples[] = { 2, 3, 1 };
	assert_int_equal(d.trace.processes_n, 3);
	for (int i = 0; i < 3; i++) {
		struct slice s = d.trace.processes[i].counter;
		assert_int_equal(s.to - s.from, samples[i]);
	}
	assert_int_equal(noted(&d, NOTE_counter_host), 0);
	decoded_release(&d);
}

/* A megabyte of lines with quotes that are never closed. Each line is read at
 * most twice, and each is an unreadable row. */
static void test_quotes_left_open(void **state)
{
	enum { LINES = 1 << 19 };
	struct decoded d;
	size_t len = strlen(HEADING FIRST);
	char *text = malloc(len + 2 * (size_t)LINES + 1);
	(void)state;
	memcpy(text, HEADING FIRST, len + 1);
	for (size_t i = 0; i < LINES; i++)
		memcpy(text + len + 2 * i, "\"\n", 2);
	/* one more makes their number odd, so the last is left open */
	decode_bytes(&d, text, len + 2 * (size_t)LINES - 2, SIZE_MAX);
	assert_true(d.ok);
	assert_int_equal(d.trace.pattern.n, 1);
	assert_in_range(noted(&d, NOTE_pattern_row), LINES / 2, LINES - 1);
	decoded_release(&d);
	free(text);
}

/* A line longer than any window is lost alone. */
static void test_long_line(void **state)
{
	enum { LONG = 17 << 20 };
	struct decoded d;
	size_t len = strlen(HEADING FIRST);
	char *text = malloc(len + LONG + strlen("\n" SECOND) + 1);
	(void)state;
	memcpy(text, HEADING FIRST, len);
	memset(text + len, 'x', LONG);
	memcpy(text + len + LONG, "\n" SECOND, strlen("\n" SECOND) + 1);
	decode_bytes(&d, text, strlen(text), 1 << 20);
	assert_true(d.ok);
	assert_int_equal(d.trace.pattern.n, 2);
	assert_int_equal(noted(&d, NOTE_pattern_row), 1);
	decoded_release(&d);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_fewest_columns),
		cmocka_unit_test(test_iteration_number),
		cmocka_unit_test(test_counters_per_process),
		cmocka_unit_test(test_quotes_left_open),
		cmocka_unit_test(test_long_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
