/* test_iteration_find_ranges.c - tests the search for iterations by ranges of
 * the host and the GPU. */
#include "iteration_letters.h"

enum { LATE_NS = 1000000 }; /* delay from a call to its kernels */

/* A host call at the given time, and its kernel. */
static void launch(struct world *w, const char *name, const char *thread,
	int64_t at_ns)
{
	int64_t correlation = w->t.kernel.n + 1;
	rows_call(&w->t, "cudaLaunchKernel", thread, at_ns, 1, correlation);
	rows_launched(&w->t, name, at_ns + LATE_NS, 5, correlation);
}

static void step(struct world *w, const char *name, int64_t from_ns, int64_t ns)
{
	rows_range(&w->t, RANGE_ANNOTATION, name, "main", from_ns, ns);
}

/* Steps contain layers, and one range is around everything: the steps are the
 * iterations. Another thread launches the backward pass. */
static void the_outermost_that_repeats(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, "train", "main", 0, 400);
	for (int i = 0; i < 4; i++) {
		int64_t at = i * 100;
		step(w,
			(const char *[]){ "ProfilerStep#9", "ProfilerStep#10",
				"ProfilerStep#11", "ProfilerStep#12" }[i],
			at, 100);
		step(w, "layer 1", at + 10, 20);
		launch(w, "a", "main", at + 15);
		step(w, "layer 2", at + 30, 20);
		launch(w, "a", "main", at + 35);
		launch(w, "b", "autograd", at + 60);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_ANNOTATION);
	assert_string_equal(c->range, "ProfilerStep#*");
	assert_int_equal(c->n, 4);
	assert_string_equal(c->iterations[3].label, "ProfilerStep#12");
	/* An iteration lasts from the first kernel of a step to the first
	 * kernel of the next step. */
	assert_int_equal(c->iterations[1].start_ns, LATE_NS + 115);
	assert_int_equal(c->iterations[1].dur_ns, 100);
	assert_int_equal(c->iterations[1].launches, 3);
	/* The last step ends with its last kernel, which is after its range. */
	assert_int_equal(c->iterations[3].dur_ns, 360 + 5 - 315);
	assert_false(c->iterations[3].open);
	assert_true(c->confidence > 0.999);
}

/* A step within a step of the same name is recursion. */
static void recursion(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++) {
		step(w, "step 1", i * 100, 90);
		step(w, "step 2", i * 100 + 10, 50);
		step(w, "step 3", i * 100 + 20, 20);
		launch(w, "a", "main", i * 100 + 30);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_string_equal(c->range, "step *");
	assert_int_equal(c->n, 3);
	assert_string_equal(c->iterations[2].label, "step 1");
}

/* A range that may change threads and begins before its predecessor ends
 * replaces the predecessor. Many such ranges make no iterations. */
static void crossing_ranges(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 12; i++) {
		rows_range(&w->t, RANGE_LOOSE, "step 7", "", i * 100,
			i == 5 ? 130 : 100);
		launch(w, "a", "main", i * 100 + 10);
		launch(w, "b", "main", i * 100 + 90);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_ANNOTATION);
	assert_int_equal(c->n, 12);
	for (uint32_t i = 0; i < c->n; i++)
		assert_int_equal(c->iterations[i].launches, 2);
}

static void requests_that_overlap(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 12; i++) {
		rows_range(&w->t, RANGE_LOOSE, "step 7", "", i * 100, 250);
		launch(w, "a", "main", i * 100 + 10);
	}
	assert_int_equal(iterations_of(w)->detector, ITERATIONS_WINDOW);
	sound(w);
}

/* A step that launches nothing is an iteration without kernels. It lasts from
 * its own start to the first kernel of the next, and has its own stratum. */
static void a_step_without_gpu_work(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 5; i++) {
		step(w, "step 1", i * 100, 100);
		if (i == 2)
			continue;
		int64_t correlation = w->t.kernel.n + 1;
		rows_call(&w->t, "cudaLaunchKernel", "main", i * 100 + 10, 1,
			correlation);
		rows_launched(&w->t, "a", i * 100 + 20, 30, correlation);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 5);
	assert_int_equal(c->iterations[1].start_ns, 120);
	assert_int_equal(c->iterations[1].dur_ns, 80);
	assert_int_equal(c->iterations[2].start_ns, 200);
	assert_int_equal(c->iterations[2].dur_ns, 120);
	assert_int_equal(c->iterations[2].launches, 0);
	assert_int_equal(c->strata_n, 2);
	assert_int_equal(c->strata[0].iterations, 4);
	assert_int_equal(c->iterations[2].stratum, 1);
	assert_string_equal(c->strata[1].text, "no kernels");
}

