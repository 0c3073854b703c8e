/* test_what_if.c - tests what single changes would save per iteration. */
#include "what_if.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct arena a;
static struct what_if *found;
static uint32_t found_n;

static int stop(void **state)
{
	(void)state;
	arena_release(&a);
	a = (struct arena){ 0 };
	return 0;
}

/* Iterations of 1,000 ns. */
static double single_launches = 1;
static const struct saved_fusion *fusions;
static uint32_t fusions_n;
static const struct saved_collective *collective;

static void find(const struct kept_iteration *iterations, uint32_t n,
	const struct what_if_operator *operators, uint32_t operators_n)
{
	const struct what_if_input q = { iterations, n, 1000, single_launches,
		operators, operators_n, fusions, fusions_n, collective };

	assert_true(what_if_from(&q, &a, &found, &found_n));
}

static bool near(double x, double y)
{
	return fabs(x - y) < 1e-6;
}

/* An iteration with this launch time. */
static struct kept_iteration launching(uint32_t stratum, int64_t launches,
	int64_t launch_ns)
{
	return (struct kept_iteration){ .stratum = stratum,
		.launches = launches,
		.dur_ns = 1000,
		.compute_ns = 300,
		.comm_ns = -1,
		.comm_overlapped_ns = -1,
		.launch_ns = launch_ns,
		.host_gap_ns = 50 };
}

/* By hand: 100, 120 and 140 ns have the mean 120 and the standard error 20/sqrt(3);
 * the 97.5 % quantile of t with 2 degrees of freedom is 4.302653. */
static void graph_of_equal_iterations(void **state)
{
	const struct kept_iteration all[] = { launching(0, 9, 100),
		launching(0, 9, 120), launching(0, 9, 140) };

	(void)state;
	find(all, 3, NULL, 0);
	assert_int_equal(found_n, 1);
	assert_int_equal(found->change, WHAT_IF_GRAPH);
	assert_null(found->of);
	assert_true(near(found->saved_ns, 120) && near(found->share, 0.12));
	assert_true(fabs(found->low_ns - 70.3173) < 1e-3);
	assert_true(fabs(found->high_ns - 169.6827) < 1e-3);
	assert_string_equal(found->text,
		"Capturing the launches of an iteration as a CUDA graph would "
		"save 120 ns per iteration (12.0 % of it).");
	assert_string_equal(found->assumptions[0],
		"3 of 3 iterations launch as many kernels as another one of "
		"their kind, and these are the same kernels with the same sizes");
	assert_string_equal(found->assumptions[2],
		"host gaps (50 ns per iteration) stay; what the host need not do "
		"between launches is saved, too");
}

/* Half of the launch time, and all of it, is in calls that launch a graph. */
static void graph_of_graphs(void **state)
{
	const struct kept_iteration all[] = { launching(0, 9, 100),
		launching(0, 9, 120) };

	(void)state;
	single_launches = 0.5;
	find(all, 2, NULL, 0);
	assert_int_equal(found_n, 1);
	assert_true(near(found->saved_ns, 55));
	single_launches = 0;
	find(all, 2, NULL, 0);
	assert_int_equal(found_n, 0);
	single_launches = 1;
}

