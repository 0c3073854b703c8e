/* db_slow_gpu_watcher.c - tests that a slow GPU is reported once, and when a project
 * is searched again.
 *
 * A run is a row with the columns that a search reads. Eight GPUs execute gemm
 * and softmax. Runs of one GPU differ by 0.1 %. */
#include "../store/fixture.h"
#include "gpu_fleet.h"
#include "query_compared.h"
#include "slow_gpu_log.h"
#include "trend_watcher.h"
#include <jansson.h>

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

static void empty(struct db *db)
{
	fixture_script(db,
		"TRUNCATE run, run_device, run_operator, run_shape, shape, "
		"slow_gpu, slow_gpu_seen, webhook, webhook_delivery CASCADE;"
		"INSERT INTO shape (sha256, text) "
		"SELECT sha256(convert_to('m=1', 'UTF8')), 'm=1';"
		"INSERT INTO webhook (project, url, secret, events, created_by) "
		"VALUES (NULL, 'http://x', decode(repeat('ab', 32), 'hex'), "
		"'{slow_device}', 'test')");
}

/* Runs [from, until); run i is on GPU i % 8. GPU 3 takes `slow` times as long. */
static void runs(struct db *db, const char *project, int from, int until,
	double slow)
{
	static const char run_sql[] =
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, catalog, gpu_ns, weight_uh, replayed, "
		"replayed_known, platform) "
		"SELECT i, i, 0, '', $1, 'w', '{}', '', to_timestamp(i), 'x', "
		"1, 1, 1, 1, 1, 0, 0, '{}', 0, 4, '1', 1, 1, 0, 0, 'H20' "
		"FROM generate_series($2, $3 - 1) i";
	static const char device_sql[] =
		"INSERT INTO run_device (run_id, number, launches, busy_ns, "
		"uuid) SELECT i, 0, 1, 1, 'gpu-' || i % 8 "
		"FROM generate_series($1, $2 - 1) i";
	static const char operator_sql[] =
		"INSERT INTO run_operator (run_id, rank, operator, collective, "
		"launches, calls, total_ns, source_sizes_ns, "
		"source_op_sizes_ns, source_op_ns, source_range_ns, "
		"source_graph_ns, source_rule_ns, source_record_ns, "
		"source_not_ns, shape_known_ns, roofline_known_calls, "
		"roofline_known_ns, sol_ps, compute_ns, headroom_ns, "
		"above_bound_ns, shapes, flops, bytes) "
		"SELECT i, o, CASE o WHEN 0 THEN 'gemm' ELSE 'softmax' END, "
		"false, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"1, 0, 0 FROM generate_series($1, $2 - 1) i, "
		"generate_series(0, 1) o";
	static const char shape_sql[] =
		"INSERT INTO run_shape (run_id, operator, rank, shape_id, "
		"attribution_source, launches, instances, total_ns, median_ns, "
		"buckets, bucket, bucket_calls) "
		"SELECT i, o, 0, (SELECT id FROM shape), 'sizes', 1, 1, 1, "
		"1000 * (1 + o) * (1 + 0.001 * (i / 8 * 7 % 5)) * "
		"CASE i % 8 WHEN 3 THEN $3 ELSE 1 + 0.0005 * (i % 8) END, "
		"0, '', '' FROM generate_series($1, $2 - 1) i, "
		"generate_series(0, 1) o";
	const char *const rest[] = { device_sql, operator_sql };
	struct sql_params p = { 0 };
	sql_text(&p, project);
	sql_int8(&p, from);
	sql_int8(&p, until);
	works(sql_run(db, run_sql, &p, NULL, &e));
	for (int i = 0; i < 2; i++) {
		struct sql_params q = { 0 };
		sql_int8(&q, from);
		sql_int8(&q, until);
		works(sql_run(db, rest[i], &q, NULL, &e));
	}
	struct sql_params q = { 0 };
	sql_int8(&q, from);
	sql_int8(&q, until);
	sql_float8(&q, slow);
	works(sql_run(db, shape_sql, &q, NULL, &e));
}

/* Searches until nothing is due; returns how many projects were searched. */
static int look(struct db *db)
{
	struct slow_gpu_place after = { 0 };
	int steps = 0;
	for (bool more = true; more; steps += more)
		works(slow_gpu_watcher_step(db, &after, &more, &e));
	return steps;
}

static int64_t posted(struct db *db)
{
	return fixture_count(db, "SELECT count(*) FROM webhook_delivery "
				 "WHERE event = 'slow_device'");
}

