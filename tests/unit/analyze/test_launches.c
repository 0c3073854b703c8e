/* test_launches.c - tests the time from launch call to kernel; every number is
 * worked out by hand. */
#include "world.h"
#include "correlation.h"
#include "ids.h"
#include <math.h>

static void check(const struct spread *s, double avg, double med, int64_t min,
	int64_t max, double stddev)
{
	assert_true(s->avg_ns == avg);
	assert_true(s->med_ns == med);
	assert_int_equal(s->min_ns, min);
	assert_int_equal(s->max_ns, max);
	assert_true(s->stddev_ns == stddev);
}

/* Two launches of one line, and one that began before its call returned:
 *
 *   call      kernel    T    A    Q    K
 *   0…10      30…50     50   10   20   20
 *   100…105   110…121   21   5    5    11
 *   200…240   220…230   40   40   –    10
 *
 * T: avg 111/3 = 37, med 40, variance (13² + 16² + 3²)/2 = 217, sd 14.73
 * A: avg 55/3 = 18.33, med 10, squares 1725 − 3025/3 = 716.67, /2, sd 18.93
 * Q: avg 12.5, sd 15/√2 = 10.61
 * K: avg 41/3 = 13.67, med 11, squares 621 − 1681/3 = 60.67, /2, sd 5.51 */
static void one_line(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_call(t, "cudaLaunchKernel_v7000", "9", 0, 10, 1);
	rows_call(t, "cudaLaunchKernel", "9", 100, 5, 2);
	rows_call(t, "cudaLaunchKernel_v7000", "9", 200, 40, 3);
	rows_launched(t, "k", 30, 20, 1);
	rows_launched(t, "k", 110, 11, 2);
	rows_launched(t, "k", 220, 10, 3);
	assert_true(world_analyse(w));

	assert_int_equal(w->p.launch_stats_n, 1);
	const struct launch_stat *s = w->p.launch_stats;
	assert_string_equal(s->thread, "9");
	assert_string_equal(s->api, "cudaLaunchKernel");
	assert_string_equal(w->p.kernels[s->kernel].name, "k");
	assert_int_equal(s->device, 0);
	assert_int_equal(s->instances, 3);
	assert_int_equal(s->queued, 2);
	check(&s->total, 37, 40, 21, 50, 14.7);
	check(&s->api_call, 18.3, 10, 5, 40, 18.9);
	check(&s->queue, 12.5, 12.5, 5, 20, 10.6);
	check(&s->kernel_run, 13.7, 11, 10, 20, 5.5);
}

/* Lines differ by thread, device, API and kernel, and are sorted by average
 * total. */
static void lines_and_their_order(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_call(t, "cudaLaunchKernel", "b", 0, 1, 1);
	rows_call(t, "cudaLaunchKernel", "a", 0, 1, 2);
	rows_call(t, "cuLaunchKernel", "a", 0, 1, 3);
	rows_call(t, "cuLaunchKernel", "a", 0, 1, 4);
	rows_call(t, "cuLaunchKernel", "a", 0, 1, 5);
	rows_launched(t, "k", 5, 5, 1);
	rows_launched(t, "k", 5, 5, 2);
	rows_launched(t, "k", 5, 5, 3);
	rows_launched(t, "j", 5, 5, 4);
	rows_launched(t, "z", 5, 6, 5);
	assert_true(world_analyse(w));

	static const char *const due[][3] = { { "a", "cuLaunchKernel", "z" },
		{ "a", "cuLaunchKernel", "j" }, { "a", "cuLaunchKernel", "k" },
		{ "a", "cudaLaunchKernel", "k" },
		{ "b", "cudaLaunchKernel", "k" } };
	assert_int_equal(w->p.launch_stats_n, 5);
	for (int i = 0; i < 5; i++) {
		const struct launch_stat *s = &w->p.launch_stats[i];
		assert_string_equal(s->thread, due[i][0]);
		assert_string_equal(s->api, due[i][1]);
		assert_string_equal(w->p.kernels[s->kernel].name, due[i][2]);
	}
}

/* The kernels of a replay share the launch's correlation; each counts. */
static void a_graph_replay(void **state)
{
	struct world *w = *state;
	rows_call(&w->t, "cudaGraphLaunch_v10000", "9", 0, 10, 4);
	for (int i = 0; i < 100; i++)
		rows_launched(&w->t, "k", 20 + i, 1, 4);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.launch_stats_n, 1);
	assert_string_equal(w->p.launch_stats[0].api, "cudaGraphLaunch_v10000");
	assert_int_equal(w->p.launch_stats[0].instances, 100);
	/* 21…120 */
	assert_true(w->p.launch_stats[0].total.avg_ns == 70.5);
}

/* No kernel is queued, so the queue has no statistics. A call without a
 * kernel and a kernel without a call are in no line. */
