/* db_retention_rules.c - tests which rule applies, and what happens to an
 * upload whose bytes were deleted. */
#include "retention_fixture.h"
#include "retention.h"
#include "run_change.h"

static void one_s_own_rule_counts(void **state)
{
	static const struct retention_row rules[] = {
		{ NULL, 10, -1, -1 },
		{ "own", 20, -1, -1 },
		{ "free", -1, -1, -1 },
		{ "", 5, -1, -1 },
	};
	struct arena a = { 0 };
	struct retention_row *rows;
	struct retention_request ask = { "own", 15, -1, -1 };
	uint32_t n;
	(void)state;
	works(retention_replace(kept_db, rules, 4, &e));
	kept_done("o", "own", "{}", 15, 1, 1, 0);
	kept_done("f", "free", "{}", 15, 1, 1, 0);
	kept_done("e", "", "{}", 6, 1, 1, 0);
	kept_done("x", "other", "{}", 15, 1, 1, 0);
	kept_done("y", "other", "{}", 9, 1, 1, 0);
	assert_string_equal(kept_vacuum(&a, &kept_as_stored),
		" uploads age 1 1; other uploads age 1 1");
	/* the new rule takes precedence */
	assert_string_equal(kept_vacuum(&a, &ask), "own uploads age 1 1");
	assert_string_equal(kept_left(&a), "f y | e f o x y");

	works(retention_list(kept_db, &a, &rows, &n, &e));
	assert_int_equal(n, 4);
	assert_null(rows[0].project);
	assert_int_equal(rows[0].raw_days, 10);
	assert_int_equal(rows[0].run_days, -1);
	assert_int_equal(rows[0].quota_mib, -1);
	assert_string_equal(rows[1].project, "");
	assert_string_equal(rows[3].project, "own");
	/* a rejected rule changes nothing */
	const struct retention_row twice[] = { { "a", 1, 1, 1 },
		{ "a", 1, 1, 1 } };
	struct err why = { 0 };
	assert_false(retention_replace(kept_db, twice, 2, &why));
	works(retention_list(kept_db, &a, &rows, &n, &e));
	assert_int_equal(n, 4);
	arena_release(&a);
}

/* Extreme numbers mean forever or nothing at all; neither is an error. */
static void absurd_rules(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, INT32_MAX, INT32_MAX,
		INT64_MAX };
	(void)state;
	kept_done("a", "p", "{}", 9999, 1, 1, 1);
	assert_string_equal(kept_vacuum(&a, &ask), "");
	arena_release(&a);
}

/* If the same bytes are uploaded again, the existing runs are used. If there
 * are no runs, the upload is new. */
static void the_same_again(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, -1, -1 };
	struct upload_meta done = { "p", "w", "done", "", "{}", "", NAN };
	struct upload_meta bad = { "p", "w", "bad", "", "{}", "", NAN };
	(void)state;
	int64_t id = fixture_upload(kept_db, &done, "some").id;
	struct claim c = fixture_claim(kept_db, id);
	struct profile p = fixture_profile(&a);
	works(save(kept_db, &c, &p, 1, NULL, &e));
	int64_t failed = fixture_upload(kept_db, &bad, "other").id;
	c = fixture_claim(kept_db, failed);
	works(upload_fail(kept_db, &c,
		&(struct err){ ERR_TOO_LARGE, "no trace" }, &e));
	kept_vacuum(&a, &ask);
	/* the remains of a vacuum that was killed are replaced */
	kept_do(id, "INSERT INTO upload_chunk VALUES (%lld, 7, 'x')");
	struct upload_outcome out = fixture_upload(kept_db, &done, "some");
	assert_int_equal(out.id, id);
	assert_string_equal(out.state, "done");
	assert_string_equal(kept_left(&a), "done | done");
	assert_string_equal(kept_vacuum(&a, &kept_as_stored), "");
	out = fixture_upload(kept_db, &bad, "other");
	assert_false(out.existing);
	assert_string_equal(out.state, "queued");
	assert_string_equal(kept_left(&a), "bad done | done");
	arena_release(&a);
}

/* Deleting a large run takes longer than one request may. */
static void a_slow_run_is_deleted(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, -1, 1, -1 };
	(void)state;
	kept_done("a", "p", "{}", 9, 1, 1, 0);
	fixture_script(kept_db,
		"CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ "
		"BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$; "
		"CREATE TRIGGER slow BEFORE UPDATE ON run_identity "
		"FOR EACH ROW EXECUTE FUNCTION slow(); "
		"SET statement_timeout = '1s'");
	struct retention_report r;
	works(retention_vacuum(kept_db, &a, &ask, false, NULL, NULL, &r, &e));
	fixture_script(kept_db,
		"SET statement_timeout = 0; DROP FUNCTION slow CASCADE");
	assert_int_equal(r.why.code, 0);
	assert_string_equal(kept_left(&a), " | ");
	arena_release(&a);
}

