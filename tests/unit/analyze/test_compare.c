/* test_compare.c - tests that unusual sides get a clear sentence and a
 * sensible result. */
#include "sides.h"
#include <math.h>

static void a_run_with_itself_is_refused(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run r = sides_run(&a, 5, 4);
	(void)state;

	sides_kernel(&a, &r, "gemm", 600000, 3);
	sides_compare(&r, 1, &r, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"both sides hold run 5: no difference comes from the work");
	assert_int_equal(c.rows_n, 1);
	assert_int_equal(c.rows[0].change.is, CHANGE_UNDECIDED);
	assert_int_equal(c.rows[0].change.evidence, EVIDENCE_NONE);
	assert_true(c.rows[0].change.delta_ns == 0);
	arena_release(&a);
}

static void programs_without_a_common_function_are_reported(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 4), h = sides_run(&a, 2, 4);
	(void)state;

	sides_kernel(&a, &b, "gemm", 600000, 3);
	sides_kernel(&a, &h, "conv", 500000, 2);
	/* Every program waits on the host. */
	sides_function(&a, &b, "cudaStreamSynchronize", FUNCTION_sync, "Host",
		1000, 1);
	sides_function(&a, &h, "cudaStreamSynchronize", FUNCTION_sync, "Host",
		1000, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"no kernel is in both sides, nor do operators or phases agree: "
		"these are different programs");
	assert_int_equal(c.count[CHANGE_UNDECIDED], 3);
	arena_release(&a);
}

static void sides_without_gpu_time_are_reported(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 4), h = sides_run(&a, 0, 0);
	(void)state;

	sides_kernel(&a, &b, "gemm", 600000, 3);
	h.name = "made by hand";
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"'made by hand': there is no GPU time to compare");
	arena_release(&a);
}

static struct compared_run statistics(struct arena *a, int64_t id,
	const char *name, int64_t total_ns, int64_t instances)
{
	struct compared_run r = sides_run(a, id, 0);
	struct time_stats *s = arena_new(a, struct time_stats);
	r.content = CONTENT_STATISTICS;
	r.stat_names = arena_array(a, const char *, 1);
	r.stat_names[0] = name;
	*s = (struct time_stats){ .instances = instances,
		.total_ns = total_ns };
	r.stats = s;
	r.stats_n = 1;
	return r;
}

static void statistics_show_time_per_launch(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = statistics(&a, 3, "gemm", 3000, 10),
			    h = sides_run(&a, 4, 4);
	(void)state;

	/* 4 iterations of 1,000 ns in 2 launches: 500 ns each against 300. */
	sides_kernel(&a, &h, "gemm", 1000, 2);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"run 3: only statistics over the whole run are known there, "
		"without launches or iterations; what is shown is time per launch, "
		"and nothing is judged");
	assert_int_equal(c.rows_n, 1);
	assert_true(c.rows[0].change.base_ns == 300);
	assert_true(c.rows[0].change.head_ns == 500);
	assert_true(c.rows[0].by_duration_ns == 200);
	assert_true(isnan(c.rows[0].base_launches));
	assert_int_equal(c.base.iterations_used, 0);
	arena_release(&a);
}

/* Calls without starts: 5,000 ns in 10 calls against 3,000 ns in 10. The note
 * that states the reason is not repeated as a note. */
static void calls_without_starts_show_time_per_launch(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = statistics(&a, 3, "all_reduce", 3000, 10),
			    h = statistics(&a, 4, "all_reduce", 5000, 10);
	(void)state;

	b.content = h.content = CONTENT_DURATIONS;
	note_add(&b.notes, NOTE_comm_no_start, 10, "all_reduce", 10);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"run 3, run 4: calls were recorded without starts, so time per "
		"iteration is unknown; time per launch is shown, and nothing is "
		"judged");
	for (uint32_t i = 0; i < c.findings_n; i++)
		assert_int_not_equal(c.findings[i].code, FINDING_notes);
	assert_int_equal(c.rows_n, 1);
	assert_true(c.rows[0].change.base_ns == 300);
	assert_true(c.rows[0].change.head_ns == 500);
	assert_int_equal(c.base.iterations_used, 0);
	arena_release(&a);
}

static void delta_is_count_and_duration_to_the_nanosecond(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 2), h = sides_run(&a, 2, 2);
	const struct changed_row *r;
	(void)state;

	/* 3 launches of 100 ns become 4 of 150 ns: one more launch of 125 ns
	 * by count, 3.5 times 50 ns by duration, 300 ns in all. */
	sides_kernel(&a, &b, "both", 300, 3);
	sides_kernel(&a, &h, "both", 600, 4);
	sides_kernel(&a, &b, "gone", 70, 2);
	sides_kernel(&a, &h, "new", 50, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	r = sides_row(&c, "both");
	assert_true(r->by_count_ns == 125 && r->by_duration_ns == 175);
	assert_true(r->change.delta_ns == 300);
	assert_true(r->base_beta_pct == 0.03 && r->head_beta_pct == 0.06);
	r = sides_row(&c, "gone");
	assert_true(r->by_count_ns == -70 && r->by_duration_ns == 0);
	r = sides_row(&c, "new");
	assert_true(r->by_count_ns == 50 && r->by_duration_ns == 0);
	assert_string_equal(r->device, "GPU 0");
	assert_string_equal(r->head_device, "GPU 0");
	arena_release(&a);
}

static void an_empty_side_is_an_error(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compare_options o = COMPARE_OPTIONS;
	struct err e = { 0 };
	struct compared_run r = sides_run(&a, 1, 1);
	(void)state;

	assert_false(compare_from(&r, 1, NULL, 0, NULL, &o, &a, &c, &e));
	assert_string_equal(e.text, "a side without a run");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_with_itself_is_refused),
		cmocka_unit_test(
			programs_without_a_common_function_are_reported),
		cmocka_unit_test(sides_without_gpu_time_are_reported),
		cmocka_unit_test(statistics_show_time_per_launch),
		cmocka_unit_test(calls_without_starts_show_time_per_launch),
		cmocka_unit_test(delta_is_count_and_duration_to_the_nanosecond),
		cmocka_unit_test(an_empty_side_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
