/* db_repeat.c - tests which stored runs repeat each other, and how many rows
 * the search reads. */
#include "changes.h"
#include "query_compared.h"
#include "run_change.h"

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

static int uploads;

/* The special properties of a run; NULL and 0 are the defaults. */
struct special {
	const char *project, *workload, *labels, *device, *range, *text;
	enum iteration_detector detector;
	enum phase phase;
	int32_t rank;
	bool none; /* number of kept iterations */
	bool twice; /* a kernel, the same on two devices, and another one */
};

static int64_t stored(struct db *db, struct special s)
{
	struct arena a = { 0 };
	struct upload_meta m = fixture_meta;
	struct profile p = changing(&a);
	m.name = arena_printf(&a, "%d", uploads++);
	m.project = s.project ? s.project : m.project;
	m.workload = s.workload ? s.workload : m.workload;
	m.labels = s.labels ? s.labels : m.labels;
	m.job = "";
	p.devices[0].name = s.device ? s.device : "H100";
	p.iterations.range = s.range ? s.range : p.iterations.range;
	p.iterations.detector = s.detector ? s.detector : ITERATIONS_ANNOTATION;
	p.iterations.strata[0].text = s.text ? s.text : "64 × 128";
	p.iterations.strata[0].phase = s.phase;
	p.rank = s.rank;
	if (s.twice) {
		p.patterns.rows[1].name = p.patterns.rows[0].name;
		p.patterns.rows[2].name = "add";
	}
	if (s.none) {
		p.iterations.kept_n = 0;
		for (uint32_t i = 0; i < p.iterations.n; i++)
			p.iterations.iterations[i].use = ITERATION_PARTIAL;
	}
	int64_t id = fixture_upload(db, &m, m.name).id;
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, &p, 1, NULL, &e));
	int64_t run = *fixture_runs(db, &a, id, 1);
	arena_release(&a);
	return run;
}
#define STORED(db, ...) stored(db, (struct special){ __VA_ARGS__ })

/* The runs that repeat each other, and their groups: "0: 4 5, 1: 9 12". */
static const char *repeats(struct db *db, struct arena *a, int most, uint32_t n,
	const int64_t *like)
{
	struct repeat_row *rows;
	uint32_t rows_n;
	const char *text = "";
	works(query_repeats(db, a, like, n, most, &rows, &rows_n, &e));
	for (uint32_t i = 0; i < rows_n; i++) {
		const struct repeat_row *r = &rows[i];
		if (i && r->group == r[-1].group && r->run == r[-1].run)
			continue;
		bool more = i && r->group == r[-1].group;
		text = arena_printf(a, "%s%s%s %lld", text,
			i && !more ? ", " : "",
			more ? "" : arena_printf(a, "%d:", r->group),
			(long long)r->run);
	}
	return text;
}

/* Of the three iterations with values, 8 and 10 are in the first stratum. */
static void a_row_per_function_of_each(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct repeat_row *rows;
	uint32_t n;
	const double oncpu = ((double)(INT64_C(1) << 40) + 6e9) / 2;
	const char gemm[] = "void gemm<float>(int)";
	int64_t like = STORED(db), one = STORED(db);
	int64_t two = STORED(db, .twice = true);
	const struct repeat_row want[] = {
		{ one, 0, "H100", "Memcpy HtoD (Pageable -> Device)", 15001 },
		{ one, 0, "H100", "oncpu", oncpu },
		{ one, 0, "H100", gemm, 60 },
		{ two, 0, "H100", "add", oncpu },
		{ two, 0, "H100", gemm, 60 + 15001 },
	};
	works(query_repeats(db, &a, &like, 1, 10, &rows, &n, &e));
	assert_int_equal(n, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].run, want[i].run);
		assert_int_equal(rows[i].group, want[i].group);
		assert_string_equal(rows[i].device_name, want[i].device_name);
		assert_string_equal(rows[i].name, want[i].name);
		assert_float_equal(rows[i].mean_ns, want[i].mean_ns, 0);
	}
	arena_release(&a);
}

