/* db_trend.c - tests which units a series has: the newest, complete, in order.
 * tests/verify/trends.py computes the values a second time. */
#include "fixture.h"
#include "query_trend.h"

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

/* Stores a run at second `at`. `job` is 0 if the run has no job. Its iteration
 * takes `ns`; -1 means that the run has no iteration. */
static void run(struct db *db, int64_t id, int64_t at, int64_t job, int rank,
	int64_t ns, const char *commit)
{
	static const char sql[] =
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, job_id, rank, iterations, iterations_kept, "
		"iteration_ns) "
		"VALUES ($1, $1, 0, '', 'p', 'w', CASE WHEN $6 IS NULL "
		"THEN '{}'::jsonb ELSE jsonb_build_object('commit', $6) END, "
		"'', to_timestamp($2), 'x', 1, 1, 1, 1, 1, 0, 0, '{}', 0, 4, "
		"nullif($3, 0), $4, 1, 1, $5)";
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	sql_int8(&p, at);
	sql_int8(&p, job);
	sql_int4_known(&p, rank);
	sql_float8(&p, ns < 0 ? NAN : (double)ns);
	sql_text(&p, commit);
	works(sql_run(db, sql, &p, NULL, &e));
}

static struct trend_filter whole(int limit)
{
	return (struct trend_filter){ .project = "p",
		.workload = "w",
		.stat = TREND_MED,
		.group = "commit",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = limit };
}

/* "run=value/commit, … | excluded +": the plus sign means that there are
 * more. */
static const char *trend_text(struct db *db, struct arena *a,
	const struct trend_filter *f)
{
	struct trend t;
	const char *text = "";
	works(query_trend(db, a, f, &t, &e));
	for (uint32_t i = 0; i < t.n; i++)
		text = arena_printf(a, "%s%s%lld=%g/%s", text, i ? ", " : "",
			(long long)t.run[i], t.value[i],
			t.group[i] ? t.group[i] : "-");
	return arena_printf(a, "%s | %lld%s", text, (long long)t.left_out,
		t.more ? " +" : "");
}

/* Second 10: run 1. Second 20: rank 1 of job 7; 25: rank 0 of job 7; 90: rank
 * 2 of job 7, without iterations. Second 30: run 5, without iterations. Second
 * 40: runs 6 and 7. Seconds 50 and 51: job 8. */
static void make(struct db *db)
{
	fixture_script(db, "TRUNCATE run");
	run(db, 1, 10, 0, -1, 100, "a");
	run(db, 2, 20, 7, 1, 300, "b");
	run(db, 3, 25, 7, 0, 100, "c");
	run(db, 4, 90, 7, 2, -1, "b");
	run(db, 5, 30, 0, 0, -1, "b");
	run(db, 6, 40, 0, -1, 0, NULL);
	run(db, 7, 40, 0, -1, 500, "d");
	run(db, 8, 50, 8, -1, 700, "d");
	run(db, 9, 51, 8, 5, 900, "e");
}

static void the_newest_units_in_order(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct trend_filter f = whole(50);
	make(db);
	assert_string_equal(trend_text(db, &a, &f),
		"1=100/a, 3=200/c, 6=0/-, 7=500/d, 9=800/e | 2");
	f.limit = 6;
	assert_string_equal(trend_text(db, &a, &f),
		"1=100/a, 3=200/c, 6=0/-, 7=500/d, 9=800/e | 2");
	f.limit = 5; /* one of them has no value */
	assert_string_equal(trend_text(db, &a, &f),
		"3=200/c, 6=0/-, 7=500/d, 9=800/e | 2 +");
	f.limit = 2;
	assert_string_equal(trend_text(db, &a, &f), "7=500/d, 9=800/e | 0 +");
	f.limit = 1;
	assert_string_equal(trend_text(db, &a, &f), "9=800/e | 0 +");
	arena_release(&a);
}

static void ranges_have_whole_jobs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct trend_filter f = whole(50);
	make(db);
	f.since = INT64_C(20000000);
	f.until = INT64_C(40000000);
	assert_string_equal(trend_text(db, &a, &f), "3=200/c | 2");
	f.since++; /* its first run is before */
	assert_string_equal(trend_text(db, &a, &f), " | 1");
	f.since = INT64_C(60000000);
	f.until = NO_MOMENT;
	assert_string_equal(trend_text(db, &a, &f), " | 0");
	f.workload = "";
	assert_string_equal(trend_text(db, &a, &f), " | 0");
	arena_release(&a);
}

/* A rank of a job that was deleted, or that is in another workload, is not
 * counted in the job here. */
static void runs_that_left_a_job(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct trend_filter f = whole(50);
	make(db);
	fixture_script(db, "DELETE FROM run WHERE run_id = 3; "
			   "UPDATE run SET workload = 'v' WHERE run_id = 9");
	assert_string_equal(trend_text(db, &a, &f),
		"1=100/a, 2=300/b, 6=0/-, 7=500/d, 8=700/d | 2");
	f.workload = "v";
	assert_string_equal(trend_text(db, &a, &f), "9=900/e | 0");
	arena_release(&a);
}

