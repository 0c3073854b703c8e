/* db_launch.c - how kernels were launched: launches with their latency,
 * graphs. */
#include "detail.h"

static int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static int64_t saved(struct db *db, struct arena *a, const struct profile *p)
{
	return *fixture_runs(db, a, fixture_save(db, "1", p, 1), 1);
}

static void every_row_is_stored(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct run_row r;
	int64_t id = saved(*state, &a, &p);
	assert_int_equal(fixture_derived(*state), FIXTURE_ROWS + DETAIL_ROWS);
	works(query_run(*state, &a, id, &r, &e));
	assert_string_equal(r.content, "launches");
	assert_int_equal(r.graph_ns, 90);
	assert_int_equal(r.graphs, 5);
	arena_release(&a);
}

static void graphs_with_and_without_a_number(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct graph_stat *g;
	uint32_t n;
	works(query_graphs(*state, &a, saved(*state, &a, &p), &g, &n, &e));
	assert_int_equal(n, 2);
	assert_int_equal(g[0].graph_id, 4);
	assert_int_equal(g[0].graph_exec, 9);
	assert_int_equal(g[0].device, 0);
	assert_int_equal(g[0].time.instances, 2);
	assert_int_equal(g[0].time.total_ns, 60);
	assert_int_equal(g[0].time.min_ns, 29);
	assert_int_equal(g[0].time.max_ns, 31);
	assert_true(g[0].time.avg_ns == 30 && g[0].time.med_ns == 10.5 &&
		    g[0].time.stddev_ns == 0.3 && g[0].time.p90_ns == 11.4 &&
		    g[0].time.p99_ns == 11.9 && g[0].time.iqr_ns == 1.4);
	assert_int_equal(g[1].graph_id, -1);
	assert_int_equal(g[1].graph_exec, -1);
	assert_int_equal(g[1].device, 1);
	works(query_graphs(*state, &a, 4711, &g, &n, &e));
	assert_int_equal(n, 0);
	arena_release(&a);
}

static void spread_is(struct spread is, struct spread want)
{
	assert_true(is.avg_ns == want.avg_ns && is.med_ns == want.med_ns &&
		    is.stddev_ns == want.stddev_ns);
	assert_int_equal(is.min_ns, want.min_ns);
	assert_int_equal(is.max_ns, want.max_ns);
}

static void launches_in_their_order(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct launch_filter f = { .run = saved(*state, &a, &p) };
	struct launch_line *l;
	uint32_t n;
	bool more;
	works(query_launches(*state, &a, &f, &l, &n, &more, &e));
	assert_int_equal(n, 2);
	assert_false(more);
	assert_int_equal(l[0].kernel,
		detail_kernel(*state, "void gemm<float>(int)"));
	assert_string_equal(l[0].name, "void gemm<float>(int)");
	assert_string_equal(l[0].short_name, "gemm");
	assert_string_equal(l[0].stat.thread, "python (4711)");
	assert_int_equal(l[0].stat.device, 0);
	assert_string_equal(l[0].stat.api, "cudaLaunchKernel");
	assert_int_equal(l[0].stat.instances, 3);
	assert_int_equal(l[0].stat.queued, 2);
	spread_is(l[0].stat.total, p.launch_stats[0].total);
	spread_is(l[0].stat.api_call, p.launch_stats[0].api_call);
	spread_is(l[0].stat.queue, p.launch_stats[0].queue);
	spread_is(l[0].stat.kernel_run, p.launch_stats[0].kernel_run);
	/* No kernel of the second waited. */
	assert_string_equal(l[1].stat.thread, "");
	assert_int_equal(l[1].stat.queued, 0);
	assert_true(isnan(l[1].stat.queue.avg_ns) &&
		    isnan(l[1].stat.queue.med_ns) &&
		    isnan(l[1].stat.queue.stddev_ns));
	assert_int_equal(l[1].stat.queue.min_ns, -1);
	assert_int_equal(l[1].stat.queue.max_ns, -1);
	arena_release(&a);
}

static void launches_searched_and_paged(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct launch_filter f = { .run = saved(*state, &a, &p), .limit = 1 };
	struct launch_line *l;
	uint32_t n;
	bool more;
	works(query_launches(*state, &a, &f, &l, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_true(more);
	f.offset = 1;
	works(query_launches(*state, &a, &f, &l, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_false(more);
	assert_string_equal(l->name, "add");
	static const struct {
		const char *q, *name;
	} found[] = { { "GEMM<", "void gemm<float>(int)" },
		{ "kernelEX", "add" } };
	for (int i = 0; i < 2; i++) {
		f = (struct launch_filter){ .run = f.run, .q = found[i].q };
		works(query_launches(*state, &a, &f, &l, &n, &more, &e));
		assert_int_equal(n, 1);
		assert_string_equal(l->name, found[i].name);
	}
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(every_row_is_stored),
		CASE(graphs_with_and_without_a_number),
		CASE(launches_in_their_order),
		CASE(launches_searched_and_paged),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
