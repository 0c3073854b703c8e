/* test_opaque_graphs.c - tests replays recorded as a whole; every number is
 * worked out by hand. */
#include "world.h"

/* Two graphs on two devices beside two kernels:
 *
 *   device 0  k 0…100   graph 4 exec 5  50…250   k 240…260   4/5 300…400
 *   device 1            graph 4 exec 6  50…450 */
static void replays_and_kernels(void **state)
{
	struct world *w = *state;
	struct profile *p = &w->p;
	rows_launched(&w->t, "k", 0, 100, -1);
	rows_launched(&w->t, "k", 240, 20, -1);
	rows_graph(&w->t, 4, 5, 50, 200, 0);
	rows_graph(&w->t, 4, 6, 50, 400, 1);
	rows_graph(&w->t, 4, 5, 300, 100, 0);
	assert_true(world_analyse(w));

	assert_int_equal(p->graphs, 3);
	assert_int_equal(p->graph_ns, 700);
	assert_int_equal(p->launches, 2);
	assert_int_equal(p->kernel_ns, 120);
	assert_int_equal(p->busy_ns, 450);
	assert_int_equal(p->span_ns, 450);
	assert_int_equal(p->devices_n, 2);
	assert_int_equal(p->devices[0].busy_ns, 260 + 100);
	assert_int_equal(p->devices[0].launches, 2);
	assert_int_equal(p->devices[1].busy_ns, 400);
	assert_int_equal(p->devices[1].launches, 0);

	assert_int_equal(p->graph_stats_n, 2);
	assert_int_equal(p->graph_stats[0].graph_exec, 6);
	assert_int_equal(p->graph_stats[0].device, 1);
	assert_int_equal(p->graph_stats[0].time.total_ns, 400);
	assert_int_equal(p->graph_stats[1].graph_id, 4);
	assert_int_equal(p->graph_stats[1].graph_exec, 5);
	assert_int_equal(p->graph_stats[1].time.instances, 2);
	assert_true(p->graph_stats[1].time.med_ns == 150);
}

/* The totals of the compiled export in the shared traces, as stated in the
 * note to that trace. */
static void seconds_in_graphs(void **state)
{
	struct world *w = *state;
	rows_launched(&w->t, "k", 0, 84995, -1);
	rows_graph(&w->t, -1, -1, 0, 7811214999, 0);
	assert_true(world_analyse(w));
	const struct notes *ns = &w->p.notes;
	assert_int_equal(ns->count[NOTE_graph_opaque], 1);
	assert_int_equal(note_severity(NOTE_graph_opaque), NOTE_ERROR);
	assert_string_equal(ns->detail[NOTE_graph_opaque],
		"they took 7811.21 ms, the kernels listed 0.08 ms");
}

/* A run that has only replays does have GPU work. */
static void replays_only(void **state)
{
	struct world *w = *state;
	rows_graph(&w->t, 1, 1, 10, 5, 3);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_no_kernels], 0);
	assert_int_equal(w->p.notes.count[NOTE_graph_opaque], 1);
	assert_int_equal(w->p.busy_ns, 5);
	assert_int_equal(w->p.span_ns, 5);
	assert_int_equal(w->p.devices[0].number, 3);
}

/* Equal totals are sorted by graph, executable and device. */
static void a_settled_order(void **state)
{
	static const int due[][3] = { { -1, 9, 0 }, { 1, 1, 0 }, { 1, 1, 1 },
		{ 1, 2, 0 }, { 2, 1, 0 } };
	struct world *w = *state;
	for (int i = 4; i >= 0; i--)
		rows_graph(&w->t, due[i][0], due[i][1], 0, 5, due[i][2]);
	assert_true(world_analyse(w));
	for (int i = 0; i < 5; i++) {
		const struct graph_stat *g = &w->p.graph_stats[i];
		assert_int_equal(g->graph_id, due[i][0]);
		assert_int_equal(g->graph_exec, due[i][1]);
		assert_int_equal(g->device, due[i][2]);
	}
}

static void more_time_than_a_trace_can_hold(void **state)
{
	struct world *w = *state;
	rows_graph(&w->t, 1, 1, 0, TRACE_TIME_MAX_NS, 0);
	rows_graph(&w->t, 1, 1, 0, 1, 0);
	assert_false(world_analyse(w));
	assert_int_equal(w->e.code, ERR_TRACE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(replays_and_kernels),
		WORLD_TEST(seconds_in_graphs),
		WORLD_TEST(replays_only),
		WORLD_TEST(a_settled_order),
		WORLD_TEST(more_time_than_a_trace_can_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
