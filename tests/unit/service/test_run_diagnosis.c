/* test_run_diagnosis.c - tests the causes of a run's time, and the sentences
 * about them. */
#include "run_diagnosis.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct run_diagnosis d;
static struct arena a;

static const struct run_row launches = { .id = 8,
	.content = "launches",
	.launches = 20,
	.iterations = 3 };

static int stop(void **state)
{
	(void)state;
	arena_release(&a);
	a = (struct arena){ 0 };
	return 0;
}

static int64_t sum(const char *kind)
{
	int64_t ns = 0;

	for (uint32_t i = 0; i < d.causes_n; i++)
		if (!strcmp(d.causes[i].kind, kind))
			ns += d.causes[i].time_ns;
	return ns;
}

/* Without classes of busy time. */
static struct iteration_sums sums(int64_t iterations, int64_t compute_ns,
	int64_t comm_ns, int64_t copy_ns, int64_t idle_ns, bool causes_known)
{
	return (struct iteration_sums){ .iterations = iterations,
		.compute_ns = compute_ns,
		.comm_ns = comm_ns,
		.copy_ns = copy_ns,
		.idle_ns = idle_ns,
		.causes_known = causes_known };
}

/* With the given causes, two kept iterations of 1000 ns, and without notes. */
static void find(const struct run_row *run, const struct wait_times *given,
	int64_t compute_ns, int64_t comm_ns, int64_t copy_ns)
{
	struct diagnosis_data of = { .run = *run,
		.sums = sums(2, compute_ns, comm_ns, copy_ns,
			2000 - compute_ns - comm_ns - copy_ns, true),
		.waits = *given };

	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_null(d.reason);
	assert_int_equal(d.run, 8);
	assert_int_equal(d.iterations, 2);
	assert_int_equal(sum("busy"), d.busy_ns);
	assert_int_equal(sum("idle"), d.idle_ns);
	assert_int_equal(d.busy_ns + d.idle_ns, 2000);
}

static void sentence_is(uint32_t i, const char *text, const char *evidence,
	const char *link)
{
	assert_true(i < d.sentences_n);
	assert_string_equal(d.sentences[i].text, text);
	assert_string_equal(d.sentences[i].evidence, evidence);
	assert_string_equal(d.sentences[i].link, link);
}

#define NO_CAUSE \
	"; the API call of the next work had returned or is not in the trace"
#define IDLE "The GPU is idle for 50.0 % of the time (500 ns per iteration)"

static void each_cause_has_a_sentence(void **state)
{
	static const struct {
		const char *text, *tab;
	} is[WAIT_CAUSES] = {
		[WAIT_SYNCHRONIZATION] = { IDLE
			" because the host waits in a synchronizing call "
			"before the next launch.",
			"patterns" },
		[WAIT_COPY] = { IDLE
			" because the host waits in a blocking copy before "
			"the next launch.",
			"copies" },
		[WAIT_HOST_GAP] = { IDLE
			" because the host does other work before the next "
			"launch.",
			"iterations" },
		[WAIT_LAUNCH] = { IDLE
			" while the API call that launches the next work "
			"runs.",
			"launches" },
		[WAIT_GRAPH] = { IDLE
			" between two records of one graph launch.",
			"iterations" },
		[WAIT_STREAM] = { IDLE
			" because the next work waits for another stream.",
			"iterations" },
		[WAIT_UNKNOWN] = { IDLE ", and the cause is unknown.",
			"iterations" },
	};
	(void)state;
	for (int c = 0; c < WAIT_CAUSES; c++) {
		struct wait_times w = { .names_n = 0 };
		w.time_ns[c] = 1000;
		w.parts[c] = 7;
		find(&launches, &w, 400, 300, 300);
		assert_int_equal(d.sentences_n, 4);
		sentence_is(0, is[c].text,
			c == WAIT_UNKNOWN ? "7 times" NO_CAUSE : "7 times",
			arena_printf(&a, "/runs/8?tab=%s#panel", is[c].tab));
		sentence_is(1,
			"Kernels compute for 20.0 % of the time (200 ns per "
			"iteration).",
			"in 2 iterations", "/runs/8?tab=operators#panel");
		/* equal times: in the order of the causes */
		sentence_is(2,
			"Collectives run for 15.0 % of the time (150 ns per "
			"iteration) while nothing computes.",
			"in 2 iterations", "/runs/8?tab=iterations#panel");
		sentence_is(3,
			"Copies run for 15.0 % of the time (150 ns per "
			"iteration) while no kernel runs.",
			"in 2 iterations", "/runs/8?tab=copies#panel");
	}
}

