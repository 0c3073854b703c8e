/* db_trend_watcher.c - tests which changes are reported for workloads with new
 * runs, and that each change is reported once.
 *
 * A run is a row with the numbers that a series reads. A level consists of
 * five repeated values that are 0.4 % apart, so that a step of 8 % is the only
 * change point. */
#include "../store/fixture.h"
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
		"TRUNCATE run, run_operator, run_stratum, run_iteration, "
		"change_point, change_seen, "
		"webhook, webhook_delivery;"
		"INSERT INTO webhook (project, url, secret, events, created_by) "
		"VALUES (NULL, 'http://x', decode(repeat('ab', 32), 'hex'), "
		"'{change_point}', 'test')");
}

/* Runs [from, until) of a workload: an iteration of `ns`, ten iterations, and
 * gemm in them for `gemm` ns each. */
static void runs(struct db *db, const char *workload, int from, int until,
	int64_t ns, int64_t gemm)
{
	static const char run_sql[] =
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, iterations, iterations_kept, iteration_ns, "
		"catalog, gpu_ns, weight_uh, replayed, replayed_known) "
		"SELECT i, i, 0, '', 'a b', $1, jsonb_build_object('commit', "
		"'c' || i), '', to_timestamp(i), 'x', 1, 1, 1, 1, 1, 0, 0, "
		"'{}', 0, 4, 10, 8, $4 * (1 + 0.001 * (i * 7 % 5)), '1', 1, "
		"1, 0, 0 FROM generate_series($2, $3 - 1) i";
	static const char operator_sql[] =
		"INSERT INTO run_operator (run_id, rank, operator, collective, "
		"launches, calls, total_ns, source_sizes_ns, source_op_sizes_ns, "
		"source_op_ns, source_range_ns, source_graph_ns, source_rule_ns, "
		"source_record_ns, source_not_ns, shape_known_ns, roofline_known_calls, "
		"roofline_known_ns, sol_ps, compute_ns, headroom_ns, above_bound_ns, shapes, "
		"flops, bytes) "
		"SELECT i, 0, 'gemm', false, 1, 1, $3 * 10 * "
		"(1000 + i * 3 % 5) / 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0, 0, 0, 0, 0, 0, 0 FROM generate_series($1, $2 - 1) i";
	struct sql_params p = { 0 }, q = { 0 };
	sql_text(&p, workload);
	sql_int8(&p, from);
	sql_int8(&p, until);
	sql_int8(&p, ns);
	works(sql_run(db, run_sql, &p, NULL, &e));
	sql_int8(&q, from);
	sql_int8(&q, until);
	sql_int8(&q, gemm);
	works(sql_run(db, operator_sql, &q, NULL, &e));
}

/* Runs the watcher until nothing is due; returns how often it ran. */
static int look(struct db *db)
{
	int steps = 0;
	int64_t after = 0;
	for (bool more = true; more; steps++)
		works(trend_watcher_step(db, &after, &more, &e));
	return steps;
}

/* The events in order: "workload iteration 101, …". */
static const char *posted(struct db *db, struct arena *a)
{
	struct result r;
	const char *list = "";
	works(sql_run(db,
		"SELECT body FROM webhook_delivery "
		"WHERE event = 'change_point' ORDER BY id",
		NULL, &r, &e));
	while (result_next(&r)) {
		json_t *v = json_loads(result_text(&r, a), 0, NULL);
		json_t *c = json_object_get(v, "change");
		const char *of = json_string_value(json_object_get(c, "of"));
		list = arena_printf(a, "%s%s%s %s%s%s %lld", list,
			*list ? ", " : "",
			json_string_value(json_object_get(v, "workload")),
			json_string_value(json_object_get(c, "metric")),
			of ? ":" : "", of ? of : "",
			json_integer_value(json_object_get(c, "run")));
		json_decref(v);
	}
	result_release(&r);
	return list;
}