static void workloads_by_their_newest_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct workload_row *rows;
	uint32_t n;
	bool more;
	make(db);
	fixture_script(db,
		"UPDATE run SET project = 'Other' WHERE run_id IN (1, 4); "
		"UPDATE run SET workload = '' WHERE run_id = 5");
	struct workload_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 2 };
	works(query_workloads(db, &a, &f, &rows, &n, &more, &e));
	assert_true(n == 2 && more);
	assert_string_equal(rows[0].workload, "w");
	assert_int_equal(rows[0].runs, 6);
	assert_int_equal(rows[0].first, 20000000);
	assert_int_equal(rows[0].last, 51000000);
	assert_string_equal(rows[1].workload, "");
	f.after = rows[1].newest;
	works(query_workloads(db, &a, &f, &rows, &n, &more, &e));
	assert_true(n == 1 && !more);
	assert_string_equal(rows[0].project, "Other");
	f.after = 0;
	f.project = "p";
	f.q = "oth";
	works(query_workloads(db, &a, &f, &rows, &n, &more, &e));
	assert_true(n == 0 && !more);
	f.project = NULL;
	f.q = "OTH";
	works(query_workloads(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	f.q = NULL;
	f.workload = "w";
	f.since = 20000001;
	f.until = 51000000;
	works(query_workloads(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].runs, 4);
	arena_release(&a);
}

/* "run=value/commit, …" */
static const char *same_work_text(struct db *db, struct arena *a,
	struct same_work_filter f)
{
	struct gate_stored_unit *units;
	const char *text = "";
	uint32_t n;
	f.unit = "commit";
	works(query_same_work(db, a, &f, &units, &n, &e));
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%lld=%g/%s", text, i ? ", " : "",
			(long long)units[i].run, units[i].ns,
			units[i].commit ? units[i].commit : "-");
	return text;
}

/* Runs 1, 6 and 7 do the work 'a'. The ranks 1 and 0 of job 7 (runs 2 and 3) do
 * 'b' and 'c', job 8 lacks a rank that does 'b' (run 8 does 'c'), and run 9 does
 * 'a'. Run 6 takes no time, and run 5 has no iteration. */
static void same_work(void **state)
{
	static const int64_t single[] = { 1 }, job[] = { 2, 3 },
			     seven[] = { 7 }, two_kinds[] = { 1, 8 };
	struct db *db = *state;
	struct arena a = { 0 };
	struct same_work_filter f = { .like = single,
		.like_n = 1,
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 9 };

	make(db);
	fixture_script(db,
		"UPDATE run SET repeat_key = decode(repeat(CASE "
		"WHEN run_id IN (1, 5, 6, 7, 9) THEN 'aa' "
		"WHEN run_id = 2 THEN 'bb' ELSE 'cc' END, 32), 'hex'), "
		"job_id = CASE WHEN run_id IN (2, 3) THEN 7 "
		"WHEN run_id = 8 THEN 8 END");
	assert_string_equal(same_work_text(db, &a, f),
		"1=100/a, 7=500/d, 9=900/e");
	f.limit = 2;
	assert_string_equal(same_work_text(db, &a, f), "7=500/d, 9=900/e");
	f.limit = 9;
	f.without = seven;
	f.without_n = 1;
	assert_string_equal(same_work_text(db, &a, f), "1=100/a, 9=900/e");
	f.without_n = 0;
	f.until = INT64_C(51000000);
	f.since = INT64_C(11000000);
	assert_string_equal(same_work_text(db, &a, f), "7=500/d");
	f.since = f.until = NO_MOMENT;
	f.labels = "{\"commit\": \"d\"}";
	assert_string_equal(same_work_text(db, &a, f), "7=500/d");
	f.labels = NULL;
	f.workload = "x";
	assert_string_equal(same_work_text(db, &a, f), "");
	f.workload = "w";
	f.ids = seven;
	f.ids_n = 1;
	assert_string_equal(same_work_text(db, &a, f), "7=500/d");
	f.ids_n = 0;
	f.min_iterations = 2;
	assert_string_equal(same_work_text(db, &a, f), "");
	f.min_iterations = 0;
	f.like = job;
	f.like_n = 2;
	assert_string_equal(same_work_text(db, &a, f), "3=200/c");
	f.like = two_kinds;
	assert_string_equal(same_work_text(db, &a, f),
		"1=100/a, 3=100/c, 7=500/d, 8=700/d, 9=900/e");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_units_in_order),
		cmocka_unit_test(ranges_have_whole_jobs),
		cmocka_unit_test(runs_that_left_a_job),
		cmocka_unit_test(workloads_by_their_newest_run),
		cmocka_unit_test(same_work),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
