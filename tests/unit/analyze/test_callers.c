/* test_callers.c - tests which path launched each kernel, and that every
 * launch is in exactly one line. */
#include "caller_lines.h"

/*   thread a   ProfilerStep#1   0…100     ProfilerStep#2  100…200
 *              main.py f        0…100     main.py f       100…200
 *              nn.Module L_0   10…50      nn.Module L_0   110…150
 *              aten::mm        20…30      aten::mm        120…130
 *   launches           k 25                  k 125
 *                      j 40 (in L_0)   j 60 (in f)   k 250 (nothing open)
 *   thread b   aten::add 0…300: k 25 */
static void paths_add_up_over_steps(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_range(t, RANGE_ANNOTATION, "ProfilerStep#1", "a", 0, 100);
	rows_range(t, RANGE_PYTHON, "main.py f", "a", 0, 100);
	rows_range(t, RANGE_MODULE, "nn.Module: L_0", "a", 10, 40);
	rows_range(t, RANGE_ANNOTATION, "ProfilerStep#2", "a", 100, 100);
	rows_range(t, RANGE_PYTHON, "main.py f", "a", 100, 100);
	rows_range(t, RANGE_MODULE, "nn.Module: L_0", "a", 110, 40);
	rows_op(t, "aten::add", "b", 0, 300, -1);
	rows_op(t, "aten::mm", "a", 20, 10, -1);
	rows_op(t, "aten::mm", "a", 120, 10, -1);
	launch(w, "k", "a", 25, 5);
	launch(w, "k", "b", 25, 4);
	launch(w, "j", "a", 40, 7);
	launch(w, "j", "a", 60, 8);
	launch(w, "k", "a", 125, 5);
	launch(w, "k", "a", 250, 3);
	assert_true(world_analyse(w));

	assert_int_equal(w->p.callers_n, 5);
	check(w, 0, CALLER_PATH,
		"ProfilerStep#* > main.py f > nn.Module: L_0 > aten::mm", 2,
		10);
	check(w, 1, CALLER_PATH, "aten::add", 1, 4);
	check(w, 2, CALLER_NO_RANGE, "", 1, 3);
	check(w, 3, CALLER_PATH, "ProfilerStep#* > main.py f", 1, 8);
	check(w, 4, CALLER_PATH, "ProfilerStep#* > main.py f > nn.Module: L_0",
		1, 7);
	assert_int_equal(w->p.frames_n, 6);
	assert_int_equal(w->p.frames[0].parent, 0);
	const struct frame *mm = &w->p.frames[w->p.callers[0].frame];
	assert_int_equal(mm->kind, FRAME_OP);
	assert_int_equal(w->p.frames[mm->parent].kind, FRAME_MODULE);
	closed(w);
}

/* A range is open from its start and closed at its end. A range of zero
 * length is never open. Paths contain no GPU ranges and no ranges that change
 * threads. */
static void edges(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_range(t, RANGE_ANNOTATION, "early", "a", 0, 10);
	rows_range(t, RANGE_GPU_ANNOTATION, "gpu", "a", 0, 99);
	rows_range(t, RANGE_LOOSE, "loose", "a", 0, 99);
	rows_range(t, RANGE_ANNOTATION, "moment", "a", 10, 0);
	rows_range(t, RANGE_ANNOTATION, "late", "a", 10, 10);
	rows_range(t, RANGE_ANNOTATION, "unknown thread", "", 0, 99);
	launch(w, "k", "a", 0, 1);
	launch(w, "k", "a", 10, 2);
	launch(w, "k", "", 10, 8);
	launch(w, "k", "a", 20, 4);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.callers_n, 3);
	check(w, 0, CALLER_NO_RANGE, "", 2, 12);
	check(w, 1, CALLER_PATH, "late", 1, 2);
	check(w, 2, CALLER_PATH, "early", 1, 1);
	closed(w);
}

/* Ranges that cross are in a path while they are open:
 *
 *   a 0…30   b 10…40   c 20…50 */