static void a_change_is_reported_once(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	empty(db);
	assert_int_equal(look(db), 1);
	runs(db, "w", 1, 61, 10000000, 2000000);
	look(db);
	assert_string_equal(posted(db, &a), "");
	runs(db, "w", 61, 85, 10800000, 2000000);
	look(db);
	assert_string_equal(posted(db, &a), "w iteration 61");
	assert_int_equal(fixture_count(db, "SELECT run_id FROM change_seen"),
		84);
	/* more of the same; then without the reported run */
	runs(db, "w", 85, 150, 10800000, 2000000);
	look(db);
	fixture_script(db, "DELETE FROM run WHERE run_id = 61");
	runs(db, "w", 150, 151, 10800000, 2000000);
	look(db);
	assert_string_equal(posted(db, &a), "w iteration 61");
	/* a return to the old level is another change, and so is a change of
	 * an operator */
	runs(db, "w", 151, 171, 10000000, 2400000);
	look(db);
	assert_string_equal(posted(db, &a),
		"w iteration 61, w iteration 151, w operator:gemm 151");
	/* 10 ms to 10.8 ms and back; 2 ms of gemm to 2.4 ms */
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM change_point "
				 "WHERE (run_id, metric, round(change_pct), "
				 "worse) IN ((61, 'iteration', 8, true), "
				 "(151, 'iteration', -7, false), "
				 "(151, 'operator:gemm', 20, true))"),
		3);
	arena_release(&a);
}

static void the_event_describes_the_change(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct result r;
	empty(db);
	runs(db, "w/\xc3\xa4", 1, 41, 10000000, 2000000);
	runs(db, "w/\xc3\xa4", 41, 61, 11000000, 2000000);
	look(db);
	works(sql_run(db, "SELECT body FROM webhook_delivery", NULL, &r, &e));
	assert_true(result_next(&r));
	json_t *v = json_loads(result_text(&r, &a), 0, NULL), *c;
	result_release(&r);
	assert_string_equal(json_string_value(json_object_get(v, "event")),
		"change_point");
	assert_string_equal(json_string_value(json_object_get(v, "project")),
		"a b");
	assert_string_equal(json_string_value(json_object_get(v, "at")),
		"1970-01-01T00:00:41.000000Z");
	assert_string_equal(json_string_value(json_object_get(v, "url")),
		"/trends?project=a%20b&workload=w%2F%C3%A4&metric=iteration");
	c = json_object_get(v, "change");
	assert_string_equal(json_string_value(json_object_get(c, "group")),
		"c41");
	assert_string_equal(json_string_value(json_object_get(c, "stat")),
		"median");
	/* the median of the five values on either side */
	assert_true(json_real_value(json_object_get(c, "before")) == 10020000);
	assert_true(json_real_value(json_object_get(c, "after")) == 11022000);
	assert_true(json_real_value(json_object_get(c, "change_pct")) == 10);
	assert_int_equal(json_integer_value(json_object_get(c, "index")), 40);
	assert_true(json_is_true(json_object_get(c, "worse")));
	assert_true(json_is_null(json_object_get(c, "other_work")));
	json_decref(v);
	arena_release(&a);
}

/* Each run decodes `tokens` in its only iteration. */
static void decoded(struct db *db, int from, int until, int tokens)
{
	struct sql_params p = { 0 }, q = { 0 };
	sql_int8(&p, from);
	sql_int8(&p, until);
	sql_int8(&p, tokens);
	works(sql_run(db,
		"INSERT INTO run_stratum (run_id, stratum, text, phase, "
		"sequences, tokens, kv_tokens, iterations) "
		"SELECT i, 0, $3::bigint || ' tokens', 'decode', $3, $3, NULL, 1 "
		"FROM generate_series($1, $2 - 1) i",
		&p, NULL, &e));
	sql_int8(&q, from);
	sql_int8(&q, until);
	works(sql_run(db,
		"INSERT INTO run_iteration (run_id, iteration, number, start_ns, "
		"dur_ns, use, open, stratum, launches) "
		"SELECT i, 0, 1, 0, 1000, 'kept', false, 0, 1 "
		"FROM generate_series($1, $2 - 1) i",
		&q, NULL, &e));
}

/* More tokens in more time are no regression. */
static void the_event_reports_other_work(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct result r;
	empty(db);
	runs(db, "w", 1, 41, 10000000, 2000000);
	runs(db, "w", 41, 61, 11000000, 2000000);
	decoded(db, 1, 41, 16);
	decoded(db, 41, 61, 17);
	look(db);
	works(sql_run(db, "SELECT body FROM webhook_delivery", NULL, &r, &e));
	assert_true(result_next(&r));
	json_t *v = json_loads(result_text(&r, &a), 0, NULL),
	       *c = json_object_get(v, "change");
	result_release(&r);
	assert_int_equal(json_integer_value(json_object_get(c, "run")), 41);
	assert_true(json_is_false(json_object_get(c, "worse")));
	assert_string_equal(json_string_value(json_object_get(c, "other_work")),
		"the work differs: 16 tokens before, 17 tokens after");
	json_decref(v);
	arena_release(&a);
}