static void graph_of_some_iterations(void **state)
{
	static const struct {
		const char *what;
		uint32_t strata[4];
		int64_t launches[4], launch_ns[4];
		double saved_ns; /* 0: no estimate */
	} rows[] = {
		{ "two of four repeat", { 0, 0, 0, 0 }, { 9, 8, 9, 7 },
			{ 100, 900, 100, 900 }, 50 },
		{ "equal numbers of other kinds of work", { 0, 1, 2, 3 },
			{ 9, 9, 9, 9 }, { 100, 100, 100, 100 }, 0 },
		{ "two kinds that repeat", { 0, 1, 0, 1 }, { 9, 8, 9, 8 },
			{ 100, 200, 100, 200 }, 150 },
		{ "nothing repeats", { 0, 0, 0, 0 }, { 1, 2, 3, 4 },
			{ 100, 100, 100, 100 }, 0 },
		{ "too little", { 0, 0, 0, 0 }, { 9, 9, 9, 9 }, { 0, 0, 1, 0 },
			0 },
		{ "a cause is unknown", { 0, 0, 0, 0 }, { 9, 9, 9, 9 },
			{ 100, 100, -1, 100 }, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kept_iteration all[4];
		for (int k = 0; k < 4; k++)
			all[k] = launching(rows[i].strata[k],
				rows[i].launches[k], rows[i].launch_ns[k]);
		find(all, 4, NULL, 0);
		if (found_n != (rows[i].saved_ns > 0))
			fail_msg("%s: %u estimates", rows[i].what, found_n);
		if (found_n && !near(found->saved_ns, rows[i].saved_ns))
			fail_msg("%s: %f", rows[i].what, found->saved_ns);
	}
}

/* No more than the computing that covers nothing yet: 200 - 150 ns in the second. */
static void overlap(void **state)
{
	const struct kept_iteration all[] = {
		{ .compute_ns = 500,
			.comm_ns = 100,
			.comm_overlapped_ns = 0,
			.launches = 1,
			.launch_ns = -1,
			.host_gap_ns = -1 },
		{ .compute_ns = 200,
			.comm_ns = 300,
			.comm_overlapped_ns = 150,
			.launches = 2,
			.launch_ns = -1,
			.host_gap_ns = -1 },
	};

	(void)state;
	find(all, 2, NULL, 0);
	assert_int_equal(found_n, 1);
	assert_int_equal(found->change, WHAT_IF_OVERLAP);
	assert_true(near(found->saved_ns, 75));
	assert_string_equal(found->assumptions[0],
		"enough of the computing that covers no collective (275 ns per "
		"iteration) needs none of their results");
	find(all, 1, NULL, 0);
	assert_int_equal(found_n, 1);
	assert_true(near(found->saved_ns, 100) && isnan(found->low_ns) &&
		    isnan(found->high_ns));
}

/* Shares of a busy time of 300 ns; the three largest of each kind, by what they
 * save. */
static void operators(void **state)
{
	static const struct what_if_operator all[] = {
		{ "small", DTYPE_FP32, 0.01, 0.02 },
		{ "gemm", DTYPE_BF16, 0.10, 0.30 },
		{ "no best", DTYPE_UNKNOWN, (double)NAN, 0.25 },
		{ "at its best", DTYPE_FP16, 0, 0.001 },
		{ "norm", DTYPE_FP32, 0.05, 0.06 },
	};
	static const struct {
		enum what_if_change change;
		const char *of;
		double saved_ns;
	} want[] = {
		{ WHAT_IF_ROOFLINE, "gemm", 90 },
		{ WHAT_IF_ROOFLINE, "no best", 75 },
		{ WHAT_IF_FLEET_BEST, "gemm", 30 },
		{ WHAT_IF_ROOFLINE, "norm", 18 },
		{ WHAT_IF_FLEET_BEST, "norm", 15 },
		{ WHAT_IF_FLEET_BEST, "small", 3 },
	};
	struct kept_iteration one = launching(0, 9, 100);

	(void)state;
	one.comm_ns = 0;
	find(&one, 1, all, 5);
	assert_int_equal(found_n, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < found_n; i++) {
		assert_int_equal(found[i].change, want[i].change);
		assert_string_equal(found[i].of, want[i].of);
		assert_true(fabs(found[i].saved_ns - want[i].saved_ns) < 1);
	}
	assert_string_equal(found[2].text,
		"gemm bf16 at its fleet-best would save 30 ns per iteration "
		"(3.0 % of it).");
	assert_string_equal(found[1].text,
		"no best at its roofline bound would save 75 ns per iteration "
		"(7.5 % of it).");
}

/* The 97.5 % quantile of t with 1 degree of freedom is 12.706205. What may be
 * impossible is last, although it would save most. */
static void fusions_of_a_run(void **state)
{
	static const struct saved_fusion all[] = {
		{ "add", "norm", DTYPE_BF16, DTYPE_BF16, "x=[4]", "x=[4]",
			CONSUMERS_OTHERS, true, 8, 100, 2 },
		{ "mul", "add", DTYPE_FP32, DTYPE_UNKNOWN, NULL, "x=[9]",
			CONSUMERS_SECOND, false, 36, 40, 0 },
		{ "silu", "mul", DTYPE_FP32, DTYPE_FP32, NULL, NULL,
			CONSUMERS_UNKNOWN, false, 12, 500, 0 },
		{ "silu", "neg", DTYPE_FP32, DTYPE_FP32, NULL, NULL,
			CONSUMERS_UNKNOWN, true, 12, 400, 0 },
		{ "too", "little", DTYPE_FP32, DTYPE_FP32, NULL, NULL,
			CONSUMERS_UNKNOWN, true, 12, 0.4, 0 },
	};
	const struct kept_iteration two[] = { launching(0, 1, 0),
		launching(0, 2, 0) };

	(void)state;
	fusions = all;
	fusions_n = 5;
	find(two, 2, NULL, 0);
	assert_int_equal(found_n, 4);
	assert_int_equal(found[0].change, WHAT_IF_FUSION);
	assert_string_equal(found[0].text,
		"Fusing add bf16 (x=[4]) and norm bf16 (x=[4]) into one kernel "
		"would save 100 ns per iteration (10.0 % of it).");
	assert_true(fabs(found[0].low_ns - 74.58759) < 1e-3);
	assert_true(fabs(found[0].high_ns - 125.41241) < 1e-3);
	assert_string_equal(found[0].assumptions[0],
		"the tensor of 8 bytes between them is still written, because "
		"others read it");
	assert_string_equal(found[1].text,
		"Fusing mul fp32 and add (x=[9]) into one kernel would save 40 "
		"ns per iteration (4.0 % of it).");
	assert_string_equal(found[1].of, "mul");
	assert_string_equal(found[1].then, "add");
	assert_int_equal(found[1].then_dtype, DTYPE_UNKNOWN);
	assert_string_equal(found[1].assumptions[0],
		"the tensor of 36 bytes between them is neither written nor "
		"read");
	assert_int_equal(found[2].change, WHAT_IF_FUSION_UNKNOWN);
	assert_string_equal(found[2].assumptions[0],
		"mul reads the 12 bytes that silu writes, and nothing else does; "
		"the trace does not show who reads them");
	assert_string_equal(found[3].assumptions[0],
		"neg reads the 12 bytes that silu writes; the trace does not "
		"show who reads them");
	find(two, 1, NULL, 0);
	assert_int_equal(found_n, 4);
	assert_true(isnan(found[0].low_ns) && isnan(found[0].high_ns));
	fusions_n = 0;
}

static void a_single_collective(void **state)
{
	static const struct {
		struct saved_collective of;
		const char *operator_, *text;
	} rows[] = {
		{ { COLLECTIVE_ALL_REDUCE, DTYPE_BF16, 4096, 2, "[0, 1]", 100,
			  (double)NAN },
			"all_reduce",
			"Overlapping only the all_reduce bf16 of 4096 bytes over "
			"2 ranks [0, 1] with computing would save 100 ns per "
			"iteration (10.0 % of it)." },
		{ { COLLECTIVE_UNKNOWN, DTYPE_UNKNOWN, -1, -1, NULL, 100,
			  (double)NAN },
			NULL,
			"Overlapping only the collective with computing would "
			"save 100 ns per iteration (10.0 % of it)." },
	};
	const struct kept_iteration one = launching(0, 1, 0);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		collective = &rows[i].of;
		find(&one, 1, NULL, 0);
		assert_int_equal(found_n, 1);
		assert_int_equal(found->change, WHAT_IF_OVERLAP_ONE);
		assert_string_equal(found->text, rows[i].text);
		if (rows[i].operator_)
			assert_string_equal(found->of, rows[i].operator_);
		else
			assert_null(found->of);
		assert_true(isnan(found->low_ns));
	}
	collective = NULL;
}

static void nothing(void **state)
{
	(void)state;
	find(NULL, 0, NULL, 0);
	assert_int_equal(found_n, 0);
}

#define CASE(function) cmocka_unit_test_teardown(function, stop)
int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(graph_of_equal_iterations),
		CASE(graph_of_graphs),
		CASE(graph_of_some_iterations),
		CASE(overlap),
		CASE(operators),
		CASE(fusions_of_a_run),
		CASE(a_single_collective),
		CASE(nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
