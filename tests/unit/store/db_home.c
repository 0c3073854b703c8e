/* db_home.c - tests what the home page lists, how many there are of each, and how the
 * GPU-hours of a day are divided. */
#include "fleets.h"
#include "query_home.h"

static const int64_t DAY_US = INT64_C(86400000000);

static int setup(void **state)
{
	struct db *db = *state = fixture_db();
	fixture_script(db, "TRUNCATE gate, change_point RESTART IDENTITY");
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static struct home home_of(struct db *db, struct arena *a, const char *project,
	int64_t since_day, int64_t until_day)
{
	struct home is;
	works(query_home(db, a,
		&(struct home_filter){ .project = project,
			.since = since_day ? since_day * DAY_US : NO_MOMENT,
			.until = until_day ? until_day * DAY_US : NO_MOMENT },
		&is, &e));
	return is;
}

static void nothing_is_stored(void **state)
{
	struct arena a = { 0 };
	const struct home is = home_of(*state, &a, NULL, 0, 0);
	assert_true(is.gates_of.all + is.changes_of.all + is.gpus_of.all +
			    is.uploads_of.all + is.workloads_of.all ==
		    0);
	assert_int_equal(is.days_n, 0);
	assert_int_equal(is.jobs_n, 0);
	assert_null(is.last_gate);
	assert_null(is.newest_run);
	arena_release(&a);
}

/* A run of 510 ns represents 2 hours: 400 ns of gemm, 60 ns of copy, 50 ns of
 * unknown kernels. The larger one has the same shares. */
static void hours_of_a_day(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	stored(db, "p", "w", "H20", 1, 20000);
	stored(db, "p", "w", "H20", 3, 20002);
	stored(db, "p", "v", "H20", 1, 20002);
	stored(db, "q", "w", "H20", 1, 20002);
	for (int folds = 0; folds < 2; folds++) {
		const struct home is = home_of(db, &a, "p", 0, 0);
		assert_int_equal(is.days_n, HOME_DAYS);
		assert_int_equal(is.operators_n, 2);
		assert_string_equal(is.operators[0], "gemm");
		assert_string_equal(is.operators[1], "copy");
		const struct home_day *d = &is.days[HOME_DAYS - 1];
		assert_int_equal(d->day, 20002);
		assert_int_equal(d->runs, 2);
		near(d->hours, 4, 1e-9);
		near(d->op_hours[0], 4 * 400.0 / 510, 1e-9);
		near(d->op_hours[1], 4 * 60.0 / 510, 1e-9);
		near(d->unattributed_hours, 4 * 50.0 / 510, 1e-9);
		near(d->other_hours, 0, 0);
		assert_int_equal(d[-1].runs, 0);
		near(d[-1].op_hours[0], 0, 0);
		assert_int_equal(d[-2].runs, 1);
		folded(db);
	}
	struct home is = home_of(db, &a, NULL, 20001, 0);
	assert_int_equal(is.days_n, 2);
	assert_int_equal(is.days[0].day, 20001);
	assert_int_equal(is.days[1].runs, 3);
	is = home_of(db, &a, NULL, 20000, 20002);
	assert_int_equal(is.days_n, 2);
	assert_int_equal(is.days[1].day, 20001);
	assert_int_equal(is.workloads_of.all, 1);
	is = home_of(db, &a, NULL, 20003, 0);
	assert_int_equal(is.days_n, 0);
	assert_non_null(is.newest_run);
	arena_release(&a);
}

static void workloads_of_a_project(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	for (int i = 0; i < HOME_WORKLOADS + 2; i++)
		stored(db, "p", arena_printf(&a, "w%d", i), "H20", 1, 20000);
	const struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.workloads_of.n, HOME_WORKLOADS);
	assert_int_equal(is.workloads_of.all, HOME_WORKLOADS + 2);
	assert_string_equal(is.workloads[0].is.workload, "w9");
	assert_string_equal(is.newest_run->workload, "w9");
	arena_release(&a);
}