/* A long history with changes is imported at once. Only the recent change is
 * reported; the older ones are not reported later either. */
static void a_long_history_is_passed_over(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	empty(db);
	for (int i = 0; i < 5; i++)
		runs(db, "old", 1 + 40 * i, 41 + 40 * i,
			10000000 + 1000000 * (i % 2), 2000000);
	runs(db, "old", 201, 216, 12500000, 2000000);
	look(db);
	assert_string_equal(posted(db, &a), "old iteration 201");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM change_point "
					   "WHERE metric = 'iteration'"),
		5);
	runs(db, "old", 216, 260, 12500000, 2000000);
	look(db);
	assert_string_equal(posted(db, &a), "old iteration 201");
	arena_release(&a);
}

/* All changes since the last check are reported, however many. */
static void a_heap_of_new_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	empty(db);
	runs(db, "w", 1, 31, 10000000, 2000000);
	look(db);
	runs(db, "w", 31, 61, 10000000, 2000000);
	runs(db, "w", 61, 261, 11000000, 2000000);
	runs(db, "v", 261, 321, 10000000, 2000000);
	assert_int_equal(look(db), 2);
	assert_string_equal(posted(db, &a), "w iteration 61");
	assert_int_equal(look(db), 1);
	arena_release(&a);
}

/* No names, no iterations, one run: no events, and no failure. */
static void workloads_without_a_series(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	empty(db);
	runs(db, "", 1, 2, 10000000, 2000000);
	runs(db, "none", 2, 60, 10000000, 2000000);
	fixture_script(db,
		"UPDATE run SET iterations = 0, iterations_kept = 0, iteration_ns = NULL "
		"WHERE workload = 'none'; "
		"UPDATE run SET counted = false WHERE workload = ''");
	assert_int_equal(look(db), 2);
	assert_int_equal(look(db), 1);
	assert_string_equal(posted(db, &a), "");
	arena_release(&a);
}

/* The first one fails; the other is still reported. */
static void one_that_fails_keeps_no_other(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct err why = { 0 };
	int64_t after = 0;
	bool more;
	empty(db);
	runs(db, "bad", 1, 2, 10000000, 2000000);
	runs(db, "w", 2, 62, 10000000, 2000000);
	runs(db, "w", 62, 82, 11000000, 2000000);
	fixture_script(db, "ALTER TABLE change_seen ADD CONSTRAINT bad "
			   "CHECK (workload <> 'bad')");
	assert_false(trend_watcher_step(db, &after, &more, &why));
	assert_true(more && after == 1);
	fixture_script(db, "ALTER TABLE change_seen DROP CONSTRAINT bad");
	works(trend_watcher_step(db, &after, &more, &e));
	assert_false(more);
	assert_string_equal(posted(db, &a), "w iteration 62");
	/* it is reported the next time */
	assert_int_equal(look(db), 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM change_seen"),
		2);
	arena_release(&a);
}

static void no_database(void **state)
{
	struct db *db = *state;
	bool more;
	int64_t after = 0;
	struct err e = { 0 };
	fixture_script(db, "ALTER TABLE change_seen RENAME TO away");
	assert_false(trend_watcher_step(db, &after, &more, &e));
	assert_true(!more && !after);
	assert_string_equal(e.text,
		"the database answers: relation \"change_seen\" does "
		"not exist");
	fixture_script(db, "ALTER TABLE away RENAME TO change_seen");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_reported_once),
		cmocka_unit_test(the_event_describes_the_change),
		cmocka_unit_test(the_event_reports_other_work),
		cmocka_unit_test(a_long_history_is_passed_over),
		cmocka_unit_test(a_heap_of_new_runs),
		cmocka_unit_test(workloads_without_a_series),
		cmocka_unit_test(one_that_fails_keeps_no_other),
		cmocka_unit_test(no_database),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
