/* db_work.c - tests uploads in progress: leases, fences, attempts. */
#include "fixture.h"

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

static void expire(struct db *db)
{
	fixture_script(db,
		"UPDATE upload SET lease_until = now() - interval '1 s' "
		"WHERE state = 'working'");
}

static void oldest_first_and_each_once(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	int64_t first = fixture_queued(db, "1"),
		second = fixture_queued(db, "22");
	struct claim c;
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_int_equal(c.upload, first);
	assert_int_equal(c.bytes, 1);
	assert_int_equal(c.chunks, 1);
	assert_int_equal(c.lease_s, 30);
	works(upload_claim(other, "host:2", 30, &c, &e));
	assert_int_equal(c.upload, second);
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_int_equal(c.upload, 0);
	db_free(other);
}

static void one_being_claimed_is_passed_by(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	fixture_queued(db, "1");
	int64_t second = fixture_queued(db, "2");
	fixture_script(other, "BEGIN");
	fixture_script(other,
		"SELECT FROM upload ORDER BY id LIMIT 1 FOR UPDATE");
	fixture_claim(db, second);
	fixture_script(other, "ROLLBACK");
	db_free(other);
}

static void progress_is_seen_and_renews(void **state)
{
	struct db *db = *state;
	int64_t id = fixture_queued(db, "1234");
	struct claim c = fixture_claim(db, id);
	struct arena a = { 0 };
	struct upload_row row;
	expire(db);
	works(upload_progress(db, &c, "decode", 3, &e));
	works(upload_row_get(db, &a, id, &row, &e));
	assert_string_equal(row.stage, "decode");
	assert_int_equal(row.done_bytes, 3);
	works(upload_claim(db, "host:2", 30, &c, &e));
	assert_int_equal(c.upload, 0);
	arena_release(&a);
}

static void lost_lease_writes_nothing(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	int64_t id = fixture_queued(db, "1");
	struct claim old = fixture_claim(db, id), new;
	char want[60];
	snprintf(want, sizeof want, "the lease on upload %lld was lost",
		(long long)id);
	expire(db);
	works(upload_claim(db, "host:2", 30, &new, &e));
	assert_int_equal(new.upload, id);
	refuses(upload_progress(db, &old, "decode", 1, &e), ERR_CONFLICT, want);
	refuses(upload_fail(db, &old, &(struct err){ ERR_TOO_LARGE, "no" }, &e),
		ERR_CONFLICT, want);
	refuses(upload_release(db, &old, false, &e), ERR_CONFLICT, want);
	refuses(save(db, &old, &p, 1, NULL, &e), ERR_CONFLICT, want);
	fixture_expect(db, id, "working", 2, NULL);
	assert_int_equal(fixture_count(db,
				 "SELECT (SELECT count(*) FROM run) + "
				 "(SELECT count(*) FROM run_identity) + "
				 "(SELECT count(*) FROM run_kernel)"),
		0);
	works(save(db, &new, &p, 1, NULL, &e));
	fixture_expect(db, id, "done", 2, NULL);
	refuses(upload_progress(db, &new, "save", 1, &e), ERR_CONFLICT, want);
	arena_release(&a);
}

static const char stuck[] =
	"the ingest stopped without an answer three times in a row, never "
	"getting further; retry, or record a shorter window";

static void third_silent_end_fails(void **state)
{
	struct db *db = *state;
	struct claim c;
	int64_t id = fixture_queued(db, "1"), next = fixture_queued(db, "2");
	for (int i = 1; i <= 3; i++) {
		works(upload_claim(db, "host:1", 30, &c, &e));
		assert_int_equal(c.upload, id);
		fixture_expect(db, id, "working", i, NULL);
		expire(db);
	}
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_int_equal(c.upload, next);
	fixture_expect(db, id, "failed", 3, stuck);
}

static void getting_further_forgets_the_tries(void **state)
{
	struct db *db = *state;
	struct claim c;
	int64_t id = fixture_queued(db, "12345678");
	/* Two attempts without progress, then one that reaches byte 5 and
	 * stops. */
	for (int i = 0; i < 2; i++) {
		c = fixture_claim(db, id);
		expire(db);
	}
	c = fixture_claim(db, id);
	works(upload_progress(db, &c, "decode", 5, &e));
	fixture_expect(db, id, "working", 0, NULL);
	expire(db);
	/* Reaching byte 5 again is not progress: three of these end it. */
	for (int i = 1; i <= 3; i++) {
		c = fixture_claim(db, id);
		works(upload_progress(db, &c, "decode", 5, &e));
		fixture_expect(db, id, "working", i, NULL);
		expire(db);
	}
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_int_equal(c.upload, 0);
	fixture_expect(db, id, "failed", 3, stuck);
	works(upload_retry(db, id, &e));
	fixture_expect(db, id, "queued", 0, NULL);
}