/* Layers have ranges, too; kernels that occur once are outside them. */
static void layers_alone(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 6; i++)
		launch(w, (char[]){ (char)('p' + i), 0 }, "main", i);
	for (int i = 0; i < 20; i++) {
		step(w, "block.1", 100 + i * 10, 10);
		launch(w, "a", "main", 101 + i * 10);
		launch(w, "b", "main", 102 + i * 10);
	}
	assert_int_equal(iterations_of(w)->detector, ITERATIONS_WINDOW);
	sound(w);
}

/* One file per step: its single range is the iteration. */
static void a_single_step(void **state)
{
	struct world *w = *state;
	step(w, "ProfilerStep#6", 0, 100);
	for (int i = 0; i < 6; i++)
		launch(w, (char[]){ (char)('a' + i), 0 }, "main", 10 + i);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_ANNOTATION);
	assert_int_equal(c->n, 1);
	assert_int_equal(c->iterations[0].launches, 6);
	assert_true(c->confidence == 1);
}

/* Without calls: ranges as the GPU recorded them. */
static void ranges_of_the_gpu(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++) {
		rows_range(&w->t, RANGE_GPU_ANNOTATION, "step 4", "stream 7",
			i * 100, 60);
		rows_kernel(&w->t, "a", i * 100, 20, 0, 1);
		rows_kernel(&w->t, "a", i * 100 + 40, 20, 0, 1);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_ANNOTATION);
	assert_int_equal(c->n, 3);
	assert_int_equal(c->iterations[0].launches, 2);
	assert_int_equal(c->iterations[2].dur_ns, 60);
}

/* Searches iterations by the name of a range: with its number, without it,
 * with a star; and by a name that no range has. */
static bool found_by_range(struct world *w, const char *range)
{
	const struct profile_params params = { range, BREAKDOWN_DEFAULTS };
	return profile_from_params(&w->t, 0, &params, w->families, NULL,
		&w->arena, &w->p, &w->e);
}

static void named(void **state)
{
	static const char *const names[] = { "inner 3", "inner", "inner *",
		"inner 1" };
	struct world *w = *state;
	for (int i = 0; i < 4; i++) {
		step(w, "step 1", i * 100, 100);
		step(w, i % 2 ? "inner 1" : "inner 2", i * 100 + 20, 50);
		launch(w, "a", "main", i * 100 + 30);
	}
	rows_done(&w->t, &w->process);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_true(found_by_range(w, names[i]));
		assert_int_equal(w->p.iterations.detector, ITERATIONS_NAMED);
		assert_int_equal(w->p.iterations.n, 4);
		assert_string_equal(w->p.iterations.range, "inner *");
	}
	assert_false(found_by_range(w, "inne"));
	assert_int_equal(w->e.code, ERR_NOT_FOUND);
	assert_string_equal(w->e.text,
		"the run has no ranges named 'inne'; some that repeat: "
		"step *, inner *");
}

static void named_where_nothing_is(void **state)
{
	struct world *w = *state;
	rows_kernel(&w->t, "a", 0, 1, 0, 1);
	rows_done(&w->t, &w->process);
	assert_false(found_by_range(w, "x"));
	assert_string_equal(w->e.text,
		"the run has no ranges named 'x', and none that repeat");
}

/* Kernels whose calls are not in the trace, and a kernel launched between two
 * steps, belong to the iteration in whose window they begin. */
static void launches_outside(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++) {
		step(w, "step 1", i * 100, 80);
		launch(w, "a", "main", i * 100 + 30);
		launch(w, "a", "main", i * 100 + 50);
		launch(w, "b", "main", i * 100 + 90);
	}
	rows_launched(&w->t, "c", LATE_NS + 295, 2, -1);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 3);
	assert_int_equal(c->iterations[0].launches, 3);
	assert_int_equal(c->iterations[1].launches, 3);
	assert_int_equal(c->iterations[2].launches, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_outermost_that_repeats),
		WORLD_TEST(recursion),
		WORLD_TEST(crossing_ranges),
		WORLD_TEST(requests_that_overlap),
		WORLD_TEST(a_step_without_gpu_work),
		WORLD_TEST(layers_alone),
		WORLD_TEST(a_single_step),
		WORLD_TEST(ranges_of_the_gpu),
		WORLD_TEST(named),
		WORLD_TEST(named_where_nothing_is),
		WORLD_TEST(launches_outside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
