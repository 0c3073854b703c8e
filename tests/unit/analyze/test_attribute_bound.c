/* test_attribute_bound.c - tests the roofline bound of launches on their
 * platform, and the values computed from it. */
#include "attribute_world.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A device whose peaks are in the catalog. */
static void on(struct world *w, const char *device)
{
	static struct device d;

	d = (struct device){ .process = -1,
		.name = rows_name(&w->t, device),
		.sm_count = -1,
		.compute_major = -1,
		.compute_minor = -1,
		.memory_bytes = -1 };
	w->t.devices = &d;
	w->t.devices_n = 1;
}

static void on_h100(struct world *w)
{
	on(w, "NVIDIA H100 80GB HBM3");
}

/* Q = 2 * (64*128 + 128*256 + 64*256) = 114,688 bytes take 34.235 ns at 3.35
 * TB/s. W = 2 * 64 * 256 * 128 takes 4 ns at 989.4 TFLOP/s. So the bound is
 * 34.235 ns. */
static void one_gemm(struct world *w, int64_t dur_ns)
{
	on_h100(w);
	for (int i = 0; i < 2; i++) {
		op(w, "aten::mm", "[[64,128],[128,256]]",
			"[\"c10::Half\",\"c10::Half\"]", 1000 + i * 100, 50);
		launch(w, "whatever", 1010 + i * 100, dur_ns);
	}
	analyse(w);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_OP_SIZES, 2 * dur_ns);
}

static void time_above_the_bound_is_headroom(void **state)
{
	struct world *w = *state;
	one_gemm(w, 50000);
	const struct operator_stat *o = &w->p.operators.rows[0];
	assert_string_equal(w->p.operators.platform, "H100-SXM");
	assert_true(w->p.operators.shapes[0].costed);
	assert_int_equal(w->p.operators.shapes[0].leg, LEG_MEMORY);
	assert_int_equal(o->bound_calls, 2);
	assert_int_equal(o->bound_ns, 100000);
	assert_int_equal(o->sheet.sol_ps, 2 * 34235);
	assert_int_equal(o->sheet.compute_ns, 0);
	assert_int_equal(o->sheet.headroom_ns, 100000 - 69);
	assert_int_equal(w->p.operators.shapes[0].headroom_ns, 100000 - 69);
	assert_int_equal(o->sheet.over_ns, 0);
}

/* Six steps launch a GEMM of two kernels each, which is 64 * 128 * 256
 * multiply-adds, and the first takes ten times as long. */
static void calls_in_kept_iterations_are_counted(void **state)
{
	struct world *w = *state;
	on_h100(w);
	for (int i = 0; i < 6; i++) {
		int64_t at = 1000 + i * 100000, ns = i ? 3000 : 30000;
		rows_range(&w->t, RANGE_ANNOTATION,
			(const char *[]){ "ProfilerStep#1", "ProfilerStep#2",
				"ProfilerStep#3", "ProfilerStep#4",
				"ProfilerStep#5", "ProfilerStep#6" }[i],
			"1", at, 90000);
		op(w, "aten::mm", "[[64,128],[128,256]]",
			"[\"c10::Half\",\"c10::Half\"]", at + 10, 500);
		launch(w, "whatever", at + 20, ns);
		launch(w, "reduce", at + 40, ns);
	}
	analyse(w);
	const struct iterations *all = &w->p.iterations;
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_int_equal(all->n, 6);
	assert_int_equal(all->iterations[0].use, ITERATION_WARMUP);
	assert_int_equal(all->kept_n, 5);
	assert_int_equal(s->call.instances, 6);
	assert_int_equal(s->kept_calls, 5);
	assert_int_equal(s->kept_ns, 5 * 2 * 3000);
	assert_int_equal(s->call.total_ns - s->kept_ns, 2 * 30000);
	const struct iteration_works *work = &w->p.operators.work;
	const struct iteration_work *gemms = &work->rows[1];
	assert_int_equal(work->iterations_n, 6);
	assert_int_equal(work->n, 2);
	assert_false(work->rows[0].known);
	assert_true(gemms->known);
	assert_int_equal(gemms->dtypes, 1 << DTYPE_FP16);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(work->rows[0].time_ns[i], 0);
		assert_int_equal(gemms->time_ns[i], i ? 6000 : 60000);
		assert_true(gemms->flops[i] == 2. * 64 * 128 * 256);
		assert_true(gemms->bytes[i] ==
			    2. * (64 * 128 + 128 * 256 + 64 * 256));
	}
}