/* Seven causes have time; one of them is 0.05 %, which prints as 0.1 %, another
 * is less. */
static void at_most_five_sentences(void **state)
{
	static const struct wait_times w = {
		.time_ns = { [WAIT_HOST_GAP] = 40, [WAIT_LAUNCH] = 39 },
		.parts = { [WAIT_HOST_GAP] = 1, [WAIT_LAUNCH] = 2 },
	};
	struct run_row ranked = launches;

	(void)state;
	ranked.job_id = 5;
	find(&ranked, &w, 1920, 1, 0);
	assert_int_equal(d.sentences_n, 4);
	assert_string_equal(d.sentences[1].of->cause, "host_gap");
	assert_string_equal(d.sentences[2].of->cause, "launch_bound");
	sentence_is(3,
		"Collectives run for 0.1 % of the time (0.5 ns per iteration) "
		"while nothing computes.",
		"in 2 iterations", "/jobs/5");

	struct wait_times all = { .names_n = 0 };
	for (int c = 0; c < WAIT_CAUSES; c++)
		all.time_ns[c] = all.parts[c] = 10 + c;
	find(&launches, &all, 2000 - 91, 0, 0);
	assert_int_equal(d.sentences_n, DIAGNOSIS_SENTENCES);
	assert_string_equal(d.sentences[0].of->cause, "compute");
	assert_string_equal(d.sentences[1].of->cause, "unknown");
	assert_string_equal(d.sentences[4].of->cause, "launch_bound");
}

/* Three of four names; a name of 102 bytes is cut between two characters. */
static void evidence_names_what_the_host_did(void **state)
{
	char name[103];
	struct wait_name names[] = {
		{ WAIT_SYNCHRONIZATION, WAIT_KIND_CALL, "cudaEventSynchronize",
			100 },
		{ WAIT_HOST_GAP, WAIT_KIND_PYTHON, name, 400 },
		{ WAIT_HOST_GAP, WAIT_KIND_OP, "aten::item", 200 },
		{ WAIT_HOST_GAP, WAIT_KIND_ANNOTATION, "step *", 100 },
		{ WAIT_HOST_GAP, WAIT_KIND_MODULE, "Linear", 50 },
	};
	struct wait_times w = {
		.time_ns = { [WAIT_SYNCHRONIZATION] = 100,
			[WAIT_HOST_GAP] = 800 },
		.parts = { [WAIT_SYNCHRONIZATION] = 1, [WAIT_HOST_GAP] = 3 },
		.names = names,
		.names_n = 5,
	};
	char want[300];

	(void)state;
	memset(name, 'f', 99);
	memcpy(name + 99, "é!", 4);
	snprintf(want, sizeof want,
		"3 times; 50.0 %% of it in Python %.99s…, 25.0 %% in operator "
		"aten::item, 12.5 %% in range step *",
		name);
	find(&launches, &w, 1100, 0, 0);
	assert_string_equal(d.sentences[1].evidence, want);
	assert_string_equal(d.sentences[2].evidence,
		"once; 100.0 % of it in cudaEventSynchronize");
	assert_int_equal(d.causes[5].names_n, 4);
	w.names_n = 4;
	w.names++;
	w.names[0].kind = WAIT_KIND_MODULE;
	names[1].name = "Attention";
	find(&launches, &w, 1100, 0, 0);
	assert_string_equal(d.sentences[1].evidence,
		"3 times; 50.0 % of it in module Attention, 25.0 % in operator "
		"aten::item, 12.5 % in range step *");
}

/* The rows are sorted by total_ns, with the copies, sets and collectives that
 * compute nothing. Kernels compute for 1000 - 300 - 100 - 50 = 550 ns; those of
 * `copy`, which are no recorded copies, for 10. */
