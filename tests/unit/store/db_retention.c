/* db_retention.c - tests that retention deletes data older than its limits and
 * nothing else, and that a dry run reports what would be deleted. */
#include "retention_fixture.h"
#include "run_change.h"

static void bytes_are_deleted_by_age(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 7, -1, -1 };
	(void)state;
	kept_done("old", "p", "{}", 7, 2, 1, 1);
	kept_done("new", "p", "{}", 6, 1, 1, 1);
	kept_failed("bad", "q", "{}", 8);
	kept_failed("fresh", "q", "{}", 6);
	assert_string_equal(kept_vacuum(&a, &ask),
		"p uploads age 1 2; q uploads age 1 1");
	assert_string_equal(kept_left(&a), "fresh new | new old");
	arena_release(&a);
}

static void nothing_is_deleted_without_limits(void **state)
{
	struct arena a = { 0 };
	(void)state;
	kept_done("old", "p", "{}", 9999, 1, 1, 1);
	kept_failed("bad", "p", "{}", 9999);
	assert_string_equal(kept_vacuum(&a, &kept_as_stored), "");
	arena_release(&a);
}

/* The exception: the bytes of uploads whose runs users have all deleted. */
static void bytes_without_runs_are_deleted(void **state)
{
	struct arena a = { 0 };
	(void)state;
	int64_t both =
		kept_done("both", "p", "{\"keep\": \"true\"}", 0, 1, 2, 1);
	int64_t one = kept_done("one", "p", "{}", 0, 1, 2, 1);
	works(run_delete(kept_db, *fixture_runs(kept_db, &a, one, 2), &e));
	kept_done("none", "p", "{}", 0, 1, 0, 0);
	const int64_t *runs = fixture_runs(kept_db, &a, both, 2);
	works(run_delete(kept_db, runs[0], &e));
	works(run_delete(kept_db, runs[1], &e));
	assert_string_equal(kept_vacuum(&a, &kept_as_stored),
		"p uploads deleted 1 1");
	assert_string_equal(kept_left(&a), "none one | one");
	arena_release(&a);
}

static void runs_are_deleted_by_age(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, -1, 30, -1 };
	(void)state;
	kept_done("old", "p", "{}", 31, 1, 2, 3);
	kept_done("new", "p", "{}", 29, 1, 1, 1);
	/* one of its runs was moved to a project that keeps it */
	int64_t half = kept_done("half", "p", "{}", 31, 1, 2, 1);
	struct run_change c = { .labels = "{\"keep\": \"true\"}" };
	works(run_change(kept_db, *fixture_runs(kept_db, &a, half, 2), &c, &e));
	kept_do(half,
		"INSERT INTO gate (created_at, created_by, project, workload, "
		"name, outcome, document) SELECT now() - interval '1 "
		"day' * d, 'a', 'p', 'w', '%lld', 'pass', '{}' FROM "
		"generate_series(29, 31) d");
	assert_string_equal(kept_vacuum(&a, &ask),
		"p runs age 3 3; p uploads runs 1 1; p gates age 2 0");
	assert_string_equal(kept_left(&a), "half new | half new");
	assert_int_equal(fixture_count(kept_db, "SELECT count(*) FROM gate"),
		1);
	/* as if a user had deleted them */
	assert_int_equal(fixture_count(kept_db,
				 "SELECT count(*) FROM run_identity "
				 "WHERE deleted_at IS NOT NULL"),
		3);
	assert_int_equal(fixture_count(kept_db,
				 "SELECT count(*) FROM run_kernel WHERE run_id "
				 "NOT IN (SELECT run_id FROM run)"),
		0);
	arena_release(&a);
}