static void a_slow_gpu_is_reported_once(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct result r;
	empty(db);
	assert_int_equal(look(db), 0);
	runs(db, "a b", 1, 33, 1.05);
	runs(db, "c", 33, 41, 1); /* one run per GPU: not judged */
	assert_int_equal(look(db), 2);
	assert_int_equal(posted(db), 1);
	works(sql_run(db, "SELECT body FROM webhook_delivery", NULL, &r, &e));
	result_next(&r);
	json_t *v = json_loads(result_text(&r, &a), 0, NULL);
	result_release(&r);
	json_t *gpu = json_object_get(v, "device");
	assert_string_equal(json_string_value(json_object_get(v, "url")),
		"/devices?project=a%20b");
	assert_string_equal(json_string_value(json_object_get(v, "project")),
		"a b");
	assert_string_equal(json_string_value(json_object_get(gpu, "gpu")),
		"gpu-3");
	assert_string_equal(json_string_value(json_object_get(gpu, "verdict")),
		"slow");
	json_decref(v);

	/* nothing new; then one run in 20, and the same GPU is still slow */
	assert_int_equal(look(db), 0);
	runs(db, "a b", 41, 42, 1.05);
	assert_int_equal(look(db), 0);
	runs(db, "a b", 42, 44, 1.05);
	assert_int_equal(look(db), 1);
	assert_int_equal(posted(db), 1);
	arena_release(&a);
}

/* A project with few runs is searched although another one has had more than
 * 10,000 since; runs that were created before its newest 100 do not count. */
static void a_small_project_on_a_busy_server(void **state)
{
	struct db *db = *state;
	struct slow_gpu_place after = { 0 };
	bool more;
	empty(db);
	runs(db, "small", 1, 33, 1.05);
	fixture_script(db,
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, catalog, gpu_ns, weight_uh, "
		"replayed, replayed_known, platform) "
		"SELECT i, i, 0, '', 'busy', 'w', '{}', '', to_timestamp(i), "
		"'x', 1, 1, 1, 1, 1, 0, 0, '{}', 0, 4, '1', 1, 1, 0, 0, 'H20' "
		"FROM generate_series(100, 10500) i;"
		"INSERT INTO slow_gpu_seen VALUES ('busy', 10400, 10000)");
	works(slow_gpu_watcher_step(db, &after, &more, &e));
	assert_string_equal(after.project, "busy");
	assert_true(more);
	works(slow_gpu_watcher_step(db, &after, &more, &e));
	assert_string_equal(after.project, "small");
	works(slow_gpu_watcher_step(db, &after, &more, &e));
	assert_string_equal(after.project, "small");
	assert_false(more);
	assert_int_equal(posted(db), 1);
	/* 99 new runs are one too few for a search that reads 10,000 */
	fixture_script(db,
		"UPDATE slow_gpu_seen SET run_id = 10401, runs = 10000 "
		"WHERE project = 'busy'");
	assert_int_equal(look(db), 0);
	/* 200 new ones, but 150 of them were created before all others */
	fixture_script(db, "UPDATE slow_gpu_seen SET run_id = 10300;"
			   "UPDATE run SET created_at = to_timestamp(0) "
			   "WHERE run_id > 10350");
	assert_int_equal(look(db), 0);
}

/* A statement that read all later projects would read 2,000 * 1,000 of them. */
static void thousands_of_projects_are_due(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct slow_gpu_due due;
	const char *after = NULL;
	int found = 0;
	empty(db);
	fixture_script(db,
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, catalog, gpu_ns, weight_uh, "
		"replayed, replayed_known, platform) "
		"SELECT i, i, 0, '', 'p' || i % 2000, 'w', '{}', '', "
		"to_timestamp(i), 'x', 1, 1, 1, 1, 1, 0, 0, '{}', 0, 4, '1', "
		"1, 1, 0, 0, 'H20' FROM generate_series(1, 10000) i");
	do {
		works(slow_gpu_log_due(db, &a, after, &due, &e));
		assert_true(!after || !due.project ||
			    strcmp(due.project, after) > 0);
		after = due.project;
		found += after != NULL;
	} while (after);
	assert_int_equal(found, 2000);
	arena_release(&a);
}

/* After the repair, most of its runs are as fast as others; later it is slow
 * again. */
static void a_repaired_gpu_is_forgotten(void **state)
{
	struct db *db = *state;
	empty(db);
	runs(db, "p", 1, 33, 1.05);
	look(db);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM slow_gpu"), 1);
	fixture_script(db, "DELETE FROM run WHERE run_id < 33");
	runs(db, "p", 33, 97, 1.001);
	look(db);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM slow_gpu"), 0);
	fixture_script(db, "DELETE FROM run WHERE run_id < 97");
	runs(db, "p", 97, 161, 1.05);
	look(db);
	assert_int_equal(posted(db), 2);
}