/* The first project has the newest run; one workload has runs in and after the
 * range; names repeat in other projects, and both can be empty. */
static void workloads_of_all_projects(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	stored(db, "", "", "H20", 1, 20000);
	stored(db, "b", "", "H20", 1, 20001);
	stored(db, "b", "w", "H20", 1, 20002);
	stored(db, "c", "w", "H20", 1, 20003);
	for (int i = 0; i < 3; i++)
		stored(db, "a", "w", "H20", 1, 20000 + 2 * i);
	struct home is = home_of(db, &a, NULL, 0, 0);
	assert_int_equal(is.workloads_of.all, 5);
	assert_int_equal(is.workloads_of.n, 5);
	assert_string_equal(is.workloads[0].is.project, "a");
	assert_int_equal(is.workloads[0].is.runs, 3);
	assert_string_equal(is.workloads[1].is.project, "c");
	assert_string_equal(is.workloads[2].is.project, "b");
	assert_string_equal(is.workloads[2].is.workload, "w");
	assert_string_equal(is.workloads[4].is.project, "");
	is = home_of(db, &a, NULL, 20001, 20004);
	assert_int_equal(is.workloads_of.all, 4);
	assert_string_equal(is.workloads[0].is.project, "c");
	assert_int_equal(is.workloads[1].is.runs, 1);
	is = home_of(db, &a, "b", 0, 0);
	assert_int_equal(is.workloads_of.all, 2);
	works(query_home(db, &a,
		&(struct home_filter){ .workload = "w",
			.since = NO_MOMENT,
			.until = NO_MOMENT },
		&is, &e));
	assert_int_equal(is.workloads_of.all, 3);
	arena_release(&a);
}

/* The newest runs with iterations are on A, A, B, B and A, and a later run has none;
 * in another workload the newest run names no device. */
static void iterations_of_one_device(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	static const char *const devices[] = { "A", "A", "B", "B,C", "A", "C" };
	for (int i = 0; i < 6; i++) {
		int64_t run = stored(db, "p", "w", "H20", 1, 20000 + i);
		fixture_script(db,
			arena_printf(&a,
				"UPDATE run SET job_id = NULL, device_names = "
				"string_to_array('%s', ','), iteration_ns = %s "
				"WHERE run_id = %lld",
				devices[i],
				i == 5 ? "NULL"
				       : arena_printf(&a, "%d", 100 + i),
				(long long)run));
	}
	struct home is = home_of(db, &a, "p", 0, 0);
	const struct home_workload *w = &is.workloads[0];
	assert_int_equal(w->is.runs, 6);
	assert_string_equal(w->device, "A");
	assert_int_equal(w->devices_n, 2);
	assert_string_equal(w->devices[1], "B");
	assert_int_equal(w->trend.n, 3);
	near(w->trend.value[0], 100, 0);
	near(w->trend.value[1], 101, 0);
	near(w->trend.value[2], 104, 0);
	/* The newest run in the range is on B. */
	is = home_of(db, &a, "p", 20000, 20004);
	w = &is.workloads[0];
	assert_string_equal(w->device, "B");
	assert_int_equal(w->trend.n, 2);
	near(w->trend.value[1], 103, 0);

	int64_t unknown = stored(db, "q", "w", "H20", 1, 20000);
	fixture_script(db,
		arena_printf(&a,
			"UPDATE run SET device_names = '{}', iteration_ns = 7 "
			"WHERE run_id = %lld",
			(long long)unknown));
	is = home_of(db, &a, "q", 0, 0);
	assert_null(is.workloads[0].device);
	assert_int_equal(is.workloads[0].devices_n, 0);
	assert_int_equal(is.workloads[0].trend.n, 1);
	arena_release(&a);
}

/* Only the newest gates, change points and jobs are read. The oldest of each would
 * be listed. */