static void nothing_to_tell(void **state)
{
	struct world *w = *state;
	rows_call(&w->t, "f", "9", 10, 10, 1);
	rows_call(&w->t, "f", "9", 30, 10, 0);
	rows_call(&w->t, "f", "9", 40, 10, -1);
	rows_launched(&w->t, "k", 0, 1, 1);
	rows_launched(&w->t, "k", 40, 1, 0);
	rows_launched(&w->t, "k", 41, 1, -1);
	rows_launched(&w->t, "k", 42, 1, 8);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.launch_stats_n, 1);
	const struct launch_stat *s = w->p.launch_stats;
	assert_int_equal(s->instances, 1);
	assert_int_equal(s->queued, 0);
	check(&s->total, 10, 10, 10, 10, 0);
	assert_true(isnan(s->queue.avg_ns) && isnan(s->queue.med_ns) &&
		    isnan(s->queue.stddev_ns));
	assert_int_equal(s->queue.min_ns, -1);
	assert_int_equal(s->queue.max_ns, -1);
	assert_int_equal(w->p.notes.count[NOTE_uncorrelated], 3);
}

/* Five thousand launches, each a hundred days before its kernel, exceed the
 * largest sum that is supported. That sum is less than 2^60 ns: 127 launches
 * of 2^53 ns. */
static void too_far_to_add_up(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 5000; i++) {
		rows_call(&w->t, "f", "9", 0, 0, i + 1);
		rows_launched(&w->t, "k", TRACE_TIME_MAX_NS, 0, i + 1);
	}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.launch_stats[0].instances, 127);
	assert_int_equal(w->p.notes.count[NOTE_latency_far], 5000 - 127);
	assert_true(w->p.launch_stats[0].total.stddev_ns == 0);
}

/* The call that is found if several calls share one correlation:
 *
 *   row 0  thread a   0…100   runtime call
 *   row 1  thread a  10…20      its driver call
 *   row 2  thread a  50…150   crosses row 0
 *   row 3  thread a 200…300   the number is reused, within row 4
 *   row 4  thread a 200…400     around row 3
 *   row 5  thread b 205…210   another thread */
static void calls_of_one_correlation(void **state)
{
	static const struct {
		int64_t start_ns;
		uint32_t call;
	} due[] = { { -5, 0 }, { 0, 0 }, { 10, 0 }, { 49, 0 }, { 50, 2 },
		{ 199, 2 }, { 200, 4 }, { 204, 4 }, { 205, 5 }, { 999, 5 } };
	enum { N = sizeof due / sizeof *due };
	struct world *w = *state;
	struct trace *t = &w->t;
	uint32_t *call_of;
	rows_call(t, "f", "a", 0, 100, 7);
	rows_call(t, "g", "a", 10, 10, 7);
	rows_call(t, "f", "a", 50, 100, 7);
	rows_call(t, "g", "a", 200, 100, 7);
	rows_call(t, "f", "a", 200, 200, 7);
	rows_call(t, "f", "b", 205, 5, 7);
	for (int i = 0; i < N; i++)
		rows_launched(t, "k", due[i].start_ns, 1, 7);
	rows_done(t, &w->process);
	assert_true(correlation_join(t, &w->process, &w->arena, &call_of));
	for (int i = 0; i < N; i++)
		assert_int_equal(call_of[i], due[i].call);
}

/* A hundred thousand calls of one correlation are found by bisection. */
static void a_correlation_for_all(void **state)
{
	struct world *w = *state;
	uint32_t *call_of;
	for (int i = 0; i < 100000; i++) {
		rows_call(&w->t, "f", "a", i * 10, 5, 7);
		rows_launched(&w->t, "k", i * 10 + 7, 1, 7);
	}
	rows_done(&w->t, &w->process);
	assert_true(correlation_join(&w->t, &w->process, &w->arena, &call_of));
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(call_of[i], i);
}

static void ids(void **state)
{
	static const int64_t of[] = { 5, 0, INT64_MAX, 3, -1, 5,
		INT64_C(1) << 40, 5, INT64_MIN, INT64_MAX, 1 };
	struct arena a = { 0 };
	struct ids x;
	(void)state;
	assert_true(ids_from(&x, &a, of, (struct slice){ 0, 11 }));
	assert_int_equal(x.n, 8);
	struct slice s = ids_find(&x, 5);
	assert_int_equal(s.to - s.from, 3);
	assert_int_equal(x.row[s.from], 0);
	assert_int_equal(x.row[s.from + 1], 5);
	assert_int_equal(x.row[s.from + 2], 7);
	s = ids_find(&x, INT64_MAX);
	assert_int_equal(s.to - s.from, 2);
	assert_int_equal(x.row[s.from], 2);
	s = ids_find(&x, INT64_C(1) << 40);
	assert_int_equal(s.to - s.from, 1);
	assert_int_equal(x.row[s.from], 6);
	static const int64_t none[] = { 0, -1, 2, 4, 6, INT64_MAX - 1,
		INT64_MIN };
	for (int i = 0; i < 7; i++) {
		s = ids_find(&x, none[i]);
		assert_int_equal(s.to - s.from, 0);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(one_line),
		WORLD_TEST(lines_and_their_order),
		WORLD_TEST(a_graph_replay),
		WORLD_TEST(nothing_to_tell),
		WORLD_TEST(too_far_to_add_up),
		WORLD_TEST(calls_of_one_correlation),
		WORLD_TEST(a_correlation_for_all),
		cmocka_unit_test(ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