static void no_headroom_below_the_launch_floor(void **state)
{
	struct world *w = *state;
	one_gemm(w, 100);
	assert_int_equal(w->p.operators.rows[0].bound_ns, 200);
	assert_int_equal(w->p.operators.rows[0].clock.headroom_ns, 0);
	assert_int_equal(w->p.operators.shapes[0].headroom_ns, 0);
}

static void times_below_the_bound_have_a_note(void **state)
{
	struct world *w = *state;
	one_gemm(w, 34);
	const struct operator_stat *o = &w->p.operators.rows[0];
	assert_int_equal(o->sheet.over_ns, 68);
	assert_int_equal(o->sheet.headroom_ns, 0);
	assert_int_equal(w->p.operators.shapes[0].headroom_ns, 0);
	assert_int_equal(w->p.notes.count[NOTE_over_roof], 1);
	assert_string_equal(w->p.notes.detail[NOTE_over_roof],
		"gemm m=64 n=256 k=128");
}

static const char shortest[] =
	"the shortest call took less than its roofline bound: the cost is wrong, "
	"the data were in a cache, or calls of different work share this shape";

static void many_gemms(struct world *w, const int64_t *ns, int n)
{
	on_h100(w);
	for (int i = 0; i < n; i++) {
		op(w, "aten::mm", "[[64,128],[128,256]]",
			"[\"c10::Half\",\"c10::Half\"]", 1000 + i * 1000, 50);
		launch(w, "whatever", 1010 + i * 1000, ns[i]);
	}
	analyse(w);
}

static void the_shortest_call_is_below_the_bound(void **state)
{
	struct world *w = *state;
	many_gemms(w, (const int64_t[]){ 34, 50, 50, 50 }, 4);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_string_equal(s->why, shortest);
	assert_true(s->sol_ns > 34.23 && s->sol_ns < 34.24);
	assert_int_equal(w->p.notes.count[NOTE_over_roof], 0);
	assert_int_equal(w->p.notes.count[NOTE_mixed_shape], 0);
}

static void calls_at_the_bound_fit_it(void **state)
{
	struct world *w = *state;
	many_gemms(w, (const int64_t[]){ 35, 35, 90, 90 }, 4);
	assert_null(w->p.operators.shapes[0].why);
}

/* Half of the layers attend to a window, with the same sizes. */
static void two_groups_of_times_are_a_mixed_shape(void **state)
{
	struct world *w = *state;
	many_gemms(w, (const int64_t[]){ 90, 20, 95, 21, 91, 22 }, 6);
	assert_string_equal(w->p.operators.shapes[0].why,
		"calls of different work seem to share this shape: 3 of 6 take at "
		"most 22 ns, less than the roofline bound, and the others at least "
		"90 ns");
	assert_int_equal(w->p.notes.count[NOTE_mixed_shape], 1);
	assert_string_equal(w->p.notes.detail[NOTE_mixed_shape],
		"gemm m=64 n=256 k=128");
	assert_int_equal(w->p.notes.count[NOTE_over_roof], 0);
}

/* The largest gap is between 34 and 50. Each group is wider. */
static void times_without_a_clear_gap_are_not_mixed(void **state)
{
	static const int64_t wide[] = { 10, 18, 26, 34, 50, 58, 66, 74 };
	struct world *w = *state;
	many_gemms(w, wide, 8);
	assert_string_equal(w->p.operators.shapes[0].why, shortest);
	assert_int_equal(w->p.notes.count[NOTE_mixed_shape], 0);
}

static void times_less_than_double_are_not_mixed(void **state)
{
	struct world *w = *state;
	many_gemms(w, (const int64_t[]){ 30, 31, 58, 59 }, 4);
	assert_string_equal(w->p.operators.shapes[0].why, shortest);
	assert_int_equal(w->p.notes.count[NOTE_mixed_shape], 0);
}

static void one_short_call_is_no_group(void **state)
{
	struct world *w = *state;
	many_gemms(w, (const int64_t[]){ 10, 90, 90, 90, 90 }, 5);
	assert_string_equal(w->p.operators.shapes[0].why, shortest);
	assert_int_equal(w->p.notes.count[NOTE_mixed_shape], 0);
}

/* ROCm numbers what it executes differently from what it lists. */
static void a_device_not_listed_is_like_those_that_are(void **state)
{
	struct world *w = *state;
	on_h100(w);
	rows_kernel(&w->t, "splitKreduce_kernel<float>", 1000, 5, 9, 16);
	analyse(w);
	assert_string_equal(w->p.operators.platform, "H100-SXM");
}

