/* test_thread_time.c - tests the thread time per iteration, computed from
 * totals of the collector. */
#include "iteration_rows.h"
#include <math.h>

static void total(struct trace *t, const char *name, int64_t at_ns,
	double value)
{
	trace_counter_add(t, &(struct counter_row){ .start_ns = at_ns,
				     .name = rows_name(t, name),
				     .device = -1,
				     .value = value });
}

static const struct pattern_metric *metric_of(const struct world *w,
	const struct pattern *f, const char *name)
{
	const struct patterns *p = &w->p.patterns;
	for (uint32_t i = 0; i < p->metrics_n; i++)
		if (&p->rows[p->metrics[i].pattern] == f &&
			!strcmp(p->metrics[i].name, name))
			return &p->metrics[i];
	return NULL;
}

/* Two threads run until 100, then one thread. The iterations are [10,60),
 * [60,110) and [110,150), so their thread times are 2*50, 2*40+10 and 40. The
 * total was 1000 when the window began. The waiting total grows by 12 from 100
 * to 160. */
static void scene(struct world *w, struct given *g)
{
	*g = (struct given){ 0 };
	w->t.format = "cupti";
	total(&w->t, "oncpu", 0, 1000);
	total(&w->t, "runq", 0, 0);
	total(&w->t, "host_cpu_usage", 0, 20);
	rows_kernel(&w->t, "a", 10, 20, 0, 1);
	rows_kernel(&w->t, "a", 60, 20, 0, 1);
	total(&w->t, "oncpu", 100, 1200);
	total(&w->t, "runq", 100, 0);
	rows_kernel(&w->t, "a", 110, 20, 0, 1);
	given_iteration(w, g, 10, 50);
	given_iteration(w, g, 60, 50);
	given_iteration(w, g, 110, 40);
}

static void test_by_hand(void **state)
{
	struct world *w = *state;
	static struct given g;
	scene(w, &g);
	total(&w->t, "oncpu", 160, 1260);
	total(&w->t, "runq", 160, 12);
	total(&w->t, "host_cpu_usage", 160, 180);
	given_rows(w, &g);
	given_patterns(w, &g);
	const struct pattern *on = given_find(w, "oncpu", "Host");
	const struct pattern *runq = given_find(w, "runq", "Host");
	assert_non_null(on);
	assert_non_null(runq);
	assert_int_equal(on->type, FUNCTION_oncpu);
	assert_int_equal(runq->type, FUNCTION_runq);
	assert_int_equal(on->number, -1);
	assert_int_equal(on->dur_ns[0], 100);
	assert_int_equal(on->dur_ns[1], 90);
	assert_int_equal(on->dur_ns[2], 40);
	assert_int_equal(on->launches[1], 1);
	assert_int_equal(runq->dur_ns[0], 0);
	assert_int_equal(runq->dur_ns[1], 2);
	assert_int_equal(runq->dur_ns[2], 8);
	/* the host's counters in the iteration, not weighted by thread time:
	 * 30 at 10 and 80 at 60; totals are not counters */
	const struct pattern_metric *m = metric_of(w, on, "host_cpu_usage");
	assert_non_null(m);
	assert_true(fabs(m->mu[0] - 55) < 1e-9);
	assert_null(metric_of(w, on, "oncpu"));
	assert_null(metric_of(w, on, "runq"));
	assert_int_equal(w->p.notes.count[NOTE_thread_time_short], 0);
}

/* The last reading is at 149, one nanosecond before the last iteration ends. */
static void test_readings_end_before(void **state)
{
	struct world *w = *state;
	static struct given g;
	scene(w, &g);
	total(&w->t, "oncpu", 149, 1249);
	total(&w->t, "runq", 149, 1);
	given_rows(w, &g);
	given_patterns(w, &g);
	assert_null(given_find(w, "oncpu", "Host"));
	assert_null(given_find(w, "runq", "Host"));
	assert_int_equal(w->p.notes.count[NOTE_thread_time_short], 1);
}

/* An excluded iteration may be outside the readings. */
static void test_partial_iteration_beyond(void **state)
{
	struct world *w = *state;
	static struct given g;
	scene(w, &g);
	total(&w->t, "oncpu", 149, 1249);
	total(&w->t, "runq", 149, 1);
	g.iterations[2].use = ITERATION_PARTIAL;
	given_rows(w, &g);
	given_patterns(w, &g);
	const struct pattern *on = given_find(w, "oncpu", "Host");
	assert_int_equal(on->dur_ns[1], 90);
	assert_int_equal(on->dur_ns[2], 0);
	assert_int_equal(on->launches[2], 0);
	assert_int_equal(w->p.notes.count[NOTE_thread_time_short], 0);
}

/* Readings are exactly at the ends of iterations, and one is duplicated. */
static void test_on_the_edge(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	w->t.format = "cupti";
	total(&w->t, "oncpu", 0, 7);
	rows_kernel(&w->t, "a", 0, 20, 0, 1);
	total(&w->t, "oncpu", 50, 57);
	total(&w->t, "oncpu", 50, 57);
	total(&w->t, "oncpu", 80, 60);
	given_iteration(w, &g, 0, 50);
	given_iteration(w, &g, 50, 30);
	given_rows(w, &g);
	given_patterns(w, &g);
	const struct pattern *on = given_find(w, "oncpu", "Host");
	assert_int_equal(on->dur_ns[0], 50);
	assert_int_equal(on->dur_ns[1], 3);
	assert_null(given_find(w, "runq", "Host"));
}

/* Counters with the names of totals that are not totals, or that another tool
 * wrote. They are ordinary counters of the calls in which the host waits. */
static void test_no_totals(void **state)
{
	static const struct {
		const char *format;
		double value[3];
	} cases[] = {
		{ "kineto", { 1, 2, 3 } },
		{ "cupti", { 1, 3, 2 } },
		{ "cupti", { -1, 0, 1 } },
		{ "cupti", { 1, NAN, 2 } },
	};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct given g;
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		w->t.format = cases[i].format;
		rows_kernel(&w->t, "a", 0, 20, 0, 1);
		rows_call(&w->t, "cudaDeviceSynchronize", "1", 20, 30, -1);
		total(&w->t, "oncpu", 0, cases[i].value[0]);
		total(&w->t, "oncpu", 50, cases[i].value[1]);
		total(&w->t, "oncpu", 100, cases[i].value[2]);
		given_iteration(w, &g, 0, 100);
		given_rows(w, &g);
		given_patterns(w, &g);
		assert_null(given_find(w, "oncpu", "Host"));
		assert_non_null(metric_of(w,
			given_find(w, "cudaDeviceSynchronize", "Host"),
			"oncpu"));
		assert_int_equal(w->p.notes.count[NOTE_thread_time_short], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_by_hand),
		WORLD_TEST(test_readings_end_before),
		WORLD_TEST(test_partial_iteration_beyond),
		WORLD_TEST(test_on_the_edge),
		WORLD_TEST(test_no_totals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