static void more_than_are_searched(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t one = stored(db, "p", "w", "H20", 1, 20000),
		two = stored(db, "p", "w", "H20", 1, 20000);
	fixture_script(db,
		arena_printf(&a,
			"INSERT INTO gate (created_by, project, workload, "
			"name, outcome, document) "
			"SELECT 'ci', 'p', 'w', '', CASE WHEN i IN (1, 2) "
			"THEN 'regressed' ELSE 'pass' END, '{}' "
			"FROM generate_series(1, %d) i;"
			"INSERT INTO change_point (project, workload, metric, "
			"run_id) SELECT 'p', 'w', 'operator:' || i, "
			"CASE i WHEN 0 THEN %lld ELSE %lld END "
			"FROM generate_series(0, %d) i;"
			"INSERT INTO job (project, name, upload_id) "
			"SELECT 'p', i::text, 0 FROM generate_series(0, %d) i;"
			"UPDATE run SET job_id = (SELECT id FROM job "
			"WHERE name = '0')",
			HOME_SEARCHED + 1, (long long)one, (long long)two,
			HOME_SEARCHED, HOME_JOBS_SEARCHED));
	struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.gates_of.all, 1);
	assert_int_equal(is.gates[0].id, 2);
	assert_int_equal(is.changes_of.all, HOME_SEARCHED);
	assert_int_equal(is.jobs_n, 0);
	fixture_script(db, "DELETE FROM job WHERE name = '1'");
	is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.jobs_n, 1);
	arena_release(&a);
}

/* Gate 1 has no name, 2 is repeated by 3 and passes, 4 regressed again. */
static void gates_that_regressed(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	fixture_script(db,
		"INSERT INTO gate (created_by, project, workload, name, "
		"outcome, document) VALUES "
		"('ci', 'p', 'w', '', 'regressed', '{\"summary\": \"one\"}'), "
		"('ci', 'p', 'w', 'pr 2', 'regressed', '{}'), "
		"('ci', 'p', 'w', 'pr 2', 'pass', '{}'), "
		"('ci', 'p', 'w', 'pr 4', 'regressed', '{}'), "
		"('ci', 'q', 'w', 'pr 4', 'pass', '{}')");
	const struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.gates_of.n, 2);
	assert_int_equal(is.gates_of.all, 2);
	assert_int_equal(is.gates[0].id, 4);
	assert_null(is.gates[0].summary);
	assert_int_equal(is.gates[1].id, 1);
	assert_string_equal(is.gates[1].summary, "one");
	assert_int_equal(is.last_gate->id, 4);
	assert_int_equal(home_of(db, &a, NULL, 0, 0).last_gate->id, 5);
	/* The last gate has no time range. */
	const struct home later = home_of(db, &a, NULL, 40000, 0);
	assert_int_equal(later.gates_of.all, 0);
	assert_int_equal(later.last_gate->id, 5);
	arena_release(&a);
}

static void change_points_for_the_worse(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t run = stored(db, "p", "w", "H20", 1, 20000);
	fixture_script(db,
		arena_printf(&a,
			"INSERT INTO change_point (project, workload, metric, "
			"run_id, change_pct, worse) VALUES "
			"('p', 'w', 'iteration', %lld, 12.5, true), "
			"('p', 'w', 'operator:a:b', %lld, NULL, NULL), "
			"('p', 'w', 'busbw', %lld, 3, false), "
			"('p', 'w', 'iteration', %lld, 1, true)",
			(long long)run, (long long)run, (long long)run,
			(long long)run + 1000));
	const struct home is = home_of(db, &a, NULL, 0, 0);
	assert_int_equal(is.changes_of.all, 2);
	assert_string_equal(is.changes[0].metric, "iteration");
	assert_null(is.changes[0].of);
	near(is.changes[0].change_pct, 12.5, 0);
	assert_string_equal(is.changes[1].metric, "operator");
	assert_string_equal(is.changes[1].of, "a:b");
	assert_true(isnan(is.changes[1].change_pct));
	assert_int_equal(home_of(db, &a, NULL, 20001, 0).changes_of.all, 0);
	arena_release(&a);
}