static void uploads_in_progress_stay(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, 0, 0 };
	int64_t id, queued;
	(void)state;
	kept_done("again", "p", "{}", 9, 1, 1, 1);
	works(upload_requeue_all(kept_db, &queued, &e));
	assert_string_equal(kept_vacuum(&a, &ask), "");
	works(upload_begin(kept_db, &fixture_meta, &id, &e));
	works(upload_chunk(kept_db, id, 0, "x", 1, &e));
	assert_string_equal(kept_vacuum(&a, &ask), "");
	struct claim c;
	works(upload_claim(kept_db, "host:1", 30, &c, &e));
	assert_string_equal(kept_vacuum(&a, &ask), "");
	assert_string_equal(kept_left(&a), "again nightly | again");
	works(upload_fail(kept_db, &c, &(struct err){ ERR_TOO_LARGE, "no" },
		&e));
	assert_string_equal(kept_vacuum(&a, &ask),
		"p runs age 1 1; p uploads age 1 1");
	arena_release(&a);
}

static void the_label_keeps(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, 0, 0 };
	(void)state;
	kept_done("kept", "p", "{\"keep\": \"true\", \"a\": \"b\"}", 9, 1, 2,
		1);
	kept_failed("bad", "p", "{\"keep\": \"true\"}", 9);
	kept_done("not", "p", "{\"keep\": \"false\"}", 9, 1, 1, 1);
	assert_string_equal(kept_vacuum(&a, &ask),
		"p runs age 1 1; p uploads age 1 1");
	assert_string_equal(kept_left(&a), "bad kept | kept kept");
	arena_release(&a);
}

/* 14 MiB in p: by age of bytes a, b, c; then by age of runs. */
static void quotas(void **state)
{
	static const struct {
		int quota;
		const char *report, *left;
	} rows[] = {
		{ 14, "", "a b c k | a b c k" },
		{ 13, "p uploads quota 1 1", "b c k | a b c k" },
		{ 12, "p uploads quota 1 3", "c k | a b c k" },
		{ 9, "p uploads quota 1 2", "k | a b c k" },
		{ 8, "", "k | a b c k" },
		{ 7, "p runs quota 1 2", "k | b c k" },
		{ 5, "p runs quota 1 1", "k | c k" },
		{ 4, "p runs quota 1 1", "k | k" },
		/* the rest is needed */
		{ 0, "", "k | k" },
	};
	struct arena a = { 0 };
	(void)state;
	kept_done("c", "p", "{}", 1, 2, 1, 1);
	kept_done("a", "p", "{}", 9, 1, 1, 2);
	kept_done("k", "p", "{\"keep\": \"true\"}", 20, 2, 1, 2);
	kept_done("b", "p", "{}", 5, 3, 1, 1);
	kept_done("x", "q", "{}", 99, 1, 1, 1);
	fixture_script(kept_db, "DELETE FROM upload_chunk c USING upload u "
				"WHERE u.id = c.upload_id AND u.name = 'x'");
	fixture_script(kept_db,
		"UPDATE upload SET dropped_at = now() WHERE name = 'x'");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct retention_request ask = { "p", -1, -1, rows[i].quota };
		assert_string_equal(kept_vacuum(&a, &ask), rows[i].report);
		assert_string_equal(kept_left(&a),
			arena_printf(&a, "%s x", rows[i].left));
	}
	arena_release(&a);
}

/* 1 MiB of bytes, 1 MiB of a capture file, and 2 MiB of an attached file. */
static void attached_files_are_in_the_quota(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { "p", -1, -1, 4 };
	(void)state;
	kept_done("a", "p", "{}", 1, 1, 1, 1);
	fixture_script(kept_db,
		"INSERT INTO kernel_profile_file (run_id, seq, name, sha256, "
		"content, launches, bad_lines, bad_values, cut) "
		"SELECT run_id, 0, 'f', sha256('f'), "
		"decode(repeat('00', 2097152), 'hex'), 1, 0, 0, false FROM run");
	assert_string_equal(kept_vacuum(&a, &ask), "");
	ask.quota_mib = 3;
	assert_string_equal(kept_vacuum(&a, &ask), "p uploads quota 1 1");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, kept_setup, kept_teardown)
	const struct CMUnitTest cases[] = {
		CASE(bytes_are_deleted_by_age),
		CASE(nothing_is_deleted_without_limits),
		CASE(bytes_without_runs_are_deleted),
		CASE(runs_are_deleted_by_age),
		CASE(uploads_in_progress_stay),
		CASE(the_label_keeps),
		CASE(quotas),
		CASE(attached_files_are_in_the_quota),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
