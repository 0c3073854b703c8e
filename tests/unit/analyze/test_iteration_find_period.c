/* test_iteration_find_period.c - tests the search for iterations by the period
 * of kernel names. */
#include "iteration_letters.h"
#include <time.h>

/* A step of 32 layers of "abcd" with "xy" around them. The step is the
 * period, although the layer repeats ten times as often. */
static void a_layer_is_no_iteration(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	for (int step = 0; step < 6; step++) {
		kernels(&r, "x");
		times(&r, 32, "abcd");
		kernels(&r, "y");
		idle(&r, 500);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_string_equal(c->range, "x");
	assert_int_equal(c->n, 6);
	assert_int_equal(c->kept_n, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(c->iterations[i].launches, 130);
	/* 130 × 12 + 500; the last has no idle time recorded after it. */
	assert_int_equal(c->iterations[0].dur_ns, 2060);
	assert_int_equal(c->iterations[5].dur_ns, 1558);
	assert_false(c->iterations[0].open);
	assert_true(c->iterations[5].open);
}

/* No name is launched exactly once per step. A step has layers of "abcd", and
 * "bbddbbdd" between the last layer and the next first one. Cutting the
 * launches into layers leaves no rest and gives similar sections, but every
 * eighth section differs. */
static void a_period_above_layers(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	for (int step = 0; step < 10; step++) {
		times(&r, 8, "abcd");
		kernels(&r, "bbddbbdd");
		idle(&r, 300);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->n, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(c->iterations[i].launches, 40);
}

/* One decode step: 32 layers, with kernels that occur once before and after
 * them. */
static void a_single_step_is_one_window(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	kernels(&r, "pqr");
	times(&r, 32, "abcdefghi");
	kernels(&r, "stuv");
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_WINDOW);
	assert_int_equal(c->n, 1);
	assert_true(c->iterations[0].open);
	assert_int_equal(c->iterations[0].launches, 295);
	assert_true(c->confidence == 0);
	assert_int_equal(w->p.notes.count[NOTE_iterations_window], 295);
}

/* Kernels that are inserted, omitted and changed in places are noise. */
static void inserted_and_missing_kernels(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	for (int step = 0; step < 12; step++) {
		kernels(&r, "xabcdefgh");
		if (step == 3)
			kernels(&r, "a");
		kernels(&r, "ijklm");
		kernels(&r, step == 7 ? "nopq" : "nopqr");
		kernels(&r, step == 9 ? "swuv" : "stuv");
		idle(&r, 100);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_string_equal(c->range, "x");
	assert_int_equal(c->n, 12);
	assert_int_equal(c->iterations[3].launches, 24);
	assert_int_equal(c->iterations[7].launches, 22);
	assert_int_equal(c->iterations[0].launches, 23);
}

/* A recording that begins and ends in the middle of a step: two of its
 * iterations are partial. They begin where the GPU waited. */
static void cut_off_at_both_ends(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	kernels(&r, "hijkl");
	idle(&r, 400);
	for (int step = 0; step < 5; step++) {
		kernels(&r, "abcdefghijkl");
		idle(&r, 400);
	}
	kernels(&r, "abcdef");
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_string_equal(c->range, "a");
	assert_int_equal(c->n, 7);
	assert_int_equal(c->kept_n, 5);
	assert_int_equal(c->iterations[0].use, ITERATION_PARTIAL);
	assert_int_equal(c->iterations[0].launches, 5);
	assert_int_equal(c->iterations[6].use, ITERATION_PARTIAL);
	assert_int_equal(c->iterations[6].launches, 6);
	assert_true(c->iterations[6].open);
	assert_int_equal(w->p.notes.count[NOTE_iterations_partial], 2);
	/* 60 of 71 launches, all of the same duration, in equal iterations. */
	assert_true(c->confidence > 60 / 71. - 1e-9 &&
		    c->confidence < 60 / 71. + 1e-9);
}

/* The startup and shutdown of a program around steps that consist of layers. */
static void programs_begin_with_something_else(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	kernels(&r, "123456789");
	for (int step = 0; step < 20; step++) {
		kernels(&r, "x");
		times(&r, 16, "abcd");
		kernels(&r, "y");
	}
	kernels(&r, "QRS");
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->iterations[0].launches, 66);
	assert_true(c->kept_n >= 19);
}

/* The recording begins with the same kernels for ten times as long as an
 * iteration. This beginning is not part of any iteration. */
static void a_long_beginning_is_no_part(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	times(&r, 10, "bbcdefdefa");
	idle(&r, 400);
	for (int step = 0; step < 8; step++) {
		kernels(&r, "abcdefghij");
		idle(&r, 400);
	}
	kernels(&r, "abc");
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 9);
	assert_int_equal(c->kept_n, 8);
	assert_int_equal(c->iterations[0].start_ns, 100 * STRIDE_NS + 400);
	assert_int_equal(c->iterations[8].use, ITERATION_PARTIAL);
}

/* Two streams of a device whose kernels interleave differently each time. The
 * busier stream decides; kernels of the other are in the iteration in which
 * they start. */
static void two_streams_interleaved(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	for (int step = 0; step < 8; step++)
		for (int k = 0; k < 10; k++) {
			kernels(&r, (char[]){ (char)('a' + k), 0 });
			if (k != (step * 3) % 10)
				continue;
			rows_kernel(&w->t, "side", r.at_ns - 6, 4, 0, 0);
			w->t.kernel.stream[w->t.kernel.n - 1] = 9;
		}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->n, 8);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(c->iterations[i].launches, 11);
}

