/* test_view_suspicion.c - the complete published report and table. */
#include "view_compare.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const double base_us[] = { 640425, 631224.5 };
static const double head_us[] = { 47692.25 };

/* Two functions in three rows, of which one is notable. The figures test all
 * forms: rounded to zero, missing, six digits, a thousands separator. */
static struct suspicion_row rows[] = {
	{ "oncpu", "cpu_frequency", "Host", 177.763586,
		{ 162.779678, 156.416767, -6.362911, -8.310912, 0.285183,
			0.331387 },
		{ 85.703311, 22.4993, -63.204011, -11.861216, 0.0000004,
			0.000398 },
		-19.62655 },
	{ "void f<a|b>(int*)", "gpu_mem_used", "GPU 7", 11,
		{ 0.0012, 0.0008, -0.0004, -2, 1, 1 },
		{ 85.7049, 85.7049, 0, 0, NAN, 1 }, 0 },
	{ "copy", "gpu_pcie_transmit", "GPU 7", 0.029157,
		{ 0.000357, 0.0016, 0.001243, 23.251728, 0.04, 1 },
		{ 585233914.285714, 481530100, -103703814.285714, -0.181544, 1,
			1 },
		0.20758 },
};

static struct suspicion small(void)
{
	return (struct suspicion){ .subject = "llama",
		.base = { "normal_pid_1", "normal", 1, base_us, 635824.75, 2 },
		.head = { "abnormal_pid_2", "abnormal", 2, head_us, 47692.25,
			1 },
		.rows = rows,
		.rows_n = 3,
		.findings = { { &rows[0], { &rows[0] }, 1 },
			{ &rows[1], { NULL }, 0 } },
		.findings_n = 2,
		.metrics = true };
}

static const char first[] =
	"# Cross Performance Comparison: llama (Normal PID:1 vs Abnormal "
	"PID:2)\n"
	"\n"
	"## 1. High-Level Performance Summary\n"
	"\n"
	"| Metric              | normal_pid_1   | abnormal_pid_2   "
	"| Δ (abnormal_pid_2 - normal_pid_1)   | Change (%)   |\n"
	"|:--------------------|:---------------|:-----------------"
	"|:------------------------------------|:-------------|\n"
	"| Total Cycles        | 2              | 1                "
	"| -1                                  | -            |\n"
	"| Avg Cycle Time (us) | 635,824.75     | 47,692.25        "
	"| -588,132.50                         | -92.50%      |\n"
	"\n"
	"## 2. Cycle Duration Distribution Comparison\n"
	"\n"
	"|   Time Rank |   normal_pid_1 Time (us) | abnormal_pid_2 Time (us)   "
	"| Δ (us)      | Δ (%)   |\n"
	"|------------:|-------------------------:|:---------------------------"
	"|:------------|:--------|\n"
	"|           1 |               640,425.00 | 47692.25                   "
	"| -592,732.75 | -92.55% |\n"
	"|           2 |               631,224.50 | -                          "
	"| -           | -       |\n"
	"\n"
	"## 3. In-depth Core Metric Comparison\n"
	"\n"
	"### Overview\n"
	"\n"
	"The difference between `normal_pid_1` and `abnormal_pid_2` is most of "
	"all driven by changes in **`oncpu`**: a notable decrease of its share "
	"of the cycle's time.\n"
	"\n"
	"### Key Findings:\n"
	"- **`oncpu` on device `Host`:**\n"
	"  - Its share of the cycle's time (β) **decreased** from **162.78%** "
	"to **156.42%** (-6.36 ppt), though this may not be statistically "
	"significant (p-value: 0.285).\n"
	"  - Resource metrics (μ) that changed with it:\n"
	"    - **`cpu_frequency`**: decreased from 85.70 to 22.50.\n"
	"- **`void f<a|b>(int*)` on device `GPU 7`:**\n"
	"  - Its share of the cycle's time (β) **decreased** from **0.00%** "
	"to **0.00%** (-0.00 ppt), though this may not be statistically "
	"significant (p-value: 1.000).\n"
	"\n"
	"*Note: β is a sum over all of a function's executions in a cycle; "
	"where they overlap, on several threads or streams, it passes 100%.*\n"
	"\n"
	"**Recommendation:** Begin with the function of the highest "
	"**Suspicion Score**, and read its share of time (β) together with "
	"the resources (μ) beside it.\n"
	"### Detailed comparison table\n"
	"A row for each function, metric and device of either run, highest "
	"**Suspicion Score** first.\n"
	"\n"
	"| Function Name      | Metric Name       | Device   "
	"|   Suspicion Score |   β_normal_pid_1(%) |   β_abnormal_pid_2(%) "
	"|   Δβ(%) |   Z-Score(β) |   p-value(β) |   U-test p(β) "
	"| μ_normal_pid_1   | μ_abnormal_pid_2   |            Δμ "
	"|   Z-Score(μ) |   Z-Score(log_μ) |   p-value(μ) |   U-test p(μ) |\n"
	"|:-------------------|:------------------|:---------"
	"|------------------:|--------------------:|----------------------:"
	"|--------:|-------------:|-------------:|--------------:"
	"|:-----------------|:-------------------|--------------:"
	"|-------------:|-----------------:|-------------:|--------------:|\n"
	"| oncpu              | cpu_frequency     | Host     "
	"|          177.764  |              162.78 |                156.42 "
	"|   -6.36 |        -8.31 |        0.285 |         0.331 "
	"| 85.70            | 22.50              | -63.2         "
	"|       -11.86 |           -19.63 |            0 |             0 |\n";

