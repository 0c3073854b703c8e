/* test_suspicion_side.c - tests the names and iterations of both sides,
 * findings, and rejections. */
#include "analyze/suspicion_world.h"

/* The warm-up iterations of a table are counted, because its author chose the
 * iterations. Detected warm-up iterations are not counted. */
static void iterations_that_count(void **state)
{
	const struct line l[] = { { "f", "GPU 0", "u", { 100, 1, 3, 100 },
		{ 1, 1, 1, 1 }, ALL } };
	static const struct {
		enum iteration_detector detector;
		uint32_t iterations;
		double beta;
	} rows[] = { { ITERATIONS_GIVEN, 4, 51 },
		{ ITERATIONS_ANNOTATION, 2, 2 }, { ITERATIONS_PERIOD, 2, 2 } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w = { 0 };
		struct compared_run *r = run_of(&w, 0, "a", 1, 4, l, 1);
		r->iterations.detector = rows[i].detector;
		r->iterations.iterations[0].use = ITERATION_WARMUP;
		r->iterations.iterations[3].use = ITERATION_PARTIAL;
		run_of(&w, 1, "b", 1, 2, l, 1);
		score(&w, 1, 1);
		assert_int_equal(w.s.base.iterations_n, rows[i].iterations);
		near_to("β", w.s.rows->beta.base, rows[i].beta);
		arena_release(&w.arena);
	}
}

static void names(void **state)
{
	static const struct {
		const char *base, *head;
		int64_t base_pid, head_pid;
		const char *base_name, *head_name;
	} rows[] = {
		{ "normal", "abnormal", 805580, 842126, "normal_pid_805580",
			"abnormal_pid_842126" },
		{ "normal", "abnormal", 9, 9, "normal", "abnormal" },
		{ "normal", "abnormal", 9, -1, "normal", "abnormal" },
		{ "normal_pid_9", "x", 9, 8, "normal_pid_9", "x_pid_8" },
		{ "same", "same", 9, 8, "same_pid_9", "same_pid_8" },
		{ "same", "same", 9, 9, "same_run_1", "same_run_2" },
	};
	const struct line l[] = { { "f", "GPU 0", "u", { 1 }, { 1 }, ALL } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w = { 0 };
		run_of(&w, 0, rows[i].base, rows[i].base_pid, 1, l, 1);
		run_of(&w, 1, rows[i].head, rows[i].head_pid, 1, l, 1);
		score(&w, 1, 1);
		assert_string_equal(w.s.base.name, rows[i].base_name);
		assert_string_equal(w.s.head.name, rows[i].head_name);
		assert_string_equal(w.s.subject, "llama");
		arena_release(&w.arena);
	}
}

static void a_run_with_itself(void **state)
{
	const struct line l[] = { { "f", "GPU 0", "u", { 1, 2 }, { 1, 4 },
		ALL } };
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 2, l, 1);
	run_of(&w, 1, "a", 1, 2, l, 1)->id = 1;
	score(&w, 1, 1);
	assert_string_equal(w.s.base.name, "a_base");
	assert_string_equal(w.s.head.name, "a_head");
	assert_true(w.s.rows->score == 0);
	value("β", &w.s.rows->beta,
		(struct suspicion_value){ 1.5, 1.5, 0, 0, 1, 1 });
	arena_release(&w.arena);
}

static void many_names(void **state)
{
	static const char *const names_of[] = { "a", "b", "a", "c", "d", "e" };
	const struct line l[] = { { "f", "GPU 0", "u", { 1 }, { 1 }, ALL } };
	struct world w = { 0 };
	(void)state;
	for (int i = 0; i < 6; i++) {
		run_of(&w, i, names_of[i], i, 1, l, 1);
		w.runs[i].workload = i ? "x" : "y";
	}
	score(&w, 5, 1);
	assert_string_equal(w.s.base.name, "a+b+c and 1 more");
	score(&w, 3, 3);
	assert_string_equal(w.s.base.name, "a+b");
	assert_string_equal(w.s.head.name, "c+d+e");
	/* Workloads differ; the project does not. */
	assert_string_equal(w.s.subject, "default");
	arena_release(&w.arena);
}

