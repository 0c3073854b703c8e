/* test_compare_split.c - tests the parts of an iteration that the host
 * records. */
#include "sides.h"

static const struct split_row *part_of(const struct comparison *c,
	enum split_part part)
{
	for (uint32_t i = 0; i < c->split_n; i++)
		if (c->split[i].part == part)
			return &c->split[i];
	return NULL;
}

static struct compared_run run(struct arena *a, int64_t id, int64_t oncpu_ns,
	int64_t runq_ns)
{
	struct compared_run r = sides_run(a, id, 12);
	sides_kernel(a, &r, "gemm", 600000, 3);
	sides_function(a, &r, "oncpu", FUNCTION_oncpu, "Host", oncpu_ns, 1);
	if (runq_ns >= 0)
		sides_function(a, &r, "runq", FUNCTION_runq, "Host", runq_ns,
			1);
	return r;
}

/* Thread time is listed and tested like the other parts of an iteration. */
static void threads_join_the_parts(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 1500000, 20000),
			    h = run(&a, 2, 1500000, 400000);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	const struct split_row *on = part_of(&c, SPLIT_PART_oncpu);
	const struct split_row *runq = part_of(&c, SPLIT_PART_runq);
	assert_non_null(on);
	assert_non_null(runq);
	assert_true(on->change.base_ns == 1500000);
	assert_int_equal(on->change.is, CHANGE_UNCHANGED);
	assert_true(runq->change.base_ns == 20000);
	assert_true(runq->change.head_ns == 400000);
	assert_int_equal(runq->change.is, CHANGE_REGRESSED);
	arena_release(&a);
}

/* A part that one side does not record is omitted. */
static void one_side_does_not_record(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 1500000, 20000),
			    h = run(&a, 2, 1500000, -1);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(part_of(&c, SPLIT_PART_oncpu));
	assert_null(part_of(&c, SPLIT_PART_runq));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_join_the_parts),
		cmocka_unit_test(one_side_does_not_record),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