static void a_type_without_a_peak_has_no_bound_and_why(void **state)
{
	struct world *w = *state;
	on_h100(w);
	op(w, "aten::mm", "[[64,128],[128,256]]",
		"[\"c10::complex<float>\",\"c10::complex<float>\"]", 1000, 50);
	launch(w, "whatever", 1010, 5000);
	analyse(w);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_true(s->costed);
	assert_true(isnan(s->sol_ns));
	assert_string_equal(s->why, "H100-SXM has no known peak for complex64");
	assert_int_equal(w->p.operators.rows[0].bound_ns, 0);
}

/* Each takes a little less than 2^62 ps. */
static void inconsistent_times_are_excluded(void **state)
{
	struct world *w = *state;
	on(w, "NVIDIA H20");
	for (int i = 0; i < 3; i++) {
		char dims[60];
		snprintf(dims, sizeof dims, "[[3037000499,%" PRId64 "]]",
			INT64_C(3037000499) - i);
		op(w, "aten::sigmoid", dims, "[\"signed char\"]",
			1000 + i * 100, 50);
		launch(w, "whatever", 1010 + i * 100, 9 - i);
	}
	analyse(w);
	const struct operators *o = &w->p.operators;
	assert_int_equal(o->rows[0].bound_calls, 2);
	assert_true(o->rows[0].clock.sol_ps > INT64_MAX / 8 * 7);
	assert_int_equal(o->rows[0].clock.over_ns, 17);
	assert_true(o->shapes[1].sol_ns > 0);
	assert_string_equal(o->shapes[1].why, shortest);
	assert_true(o->shapes[2].costed);
	assert_true(isnan(o->shapes[2].sol_ns));
	assert_int_equal(o->shapes[2].leg, LEG_NONE);
	assert_string_equal(o->shapes[2].why,
		"the roofline bounds of its operator's calls add up to more than "
		"is kept (106 days)");
}

static void a_cost_above_63_bits_is_unknown(void **state)
{
	struct world *w = *state;
	on_h100(w);
	op(w, "aten::sigmoid", "[[4000000000,4000000000]]", "[\"signed char\"]",
		1000, 50);
	launch(w, "whatever", 1010, 5);
	analyse(w);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_false(s->costed);
	assert_true(isnan(s->sol_ns));
	assert_string_equal(s->why,
		"its cost is beyond 2^63 operations or bytes");
	assert_int_equal(w->p.operators.rows[0].bound_calls, 0);
}

static void a_copy_is_bound_within_a_device_alone(void **state)
{
	struct world *w = *state;
	on_h100(w);
	rows_copy(&w->t, "Memcpy", 1000, 9, 0, 1000000, false);
	rows_copy(&w->t, "Memcpy HtoD (Pinned -> Device)", 1100, 8, 0, 1000000,
		false);
	rows_copy(&w->t, "Memcpy DtoD (Device -> Device)", 1200, 7, 0, 1000000,
		false);
	rows_copy(&w->t, "Memset (Device)", 1300, 6, 0, 1000000, true);
	analyse(w);
	const struct shape_stat *s = w->p.operators.shapes;
	assert_false(s[0].costed);
	assert_string_equal(s[0].why, "its direction is unknown");
	assert_false(s[1].costed);
	assert_string_equal(s[1].why,
		"it moves over a link whose speed no platform in the catalog states");
	assert_true(fabs(s[2].sol_ns - 2e6 / 3350) < 1e-6);
	assert_true(fabs(s[3].sol_ns - 1e6 / 3350) < 1e-6);
}

/* A GEMM of 8192 * 8192 * 8192 in fp16, which takes 2 ms, and ten samples of the
 * SM clock while it runs. W = 2 * 8192^3 = 1,099,511,627,776. */
static void a_gemm_at(struct world *w, const char *device, double mhz)
{
	on(w, device);
	op(w, "aten::mm", "[[8192,8192],[8192,8192]]",
		"[\"c10::Half\",\"c10::Half\"]", 1000, 50);
	launch(w, "whatever", 1010, 2000000);
	for (int i = 0; i < 10; i++)
		trace_counter_add(&w->t,
			&(struct counter_row){ .start_ns = 200000 + i * 100000,
				.name = rows_name(&w->t, "gpu_sm_frequency"),
				.value = mhz });
	analyse(w);
}

/* 1647 of 1830 MHz: W at 0.9 * 989.4 TFLOP/s takes 1,234,768.1 ns; at the data
 * sheet's peak it would take 1,111,291.3 ns. */