/* The three functions of the highest scores, each with the metrics that
 * changed with it. An unchanged metric is excluded although its row scores as
 * high. */
static void findings(void **state)
{
	struct line base[6] = { { "a", "GPU 0", "moved", { 1, 3 }, { 1, 1 },
					ALL },
		{ "a", "GPU 0", "stayed", { 1, 3 }, { 1, 1 }, ALL },
		{ "a", "GPU 1", "moved", { 1, 3 }, { 1, 1 }, ALL },
		{ "b", "GPU 0", "moved", { 1, 3 }, { 1, 1 }, ALL },
		{ "c", "GPU 0", "moved", { 1, 3 }, { 1, 1 }, ALL },
		{ "d", "GPU 0", "moved", { 1, 3 }, { 1, 1 }, ALL } };
	struct line head[6];
	static const double shift[6] = { 40, 40, 30, 20, 10, 3 };
	struct world w = { 0 };
	(void)state;
	memcpy(head, base, sizeof head);
	for (int i = 0; i < 6; i++) {
		head[i].beta[0] += shift[i];
		head[i].beta[1] += shift[i];
		if (strcmp(head[i].metric, "stayed"))
			head[i].mu[0] = head[i].mu[1] = 2;
	}
	run_of(&w, 0, "a", 1, 2, base, 6);
	run_of(&w, 1, "b", 1, 2, head, 6);
	score(&w, 1, 1);
	assert_int_equal(w.s.findings_n, 3);
	const struct suspicion_finding *f = w.s.findings;
	near_to("highest", f[0].row->score, 40 * 40 / sqrt(2));
	assert_string_equal(f[0].row->device, "GPU 0");
	assert_int_equal(f[0].resources_n, 1);
	assert_string_equal(f[0].resources[0]->metric, "moved");
	assert_string_equal(f[1].row->device, "GPU 1");
	assert_string_equal(f[2].row->name, "b");
	arena_release(&w.arena);
}

/* 3·3/√2 = 6.4 is not above 10. */
static void nothing_notable(void **state)
{
	const struct line base[] = { { "d", "GPU 0", "u", { 1, 3 }, { 1, 1 },
		ALL } };
	const struct line head[] = { { "d", "GPU 0", "u", { 4, 6 }, { 9, 9 },
		ALL } };
	struct world w = { 0 };
	(void)state;
	run_of(&w, 0, "a", 1, 2, base, 1);
	run_of(&w, 1, "b", 1, 2, head, 1);
	score(&w, 1, 1);
	assert_int_equal(w.s.rows_n, 1);
	assert_int_equal(w.s.findings_n, 0);
	arena_release(&w.arena);
}

static void no_iterations(void **state)
{
	static const struct {
		enum content content;
		const char *sentence;
	} rows[] = {
		{ CONTENT_STATISTICS,
			"'b' has no iterations to score: a table of "
			"statistics has none" },
		{ CONTENT_DURATIONS,
			"'b' has no iterations to score: its calls have no "
			"starts" },
		{ CONTENT_LAUNCHES,
			"'b' has no iterations to score: none were found in it" },
	};
	const struct line l[] = { { "f", "GPU 0", "u", { 1 }, { 1 }, ALL } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w = { 0 };
		run_of(&w, 0, "a", 1, 1, l, 1);
		run_of(&w, 1, "b", 1, 0, NULL, 0)->content = rows[i].content;
		assert_false(suspicion_from(w.runs, 1, w.runs + 1, 1, &w.arena,
			&w.s, &w.e));
		assert_int_equal(w.e.code, ERR_INPUT);
		assert_string_equal(w.e.text, rows[i].sentence);
		arena_release(&w.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iterations_that_count),
		cmocka_unit_test(names),
		cmocka_unit_test(a_run_with_itself),
		cmocka_unit_test(many_names),
		cmocka_unit_test(findings),
		cmocka_unit_test(nothing_notable),
		cmocka_unit_test(no_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