static void runs_that_are_not_repeats(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t like = STORED(db), one = STORED(db), two = STORED(db);
	/* Two of each, so that they would be a group. */
	for (int i = 0; i < 2; i++) {
		STORED(db, .project = "another");
		STORED(db, .workload = "another");
		STORED(db, .device = "A100");
		STORED(db, .range = "another");
		STORED(db, .text = "another");
		STORED(db, .phase = PHASE_DECODE);
		STORED(db, .detector = ITERATIONS_WINDOW);
		STORED(db, .rank = 1);
		STORED(db, .none = true);
	}
	STORED(db, .labels = "{\"alone\": \"yes\"}");
	int64_t gone = STORED(db);
	works(run_delete(db, gone, &e));
	const char *want = arena_printf(&a, "0: %lld %lld", (long long)one,
		(long long)two);
	assert_string_equal(repeats(db, &a, 10, 1, &like), want);
	fixture_script(db,
		arena_printf(&a,
			"UPDATE run SET repeat_key = NULL WHERE run_id = %lld",
			(long long)two));
	assert_string_equal(repeats(db, &a, 10, 1, &like), "");

	int64_t lone[] = { STORED(db, .workload = ""),
		STORED(db, .workload = ""), STORED(db, .workload = "") };
	assert_string_equal(repeats(db, &a, 10, 1, lone), "");
	assert_string_equal(repeats(db, &a, 10, 0, NULL), "");
	arena_release(&a);
}

static void groups_by_labels(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const char *const of[] = { "{\"commit\": \"a\"}", "{\"commit\": \"b\"}",
		"{\"commit\": \"c\"}" };
	int64_t like[2], run[3][2];
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			run[i][k] = STORED(db, .labels = of[i]);
	like[0] = STORED(db, .labels = "{\"commit\": \"d\"}");
	like[1] = run[2][1];
	assert_string_equal(repeats(db, &a, 10, 2, like),
		arena_printf(&a, "0: %lld %lld, 1: %lld %lld",
			(long long)run[0][0], (long long)run[0][1],
			(long long)run[1][0], (long long)run[1][1]));
	/* Of the newest four one is alone. */
	assert_string_equal(repeats(db, &a, 4, 2, like),
		arena_printf(&a, "0: %lld %lld", (long long)run[1][0],
			(long long)run[1][1]));
	/* Later edits by users count. */
	works(run_change(db, run[0][0], &(struct run_change){ .labels = of[1] },
		&e));
	assert_string_equal(repeats(db, &a, 10, 2, like),
		arena_printf(&a, "0: %lld %lld %lld", (long long)run[0][0],
			(long long)run[1][0], (long long)run[1][1]));
	arena_release(&a);
}

static void where_a_period_begins_is_chance(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t like = STORED(db, .detector = ITERATIONS_PERIOD, .range = "a");
	int64_t one = STORED(db, .detector = ITERATIONS_PERIOD, .range = "b");
	int64_t two = STORED(db, .detector = ITERATIONS_PERIOD, .range = "c");
	assert_string_equal(repeats(db, &a, 10, 1, &like),
		arena_printf(&a, "0: %lld %lld", (long long)one,
			(long long)two));
	arena_release(&a);
}

enum { FLEET = 20000 };

static int64_t rows_read(struct db *db)
{
	fixture_script(db, "SELECT pg_stat_force_next_flush()");
	return fixture_count(db,
		"SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 "
		"FROM pg_stat_user_tables WHERE relname LIKE 'run%'");
}

/* All runs have one project and workload. A quarter of them are of one kind,
 * which one hash represents. */
static void of_many_runs_no_more_than_wanted(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t like = STORED(db);
	fixture_script(db,
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, repeat_key) "
		"SELECT 1000000 + i, 1, 0, '', r.project, r.workload, "
		"r.labels, '', r.created_at - i * interval '1 s', 'kineto', "
		"0, 0, 0, 0, 0, 0, 0, r.device_names, 0, 1, CASE WHEN i % 4 = "
		"0 THEN r.repeat_key ELSE sha256(i::text::bytea) END "
		"FROM run r, generate_series(1, 20000) i");
	fixture_script(db,
		"INSERT INTO run_pattern SELECT r.run_id, p.rank, p.kernel_id, "
		"p.function, p.type, p.device, p.number, p.mean_ns "
		"FROM run r, run_pattern p WHERE r.run_id <> p.run_id");
	fixture_script(db, "VACUUM ANALYZE run, run_pattern, kernel");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run"),
		FLEET + 1);
	struct repeat_row *rows;
	uint32_t n;
	int64_t before = rows_read(db);
	works(query_repeats(db, &a, &like, 1, 64, &rows, &n, &e));
	int64_t read = rows_read(db) - before;
	assert_int_equal(n, 64 * 3);
	assert_int_equal(rows[0].run, 1000004); /* every fourth, the newest */
	assert_int_equal(rows[n - 1].run, 1000256);
	/* The run itself, those 64, their patterns. */
	if (read < 64 * 4 || read > 64 * 4 + 8)
		fail_msg("%lld rows read", (long long)read);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(a_row_per_function_of_each),
		CASE(runs_that_are_not_repeats),
		CASE(groups_by_labels),
		CASE(where_a_period_begins_is_chance),
		CASE(of_many_runs_no_more_than_wanted),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