static void slow_gpus_and_failed_uploads(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	fixture_script(db,
		"INSERT INTO slow_gpu (project, gpu, slowdown) VALUES "
		"('p', 'a', 0.02), ('p', 'b', 0.05), ('q', 'c', 0.5)");
	for (int i = 0; i < HOME_LINES + 2; i++) {
		struct upload_meta m = fixture_meta;
		m.project = "p";
		m.name = arena_printf(&a, "failed %d", i);
		fixture_upload(db, &m, m.name);
	}
	fixture_script(db,
		"UPDATE upload SET state = 'failed', finished_at = now(), "
		"error = 'no kernel'");
	const struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.gpus_of.all, 2);
	assert_string_equal(is.gpus[0].gpu, "b");
	assert_int_equal(is.uploads_of.n, HOME_LINES);
	assert_int_equal(is.uploads_of.all, HOME_LINES + 2);
	assert_string_equal(is.uploads[0].name, "failed 6");
	assert_string_equal(is.uploads[0].error, "no kernel");
	arena_release(&a);
}

static void jobs_with_several_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t one = stored(db, "p", "w", "H20", 1, 20000),
		two = stored(db, "p", "w", "H20", 1, 20000),
		alone = stored(db, "p", "w", "H20", 1, 20000);
	fixture_script(db,
		arena_printf(&a,
			"INSERT INTO job (project, name, upload_id) VALUES "
			"('p', 'pair', 0), ('p', 'single', 0);"
			"UPDATE run SET job_id = (SELECT id FROM job "
			"WHERE name = 'pair') WHERE run_id IN (%lld, %lld);"
			"UPDATE run SET job_id = (SELECT id FROM job "
			"WHERE name = 'single') WHERE run_id = %lld",
			(long long)one, (long long)two, (long long)alone));
	const struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.jobs_n, 1);
	assert_string_equal(is.jobs[0].name, "pair");
	assert_int_equal(is.jobs[0].runs, 2);
	assert_int_equal(is.jobs[0].upload, -1);
	arena_release(&a);
}

