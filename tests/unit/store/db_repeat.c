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

/* The runs that repeat each other, and their groups: "0: 4 5, other 1: 9 12". */
static const char *repeats(struct db *db, struct arena *a, int most, uint32_t n,
	const int64_t *like)
{
	struct repeat_row *rows;
	uint32_t rows_n;
	const char *text = "";
	works(query_repeats(db, a, like, n, most, "commit", &rows, &rows_n,
		&e));
	for (uint32_t i = 0; i < rows_n; i++) {
		const struct repeat_row *r = &rows[i];
		if (i && r->group == r[-1].group && r->run == r[-1].run)
			continue;
		bool more = i && r->group == r[-1].group;
		text = arena_printf(a, "%s%s%s %lld", text,
			i && !more ? ", " : "",
			more ? ""
			     : arena_printf(a, "%s%d:",
				       r->other ? "other " : "", r->group),
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
	int64_t one = STORED(db), two = STORED(db, .twice = true);
	int64_t like = STORED(db);
	const struct repeat_row want[] = {
		{ one, 0, 0, false, "H100", NULL,
			"Memcpy HtoD (Pageable -> Device)", 15001 },
		{ one, 0, 0, false, "H100", NULL, "oncpu", oncpu },
		{ one, 0, 0, false, "H100", NULL, gemm, 60 },
		{ two, 0, 0, false, "H100", NULL, "add", oncpu },
		{ two, 0, 0, false, "H100", NULL, gemm, 60 + 15001 },
	};
	works(query_repeats(db, &a, &like, 1, 10, "commit", &rows, &n, &e));
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

/* Two runs of each kind are a group, of another kind than the compared run. */
static void runs_of_other_kinds(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t other[6][2];
	for (int i = 0; i < 2; i++) {
		other[0][i] = STORED(db, .workload = "another");
		other[1][i] = STORED(db, .device = "A100");
		other[2][i] = STORED(db, .range = "another");
		other[3][i] = STORED(db, .phase = PHASE_DECODE);
		other[4][i] = STORED(db, .detector = ITERATIONS_WINDOW);
		other[5][i] = STORED(db, .rank = 1);
		STORED(db, .project = "another");
		STORED(db, .workload = "");
		STORED(db, .none = true);
	}
	STORED(db, .labels = "{\"alone\": \"yes\"}");
	int64_t one = STORED(db), two = STORED(db), gone = STORED(db);
	works(run_delete(db, gone, &e));
	int64_t like = STORED(db), elsewhere = STORED(db, .project = "another");
	const char *own = arena_printf(&a, "0: %lld %lld", (long long)one,
		(long long)two);
	const char *text = repeats(db, &a, 20, 1, &like);
	assert_int_equal(strncmp(text, own, strlen(own)), 0);
	/* Others are in the order of their hashes. */
	for (int i = 0; i < 6; i++)
		assert_non_null(strstr(text,
			arena_printf(&a, ": %lld %lld", (long long)other[i][0],
				(long long)other[i][1])));
	assert_non_null(strstr(text, "other 6:"));
	assert_null(strstr(text, "other 7:"));
	/* The newest two of other kinds are alone. */
	assert_string_equal(repeats(db, &a, 2, 1, &like), own);
	assert_string_equal(repeats(db, &a, 20, 1, &elsewhere),
		arena_printf(&a, "0: %lld %lld", (long long)other[5][0] + 1,
			(long long)other[5][1] + 1));
	fixture_script(db,
		arena_printf(&a,
			"UPDATE run SET repeat_key = NULL WHERE run_id = %lld",
			(long long)two));
	assert_int_equal(strncmp(repeats(db, &a, 20, 1, &like), "other 0:", 8),
		0);
	assert_string_equal(repeats(db, &a, 20, 0, NULL), "");
	arena_release(&a);
}

/* Without a workload, nothing says that runs repeat each other. */
static void runs_without_a_workload(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t lone[] = { STORED(db, .workload = ""),
		STORED(db, .workload = ""), STORED(db, .workload = "") };
	assert_string_equal(repeats(db, &a, 10, 1, &lone[2]), "");
	arena_release(&a);
}

/* Runs of two commits repeat each other; other labels separate. */
static void labels_that_name_a_commit(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t first = STORED(db, .labels = "{\"commit\": \"a\"}");
	int64_t second =
		STORED(db, .labels = "{\"commit\": \"b\", \"build\": \"7\"}");
	const char *const low[] = {
		"{\"clocks\": \"low\", \"revision\": \"1\"}",
		"{\"clocks\": \"low\", \"sha\": \"2\"}"
	};
	int64_t slow = STORED(db, .labels = low[0]);
	int64_t slower = STORED(db, .labels = low[1]);
	int64_t like = STORED(db, .labels = "{\"commit\": \"c\"}");
	assert_string_equal(repeats(db, &a, 10, 1, &like),
		arena_printf(&a, "0: %lld %lld, 1: %lld %lld", (long long)first,
			(long long)second, (long long)slow, (long long)slower));
	/* Of the newest three one is alone. */
	assert_string_equal(repeats(db, &a, 3, 1, &like),
		arena_printf(&a, "0: %lld %lld", (long long)slow,
			(long long)slower));
	/* Later edits by users count. */
	works(run_change(db, first,
		&(struct run_change){ .labels = "{\"clocks\": \"low\"}" }, &e));
	assert_string_equal(repeats(db, &a, 10, 1, &like),
		arena_printf(&a, "0: %lld %lld %lld", (long long)first,
			(long long)slow, (long long)slower));
	arena_release(&a);
}

/* Runs that differ only in the label `unit` repeat each other, and have its value. */
static void labels_of_another_unit(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct repeat_row *rows;
	uint32_t n;
	int64_t low = STORED(db, .labels = "{\"clocks\": \"low\"}");
	int64_t high = STORED(db, .labels = "{\"clocks\": \"high\"}");
	int64_t unknown = STORED(db, .labels = "{\"clocks\": \"\"}");
	int64_t like = STORED(db, .labels = "{\"clocks\": \"idle\"}");
	works(query_repeats(db, &a, &like, 1, 10, NULL, &rows, &n, &e));
	assert_int_equal(n, 0);
	works(query_repeats(db, &a, &like, 1, 10, "clocks", &rows, &n, &e));
	assert_int_equal(n, 3 * 3);
	assert_int_equal(rows[0].run, low);
	assert_string_equal(rows[0].commit, "low");
	assert_int_equal(rows[3].run, high);
	assert_string_equal(rows[3].commit, "high");
	assert_int_equal(rows[6].run, unknown);
	assert_null(rows[6].commit);
	arena_release(&a);
}

/* Only runs of both sides' branches count. */
static void branches_of_both_sides(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const char *const of[] = { "{\"branch\": \"main\"}",
		"{\"branch\": \"mine\"}", "{\"branch\": \"other\"}", "{}" };
	int64_t run[4][2], like[2];
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 2; k++)
			run[i][k] = STORED(db, .labels = of[i]);
	like[0] = STORED(db, .labels = of[0]);
	like[1] = STORED(db, .labels = of[1]);
	assert_string_equal(repeats(db, &a, 10, 2, like),
		arena_printf(&a, "0: %lld %lld, 1: %lld %lld",
			(long long)run[0][0], (long long)run[0][1],
			(long long)run[1][0], (long long)run[1][1]));
	int64_t unnamed = STORED(db, .labels = of[3]);
	assert_string_equal(repeats(db, &a, 10, 1, &unnamed),
		arena_printf(&a, "0: %lld %lld", (long long)run[3][0],
			(long long)run[3][1]));
	arena_release(&a);
}

/* Sides that were stored alternately: only runs before the first of them count,
 * so later runs change nothing. */
static void only_earlier_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t one = STORED(db), two = STORED(db);
	int64_t first = STORED(db), between = STORED(db);
	int64_t like[] = { STORED(db), first };
	STORED(db);
	assert_string_equal(repeats(db, &a, 10, 2, like),
		arena_printf(&a, "0: %lld %lld", (long long)one,
			(long long)two));
	/* Before the second run there is only one. */
	like[1] = two;
	assert_string_equal(repeats(db, &a, 10, 2, like), "");
	like[1] = between;
	assert_string_equal(repeats(db, &a, 10, 2, like),
		arena_printf(&a, "0: %lld %lld %lld", (long long)one,
			(long long)two, (long long)first));
	arena_release(&a);
}

static void where_a_period_begins_is_chance(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	int64_t one = STORED(db, .detector = ITERATIONS_PERIOD, .range = "b");
	int64_t two = STORED(db, .detector = ITERATIONS_PERIOD, .range = "c");
	int64_t like = STORED(db, .detector = ITERATIONS_PERIOD, .range = "a");
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
	fixture_script(db,
		"ALTER SEQUENCE run_identity_id_seq RESTART WITH 1000000");
	int64_t like = STORED(db);
	fixture_script(db,
		"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
		"workload, labels, job, created_at, format, span_ns, busy_ns, "
		"kernel_ns, launches, kernels, copy_ns, copies, device_names, "
		"notes, analysis_version, repeat_key) "
		"SELECT r.run_id - i, 1, 0, '', r.project, r.workload, "
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
	works(query_repeats(db, &a, &like, 1, 64, "commit", &rows, &n, &e));
	int64_t read = rows_read(db) - before;
	assert_int_equal(n, 64 * 3);
	assert_int_equal(rows[0].run, like - 256);
	assert_int_equal(rows[n - 1].run, like - 4); /* every fourth */
	/* The run itself, those 64, their patterns; the newest 64 of other
	 * kinds, and the runs between them. */
	if (read < 64 * 4 + 64 || read > 64 * 4 + 64 * 4 / 3 + 12)
		fail_msg("%lld rows read", (long long)read);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(a_row_per_function_of_each),
		CASE(runs_of_other_kinds),
		CASE(runs_without_a_workload),
		CASE(labels_that_name_a_commit),
		CASE(labels_of_another_unit),
		CASE(branches_of_both_sides),
		CASE(only_earlier_runs),
		CASE(where_a_period_begins_is_chance),
		CASE(of_many_runs_no_more_than_wanted),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
