/* db_drop.c - tests that an abandoned large upload is deleted in steps, from
 * its end. */
#include "fixture.h"

enum { CHUNKS = 200, TURN = 128 };

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

/* One byte per chunk. */
static int64_t begun(struct db *db, int chunks)
{
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	for (int i = 0; i < chunks; i++)
		works(upload_chunk(db, id, i, "d", 1, &e));
	return id;
}

/* The remaining chunks are consistent. */
static void left(struct db *db, int64_t chunks)
{
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		chunks);
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM upload u WHERE (SELECT "
				 "(count(*), sum(octet_length(bytes)), max(seq)"
				 " + 1) FROM upload_chunk WHERE upload_id = "
				 "u.id) IS DISTINCT FROM (chunks::bigint, "
				 "bytes, chunks)"),
		0);
}

/* The upload can neither be continued nor be completed. */
static void sender_is_refused(struct db *db, int64_t id)
{
	struct err e = { 0 }, f = { 0 };
	struct upload_outcome out;
	uint8_t digest[SHA256_BYTES] = { 0 };
	assert_false(upload_chunk(db, id, CHUNKS, "d", 1, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(upload_finish(db, id, digest, CHUNKS, NULL, &out, &f));
	assert_int_equal(f.code, ERR_CONFLICT);
}

static void swept_in_turns(void **state)
{
	struct db *db = *state;
	int64_t swept, n, id = begun(db, CHUNKS);
	bool more;
	works(upload_expire_all(db, &n, &e));
	assert_int_equal(n, 1);
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, 0);
	assert_true(more);
	left(db, CHUNKS - TURN);
	sender_is_refused(db, id);
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, 1);
	assert_false(more);
	left(db, 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload"), 0);
}

static void many_small_ones_take_turns_too(void **state)
{
	struct db *db = *state;
	int64_t swept, n;
	bool more;
	for (int i = 0; i < TURN; i++)
		begun(db, 1);
	works(upload_expire_all(db, &n, &e));
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, TURN / 2);
	assert_true(more);
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, TURN / 2);
	assert_false(more);
}

static void an_aborted_upload_is_deleted_at_once(void **state)
{
	struct db *db = *state;
	int64_t id = begun(db, CHUNKS);
	works(upload_abort(db, id, &e));
	left(db, 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload"), 0);
}

/* An upload that cannot be deleted because it is locked does not delay
 * others. */
static void a_locked_upload_does_not_delay_others(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	int64_t swept, n, locked = begun(db, 1);
	char sql[80];
	bool more;
	begun(db, 1);
	works(upload_expire_all(db, &n, &e));
	snprintf(sql, sizeof sql,
		"BEGIN; SELECT FROM upload WHERE id = %lld FOR UPDATE",
		(long long)locked);
	fixture_script(other, sql);
	fixture_script(db, "SET lock_timeout = '100ms'");
	refuses(upload_sweep(db, 60, &swept, &more, &e), ERR_DATABASE,
		"the database answers: canceling statement due to lock "
		"timeout");
	assert_int_equal(swept, 1);
	db_free(other);
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, 1);
	assert_false(more);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(swept_in_turns),
		CASE(many_small_ones_take_turns_too),
		CASE(an_aborted_upload_is_deleted_at_once),
		CASE(a_locked_upload_does_not_delay_others),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