/* The expected second and third rows; the last columns are separate. */
static const char second[] =
	"| void f<a\\|b>(int*) | gpu_mem_used      | GPU 7    "
	"|           11      |                0    |                  0    "
	"|   -0    |        -2    |        1     |         1     "
	"| 85.70            | 85.70              |   0           "
	"|         0    |             0    |          nan |             1 |\n"
	"| copy               | gpu_pcie_transmit | GPU 7    "
	"|            0.0292 |                0    |                  0    "
	"|    0    |        23.25 |        0.04  |         1     "
	"| 585,233,914.29   | 481,530,100.00     |  -1.03704e+08 "
	"|        -0.18 |             0.21 |            1 |             1 |\n"
	"\n"
	"## 5. Legend\n";

static char *report(const struct suspicion *s)
{
	struct arena a = { 0 };
	struct buf b;
	size_t len;
	buf_init(&b, 1 << 20);
	view_suspicion_report(s, &a, &b);
	arena_release(&a);
	return buf_take(&b, &len);
}

static void whole(void **state)
{
	struct suspicion s = small();
	char *text = report(&s);
	(void)state;
	assert_memory_equal(text, first, sizeof first - 1);
	assert_memory_equal(text + sizeof first - 1, second, sizeof second - 1);
	free(text);
}

static void titles(void **state)
{
	static const struct {
		int64_t base, head;
		const char *subject, *title;
	} cases[] = {
		{ 9, 9, "a\nb",
			"# Strict Performance Comparison: a b (PID: 9)\n" },
		{ -1, 2, "",
			"# Cross Performance Comparison: normal, abnormal "
			"(Normal vs Abnormal)\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct suspicion s = small();
		s.base.pid = cases[i].base;
		s.head.pid = cases[i].head;
		s.subject = cases[i].subject;
		char *text = report(&s);
		assert_memory_equal(text, cases[i].title,
			strlen(cases[i].title));
		free(text);
	}
}

/* Nothing is notable and there are no rows: the sections stay. */
static void nothing(void **state)
{
	struct suspicion s = small();
	(void)state;
	s.findings_n = s.rows_n = 0;
	s.metrics = false;
	s.base.iterations_n = 1;
	char *text = report(&s);
	assert_non_null(strstr(text,
		"### Overview\n"
		"\n"
		"`normal_pid_1` is of a single cycle: its deviations are "
		"unknown, every Z-Score is 0, and so is every score.\n"
		"\n"
		"Neither side has a counter: μ is 0 throughout, and scores "
		"rest on β alone.\n"
		"\n"
		"Between `normal_pid_1` and `abnormal_pid_2` no function "
		"scores above 10.0.\n"
		"### Detailed comparison table\n"));
	assert_null(strstr(text, "Key Findings"));
	assert_non_null(strstr(text, "| Function Name   | Metric Name   |"));
	free(text);
}

static void table(void **state)
{
	struct suspicion s = small();
	struct arena a = { 0 };
	struct buf b;
	(void)state;
	s.rows_n = 2;
	buf_init(&b, 1 << 20);
	table_csv(view_suspicion_table(&a, &s), &b);
	assert_string_equal(b.at,
		"Function Name,Metric Name,Device,Suspicion Score,"
		"β_normal_pid_1(%),β_abnormal_pid_2(%),Δβ(%),Z-Score(β),"
		"p-value(β),U-test p(β),μ_normal_pid_1,μ_abnormal_pid_2,Δμ,"
		"Z-Score(μ),Z-Score(log_μ),p-value(μ),U-test p(μ)\n"
		"oncpu,cpu_frequency,Host,177.763586,162.779678,156.416767,"
		"-6.362911,-8.310912,0.285183,0.331387,85.703311,22.499300,"
		"-63.204011,-11.861216,-19.626550,0.000000,0.000398\n"
		"void f<a|b>(int*),gpu_mem_used,GPU 7,11.000000,0.001200,"
		"0.000800,-0.000400,-2.000000,1.000000,1.000000,85.704900,"
		"85.704900,0.000000,0.000000,0.000000,,1.000000\n");
	buf_release(&b);
	arena_release(&a);
}

/* Values that are not numbers are null. */
static void as_json(void **state)
{
	struct suspicion s = small();
	(void)state;
	const struct comparison around = { 0 };
	const struct compare_sides sides = { .range = "step" };
	json_t *v = view_suspicion(&s, &around, &sides);
	json_t *items = json_object_get(v, "items");
	json_t *mu = json_object_get(json_array_get(items, 1), "p_mu");
	json_t *found = json_object_get(v, "suspects");
	assert_int_equal(json_array_size(items), 3);
	assert_true(json_is_null(mu));
	assert_int_equal(json_object_size(json_array_get(items, 0)), 17);
	assert_int_equal(json_array_size(found), 2);
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_array_get(found, 0),
					    "metrics"),
				    0)),
		"cpu_frequency");
	assert_int_equal(json_array_size(
				 json_object_get(json_object_get(v, "base"),
					 "cycle_durs_us")),
		2);
	assert_string_equal(json_string_value(json_object_get(v, "range")),
		"step");
	json_decref(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(titles),
		cmocka_unit_test(nothing),
		cmocka_unit_test(table),
		cmocka_unit_test(as_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