static void evidence_of_compute_names_operators(void **state)
{
	static struct operator_stat rows[] = {
		{ .name = "gemm", .dtype = DTYPE_BF16, .total_ns = 500 },
		{ .name = "collective", .collective = true, .total_ns = 300 },
		{ .name = "copy",
			.total_ns = 110,
			.known_ns = { [KNOWN_RECORD] = 100,
				[KNOWN_RULE] = 10 } },
		{ .name = "memset",
			.total_ns = 50,
			.known_ns = { [KNOWN_RECORD] = 50 } },
		{ .total_ns = 20 },
		{ .name = "rms_norm", .total_ns = 15 },
		{ .name = "softmax", .total_ns = 5 },
	};
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 2000, 0, 0, 0, true),
		.operators = { .gpu_ns = 1000, .rows = rows, .n = 7 } };

	(void)state;
	assert_true(run_diagnosis_from(&d, &a, &of));
	sentence_is(0,
		"Kernels compute for 100.0 % of the time (1 µs per iteration).",
		"90.9 % in gemm bf16, 3.6 % unattributed, 2.7 % in rms_norm, of "
		"the run's GPU time without copies, sets and collectives",
		"/runs/8?tab=operators#panel");
	of.operators.rows = rows + 1;
	of.operators.n = 3;
	of.operators.gpu_ns = 460;
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_string_equal(d.sentences[0].evidence,
		"100.0 % in copy, of the run's GPU time without copies, sets and "
		"collectives");
}

/* With the classes of busy time. Of 1000 ns, gemm has 300 ns of calls whose bound is
 * compute and 100 whose bound is memory; norm has only the latter, and reduce has
 * none. */
static void classes_name_their_operators(void **state)
{
	static const int64_t class_ns[BUSY_CLASSES] = { 700, 450, 300, 50, 100,
		40 };
	static struct operator_stat rows[] = {
		{ .name = "gemm",
			.total_ns = 500,
			.bound_ns = 400,
			.clock = { .compute_ns = 300 } },
		{ .name = "norm", .total_ns = 300, .bound_ns = 300 },
		{ .name = "reduce", .total_ns = 150 },
		{ .name = "collective", .collective = true, .total_ns = 50 },
	};
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 1500, 100, 40, 360, true),
		.waits = { .time_ns = { [WAIT_UNKNOWN] = 360 },
			.parts = { [WAIT_UNKNOWN] = 1 } },
		.operators = { .gpu_ns = 1000, .rows = rows, .n = 4 } };

	(void)state;
	of.sums.classes_known = true;
	memcpy(of.sums.class_ns, class_ns, sizeof class_ns);
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_int_equal(d.causes_n, BUSY_CLASSES + WAIT_CAUSES);
	assert_int_equal(sum("busy"), d.busy_ns);
	sentence_is(0,
		"Compute-bound kernels run for 35.0 % of the time (350 ns per "
		"iteration).",
		"100.0 % in gemm, of the run's calls whose bound is the compute "
		"time",
		"/runs/8?tab=operators#panel");
	sentence_is(1,
		"Memory-bound kernels run for 22.5 % of the time (225 ns per "
		"iteration).",
		"75.0 % in norm, 25.0 % in gemm, of the run's calls whose bound "
		"is the memory time",
		"/runs/8?tab=operators#panel");
	sentence_is(3,
		"Kernels without a known roofline bound run for 15.0 % of the time "
		"(150 ns per iteration).",
		"60.0 % in reduce, 40.0 % in gemm, of the run's kernels without a "
		"known bound",
		"/runs/8?tab=operators#panel");
	of.sums.class_ns[BUSY_LAUNCH_FLOOR] = 750;
	of.sums.class_ns[BUSY_COMPUTE_BOUND] = 0;
	assert_true(run_diagnosis_from(&d, &a, &of));
	sentence_is(0,
		"Kernels run for 37.5 % of the time (375 ns per iteration) that "
		"take no longer than an empty launch.",
		"in 2 iterations", "/runs/8?tab=operators#panel");
}

/* Without operators, and with those that compute nothing. */
static void evidence_of_compute_without_operators(void **state)
{
	static struct operator_stat rows[] = {
		{ .name = "collective", .collective = true, .total_ns = 300 },
		{ .name = "copy",
			.total_ns = 100,
			.known_ns = { [KNOWN_RECORD] = 100 } },
	};
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 2000, 0, 0, 0, true),
		.operators = { .gpu_ns = -1 } };

	(void)state;
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_string_equal(d.sentences[0].evidence, "in 2 iterations");
	of.operators =
		(struct run_operators){ .gpu_ns = 500, .rows = rows, .n = 2 };
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_string_equal(d.sentences[0].evidence, "in 2 iterations");
}

