/* test_compare_around.c - tests that differences in the conditions of two
 * sides are reported before the numbers. */
#include "sides.h"
#include <math.h>

static struct compared_run run(struct arena *a, int64_t id, uint32_t iterations)
{
	struct compared_run r = sides_run(a, id, iterations);
	sides_kernel(a, &r, "gemm", 500000, 10);
	return r;
}

static const char *finding(const struct compared_run *b, uint32_t b_n,
	const struct compared_run *h, uint32_t h_n, enum finding_code code,
	struct arena *a)
{
	struct comparison *c = arena_new(a, struct comparison);
	sides_compare(b, b_n, h, h_n, a, c);
	return sides_finding(c, code);
}

static void the_same_around_is_not_mentioned(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	struct comparison c;
	(void)state;

	sides_compare(&b, 1, &h, 1, &a, &c);
	for (uint32_t i = 0; i < c.findings_n; i++)
		assert_int_equal(c.findings[i].code, FINDING_floor_default);
	assert_true(c.comparable);
	arena_release(&a);
}

static void iterations_of_other_anchors_are_refused(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	b.iterations.detector = h.iterations.detector = ITERATIONS_GIVEN;
	b.iterations.range = "Scheduler.run_batch";
	h.iterations.range = "Qwen3DecoderLayer";
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_detectors_differ, &a),
		"iterations mean different things: a table's iterations of "
		"Scheduler.run_batch (1 ms on average) in the base, a table's "
		"iterations of Qwen3DecoderLayer (1 ms on average) in the head. "
		"Name "
		"one range for both (range=…)");
	arena_release(&a);
}

static void a_period_is_comparable_with_a_range_of_its_length(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	h.iterations.detector = ITERATIONS_PERIOD;
	h.iterations.range = "gemm";
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_detectors_differ, &a),
		"");
	/* a layer in twelve is a different workload */
	for (uint32_t i = 0; i < 5; i++)
		b.iterations.iterations[i].launches = 120;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_detectors_differ, &a),
		"iterations mean different things: ranges named step (1 ms on "
		"average) in the base, a period of kernels that begins with "
		"gemm "
		"(1 ms on average) in the head. Name one range for both "
		"(range=…)");
	arena_release(&a);
}

static void devices_and_surroundings_are_reported(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	static const char *const a100[] = { "NVIDIA A100" };
	static const char *const h100[] = { "NVIDIA H100", NULL };
	static struct fact base[] = { { "build", "41" }, { "cpu", "EPYC" },
		{ "driver", "550.54.15" }, { "torch", "2.4.0" } };
	static struct fact head[] = { { "build", "42" }, { "cpu", "EPYC" },
		{ "driver", "560.35.03" }, { "zeta", "1" } };
	(void)state;

	b.device_names = a100;
	b.device_names_n = 1;
	h.device_names = h100;
	h.device_names_n = 2;
	b.facts = (struct facts){ base, 4 };
	h.facts = (struct facts){ head, 4 };
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_devices_differ, &a),
		"the devices differ: NVIDIA A100 in the base, NVIDIA H100 in "
		"the "
		"head");
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_fact_differs, &a),
		"the surroundings differ: GPU driver 550.54.15, build 41 in "
		"the "
		"base, GPU driver 560.35.03, build 42 in the head");
	arena_release(&a);
}

static void slow_gpus_of_one_side_and_of_both(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	assert_string_equal(finding(&b, 1, &h, 1, FINDING_slow_gpu, &a), "");
	h.slow_gpu = "6161e0f3";
	h.slow_gpu_slowdown = 0.031;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_slow_gpu, &a),
		"runs used GPUs that are recorded as slow: none in the base, "
		"run 2 on 6161e0f3 (+3.1 %) in the head");
	assert_string_equal(finding(&h, 1, &b, 1, FINDING_slow_gpu, &a),
		"runs used GPUs that are recorded as slow: run 2 on 6161e0f3 "
		"(+3.1 %) in the base, none in the head");
	b.slow_gpu = "node7 0000:57:00.0";
	b.slow_gpu_slowdown = 0.05;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_slow_gpu, &a),
		"runs used GPUs that are recorded as slow: run 1 on node7 "
		"0000:57:00.0 (+5.0 %) in the base, run 2 on 6161e0f3 (+3.1 %) in "
		"the head");
	arena_release(&a);
}

static void cuda_and_hip_runtimes_are_reported(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	static struct fact base[] = { { "cuda_runtime", "12.4" } };
	static struct fact head[] = { { "hip_runtime", "6.4" } };
	(void)state;

	b.facts = (struct facts){ base, 1 };
	h.facts = (struct facts){ head, 1 };
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_fact_differs, &a),
		"the surroundings differ: CUDA runtime 12.4 in the base, HIP "
		"runtime 6.4 in the head");
	arena_release(&a);
}

static void graphs_recorded_whole_are_refused(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	/* 2.5 ms of kernels; 7.5 ms of graphs are three quarters */
	h.graph_ns = 7500000;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_graph_opaque, &a),
		"time is hidden in CUDA graphs recorded whole: 0.0 % of GPU "
		"time "
		"in the base, 75.0 % in the head; their kernels are in no row "
		"here. Record with --cuda-graph-trace=node");
	h.graph_ns = 100000;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_graph_opaque, &a),
		"");
	arena_release(&a);
}

