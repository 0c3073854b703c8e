/* test_callpath.c - tests extreme paths: every launch must still be in one
 * line, and omissions must be reported. */
#include "caller_lines.h"
#include "callpath.h"
#include <stdio.h>

/* A hundred thousand nested ranges with a launch in each: paths end at the
 * maximum depth, and a note reports it. */
static void endless_nesting(void **state)
{
	enum { N = 100000 };
	struct world *w = *state;
	for (int i = 0; i < N; i++)
		rows_range(&w->t, RANGE_PYTHON, "f", "a", i, 2 * (N - i));
	for (int i = 0; i < N; i++)
		launch(w, "k", "a", i, 1);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.frames_n, CALLPATH_DEPTH + 1);
	assert_int_equal(w->p.callers_n, CALLPATH_DEPTH);
	assert_int_equal(w->p.callers[0].launches, N - CALLPATH_DEPTH + 1);
	assert_int_equal(w->p.notes.count[NOTE_callers_cut],
		N - CALLPATH_DEPTH);
	closed(w);
}

/* A staircase: range i is open from i to N + i, so launch N + i is in the
 * ranges above i. The innermost range is never the first one to end. */
static void a_staircase(void **state)
{
	enum { N = 100000 };
	struct world *w = *state;
	for (int i = 0; i < N; i++)
		rows_range(&w->t, RANGE_PYTHON, "f", "a", i, N);
	for (int i = 0; i < N; i++)
		launch(w, "k", "a", N + i, 1);
	assert_true(world_analyse(w));
	/* launch N + i has N - 1 - i ranges; the last has none */
	assert_int_equal(w->p.callers_n, CALLPATH_DEPTH + 1);
	assert_int_equal(w->p.notes.count[NOTE_callers_cut],
		N - 1 - CALLPATH_DEPTH);
	closed(w);
}

/* A hundred thousand ranges that begin together, the longest last. */
static void all_begin_together(void **state)
{
	enum { N = 100000 };
	struct world *w = *state;
	for (int i = 0; i < N; i++)
		rows_range(&w->t, RANGE_PYTHON, i == N - 1 ? "longest" : "f",
			"a", 0, i + 1);
	launch(w, "k", "a", 0, 1);
	launch(w, "k", "a", N - 3, 2);
	assert_true(world_analyse(w));
	check(w, 0, CALLER_PATH, "longest > f > f", 1, 2);
	assert_int_equal(w->p.notes.count[NOTE_callers_cut], 1);
	closed(w);
}

/* There are more paths than are kept. All others share one line with its own
 * name. */
static void too_many_paths(void **state)
{
	enum { N = FRAME_TREE_MAX + 10 };
	struct world *w = *state;
	char name[16];
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "f%d", i);
		rows_range(&w->t, RANGE_PYTHON, name, "a", 2 * i, 1);
		launch(w, "k", "a", 2 * i, 1);
	}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.frames_n, FRAME_TREE_MAX + 1);
	check(w, 0, CALLER_PATH, "(paths left out)", 11, 11);
	check(w, 1, CALLER_PATH, "f0", 1, 1);
	assert_int_equal(w->p.notes.count[NOTE_callers_cut], 11);
	closed(w);
}

/* With any memory limit the function succeeds or reports that the arena is
 * full. */
static void no_room(void **state)
{
	struct world *w = *state;
	bool done = false;
	for (int i = 0; i < 60; i++) {
		rows_range(&w->t, RANGE_PYTHON, i % 7 ? "f at 0x1" : "g",
			i % 2 ? "a" : "b", i, 60 - i);
		launch(w, i % 3 ? "k" : "j", i % 2 ? "a" : "b", i, 1);
	}
	rows_op(&w->t, "op", "c", 0, 9, 5);
	rows_launched(&w->t, "l", 200000, 1, -1);
	w->t.kernel.external_id[60] = 5;
	for (size_t kib = 1; !done; kib += 3) {
		w->arena = (struct arena){ .ceiling = kib << 10 };
		w->e = (struct err){ 0 };
		done = world_analyse(w);
		if (!done)
			assert_int_equal(w->e.code, ERR_TOO_LARGE);
		assert_true(w->arena.taken <= w->arena.ceiling);
		if (!done)
			arena_release(&w->arena);
		assert_true(kib < 4096);
	}
	closed(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(endless_nesting),
		WORLD_TEST(a_staircase),
		WORLD_TEST(all_begin_together),
		WORLD_TEST(too_many_paths),
		WORLD_TEST(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