/* /jobs/ID refuses it, although few of its runs are of this workload. */
static void a_job_with_too_many_ranks(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct home is;
	stored(db, "p", "w", "H20", 1, 20000);
	stored(db, "p", "w", "H20", 1, 20000);
	fixture_script(db,
		"INSERT INTO job (project, name, upload_id) "
		"VALUES ('p', 'large', 0);"
		"UPDATE run SET job_id = (SELECT id FROM job WHERE name = 'large');"
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, catalog, gpu_ns, weight_uh, "
		"replayed, replayed_known, platform, job_id) "
		"SELECT i, i, 0, '', 'p', 'v', '{}', '', to_timestamp(i), 'x', "
		"1, 1, 1, 1, 1, 0, 0, '{}', 0, 4, '1', 1, 1, 0, 0, 'H20', "
		"(SELECT id FROM job WHERE name = 'large') FROM generate_series(1001, 1255) i");
	const struct home_filter f = { .workload = "w",
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	works(query_home(db, &a, &f, &is, &e));
	assert_int_equal(is.jobs_n, 0);
	fixture_script(db, "DELETE FROM run WHERE run_id = 1255");
	works(query_home(db, &a, &f, &is, &e));
	assert_int_equal(is.jobs_n, 1);
	assert_int_equal(is.jobs[0].runs, 2);
	arena_release(&a);
}

/* The newest five runs of main take 100 to 100.4, on device A. Branches: `slow` is
 * slower in each of three runs, `mixed` is as fast as main once, `few` has two runs,
 * `near` is slower by less than 1 %, `other` ran on device B, of which main has no
 * run. */
static void branches_slower_than_main(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	static const struct {
		const char *branch, *device, *ns;
	} runs[] = {
		{ "main", "A", "500" },
		{ "main", "A", "100" },
		{ "main", "A", "100.1" },
		{ "main", "A", "100.2" },
		{ "main", "A", "100.3" },
		{ "main", "A", "100.4" },
		{ "slow", "A", "109.1" },
		{ "slow", "A", "111" },
		{ "slow", "A", "107.1" },
		{ "mixed", "A", "200" },
		{ "mixed", "A", "200" },
		{ "mixed", "A", "100.4" },
		{ "few", "A", "300" },
		{ "few", "A", "300" },
		{ "near", "A", "100.5" },
		{ "near", "A", "100.6" },
		{ "near", "A", "100.7" },
		{ "other", "B", "300" },
		{ "other", "B", "300" },
		{ "other", "B", "300" },
	};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		int64_t run = stored(db, "p", "w", "H20", 1, 20000 + (int)i);
		fixture_script(db,
			arena_printf(&a,
				"UPDATE run SET job_id = NULL, rank = NULL, "
				"device_names = '{%s}', iteration_ns = %s, labels = "
				"'{\"branch\": \"%s\"}' WHERE run_id = %lld",
				runs[i].device, runs[i].ns, runs[i].branch,
				(long long)run));
	}
	const struct home is = home_of(db, &a, "p", 0, 0);
	assert_int_equal(is.branches_of.all, 1);
	assert_int_equal(is.branches_of.n, 1);
	const struct home_branch *b = &is.branches[0];
	assert_string_equal(b->branch, "slow");
	assert_string_equal(b->workload, "w");
	assert_int_equal(b->runs, 3);
	assert_int_equal(b->main_runs, 5);
	assert_int_equal(b->at / DAY_US, 20008);
	near(b->change_pct, 100 * (109.1 / 100.2 - 1), 1e-9);
	/* A branch counts if its newest run is in the range. */
	assert_int_equal(home_of(db, &a, "p", 20008, 0).branches_of.all, 1);
	assert_int_equal(home_of(db, &a, "p", 20009, 0).branches_of.all, 0);
	assert_int_equal(home_of(db, &a, "p", 0, 20008).branches_of.all, 0);
	assert_int_equal(home_of(db, &a, "q", 0, 0).branches_of.all, 0);
	/* One run of main is slower than one of the branch. */
	fixture_script(db,
		"UPDATE run SET iteration_ns = 108 WHERE iteration_ns = 100");
	assert_int_equal(home_of(db, &a, "p", 0, 0).branches_of.all, 0);
	/* Two runs of main are too few. */
	fixture_script(db,
		"DELETE FROM run WHERE labels @> '{\"branch\": \"main\"}' "
		"AND iteration_ns NOT IN (100.3, 100.4)");
	assert_int_equal(home_of(db, &a, "p", 0, 0).branches_of.all, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_stored, setup,
			teardown),
		cmocka_unit_test_setup_teardown(hours_of_a_day, setup,
			teardown),
		cmocka_unit_test_setup_teardown(workloads_of_a_project, setup,
			teardown),
		cmocka_unit_test_setup_teardown(workloads_of_all_projects,
			setup, teardown),
		cmocka_unit_test_setup_teardown(iterations_of_one_device, setup,
			teardown),
		cmocka_unit_test_setup_teardown(more_than_are_searched, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_job_with_too_many_ranks,
			setup, teardown),
		cmocka_unit_test_setup_teardown(gates_that_regressed, setup,
			teardown),
		cmocka_unit_test_setup_teardown(change_points_for_the_worse,
			setup, teardown),
		cmocka_unit_test_setup_teardown(slow_gpus_and_failed_uploads,
			setup, teardown),
		cmocka_unit_test_setup_teardown(jobs_with_several_runs, setup,
			teardown),
		cmocka_unit_test_setup_teardown(branches_slower_than_main,
			setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
