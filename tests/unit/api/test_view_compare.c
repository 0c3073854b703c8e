/* test_view_compare.c - a comparison in responses: null if nothing is known
 * or judged, one row per item, and the report that people paste. */
#include "view_compare.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static const double durs[] = { 2000, 2200 };
static const int64_t runs[] = { 1, 1 };

static const char *const base_names[] = { "void f<int, 4>(T1 *, a|b)" };
static const char *const head_names[] = { "void g<int, 4>(T1 *)",
	"void g<int, 8>(T1 *)" };

/* A base launches `f` twice per iteration, 500 ns each; the head launches two
 * kernels `g` instead, together three times, 700 each: 2·500 → 3·700. The difference is 1,100: one launch more at the
 * base's mean is 500, and 200 more for each of three launches is 600. */
static struct changed_row rows[] = {
	{ .name = "void f<int, 4>(T1 *, a|b)",
		.head_name = "void g<int, 4>(T1 *) + void g<int, 8>(T1 *)",
		.identity = ROW_SEVERAL,
		.reason = "several fit",
		.base_names = base_names,
		.head_names = head_names,
		.base_names_n = 1,
		.head_names_n = 2,
		.type = FUNCTION_gpu_compute,
		.device = "GPU 0",
		.head_device = "GPU 1",
		.change = { 1000, 2100, 1100, 2.1, 1090.5, 900, 1280, 0.0005,
			0.001, 0.00075, CHANGE_REGRESSED, EVIDENCE_ITERATIONS,
			0.03, FLOOR_DEFAULT, 4 },
		.base_launches = 2,
		.head_launches = 3,
		.base_mean_ns = 500,
		.head_mean_ns = 700,
		.by_count_ns = 500,
		.by_duration_ns = 600,
		.base_beta_pct = 50,
		.head_beta_pct = 65.625,
		.beyond_common_ns = 1050,
		.resources = (struct resource[]){ { "sm_active", 61.5, NAN } },
		.resources_n = 1 },
	{ .name = "Memcpy HtoD (Pinned -> Device)",
		.type = FUNCTION_memcpy_h2d,
		.device = NULL,
		.head_device = "GPU 0",
		.change = { 0, 80, 80, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
			CHANGE_UNDECIDED, EVIDENCE_NONE, NAN, FLOOR_DEFAULT,
			NAN },
		.base_launches = 0,
		.head_launches = 1,
		.base_mean_ns = NAN,
		.head_mean_ns = 80,
		.by_count_ns = 80,
		.by_duration_ns = 0,
		.base_beta_pct = 0,
		.head_beta_pct = 2.5,
		.beyond_common_ns = NAN },
};

static struct split_row split[] = {
	{ SPLIT_PART_idle,
		{ 300, 250, -50, 0.833333333333333, -50, -90, -10, 0.2, 0.4,
			0.3, CHANGE_UNDECIDED, EVIDENCE_RUNS, 0.02, FLOOR_GIVEN,
			INFINITY } },
};

/* Host gaps took 260 of the 300 ns in the base, and 150 of the 250 in the head;
 * the causes of the rest are unknown. */
static struct changed_cause causes[] = {
	{ WAIT_HOST_GAP, { 260, 150, -110, 0.576923076923077, -110, -130, -100,
				 0.02, 0.04, 0.03, CHANGE_IMPROVED,
				 EVIDENCE_RUNS, 0.03, FLOOR_DEFAULT, 4 } },
	{ WAIT_UNKNOWN, { 40, 100, 60, 2.5, NAN, NAN, NAN, NAN, NAN, NAN,
				CHANGE_UNDECIDED, EVIDENCE_NONE, NAN,
				FLOOR_DEFAULT, NAN } },
};

/* 1,050 and 1,000 ns per token of 2,100 and 2,500 ns per iteration. */
static struct decomposition decompositions[] = {
	{ .of = DECOMPOSED_ITERATION,
		.total = { NULL, NULL, 2100, 2500, -10.5, 900 },
		.terms = { { "compute", "kernels that compute", 1800, 2250, 100,
				   800 },
			{ "host_gap", "idle: host gaps", 300, 250, NAN, NAN } },
		.terms_n = 2,
		.base_median_ns = 2000,
		.head_median_ns = 2600,
		.base_tokens = 1,
		.head_tokens = 1 },
	{ .of = DECOMPOSED_TOKEN,
		.total = { NULL, NULL, 1050, 1000, -120.25, 20.5 },
		.terms = { { "compute", "kernels that compute", 900, 900, -60.5,
				   60.5 },
			{ "host_gap", "idle: host gaps", 150, 100, NAN, NAN } },
		.terms_n = 2,
		.base_median_ns = 1000,
		.head_median_ns = 1040,
		.base_tokens = 2,
		.head_tokens = 2.5,
		.by_tokens_ns = -230 },
};

