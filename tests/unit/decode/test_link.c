/* test_link.c - tests which process each event of a GPU is assigned to. */
#include "fixture.h"

/* One event per line, with only the relevant fields. */
#define CALL(pid, corr, more)                                                 \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\","         \
	"\"pid\":" #pid                                                       \
	",\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":" #corr more \
	"}}"
#define KERNEL(pid, corr, more)                                               \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" #pid       \
	",\"tid\":7,\"ts\":2,\"dur\":1,\"args\":{\"correlation\":" #corr more \
	"}}"
#define PYTHON(pid)                                                 \
	"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\"," \
	"\"pid\":" #pid ",\"tid\":0,\"ts\":1,\"dur\":1}"
#define NAME(pid, name)                                         \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid \
	",\"args\":{\"name\":\"" name "\"}}"
#define RANK(r, raw) ",\"rank\":" #r ",\"pid_raw\":" #raw

/* For each process: pid, rank, kernels, calls and ranges. */
static void check(const char *events, const char *want, int64_t no_process)
{
	struct decoded d;
	char text[8000], got[500];
	size_t at = 0;
	snprintf(text, sizeof text, "[%s]", events);
	decode_text(&d, text);
	for (uint32_t i = 0; i < d.trace.processes_n; i++) {
		const struct process *p = &d.trace.processes[i];
		at += (size_t)snprintf(got + at, sizeof got - at,
			"%s%lld rank %d: %u %u %u", i ? "; " : "",
			(long long)p->pid, p->rank,
			p->kernel.to - p->kernel.from,
			p->call.to - p->call.from, p->range.to - p->range.from);
	}
	assert_string_equal(got, want);
	assert_int_equal(noted(&d, NOTE_no_process), no_process);
	assert_int_equal(noted(&d, NOTE_fused),
		d.trace.processes_n > 1 ? d.trace.processes_n : 0);
	decoded_release(&d);
}

static void test_one(void **state)
{
	(void)state;
	check(CALL(77, 5, "") "," KERNEL(0, 5, "") "," KERNEL(1, 9,
		      "") "," PYTHON(0),
		"77 rank -1: 2 1 1", 0);
	/* in a container: process 1 and device 1 share a number */
	check(CALL(1, 5, "") "," KERNEL(1, 5, "") "," KERNEL(2, 6, ""),
		"1 rank -1: 2 1 0", 0);
	/* Python events are the only host events */
	check(PYTHON(50) "," KERNEL(0, 5, ""), "50 rank -1: 1 0 1", 0);
}

static void test_none(void **state)
{
	(void)state;
	check(KERNEL(0, 5, "") "," KERNEL(1, 6, ""), "-1 rank -1: 2 0 0", 2);
	check(KERNEL(0, 5, RANK(0, 0)) "," KERNEL(100, 6, RANK(1, 0)),
		"-1 rank 0: 1 0 0; -1 rank 1: 1 0 0", 2);
}

/* Ranks merged into one file: shifted pids, the rank in args. */
static void test_ranks(void **state)
{
	struct decoded d;
	(void)state;
	check(CALL(10, 5, RANK(0, 10)) "," CALL(110, 105,
		      RANK(1, 10)) "," KERNEL(102, 5, RANK(1, 2)) "," KERNEL(2,
		      105, RANK(0, 2)),
		"10 rank 0: 1 1 0; 10 rank 1: 1 1 0", 0);
	/* the file lacks the host events of one rank */
	check(CALL(10, 5, RANK(0, 10)) "," KERNEL(2, 5,
		      RANK(0, 2)) "," KERNEL(102, 6, RANK(1, 2)),
		"10 rank 0: 1 1 0; -1 rank 1: 1 0 0", 1);
	decode_text(&d, "[" NAME(110, "RANK 1") "," CALL(10, 5,
				RANK(0, 10)) "," CALL(110, 6,
				RANK(1, 20)) "," KERNEL(0, 5, RANK(0, 0)) "]");
	assert_int_equal(d.trace.processes[0].name, 0);
	assert_string_equal(text_of(&d, d.trace.processes[1].name), "RANK 1");
	assert_int_equal(d.trace.processes[1].pid, 20);
	decoded_release(&d);
}

/* If there are no ranks, a GPU belongs to the process whose calls launched
 * more than half of its events. */
static void test_votes(void **state)
{
	(void)state;
	check(CALL(10, 1, "") "," CALL(10, 2, "") "," CALL(20, 3,
		      "") "," CALL(20, 4, "") "," KERNEL(0, 3, "") "," KERNEL(0,
		      4, "") "," KERNEL(0, 1, "") "," KERNEL(1, 1,
		      "") "," KERNEL(1, 99, ""),
		"10 rank -1: 2 2 0; 20 rank -1: 3 2 0", 0);
	/* A correlation that both processes have decides nothing. Half is not
	 * a majority. */
	check(CALL(10, 1, "") "," CALL(20, 1, "") "," KERNEL(0, 1, ""),
		"10 rank -1: 0 1 0; 20 rank -1: 0 1 0; -1 rank -1: 1 0 0", 1);
	check(CALL(10, 1, "") "," CALL(20, 2, "") "," KERNEL(0, 1,
		      "") "," KERNEL(0, 2, ""),
		"10 rank -1: 0 1 0; 20 rank -1: 0 1 0; -1 rank -1: 2 0 0", 2);
	/* nor does an absent correlation */
	check(CALL(10, 0, "") "," CALL(20, 2, "") "," KERNEL(0, 0, ""),
		"10 rank -1: 0 1 0; 20 rank -1: 0 1 0; -1 rank -1: 1 0 0", 1);
	/* ranges only, with several candidate processes */
	check(CALL(10, 1, "") "," CALL(20, 2, "") "," PYTHON(30),
		"10 rank -1: 0 1 0; 20 rank -1: 0 1 0; 30 rank -1: 0 0 1", 0);
}

/* A pid that is text, and one process more than the limit. */
static void test_pids(void **state)
{
	enum { PIDS = 17000 };
	char *text = malloc(PIDS * 120), *p = text;
	struct decoded d;
	(void)state;
	check("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"o\",\"pid\":"
	      "\"python 77\",\"tid\":1,\"ts\":1,\"dur\":1}," KERNEL(0, 5, ""),
		"-1 rank -1: 1 0 0", 0);
	for (int i = 0; i < PIDS; i++)
		p += sprintf(p,
			"%c{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"o\","
			"\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":1}",
			i ? ',' : '[', i, i);
	p += sprintf(p, "]");
	decode_bytes(&d, text, (size_t)(p - text), 1 << 20);
	assert_true(d.ok);
	assert_int_equal(d.trace.processes_n, 16384);
	assert_int_equal(noted(&d, NOTE_bad_event), PIDS - 16384);
	decoded_release(&d);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_votes),
		cmocka_unit_test(test_pids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