static void crossing_ranges(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, "a", "x", 0, 30);
	rows_range(&w->t, RANGE_ANNOTATION, "b", "x", 10, 30);
	rows_range(&w->t, RANGE_ANNOTATION, "c", "x", 20, 30);
	launch(w, "k", "x", 5, 1);
	launch(w, "k", "x", 15, 2);
	launch(w, "k", "x", 25, 4);
	launch(w, "k", "x", 35, 8);
	launch(w, "k", "x", 45, 16);
	launch(w, "k", "x", 50, 32);
	assert_true(world_analyse(w));
	check(w, 0, CALLER_NO_RANGE, "", 1, 32);
	check(w, 1, CALLER_PATH, "c", 1, 16);
	check(w, 2, CALLER_PATH, "b > c", 1, 8);
	check(w, 3, CALLER_PATH, "a > b > c", 1, 4);
	check(w, 4, CALLER_PATH, "a > b", 1, 2);
	check(w, 5, CALLER_PATH, "a", 1, 1);
	closed(w);
}

/* If two ranges begin together, the longer one is outside. If their ends are
 * equal, too, a range is outside an operator, and otherwise the first row is
 * outside. */
static void equal_starts(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_PYTHON, "short", "x", 0, 10);
	rows_range(&w->t, RANGE_PYTHON, "first", "x", 0, 20);
	rows_range(&w->t, RANGE_ANNOTATION, "second", "x", 0, 20);
	rows_op(&w->t, "op", "x", 0, 20, -1);
	rows_op(&w->t, "long op", "x", 0, 30, -1);
	launch(w, "k", "x", 0, 1);
	assert_true(world_analyse(w));
	check(w, 0, CALLER_PATH, "long op > first > second > op > short", 1, 1);
}

/* If a kernel has no call, or its call is below no range, the External id decides:
 *
 *   thread a   outer 0…100   aten::mm 10…20 (id 8), in it aten::t at once
 *              aten::add 30, zero length (id 9)
 *   launches   k: call of thread b, id 8    j: no call, id 9
 *              i: no call, id 7, which no operator has */
static void operators_by_external_id(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_op(t, "outer", "a", 0, 100, 7000);
	rows_op(t, "aten::mm", "a", 10, 10, 8);
	rows_op(t, "aten::t", "a", 10, 10, 10);
	rows_op(t, "aten::add", "a", 30, 0, 9);
	launch(w, "k", "b", 12, 1);
	rows_launched(t, "j", 100100, 2, -1);
	rows_launched(t, "i", 100200, 4, -1);
	t->kernel.external_id[0] = 8;
	t->kernel.external_id[1] = 9;
	t->kernel.external_id[2] = 7;
	assert_true(world_analyse(w));
	check(w, 0, CALLER_PATH, "outer > aten::mm", 1, 1);
	check(w, 1, CALLER_PATH, "outer > aten::add", 1, 2);
	check(w, 2, CALLER_NO_CALL, "", 1, 4);
	closed(w);
}

/* In old files the External id is the correlation and identifies no
 * operator. */
static void an_external_id_that_says_nothing(void **state)
{
	struct world *w = *state;
	rows_op(&w->t, "aten::mm", "a", 10, 10, 1);
	rows_op(&w->t, "aten::mm", "a", 10, 10, 2);
	launch(w, "k", "b", 12, 1);
	launch(w, "k", "b", 13, 1);
	w->t.kernel.external_id[0] = 1;
	w->t.kernel.external_id[1] = 2;
	assert_true(world_analyse(w));
	assert_int_equal(w->p.callers_n, 1);
	check(w, 0, CALLER_NO_RANGE, "", 2, 2);
}

/* All kernels of a replay have the path of the graph launch. */
static void a_graph_replay(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_PYTHON, "replay", "a", 0, 10);
	rows_call(&w->t, "cudaGraphLaunch", "a", 5, 9, 4);
	for (int i = 0; i < 9; i++)
		rows_launched(&w->t, i % 3 ? "k" : "j", 20 + i, 1, 4);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.callers_n, 2);
	check(w, 0, CALLER_PATH, "replay", 3, 3);
	check(w, 1, CALLER_PATH, "replay", 6, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(paths_add_up_over_steps),
		WORLD_TEST(edges),
		WORLD_TEST(crossing_ranges),
		WORLD_TEST(equal_starts),
		WORLD_TEST(operators_by_external_id),
		WORLD_TEST(an_external_id_that_says_nothing),
		WORLD_TEST(a_graph_replay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