static void release_is_not_a_try(void **state)
{
	struct db *db = *state;
	int64_t id = fixture_queued(db, "1");
	for (int i = 0; i < 5; i++) {
		struct claim c = fixture_claim(db, id);
		works(upload_release(db, &c, false, &e));
		fixture_expect(db, id, "queued", 0, NULL);
	}
}

static void all_leases_ended_at_once(void **state)
{
	struct db *db = *state;
	int64_t released, one = fixture_queued(db, "1"),
			  two = fixture_queued(db, "2");
	int64_t third = fixture_queued(db, "3");
	struct claim c = fixture_claim(db, one);
	fixture_claim(db, two);
	works(upload_release_all(db, &released, &e));
	assert_int_equal(released, 2);
	fixture_expect(db, one, "queued", 0, NULL);
	fixture_expect(db, two, "queued", 0, NULL);
	fixture_expect(db, third, "queued", 0, NULL);
	struct err e = { 0 };
	assert_false(upload_progress(db, &c, "save", 1, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
}

static void released_one_keeps_its_place(void **state)
{
	struct db *db = *state;
	int64_t first = fixture_queued(db, "1");
	struct claim c = fixture_claim(db, first);
	fixture_queued(db, "2");
	works(upload_release(db, &c, false, &e));
	fixture_claim(db, first);
}

static void waiting_ends_with_the_queue(void **state)
{
	struct db *db = *state;
	struct timespec from, to;
	works(upload_wait(db, 1, &e)); /* listens from here on */
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (!fork()) {
		usleep(100000);
		struct err e = { 0 };
		struct db *sender = db_new("", &e);
		fixture_upload(sender, &fixture_meta, "1");
		db_free(sender);
		_exit(0);
	}
	works(upload_wait(db, 20000, &e));
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(to.tv_sec - from.tv_sec < 10);
	wait(NULL);
	struct claim c;
	works(upload_claim(db, "host:1", 30, &c, &e));
	assert_true(c.upload > 0);
}

static void queue_is_counted(void **state)
{
	struct db *db = *state;
	struct upload_queue q;
	works(upload_queue(db, &q, &e));
	assert_int_equal(q.queued, 0);
	assert_true(q.oldest_queued_s == 0);

	int64_t failed = fixture_queued(db, "1"), id;
	struct claim c = fixture_claim(db, failed);
	works(upload_fail(db, &c, &(struct err){ ERR_TOO_LARGE, "no" }, &e));
	c = fixture_claim(db, fixture_queued(db, "2"));
	works(save(db, &c, NULL, 0, NULL, &e));
	fixture_claim(db, fixture_queued(db, "3"));
	fixture_queued(db, "4");
	fixture_queued(db, "5");
	works(upload_begin(db, &fixture_meta, &id, &e));
	fixture_script(db,
		"UPDATE upload SET queued_at = now() - interval '90 s' "
		"WHERE id = (SELECT max(id) FROM upload WHERE state = "
		"'queued')");
	works(upload_queue(db, &q, &e));
	assert_int_equal(q.receiving, 1);
	assert_int_equal(q.queued, 2);
	assert_int_equal(q.working, 1);
	assert_int_equal(q.failed, 1);
	assert_int_equal(q.done, 1);
	assert_true(q.oldest_queued_s >= 90 && q.oldest_queued_s < 120);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(oldest_first_and_each_once),
		CASE(one_being_claimed_is_passed_by),
		CASE(progress_is_seen_and_renews),
		CASE(lost_lease_writes_nothing),
		CASE(third_silent_end_fails),
		CASE(getting_further_forgets_the_tries),
		CASE(release_is_not_a_try),
		CASE(all_leases_ended_at_once),
		CASE(released_one_keeps_its_place),
		CASE(waiting_ends_with_the_queue),
		CASE(queue_is_counted),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