/* 20 kernels without a launch in the trace are all of them; 19 are not. */
static void a_trace_without_api_calls(void **state)
{
	static struct note_row notes[] = {
		{ "bad_event", "loss", "", 20 },
		{ "uncorrelated", "info", "", 20 },
		{ "uncorrelated", "info", "", 19 },
	};
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 1000, 0, 0, 1000, true),
		.waits = { .time_ns = { [WAIT_UNKNOWN] = 1000 },
			.parts = { [WAIT_UNKNOWN] = 9 } },
		.notes_n = 1 };
	static const char *const is[] = { "9 times" NO_CAUSE,
		"the trace has no API call of any kernel", "9 times" NO_CAUSE };

	(void)state;
	for (int i = 0; i < 3; i++) {
		of.notes = &notes[i];
		assert_true(run_diagnosis_from(&d, &a, &of));
		sentence_is(1, IDLE ", and the cause is unknown.", is[i],
			"/runs/8?tab=iterations#panel");
	}
}

static void causes_that_were_not_stored_are_unknown(void **state)
{
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 1000, 0, 0, 1000, false) };

	(void)state;
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_string_equal(d.reason,
		"the run was analyzed before causes of idle time were found; "
		"`kernsiftd rebuild` finds them");
	assert_int_equal(d.causes_n, 4);
	assert_string_equal(d.causes[3].cause, "unknown");
	assert_int_equal(d.causes[3].time_ns, 1000);
	assert_int_equal(d.causes[3].parts, -1);
	/* both are shown with the reason, which is not repeated */
	sentence_is(1, IDLE ", and the cause is unknown.", "in 2 iterations",
		"/runs/8?tab=iterations#panel");
}

static void times_that_are_unknown_have_no_causes(void **state)
{
	static const struct {
		struct run_row run;
		int64_t iterations;
		const char *reason;
	} rows[] = {
		{ { .content = "statistics" }, 0,
			"the run has no single launches with their starts" },
		{ { .content = "patterns", .iterations = 3 }, 3,
			"the run has no single launches with their starts" },
		{ { .content = "launches" }, 0, "the run has no iterations" },
		{ { .content = "launches", .iterations = 1 }, 0,
			"no iteration is complete and after the warm-up" },
		{ { .content = "launches", .iterations = 1 }, 1,
			"the times of its iterations are unknown" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diagnosis_data of = { .run = rows[i].run,
			.sums = sums(rows[i].iterations, -1, -1, -1, -1,
				false) };
		assert_true(run_diagnosis_from(&d, &a, &of));
		assert_string_equal(d.reason, rows[i].reason);
		assert_int_equal(d.busy_ns, -1);
		assert_int_equal(d.idle_ns, -1);
		assert_int_equal(d.causes_n + d.sentences_n, 0);
	}
}

/* Iterations of 0 ns have no shares. */
static void without_time_there_is_no_sentence(void **state)
{
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 0, 0, 0, 0, true) };

	(void)state;
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_int_equal(d.busy_ns + d.idle_ns, 0);
	assert_int_equal(d.causes_n, 3 + WAIT_CAUSES);
	assert_int_equal(d.sentences_n, 0);
}

/* 300 of 400 ns of launch time are in calls that launch a graph already. */
static void a_graph_saves_no_graph_launches(void **state)
{
	static struct kept_iteration rows[2] = {
		{ .launches = 9, .launch_ns = 200 },
		{ .launches = 9, .launch_ns = 200 },
	};
	static struct wait_name names[] = {
		{ WAIT_HOST_GAP, WAIT_KIND_CALL, "other", 50 },
		{ WAIT_LAUNCH, WAIT_KIND_CALL, "cudaGraphLaunch", 300 },
		{ WAIT_LAUNCH, WAIT_KIND_CALL, "cudaLaunchKernel", 100 },
	};
	struct diagnosis_data of = { .run = launches,
		.sums = sums(2, 1000, 0, 0, 1000, true),
		.iterations = { .rows = rows, .n = 2 } };
	(void)state;
	of.waits.time_ns[WAIT_LAUNCH] = 400;
	of.waits.time_ns[WAIT_HOST_GAP] = 600;
	of.waits.names = names;
	of.waits.names_n = 3;
	assert_true(run_diagnosis_from(&d, &a, &of));
	assert_int_equal(d.changes_n, 1);
	assert_true(d.changes[0].saved_ns == 50);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_teardown(f, stop)
	const struct CMUnitTest tests[] = {
		CASE(each_cause_has_a_sentence),
		CASE(at_most_five_sentences),
		CASE(evidence_names_what_the_host_did),
		CASE(evidence_of_compute_names_operators),
		CASE(classes_name_their_operators),
		CASE(evidence_of_compute_without_operators),
		CASE(a_trace_without_api_calls),
		CASE(causes_that_were_not_stored_are_unknown),
		CASE(times_that_are_unknown_have_no_causes),
		CASE(without_time_there_is_no_sentence),
		CASE(a_graph_saves_no_graph_launches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