static struct finding findings[] = {
	{ FINDING_few_iterations,
		"few iterations: 2 in the base, 2 in the head" },
};

static const int64_t stored[] = { 7, 8, 3, 4 };

static struct comparison made(bool comparable)
{
	const struct comparison_side side = { 1, 1, 3, 2, ITERATIONS_ANNOTATION,
		2100, 2100, durs, runs };
	return (struct comparison){
		.headline = "f<int> takes 1.1 us more",
		.comparable = comparable,
		.findings = findings,
		.findings_n = 1,
		.base = side,
		.head = side,
		.split = split,
		.split_n = 1,
		.causes_known = true,
		.causes = causes,
		.causes_n = 2,
		.decompositions = decompositions,
		.decompositions_n = 2,
		.common = { true, 1.01, 0.99, 1.03, 20, 7 },
		.rows = rows,
		.rows_n = 2,
		.count = { [CHANGE_REGRESSED] = 1, [CHANGE_UNDECIDED] = 1 },
		.seed = 1,
		.permutations = 2000,
		.block = 3,
		.alpha = 0.05,
		.margin = 0.05,
		.floor = 0.0275,
		.repeats = 2,
		.noise = { FLOOR_LEARNED, 0.0275, 2.5, 3.5, 20, stored, 4, 9 },
	};
}

static struct compared_run run = { .id = 1,
	.name = "monday",
	.project = "p",
	.workload = "w",
	.rank = -1,
	.device_names = (const char *const[]){ "H200" },
	.device_names_n = 1,
	.iterations = { .n = 4, .kept_n = 3 } };

static const struct compare_sides sides = { &run, &run, 1, 1, NULL };