static void notes_of_losses_are_repeated(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	b.notes.count[NOTE_records_dropped] = 12;
	h.notes.count[NOTE_truncated] = 5;
	h.notes.count[NOTE_no_grid] = 7; /* informative only */
	h.notes.count[NOTE_names_lag] = 9;
	h.analysis_version = ANALYSIS_VERSION + 1;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_records_dropped, &a),
		"records were dropped while recording: 12 in the base, 0 in "
		"the "
		"head");
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_notes, &a),
		"the traces have notes: run 2: the file breaks off in the "
		"middle; what came before it was used (5 bytes read)");
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_names_lag, &a),
		"the kernels' names lag behind their durations in run 2: times "
		"per name are not to be trusted");
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_analysis_versions,
				    &a),
		arena_printf(&a,
			"the runs were analyzed by different versions (%d and "
			"%d); `kernsiftd rebuild` analyzes them again with one version",
			ANALYSIS_VERSION, ANALYSIS_VERSION + 1));
	arena_release(&a);
}

static void excluded_iterations_are_counted(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 3);
	struct comparison c;
	(void)state;

	b.iterations.iterations[0].use = ITERATION_WARMUP;
	h.iterations.iterations[0].use = ITERATION_WARMUP;
	h.iterations.iterations[2].use = ITERATION_PARTIAL;
	b.kernel_ns *= 2; /* half of the time is outside all iterations */
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(sides_finding(&c, FINDING_warmup_dropped),
		"the first iterations were left out, as warm-up: 1 in the base, 1 "
		"in "
		"the head");
	assert_string_equal(sides_finding(&c, FINDING_few_iterations),
		"few iterations: 4 in the base, 1 in the head; only launches are "
		"evidence, for functions that are new, gone or changed as a "
		"whole; iterations prove more from three against four, runs from "
		"four per side");
	assert_string_equal(sides_finding(&c, FINDING_coverage),
		"iterations cover only a part of the GPU time: 50.0 % in the base, "
		"100.0 % in the head");
	assert_int_equal(c.base.iterations_used, 4);
	assert_int_equal(c.head.iterations_used, 1);

	h.iterations.iterations[1].use = ITERATION_PARTIAL;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"no iteration is left to compare: 4 in the "
		"base, 0 in the head; the "
		"others were warm-up or cut off");
	arena_release(&a);
}

static void thinning_of_very_many_iterations_is_reported(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = sides_run(&a, 1, 100000), h = run(&a, 2, 5);
	struct comparison c;
	(void)state;

	/* the sample that pattern.c keeps of 100,000: every 50th */
	b.patterns.iterations_n = 2000;
	for (uint32_t i = 0; i < 2000; i++)
		b.patterns.iteration[i] = 50 * i;
	sides_kernel(&a, &b, "gemm", 500000, 10);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(sides_finding(&c, FINDING_iterations_uneven),
		"iterations were thinned out evenly where a run has very many: "
		"2000 "
		"of 100000 of run 1");
	assert_int_equal(c.base.iterations_used, 2000);
	assert_int_equal(c.base.iterations, 100000);
	assert_true(c.rows[0].change.delta_ns == 0);
	arena_release(&a);
}

static void metric(struct arena *a, struct compared_run *r, double mu,
	enum metric_basis basis)
{
	struct pattern_metric *m = arena_new(a, struct pattern_metric);
	uint32_t n = r->patterns.iterations_n;
	*m = (struct pattern_metric){ .name = "sm_util",
		.mu = arena_array(a, double, n),
		.sigma = arena_array(a, double, n),
		.interpolated = arena_array(a, uint8_t, n) };
	for (uint32_t i = 0; i < n; i++) {
		m->mu[i] = mu;
		m->interpolated[i] = (uint8_t)basis;
	}
	r->patterns.metrics = m;
	r->patterns.metrics_n = 1;
}

static void counters_without_usable_values_are_reported(void **state)
{
	struct arena a = { 0 };
	struct compared_run b = run(&a, 1, 5), h = run(&a, 2, 5);
	(void)state;

	metric(&a, &b, NAN, METRIC_SAMPLED);
	h.notes.count[NOTE_counters_nan] = 1;
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_counters_nan, &a),
		"no counter has a usable value in run 1, run 2");
	metric(&a, &b, 40, METRIC_INTERPOLATED);
	metric(&a, &h, 40, METRIC_INTERPOLATED);
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_counters_slow, &a),
		"no counter was sampled fast enough to be named as a kernel's: "
		"100.0 % of the values are interpolated");
	metric(&a, &h, 40, METRIC_SAMPLED);
	assert_string_equal(finding(&b, 1, &h, 1, FINDING_counters_slow, &a),
		"");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_around_is_not_mentioned),
		cmocka_unit_test(iterations_of_other_anchors_are_refused),
		cmocka_unit_test(
			a_period_is_comparable_with_a_range_of_its_length),
		cmocka_unit_test(devices_and_surroundings_are_reported),
		cmocka_unit_test(slow_gpus_of_one_side_and_of_both),
		cmocka_unit_test(cuda_and_hip_runtimes_are_reported),
		cmocka_unit_test(graphs_recorded_whole_are_refused),
		cmocka_unit_test(notes_of_losses_are_repeated),
		cmocka_unit_test(excluded_iterations_are_counted),
		cmocka_unit_test(thinning_of_very_many_iterations_is_reported),
		cmocka_unit_test(counters_without_usable_values_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
