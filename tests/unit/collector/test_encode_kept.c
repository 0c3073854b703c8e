/* test_encode_kept.c - tests that repeated values are read once per capture,
 * and that rows which cannot be kept are counted. */
#include "encode_rig.h"

/* One record of each kind that has a text or a shape. */
static void some_of_each(struct rig *r)
{
	made_kernel(&r->made, pinned(r, "sgemm"), 1000, 1500);
	made_call(&r->made, false, 211, 10, 15);
	CUpti_ActivityMemcpy5 *c =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMCPY);
	c->start = c->end = 20;
	CUpti_ActivityMemset4 *s =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMSET);
	s->start = s->end = 20;
	CUpti_ActivityGraphTrace *g =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	g->start = g->end = 20;
}

static bool encoded(struct rig *r)
{
	struct intake_buffer b = { .bytes = r->made.bytes,
		.valid = r->made.at,
		.at_ns = 777 };
	bool all = encode_buffer(r->encode, &b, NULL, &r->sum);
	made_init(&r->made, r->made.layout.version);
	fake.text[0] = '\0';
	return all;
}

static void read_once_per_capture(void **state)
{
	enum { TEXTS = 6 }; /* kernel, call, thread, copy, set, graph */
	struct rig *r = rig_new(130001);
	(void)state;
	for (int i = 0; i < 3; i++) {
		some_of_each(r);
		assert_true(encoded(r));
	}
	assert_int_equal(fake.texts_read, TEXTS);
	assert_int_equal(fake.shapes_n, 1);
	assert_int_equal(names_read, 1);
	fake.captures = 2;
	some_of_each(r);
	assert_true(encoded(r));
	assert_int_equal(fake.texts_read, 2 * TEXTS);
	assert_int_equal(fake.shapes_n, 2);
	assert_int_equal(r->sum.kernels, 4);
	rig_free(r);
}

static void a_dropped_name_is_read_again(void **state)
{
	struct rig *r = rig_new(130001);
	(void)state;
	for (int i = 0; i < 2; i++) {
		made_kernel(&r->made, pinned(r, "dropped"), 1000, 1500);
		rows_match(r,
			"kernel process=0 start_ns=1000 dur_ns=500 name='-' "
			"device=1 stream=7 correlation=41 external_id=-1 "
			"graph_id=-1 graph_node=-1 launch=#1\n");
	}
	assert_int_equal(fake.texts_read, 2);
	rig_free(r);
}

static void invalid_numbers_of_names(void **state)
{
	static const uint64_t numbers[] = { NAMES_NONE, 77, NAMES_FULL,
		UINT64_MAX };
	struct rig *r = rig_new(130001);
	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		made_kernel(&r->made, (const char *)(uintptr_t)numbers[i], 1,
			2);
	assert_true(encoded(r));
	assert_int_equal(r->sum.kernels, 4);
	assert_int_equal(fake.texts_read, 0);
	rig_free(r);
}

static void rejected_rows_are_counted(void **state)
{
	struct rig *r = rig_new(130001);
	(void)state;
	some_of_each(r);
	assert_true(encoded(r));
	fake.full = true;
	some_of_each(r);
	assert_false(encoded(r));
	assert_int_equal(r->sum.lost, 5);
	assert_int_equal(r->sum.kernels + r->sum.copies + r->sum.calls +
				 r->sum.graphs,
		5);
	fake.full = false;
	some_of_each(r);
	assert_true(encoded(r));
	assert_int_equal(r->sum.lost, 5);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_once_per_capture),
		cmocka_unit_test(a_dropped_name_is_read_again),
		cmocka_unit_test(invalid_numbers_of_names),
		cmocka_unit_test(rejected_rows_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
