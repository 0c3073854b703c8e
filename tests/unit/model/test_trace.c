/* test_trace.c - tests that added rows are read back; launch shapes;
 * devices. */
#include "trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_rows(void **state)
{
	struct arena a = { 0 };
	struct trace t;
	(void)state;
	assert_true(trace_init(&t, &a));
	for (int32_t i = 0; i < 5000; i++)
		assert_true(trace_kernel_add(&t,
			&(struct kernel_row){ .start_ns = i * 10,
				.device = i,
				.correlation = -i }));
	assert_int_equal(t.kernel.n, 5000);
	for (int32_t i = 0; i < 5000; i++) {
		assert_int_equal(t.kernel.start_ns[i], i * 10);
		assert_int_equal(t.kernel.device[i], i);
		assert_int_equal(t.kernel.correlation[i], -i);
	}
	arena_release(&a);
}

static void test_full(void **state)
{
	struct arena a = { .ceiling = 200 << 10 };
	struct trace t;
	uint32_t n = 0;
	(void)state;
	assert_true(trace_init(&t, &a));
	while (n < 1000000 &&
		trace_op_add(&t, &(struct op_row){ .external_id = n }))
		n++;
	assert_in_range(n, 1, 200 << 10);
	assert_true(a.full);
	assert_int_equal(t.op.n, n);
	assert_int_equal(t.op.external_id[n - 1], n - 1);
	arena_release(&a);
}

static void test_launch_shape(void **state)
{
	struct launch_shape s = { { 1, 2, 3 }, { 4, 5, 6 }, 32, 1024 };
	struct arena a = { 0 };
	struct trace t;
	(void)state;
	assert_true(trace_init(&t, &a));
	uint32_t id = trace_launch_shape(&t, &s);
	assert_int_not_equal(id, 0);
	assert_int_equal(trace_launch_shape(&t, &s), id);
	assert_memory_equal(trace_launch_shape_at(&t, id), &s, sizeof s);
	s.registers = -1;
	assert_int_not_equal(trace_launch_shape(&t, &s), id);
	assert_int_equal(trace_launch_shape_at(&t, 0)->grid[0], -1);
	assert_int_equal(trace_launch_shape_at(&t, 0)->shared_bytes, -1);
	arena_release(&a);
}

static void test_device(void **state)
{
	struct device list[] = { { .process = -1, .number = 0 },
		{ .process = 1, .number = 1 }, { .process = 2, .number = 1 } };
	struct trace t = { .devices = list, .devices_n = 3 };
	(void)state;
	assert_ptr_equal(trace_device(&t, 7, 0), &list[0]);
	assert_ptr_equal(trace_device(&t, 2, 1), &list[2]);
	assert_null(trace_device(&t, 0, 1));
	assert_null(trace_device(&t, 0, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_launch_shape),
		cmocka_unit_test(test_device),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