static void runs_on_a_slow_gpu(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct compared_run is[2];
	static const int64_t ids[] = { 4, 11 };
	empty(db);
	runs(db, "p", 1, 33, 1.05);
	look(db);
	works(query_compared(db, &a, ids, 2, true, is, &e));
	assert_null(is[0].slow_gpu);
	assert_string_equal(is[1].slow_gpu, "gpu-3");
	assert_true(is[1].slow_gpu_slowdown > 0.045 &&
		    is[1].slow_gpu_slowdown < 0.05);
	arena_release(&a);
}

/* A project whose search fails is passed over. */
static void a_search_that_fails(void **state)
{
	struct db *db = *state;
	struct slow_gpu_place after = { 0 };
	struct err why = { 0 };
	bool more;
	empty(db);
	runs(db, "p", 1, 33, 1.05);
	fixture_script(db, "ALTER TABLE slow_gpu RENAME TO away");
	assert_false(slow_gpu_watcher_step(db, &after, &more, &why));
	assert_string_equal(after.project, "p");
	assert_string_equal(why.text,
		"the database answers: relation \"slow_gpu\" does not exist");
	assert_true(more);
	/* So are runs without a project. */
	after = (struct slow_gpu_place){ 0 };
	fixture_script(db, "UPDATE run SET project = ''");
	assert_false(slow_gpu_watcher_step(db, &after, &more, &why));
	assert_true(more && after.begun);
	assert_string_equal(after.project, "");
	works(slow_gpu_watcher_step(db, &after, &more, &e));
	assert_false(more);
	fixture_script(db, "ALTER TABLE away RENAME TO slow_gpu");
}

/* Runs on two GPUs that an older server stored, imported tables, and runs without
 * a launch. */
static void no_gpu_is_known(void **state)
{
	static const struct fleet_filter p = { .project = "p",
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	struct db *db = *state;
	struct arena a = { 0 };
	struct gpu_fleet fleet;
	empty(db);
	runs(db, "p", 1, 4, 1);
	fixture_script(db,
		"INSERT INTO run_device (run_id, number, launches, busy_ns) "
		"SELECT i, 1, 1, 1 FROM generate_series(1, 3) i");
	works(gpu_fleet_from(db, &a, &p, &fleet, &e));
	assert_int_equal(fleet.runs, 3);
	assert_int_equal(fleet.n, 0);
	assert_int_equal(fleet.several_runs, 3);
	assert_string_equal(fleet.reason,
		"the times per GPU of runs on several GPUs are unknown: the "
		"runs were analyzed before these were stored; `kernsiftd "
		"rebuild` computes them");
	/* tables: a rebuild does not find out more; one without any device */
	fixture_script(db, "UPDATE run SET content = 'statistics';"
			   "UPDATE run SET content = 'patterns' "
			   "WHERE run_id = 1;"
			   "DELETE FROM run_device WHERE run_id = 2");
	works(gpu_fleet_from(db, &a, &p, &fleet, &e));
	assert_int_equal(fleet.table_runs, 3);
	assert_int_equal(fleet.several_runs + fleet.idle_runs, 0);
	assert_string_equal(fleet.reason,
		"imported tables neither identify their GPUs nor state the "
		"calls on each");
	fixture_script(db, "UPDATE run SET content = 'launches';"
			   "UPDATE run_device SET launches = 0, busy_ns = 0");
	works(gpu_fleet_from(db, &a, &p, &fleet, &e));
	assert_int_equal(fleet.idle_runs, 3);
	assert_string_equal(fleet.reason, "no run executed anything");
	arena_release(&a);
}

/* The slow GPU comes first, with the operators that it is slow in. */
static void a_fleet(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct gpu_fleet fleet;
	empty(db);
	runs(db, "p", 1, 33, 1.05);
	works(gpu_fleet_from(db, &a,
		&(struct fleet_filter){ .project = "p",
			.since = NO_MOMENT,
			.until = NO_MOMENT },
		&fleet, &e));
	assert_int_equal(fleet.n, 8);
	assert_int_equal(fleet.judged, 8);
	assert_int_equal(fleet.slow, 1);
	assert_string_equal(fleet.rows[0].gpu, "gpu-3");
	assert_int_equal(fleet.rows[0].runs, 4);
	assert_int_equal(fleet.rows[0].newest, 27);
	assert_int_equal(fleet.rows[0].operators_n, 2);
	assert_int_equal(fleet.rows[0].operators[0].samples, 4);
	assert_null(fleet.reason);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_gpu_is_reported_once),
		cmocka_unit_test(a_small_project_on_a_busy_server),
		cmocka_unit_test(thousands_of_projects_are_due),
		cmocka_unit_test(a_repaired_gpu_is_forgotten),
		cmocka_unit_test(runs_on_a_slow_gpu),
		cmocka_unit_test(a_search_that_fails),
		cmocka_unit_test(a_fleet),
		cmocka_unit_test(no_gpu_is_known),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