static void same(json_t *v, const char *want)
{
	char *text = json_dumps(v,
		JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	assert_string_equal(text, want);
	free(text);
}

static void test_noise_prior(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	json_t *v = view_compare(&a, &c, &sides);
	same(json_object_get(v, "noise_prior"),
		"{\"source\":\"estimated\",\"sd\":0.0275,\"df\":2.5,"
		"\"max_df\":3.5,\"variances\":20,\"runs\":4,"
		"\"run_ids\":[7,8,3,4],\"before_run\":9}");
	json_decref(v);
	/* A given floor is exact, and nothing was read. */
	c.noise = (struct noise_prior){ .from = FLOOR_GIVEN,
		.sd = 0.5,
		.df = INFINITY,
		.most_df = NAN };
	v = view_noise_prior(&c.noise);
	same(v, "{\"source\":\"given\",\"sd\":0.5,\"df\":null,"
		"\"max_df\":null,\"variances\":0,\"runs\":0,"
		"\"run_ids\":[],\"before_run\":null}");
	json_decref(v);
	arena_release(&a);
}

static void test_document(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	json_t *v = view_compare(&a, &c, &sides);
	same(json_object_get(v, "base"),
		"{\"runs\":[{\"id\":1,\"name\":\"monday\",\"project\":\"p\","
		"\"workload\":\"w\",\"job_id\":null,\"rank\":null,"
		"\"device_names\":[\"H200\"],\"iterations\":4,\"iterations_kept\":3}],"
		"\"units\":1,\"iterations\":3,\"iterations_used\":2,"
		"\"detector\":\"annotation\",\"iteration_ns\":2100.0,"
		"\"iteration_median_ns\":2100.0,\"iteration_durs_ns\":[2000.0,2200.0],"
		"\"iteration_runs\":[1,1]}");
	same(json_object_get(v, "findings"),
		"[{\"code\":\"few_iterations\",\"severity\":\"warn\",\"text\":"
		"\"few iterations: 2 in the base, 2 in the head\"}]");
	same(json_array_get(json_object_get(v, "items"), 0),
		"{\"function\":\"void f<int, 4>(T1 *, a|b)\","
		"\"short_name\":\"f\",\"head_short_name\":\"g + g\","
		"\"distinct_name\":\"f\","
		"\"head_distinct_name\":\"g [4] + g [8]\","
		"\"identity\":\"several\",\"base_functions\":["
		"\"void f<int, 4>(T1 *, a|b)\"],\"head_functions\":["
		"\"void g<int, 4>(T1 *)\",\"void g<int, 8>(T1 *)\"],"
		"\"type\":\"gpu_compute\","
		"\"device\":\"GPU 0\",\"head_device\":\"GPU 1\","
		"\"verdict\":\"regressed\",\"evidence\":\"iterations\","
		"\"base_ns_per_iteration\":1000.0,\"head_ns_per_iteration\":2100.0,"
		"\"delta_ns_per_iteration\":1100.0,\"ratio\":2.1,"
		"\"shift_ns_per_iteration\":1090.5,\"low_ns_per_iteration\":900.0,"
		"\"high_ns_per_iteration\":1280.0,\"p\":0.0005,\"p_family\":0.001,"
		"\"q\":0.00075,\"noise_floor\":0.03,\"noise_floor_source\":\"default\","
		"\"noise_floor_df\":4.0,\"base_launches_per_iteration\":2.0,"
		"\"head_launches_per_iteration\":3.0,\"base_mean_ns\":500.0,"
		"\"head_mean_ns\":700.0,\"by_count_ns_per_iteration\":500.0,"
		"\"by_duration_ns_per_iteration\":600.0,\"base_beta_pct\":50.0,"
		"\"head_beta_pct\":65.625,"
		"\"beyond_common_ns_per_iteration\":1050.0,"
		"\"head_function\":\"void g<int, 4>(T1 *) + void g<int, 8>(T1 *)\","
		"\"identity_reason\":\"several fit\",\"resources\":["
		"{\"name\":\"sm_active\",\"base_mu\":61.5,\"head_mu\":null}]}");
	same(json_object_get(v, "counts"),
		"{\"regressed\":1,\"appeared\":0,\"improved\":0,\"vanished\":0,"
		"\"likely\":0,\"within_margin\":0,\"undecided\":1,\"unchanged\":0}");
	same(json_array_get(json_object_get(v, "idle_causes"), 0),
		"{\"cause\":\"host_gap\",\"description\":\"host gaps\","
		"\"verdict\":\"improved\",\"evidence\":\"runs\","
		"\"base_ns_per_iteration\":260.0,"
		"\"head_ns_per_iteration\":150.0,"
		"\"delta_ns_per_iteration\":-110.0,"
		"\"ratio\":0.576923076923077,"
		"\"shift_ns_per_iteration\":-110.0,"
		"\"low_ns_per_iteration\":-130.0,"
		"\"high_ns_per_iteration\":-100.0,\"p\":0.02,"
		"\"p_family\":0.04,\"q\":0.03,\"noise_floor\":0.03,"
		"\"noise_floor_source\":\"default\",\"noise_floor_df\":4.0}");
	same(json_object_get(json_array_get(json_object_get(v, "idle_causes"),
				     1),
		     "verdict"),
		"null");
	same(json_array_get(json_object_get(v, "decompositions"), 1),
		"{\"of\":\"output_token\",\"base_ns\":1050,\"head_ns\":1000,"
		"\"delta_ns\":-50,\"low_ns\":-120.25,\"high_ns\":20.5,"
		"\"base_median_ns\":1000.0,\"head_median_ns\":1040.0,"
		"\"base_tokens\":2.0,\"head_tokens\":2.5,"
		"\"by_tokens_ns\":-230,\"terms\":[{\"term\":\"compute\","
		"\"description\":\"kernels that compute\",\"base_ns\":900,"
		"\"head_ns\":900,\"delta_ns\":0,\"low_ns\":-60.5,"
		"\"high_ns\":60.5},{\"term\":\"host_gap\",\"description\":"
		"\"idle: host gaps\",\"base_ns\":150,\"head_ns\":100,"
		"\"delta_ns\":-50,\"low_ns\":null,\"high_ns\":null}]}");
	same(json_object_get(v, "tokens_reason"), "null");
	/* known without degrees of freedom: the floor was given */
	same(json_object_get(json_array_get(json_object_get(v, "split"), 0),
		     "noise_floor_df"),
		"null");
	json_decref(v);
	arena_release(&a);
}

static void test_nothing_judged(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(false);
	c.common.there = false;
	c.causes_known = false;
	c.causes_n = 0;
	json_t *v = view_compare(&a, &c, &sides);
	same(json_object_get(v, "idle_causes"), "null");
	json_t *row = json_array_get(json_object_get(v, "items"), 0);
	same(json_object_get(row, "verdict"), "null");
	same(json_object_get(row, "noise_floor_source"), "null");
	same(json_object_get(row, "delta_ns_per_iteration"), "1100.0");
	same(json_object_get(v, "common"), "null");
	same(json_object_get(json_object_get(v, "counts"), "regressed"), "0");
	json_decref(v);
	arena_release(&a);
}

static void test_table(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	struct buf b;
	buf_init(&b, 1 << 20);
	table_csv(view_compare_table(&a, &c), &b);
	assert_string_equal(b.at,
		"Verdict,Evidence,Function,Type,Device,Head Device,"
		"Base (ns/iteration),Head (ns/iteration),Delta (ns/iteration),Ratio,"
		"Shift (ns/iteration),Low (ns/iteration),High (ns/iteration),p,p Family,q,"
		"Base Launches/Iteration,Head Launches/Iteration,Base Mean (ns),"
		"Head Mean (ns),By Count (ns/iteration),By Duration (ns/iteration),"
		"Base Beta (%),Head Beta (%),Beyond Common (ns/iteration),Floor,"
		"Floor From,Head Function,Identity\n"
		"regressed,iterations,\"void f<int, 4>(T1 *, a|b)\",gpu_compute,"
		"GPU 0,GPU 1,1000.0,2100.0,1100.0,2.1,1090.5,900.0,1280.0,"
		"0.0005,0.001,0.00075,2,3,500.0,700.0,500.0,600.0,50,65.625,"
		"1050.0,0.03,default,"
		"\"void g<int, 4>(T1 *) + void g<int, 8>(T1 *)\",several fit\n"
		",none,Memcpy HtoD (Pinned -> Device),gpu_memcpy_h2d,,"
		"GPU 0,0.0,80.0,80.0,,,,,,,,0,1,,80.0,80.0,0.0,0,2.5,,,,,\n");
	buf_release(&b);
	arena_release(&a);
}

/* Each function is a row of its own. */
static struct changed_function functions[2];

static void functions_add(struct comparison *c)
{
	static const uint32_t each[] = { 0, 1 };
	for (uint32_t i = 0; i < 2; i++)
		functions[i] = (struct changed_function){ .rows = each + i,
			.rows_n = 1,
			.operator_ = OPERATOR_NONE,
			.change = rows[i].change,
			.device = rows[i].device };
	c->functions = functions;
	c->functions_n = 2;
}

/* The rows of two ranks are one line if the function changed as a whole; else those
 * that changed are listed. A group names its operators. */
static void test_report_folded(void **state)
{
	(void)state;
	static const uint32_t both[] = { 0, 1 };
	static const char *const base[] = { "fused_norm" };
	static const char *const head[] = { "norm", "add" };
	struct arena a = { 0 };
	struct comparison c = made(true);
	struct changed_function f = { .rows = both,
		.rows_n = 2,
		.operator_ = OPERATOR_NONE,
		.change = { .base_ns = 500,
			.head_ns = 1090,
			.delta_ns = 590,
			.low_ns = 400,
			.high_ns = 700,
			.p_family = 0.004,
			.is = CHANGE_LIKELY,
			.evidence = EVIDENCE_RUNS },
		.base_launches = 1,
		.head_launches = 2,
		.device = "2 ranks",
		.each = "rank" };
	struct changed_operator o = { .name = "norm",
		.inferred = "inferred: ...",
		.base_operators = base,
		.head_operators = head,
		.base_operators_n = 1,
		.head_operators_n = 2,
		.change = f.change };
	struct buf b;

	c.functions = &f;
	c.functions_n = 1;
	c.operators = &o;
	c.operators_n = 1;
	c.by_operator = true;
	buf_init(&b, 1 << 20);
	view_compare_report(&a, &c, &sides, NULL, "", &b);
	assert_non_null(strstr(b.at,
		"\n| likely | norm (inferred: fused_norm → norm + add) |  | 0.50 | "));
	assert_non_null(strstr(b.at,
		"\n| likely | g \\[4] + g \\[8] (in the base f) | 2 ranks | 0.50 | 1.09 | "
		"+0.59 (+118.0 %) | +0.40 to +0.70 | 1 → 2 | 0.004 | runs |\n"));
	buf_release(&b);
	f.change.is = CHANGE_UNDECIDED;
	f.change.evidence = EVIDENCE_NONE;
	buf_init(&b, 1 << 20);
	view_compare_report(&a, &c, &sides, NULL, "", &b);
	assert_null(strstr(b.at, "2 ranks"));
	assert_non_null(strstr(b.at,
		"\n| regressed | g \\[4] + g \\[8] (in the base f) | GPU 0 |"));
	buf_release(&b);
	arena_release(&a);
}

static void test_report(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	struct buf b;
	functions_add(&c);
	buf_init(&b, 1 << 20);
	c.count[CHANGE_WITHIN_MARGIN] = 2;
	view_compare_report(&a, &c, &sides, NULL, "", &b);
	assert_string_equal(b.at,
		"## ❌ Comparison: f\\<int> takes 1.1 us more\n"
		"\n"
		"- **warn**: few iterations: 2 in the base, 2 in the head\n"
		"\n"
		"|  | Base | Head |\n"
		"|:---|:---|:---|\n"
		"| runs | monday (1) | monday (1) |\n"
		"| iterations from | annotation | annotation |\n"
		"| iterations compared | 2 of 3 | 2 of 3 |\n"
		"| mean iteration (µs) | 2.10 | 2.10 |\n"
		"\n"
		"### Breakdown of the iteration time\n"
		"\n"
		"| Part | Base (µs) | Head (µs) | Change (µs) | Verdict |\n"
		"|:---|---:|---:|---:|:---|\n"
		"| idle (host): the GPU has nothing to do | 0.30 | 0.25 | "
		"-0.05 (-16.7 %) | undecided |\n"
		"| of idle: host gaps | 0.26 | 0.15 | -0.11 (-42.3 %) | "
		"improved |\n"
		"| of idle: unknown causes | 0.04 | 0.10 | +0.06 (+150.0 %) | "
		"not judged |\n"
		"\n"
		"Common factor of most kernels: 1.010 (0.990 to 1.030), "
		"+0.02 µs per iteration, over 7 kernels.\n"
		"\n"
		"### Terms of the mean time per output token\n"
		"\n"
		"| Term | Base (µs) | Head (µs) | Change (µs) | 95 % (µs) |\n"
		"|:---|---:|---:|---:|---:|\n"
		"| mean time per output token | 1.050 | 1.000 | -0.050 | "
		"-0.120 to +0.021 |\n"
		"| kernels that compute | 0.900 | 0.900 | +0.000 | "
		"-0.060 to +0.060 |\n"
		"| idle: host gaps | 0.150 | 0.100 | -0.050 |  |\n"
		"\n"
		"Median: 1.00 µs in the base, 1.04 in the head.\n"
		"Accepted tokens per step: 2 in the base, 2.5 in the head; "
		"their change makes -0.230 µs of the change.\n"
		"\n"
		"### What changed, per iteration\n"
		"\n"
		"| Verdict | Function | Device | Base (µs) | Head (µs) | "
		"Change (µs) | 95 % (µs) | Launches | p family | Evidence |\n"
		"|:---|:---|:---|---:|---:|---:|---:|---:|---:|:---|\n"
		"| regressed | g \\[4] + g \\[8] (in the base f) | GPU 0 | 1.00 | 2.10 | +1.10 (+110.0 %) | "
		"+0.90 to +1.28 | 2 → 3 | 0.001 | iterations |\n"
		"\n"
		"1 regressed, 2 within margin, 1 undecided; seed 1, 2000 "
		"permutations, blocks of 3 iterations, α 0.05, margin 0.05, floor 0.0275 "
		"(estimated, 4 stored runs before run 9), 2 repeats\n");
	buf_release(&b);
	arena_release(&a);
}

/* Of decoding without known tokens: the iteration, and the reason. */
static void test_report_per_step(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	struct buf b;
	c.decompositions_n = 1;
	c.tokens_reason = "the tokens of run 1 are not known";
	json_t *v = view_compare(&a, &c, &sides);
	same(json_object_get(v, "tokens_reason"),
		"\"the tokens of run 1 are not known\"");
	json_decref(v);
	buf_init(&b, 1 << 20);
	view_compare_report(&a, &c, &sides, NULL, "", &b);
	assert_non_null(strstr(b.at,
		"| idle: host gaps | 0.300 | 0.250 | -0.050 |  | -42.3 | improved |\n"
		"\n"
		"Median: 2.00 µs in the base, 2.60 in the head.\n"
		"This is the time per step, not per output token: the tokens "
		"of run 1 are not known.\n"
		"\n"
		"### Other times of the iteration\n"
		"\n"
		"| Part | Base (µs) | Head (µs) | Change (µs) | Verdict |\n"
		"|:---|---:|---:|---:|:---|\n"
		"| idle (host): the GPU has nothing to do | 0.30 | 0.25 | "
		"-0.05 (-16.7 %) | undecided |\n"
		"| of idle: unknown causes | 0.04 | 0.10 | +0.06 (+150.0 %) | "
		"not judged |\n"
		"\n"
		"Common factor of most kernels"));
	assert_null(strstr(b.at, "of idle: host gaps"));
	assert_non_null(strstr(b.at, "\n### Terms of the mean iteration\n"));
	buf_release(&b);
	arena_release(&a);
}

/* The mark states what the headline begins with. [class of the iteration, of a
 * function, mark] */
static void test_report_mark(void **state)
{
	(void)state;
	enum { UNKNOWN = CHANGE_UNCHANGED + 1 };
	static const struct {
		int iteration;
		enum change_class function;
		const char *mark;
	} marks[] = {
		{ UNKNOWN, CHANGE_REGRESSED, "❌" },
		{ UNKNOWN, CHANGE_IMPROVED, "✅" },
		{ CHANGE_REGRESSED, CHANGE_IMPROVED, "❌" },
		{ CHANGE_IMPROVED, CHANGE_REGRESSED, "✅" },
		{ CHANGE_LIKELY, CHANGE_REGRESSED, "❔" },
		{ CHANGE_LIKELY, CHANGE_UNDECIDED, "❔" },
		{ CHANGE_UNDECIDED, CHANGE_REGRESSED, "❔" },
		{ CHANGE_UNDECIDED, CHANGE_UNDECIDED, "➖" },
		{ CHANGE_UNCHANGED, CHANGE_REGRESSED, "❌" },
		{ CHANGE_UNCHANGED, CHANGE_UNCHANGED, "➖" },
	};
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		struct comparison c = made(true);
		struct split_row whole = { .part = SPLIT_PART_iteration,
			.change = { .is = marks[i].iteration == UNKNOWN
						  ? CHANGE_UNCHANGED
						  : (enum change_class)marks[i]
							    .iteration } };
		struct buf b;
		memset(c.count, 0, sizeof c.count);
		c.count[marks[i].function] = 1;
		c.split = &whole;
		c.split_n = marks[i].iteration != UNKNOWN;
		buf_init(&b, 1 << 20);
		view_compare_report(&a, &c, &sides, NULL, "", &b);
		assert_string_equal(strtok(b.at + strlen("## "), " "),
			marks[i].mark);
		buf_release(&b);
	}
	arena_release(&a);
}

/* The commit and the branch of a side whose runs share them. */
static void test_report_labels(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct comparison c = made(true);
	struct compared_run base[2] = { sides.base[0], sides.base[0] },
			    head[2] = { sides.head[0], sides.head[0] };
	const struct compare_sides of = { .base = base,
		.head = head,
		.base_n = 2,
		.head_n = 2 };
	struct buf b;
	base[0].labels = "{\"commit\": \"a1\", \"branch\": \"main\"}";
	base[1].labels = "{\"commit\": \"a2\", \"branch\": \"main\"}";
	head[0].labels = head[1].labels = "{\"commit\": \"beef01\"}";
	buf_init(&b, 1 << 20);
	view_compare_report(&a, &c, &of, NULL, "", &b);
	assert_non_null(strstr(b.at, "\n| commit |  | beef01 |\n"
				     "| branch | main |  |\n"
				     "| iterations from |"));
	buf_release(&b);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_noise_prior),
		cmocka_unit_test(test_nothing_judged),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_report_folded),
		cmocka_unit_test(test_report_per_step),
		cmocka_unit_test(test_report_mark),
		cmocka_unit_test(test_report_labels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