static void compute_peaks_scale_by_the_clock(void **state)
{
	struct world *w = *state;
	a_gemm_at(w, "NVIDIA H100 80GB HBM3", 1647);
	const struct operators *o = &w->p.operators;
	assert_string_equal(o->platform, "H100-SXM");
	assert_true(fabs(o->sm_clock_mhz - 1647) < 1e-6);
	assert_null(o->sm_clock_why);
	assert_true(o->sheet->peak_flops[DTYPE_FP16] > 989e12);
	assert_true(fabs(o->shapes[0].clock_sol_ns - 1234768.1) < 0.1);
	assert_true(fabs(o->shapes[0].sol_ns - 1111291.3) < 0.1);
	assert_int_equal(o->shapes[0].clock_leg, LEG_COMPUTE);
	assert_int_equal(o->rows[0].clock.headroom_ns, 2000000 - 1234769);
	assert_int_equal(o->rows[0].sheet.headroom_ns, 2000000 - 1111292);
	assert_int_equal(o->shapes[0].headroom_ns, 2000000 - 1111292);
}

/* 2013 of 1830 MHz: the factor 1.1 is not cut. */
static void a_faster_clock_raises_the_peaks(void **state)
{
	struct world *w = *state;
	a_gemm_at(w, "NVIDIA H100 80GB HBM3", 2013);
	assert_true(
		fabs(w->p.operators.shapes[0].clock_sol_ns - 1010264.8) < 0.1);
}

/* A call that the bandwidth bounds has the bound of one_gemm() at half the
 * clock, too: 4 ns of compute become 8. */
static void bandwidth_does_not_scale(void **state)
{
	struct world *w = *state;
	on_h100(w);
	op(w, "aten::mm", "[[64,128],[128,256]]",
		"[\"c10::Half\",\"c10::Half\"]", 1000, 50);
	launch(w, "whatever", 1010, 2000000);
	for (int i = 0; i < 10; i++)
		trace_counter_add(&w->t,
			&(struct counter_row){ .start_ns = 200000 + i * 100000,
				.name = rows_name(&w->t, "gpu_sm_frequency"),
				.value = 915 });
	analyse(w);
	assert_int_equal(w->p.operators.rows[0].clock.sol_ps, 34235);
	assert_true(w->p.operators.sm_clock_mhz > 914);
}

static void peaks_without_a_clock_are_the_data_sheets(void **state)
{
	struct world *w = *state;
	a_gemm_at(w, "NVIDIA H20", 1500);
	const struct operators *o = &w->p.operators;
	assert_true(isnan(o->sm_clock_mhz));
	assert_null(o->sheet);
	assert_string_equal(o->sm_clock_why,
		"the catalog does not state the clock that the peaks of H20 "
		"assume");
	/* W / 148 TFLOP/s */
	assert_true(fabs(o->shapes[0].sol_ns - 7429132.6) < 0.1);
}

static void an_unknown_platform_has_no_peaks_to_scale(void **state)
{
	struct world *w = *state;
	a_gemm_at(w, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 1500);
	assert_string_equal(w->p.operators.sm_clock_why,
		"the platform is unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(time_above_the_bound_is_headroom),
		WORLD_TEST(calls_in_kept_iterations_are_counted),
		WORLD_TEST(no_headroom_below_the_launch_floor),
		WORLD_TEST(times_below_the_bound_have_a_note),
		WORLD_TEST(the_shortest_call_is_below_the_bound),
		WORLD_TEST(calls_at_the_bound_fit_it),
		WORLD_TEST(two_groups_of_times_are_a_mixed_shape),
		WORLD_TEST(times_without_a_clear_gap_are_not_mixed),
		WORLD_TEST(times_less_than_double_are_not_mixed),
		WORLD_TEST(one_short_call_is_no_group),
		WORLD_TEST(a_device_not_listed_is_like_those_that_are),
		WORLD_TEST(a_type_without_a_peak_has_no_bound_and_why),
		WORLD_TEST(inconsistent_times_are_excluded),
		WORLD_TEST(a_cost_above_63_bits_is_unknown),
		WORLD_TEST(a_copy_is_bound_within_a_device_alone),
		WORLD_TEST(compute_peaks_scale_by_the_clock),
		WORLD_TEST(a_faster_clock_raises_the_peaks),
		WORLD_TEST(bandwidth_does_not_scale),
		WORLD_TEST(peaks_without_a_clock_are_the_data_sheets),
		WORLD_TEST(an_unknown_platform_has_no_peaks_to_scale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