static void nothing_is_read_of_them(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, -1, -1 };
	struct upload_row row;
	int64_t n, queued;
	char sentence[200];
	(void)state;
	int64_t done = kept_done("done", "p", "{}", 1, 1, 1, 1);
	int64_t bad = kept_failed("bad", "p", "{}", 1);
	works(upload_row_get(kept_db, &a, done, &row, &e));
	assert_true(row.dropped == NO_MOMENT);
	kept_vacuum(&a, &ask);
	works(upload_requeue_all(kept_db, &queued, &e));
	assert_int_equal(queued, 0);
	works(upload_count_dropped(kept_db, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(kept_left(&a), " | done");
	time_t now = time(NULL);
	struct tm day;
	gmtime_r(&now, &day);
	snprintf(sentence, sizeof sentence,
		"the bytes of upload %lld were dropped on %04d-%02d-%02d, as "
		"GET /retention says; send the file again",
		(long long)bad, day.tm_year + 1900, day.tm_mon + 1,
		day.tm_mday);
	refuses(upload_retry(kept_db, bad, &e), ERR_CONFLICT, sentence);
	works(upload_row_get(kept_db, &a, done, &row, &e));
	assert_true(row.dropped != NO_MOMENT);
	/* its size is unchanged */
	assert_int_equal(row.bytes, 1 << 20);
	arena_release(&a);
}

/* Retention that was killed while it deleted the bytes of an upload. */
static void a_started_deletion_is_finished(void **state)
{
	struct arena a = { 0 };
	(void)state;
	int64_t id = kept_done("a", "p", "{}", 1, 3, 1, 1);
	kept_do(id, "UPDATE upload SET dropped_at = now() WHERE id = %lld");
	kept_do(id, "DELETE FROM upload_chunk WHERE seq = 2 AND upload_id = "
		    "%lld");
	assert_string_equal(kept_vacuum(&a, &kept_as_stored),
		"p uploads begun 1 2");
	assert_string_equal(kept_left(&a), " | a");
	arena_release(&a);
}

static bool three(void *ctx)
{
	return --*(int *)ctx >= 0;
}

/* It stops on request, and the next call continues. */
static void it_stops_on_request(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, 0, -1 };
	struct retention_report r;
	int left = 3;
	(void)state;
	kept_done("a", "p", "{}", 1, 1, 2, 0);
	kept_done("b", "p", "{}", 1, 1, 2, 0);
	works(retention_vacuum(kept_db, &a, &ask, false, three, &left, &r, &e));
	assert_string_equal(kept_report(&a, &r), "p runs age 3 0");
	assert_string_equal(kept_vacuum(&a, &ask),
		"p runs age 1 0; p uploads age 1 1; p uploads deleted 1 1");
	arena_release(&a);
}

static bool cut_off(void *ctx)
{
	struct err e = { 0 };
	(void)ctx;
	sql_script(kept_db, "SELECT pg_terminate_backend(pg_backend_pid())",
		&e);
	return true;
}

/* A vacuum is not continued on another connection, because only the connection
 * that began it has the lock. */
static void it_ends_with_its_connection(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, 0, -1 };
	struct retention_report r;
	struct err e = { 0 };
	(void)state;
	kept_done("a", "p", "{}", 1, 1, 2, 0);
	assert_false(retention_vacuum(kept_db, &a, &ask, false, cut_off, NULL,
		&r, &e));
	assert_int_equal(e.code, ERR_DATABASE);
	assert_int_equal(r.sums_n, 0);
	e = (struct err){ 0 };
	assert_true(db_revive(kept_db, &e));
	arena_release(&a);
}

/* Changes after the plan was made are checked again. */
static void labelled_meanwhile(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, 0, -1 };
	struct retention_item *items;
	struct run_change c = { .labels = "{\"keep\": \"true\"}" };
	uint32_t n;
	bool gone;
	(void)state;
	int64_t id = kept_done("a", "p", "{}", 1, 1, 1, 0);
	works(retention_plan(kept_db, &a, &ask, &items, &n, &e));
	assert_int_equal(n, 2);
	works(run_change(kept_db, *fixture_runs(kept_db, &a, id, 1), &c, &e));
	for (uint32_t i = 0; i < n; i++) {
		works(retention_delete(kept_db, &items[i], &gone, &e));
		assert_false(gone);
	}
	assert_string_equal(kept_left(&a), "a | a");
	arena_release(&a);
}

/* A locked upload does not delay others, and is reported. */
static void a_locked_upload_does_not_delay_others(void **state)
{
	struct arena a = { 0 };
	struct retention_request ask = { NULL, 0, -1, -1 };
	struct retention_report r;
	struct db *other = fixture_connect("");
	char sql[80];
	(void)state;
	int64_t locked = kept_done("a", "p", "{}", 1, 1, 1, 0);
	kept_done("b", "p", "{}", 1, 1, 1, 0);
	snprintf(sql, sizeof sql,
		"BEGIN; SELECT FROM upload WHERE id = %lld FOR UPDATE",
		(long long)locked);
	fixture_script(other, sql);
	fixture_script(kept_db, "SET lock_timeout = '100ms'");
	works(retention_vacuum(kept_db, &a, &ask, false, NULL, NULL, &r, &e));
	assert_string_equal(kept_report(&a, &r), "p uploads age 1 1");
	assert_int_equal(r.left, 1);
	assert_string_equal(r.why.text, "the database answers: canceling "
					"statement due to lock timeout");
	db_free(other);
	assert_string_equal(kept_vacuum(&a, &ask), "p uploads age 1 1");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, kept_setup, kept_teardown)
	const struct CMUnitTest cases[] = {
		CASE(one_s_own_rule_counts),
		CASE(absurd_rules),
		CASE(the_same_again),
		CASE(a_slow_run_is_deleted),
		CASE(nothing_is_read_of_them),
		CASE(a_started_deletion_is_finished),
		CASE(it_stops_on_request),
		CASE(it_ends_with_its_connection),
		CASE(labelled_meanwhile),
		CASE(a_locked_upload_does_not_delay_others),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