/* The stream on which collectives wait is the busiest and has only one kernel
 * name. */
static void waiting_collectives(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	for (int step = 0; step < 8; step++) {
		kernels(&r, "abcde");
		rows_kernel(&w->t, "nccl", r.at_ns - 6, 900, 0, 0);
		w->t.kernel.stream[w->t.kernel.n - 1] = 9;
		kernels(&r, "fghij");
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->n, 8);
	assert_int_equal(c->iterations[3].launches, 11);
}

/* One name in many roles: half of all launches are "e", in six roles. */
static void one_name_many_roles(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	times(&r, 9, "aebecedeee");
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->n, 9);
	assert_string_equal(c->range, "a");
}

/* A single kernel that repeats has no period except its own launch. */
static void one_kernel_is_no_period(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	times(&r, 50, "a");
	assert_int_equal(iterations_of(w)->detector, ITERATIONS_WINDOW);
	sound(w);
}

/* Graphs recorded as a whole are names, too: three of them per step. */
static void opaque_graphs(void **state)
{
	struct world *w = *state;
	for (int step = 0; step < 5; step++)
		for (int g = 1; g < 4; g++)
			rows_graph(&w->t, g, g, step * 100 + g * 10, 8, 0);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->detector, ITERATIONS_PERIOD);
	assert_int_equal(c->n, 5);
	assert_string_equal(c->range, "CUDA graph");
	assert_int_equal(c->iterations[1].start_ns, 100);
}

static void nothing_at_all(void **state)
{
	struct world *w = *state;
	const struct iterations *c = iterations_of(w);
	assert_int_equal(c->detector, ITERATIONS_NONE);
	assert_int_equal(c->n, 0);
	assert_true(c->confidence == 0);
}

/* 100,000 iterations of ten kernels take seconds, also with sanitizers. */
static void many_iterations(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w };
	times(&r, 100000, "abcdefghij");
	struct timespec from, to;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	const struct iterations *c = iterations_of(w);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	assert_int_equal(c->n, 100000);
	assert_int_equal(c->strata_n, 1);
	sound(w);
	assert_true(to.tv_sec - from.tv_sec < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_layer_is_no_iteration),
		WORLD_TEST(a_period_above_layers),
		WORLD_TEST(a_single_step_is_one_window),
		WORLD_TEST(inserted_and_missing_kernels),
		WORLD_TEST(cut_off_at_both_ends),
		WORLD_TEST(programs_begin_with_something_else),
		WORLD_TEST(a_long_beginning_is_no_part),
		WORLD_TEST(waiting_collectives),
		WORLD_TEST(two_streams_interleaved),
		WORLD_TEST(one_name_many_roles),
		WORLD_TEST(one_kernel_is_no_period),
		WORLD_TEST(opaque_graphs),
		WORLD_TEST(nothing_at_all),
		WORLD_TEST(many_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
