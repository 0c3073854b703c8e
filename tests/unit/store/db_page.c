/* db_page.c - tests that reading a page of runs reads as few rows at any
 * position among many runs. */
#include "fixture.h"

enum { RUNS = 20000, PAGE = 50 };

static int setup(void **state)
{
	struct db *db = fixture_db();
	/* A fleet: 20 projects, 200 workloads, a label with 1,000 branches, 1,000
	 * hosts; a five-thousandth are of another framework, a four-thousandth
	 * of another device. */
	fixture_script(db,
		"INSERT INTO run SELECT i, i, 0, 'run ' || i, "
		"'project' || i % 20, 'workload' || i % 200, "
		"jsonb_build_object('branch', 'b' || i % 1000), '', "
		"now() - (20000 - i) * interval '1 min', 'kineto', "
		"CASE WHEN i % 5000 = 7 THEN 'jax' ELSE 'pytorch' END, "
		"'python', 'Host' || i % 1000 || '_%', i, 0, 8, 0, "
		"i * 7919 % 20011, "
		"i * 104729 % 20011, 1, i * 1299709 % 20011, 1, 1, 1, "
		"ARRAY['H100', CASE WHEN i % 4000 = 11 THEN 'GB300' "
		"ELSE 'H100' END], 0, NULL, 1, CASE WHEN i % 500 = 0 THEN "
		"'statistics' ELSE 'launches' END FROM "
		"generate_series(1::int8, 20000) i");
	fixture_script(db, "VACUUM ANALYZE run");
	*state = db;
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

/* Rows of `run` that were read so far, with or without an index. */
static int64_t rows_read(struct db *db)
{
	fixture_script(db, "SELECT pg_stat_force_next_flush()");
	return fixture_count(db,
		"SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) "
		"FROM pg_stat_user_tables WHERE relname = 'run'");
}

/* Reads a page; asserts that it read at most `most` rows. */
static struct run_row *page(struct db *db, struct arena *a,
	const struct run_filter *f, int64_t most)
{
	struct run_row *rows;
	uint32_t n;
	bool more;
	int64_t before = rows_read(db);
	works(query_runs(db, a, f, &rows, &n, &more, &e));
	int64_t read = rows_read(db) - before;
	if (read > most || read < n)
		fail_msg("%lld rows read for %u", (long long)read, n);
	return rows;
}

static int64_t key(const struct run_row *r, enum run_sort s)
{
	const int64_t keys[] = { r->created, r->created, r->busy_ns, r->span_ns,
		r->launches };
	return keys[s];
}

static void every_order_from_the_start_and_the_middle(void **state)
{
	struct db *db = *state;
	for (enum run_sort s = RUN_NEWEST; s <= RUN_LAUNCHES; s++) {
		struct arena a = { 0 };
		struct run_row middle;
		struct run_filter f = { .since = NO_MOMENT,
			.until = NO_MOMENT,
			.sort = s,
			.limit = PAGE };
		page(db, &a, &f, PAGE + 1);
		works(query_run(db, &a, RUNS / 2, &middle, &e));
		f.after = middle.id;
		f.after_key = key(&middle, s);
		page(db, &a, &f, PAGE + 1);
		arena_release(&a);
	}
}

static void filters_that_select_few(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	/* One project has a twentieth of all runs, one workload a
	 * two-hundredth, and one branch a thousandth. A five-hundredth are
	 * runs of tables. */
	struct run_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = PAGE };
	f.project = "project3";
	page(db, &a, &f, RUNS / 20 + PAGE);
	f.project = NULL;
	f.workload = "workload3";
	page(db, &a, &f, RUNS / 200 + PAGE);
	f.workload = NULL;
	f.labels = "{\"branch\": \"b77\"}";
	page(db, &a, &f, RUNS / 1000 + PAGE);
	f.labels = NULL;
	f.content = "statistics";
	page(db, &a, &f, RUNS / 500 + PAGE);
	f.content = NULL;
	f.upload = 4711;
	page(db, &a, &f, 1);
	f.upload = 0;
	f.framework = "jax";
	page(db, &a, &f, RUNS / 5000 + PAGE);
	f.framework = NULL;
	f.device = "GB300";
	page(db, &a, &f, RUNS / 4000 + PAGE);
	arena_release(&a);
}

/* A text is found by three-letter sequences, which more rows may have. */
static void parts_of_texts(void **state)
{
	static const struct {
		const char *odd, *q;
		uint32_t want;
	} cases[] = {
		{ "in another case", "hOST123_", RUNS / 1000 },
		{ "with the characters of patterns", "t123_%", RUNS / 1000 },
		{ "with a character that matches any in patterns", "host12__",
			0 },
		{ "of two texts", "project3\nworkload3", PAGE },
		{ "nowhere", "nowhere", 0 },
	};
	struct db *db = *state;
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run_filter f = { .since = NO_MOMENT,
			.until = NO_MOMENT,
			.q = cases[i].q,
			.limit = PAGE };
		struct run_row *rows;
		uint32_t n;
		bool more;
		int64_t before = rows_read(db);
		works(query_runs(db, &a, &f, &rows, &n, &more, &e));
		int64_t read = rows_read(db) - before;
		if (n != cases[i].want || read > RUNS / 100)
			fail_msg("%s: %u runs, %lld rows read", cases[i].odd, n,
				(long long)read);
	}
	arena_release(&a);
}

static void a_count_stops_after_10000(void **state)
{
	static const struct {
		const char *odd, *project;
		int64_t want;
	} cases[] = {
		{ "all 20,000", NULL, DB_COUNTED_MAX + 1 },
		{ "a twentieth", "project3", RUNS / 20 },
		{ "none", "project99", 0 },
	};
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t total = -1;
		page(*state, &a,
			&(struct run_filter){ .project = cases[i].project,
				.since = NO_MOMENT,
				.until = NO_MOMENT,
				.limit = PAGE,
				.total = &total },
			DB_COUNTED_MAX + 1 + PAGE + 1);
		if (total != cases[i].want)
			fail_msg("%s: %lld", cases[i].odd, (long long)total);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_order_from_the_start_and_the_middle),
		cmocka_unit_test(filters_that_select_few),
		cmocka_unit_test(parts_of_texts),
		cmocka_unit_test(a_count_stops_after_10000),
	};
	return cmocka_run_group_tests(cases, setup, teardown);
}
