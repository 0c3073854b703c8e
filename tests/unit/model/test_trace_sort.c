/* test_trace_sort.c - tests that rows are sorted by process and start, for any
 * input order. The sort is stable and moves all columns. */
#include "trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum order { SORTED, REVERSED, INTERLEAVED, NEARLY, RANDOM, EQUAL, ORDERS };

/* Returns the start of row i of n for an input order. Few starts are distinct,
 * so that many rows have equal starts. */
static int64_t start_of(enum order o, uint32_t i, uint32_t n, uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	switch (o) {
	case SORTED:
		return i / 3;
	case REVERSED:
		return (n - i) / 3;
	case INTERLEAVED:
		return (i % 7) * 100000 + i / 7;
	case NEARLY:
		return i + (int64_t)(*x >> 60);
	case RANDOM:
		return (int64_t)(*x >> 40) % (n / 2 + 1);
	default:
		return 5;
	}
}

/* `correlation` records when a row was added, `device` repeats the start. */
static void fill(struct trace *t, enum order o, uint32_t n, uint16_t processes)
{
	uint64_t x = n;
	for (uint32_t i = 0; i < n; i++) {
		int64_t at = start_of(o, i, n, &x);
		uint16_t process = (uint16_t)((x >> 33) % processes);
		assert_true(trace_kernel_add(t,
			&(struct kernel_row){ .process = process,
				.start_ns = at,
				.dur_ns = process,
				.device = (int32_t)at,
				.correlation = i }));
	}
}

static void check(const struct trace *t, uint32_t n)
{
	const struct kernel_rows *k = &t->kernel;
	uint64_t sum = 0;
	assert_int_equal(k->n, n);
	for (uint32_t i = 0; i < n; i++) {
		sum += (uint64_t)k->correlation[i];
		assert_int_equal(k->device[i], k->start_ns[i]);
		assert_int_equal(k->dur_ns[i], k->process[i]);
		if (i == 0 || k->process[i] != k->process[i - 1]) {
			assert_true(
				i == 0 || k->process[i] > k->process[i - 1]);
			continue;
		}
		assert_true(k->start_ns[i] >= k->start_ns[i - 1]);
		if (k->start_ns[i] == k->start_ns[i - 1])
			assert_true(k->correlation[i] > k->correlation[i - 1]);
	}
	assert_int_equal(sum, (uint64_t)n * (n - (n > 0)) / 2);
}

static void check_slices(const struct trace *t)
{
	uint32_t at = 0;
	for (uint32_t p = 0; p < t->processes_n; p++) {
		struct slice s = t->processes[p].kernel;
		assert_int_equal(s.from, at);
		for (uint32_t i = s.from; i < s.to; i++)
			assert_int_equal(t->kernel.process[i], p);
		at = s.to;
		assert_int_equal(t->processes[p].op.to, 0);
	}
	assert_int_equal(at, t->kernel.n);
}

static void test_orders(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 15, 16, 17, 31, 33, 100,
		1000, 4097 };
	(void)state;
	for (enum order o = 0; o < ORDERS; o++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (uint16_t processes = 1; processes < 6;
				processes += 2) {
				struct process list[5] = { 0 };
				struct arena a = { 0 };
				struct trace t;
				assert_true(trace_init(&t, &a));
				t.processes = list;
				t.processes_n = processes;
				fill(&t, o, sizes[s], processes);
				assert_true(trace_sort(&t));
				check(&t, sizes[s]);
				check_slices(&t);
				arena_release(&a);
			}
}

/* A wrong capacity would leave no room for rows added after sorting. */
static void test_again(void **state)
{
	struct process list[1] = { 0 };
	struct arena a = { 0 };
	struct trace t;
	(void)state;
	assert_true(trace_init(&t, &a));
	t.processes = list;
	t.processes_n = 1;
	fill(&t, RANDOM, 1500, 1);
	assert_true(trace_sort(&t));
	size_t taken = a.taken;
	fill(&t, RANDOM, 0, 1);
	assert_true(trace_sort(&t));
	assert_int_equal(a.taken, taken);
	check(&t, 1500);
	arena_release(&a);
}

static void test_full(void **state)
{
	struct process list[1] = { 0 };
	struct arena a = { .ceiling = 64 << 20 };
	struct trace t;
	(void)state;
	assert_true(trace_init(&t, &a));
	t.processes = list;
	t.processes_n = 1;
	fill(&t, REVERSED, 100000, 1);
	a.ceiling = a.taken + 100;
	assert_false(trace_sort(&t));
	assert_true(a.full);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
