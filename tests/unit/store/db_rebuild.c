/* db_rebuild.c - tests that runs are rebuilt and deleted, and that values set
 * by users are kept. */
#include "fixture.h"
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

static void rebuild_replaces_rows_and_keeps_the_rest(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct run_row before, after;
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	struct run_change change = { .name = "the good one",
		.labels = "{\"kept\": \"yes\"}" };
	works(run_change(db, id, &change, &e));
	works(query_run(db, &a, id, &before, &e));

	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 1);
	works(query_run(db, &a, id, &after, &e)); /* still visible */
	struct claim c = fixture_claim(db, upload);
	p.busy_ns = 401;
	works(save(db, &c, &p, 1, NULL, &e));
	assert_int_equal(*fixture_runs(db, &a, upload, 1), id);
	works(query_run(db, &a, id, &after, &e));
	assert_int_equal(after.busy_ns, 401);
	assert_string_equal(after.name, "the good one");
	assert_string_equal(after.labels, "{\"kept\": \"yes\"}");
	assert_int_equal(after.created, before.created);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);
	arena_release(&a);
}

static void rebuild_with_more_and_with_fewer_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	int64_t queued, upload = fixture_save(db, "1", p, 1);
	int64_t first = *fixture_runs(db, &a, upload, 1);
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, p, 2, NULL, &e));
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	assert_int_equal(ids[0], first);
	works(upload_requeue_all(db, &queued, &e));
	c = fixture_claim(db, upload);
	works(save(db, &c, p, 1, NULL, &e));
	assert_int_equal(*fixture_runs(db, &a, upload, 1), first);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);
	arena_release(&a);
}

static void rebuild_skips_uploads_in_progress(void **state)
{
	struct db *db = *state;
	int64_t queued, id;
	struct claim c;
	fixture_upload(db, &fixture_meta, "working");
	works(upload_claim(db, "host:1", 30, &c, &e));
	fixture_upload(db, &fixture_meta, "queued");
	works(upload_begin(db, &fixture_meta, &id, &e));
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 0);
	works(upload_fail(db, &c, &(struct err){ ERR_TOO_LARGE, "no" }, &e));
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 1);
	/* Bytes that were deleted cannot be decoded again. */
	works(upload_claim(db, "host:1", 30, &c, &e));
	works(upload_fail(db, &c, &(struct err){ ERR_TOO_LARGE, "no" }, &e));
	fixture_script(db, "DELETE FROM upload_chunk");
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 0);
}

static void deleted_run_stays_deleted(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	int64_t queued, upload = fixture_save(db, "1", p, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	struct run_row r;
	char want[40];
	snprintf(want, sizeof want, "no run %lld", (long long)ids[0]);
	works(run_delete(db, ids[0], &e));
	refuses(query_run(db, &a, ids[0], &r, &e), ERR_NOT_FOUND, want);
	refuses(run_delete(db, ids[0], &e), ERR_NOT_FOUND, want);
	refuses(run_change(db, ids[0], &(struct run_change){ .name = "x" }, &e),
		ERR_NOT_FOUND, want);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);

	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, p, 2, NULL, &e));
	assert_int_equal(*fixture_runs(db, &a, upload, 1), ids[1]);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);
	/* One run is left, so the bytes count as already uploaded. */
	assert_true(fixture_upload(db, &fixture_meta, "1").existing);
	arena_release(&a);
}

static void bytes_without_runs_can_be_uploaded_again(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	int64_t queued, upload = fixture_save(db, "1", p, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	works(run_delete(db, ids[0], &e));
	works(run_delete(db, ids[1], &e));
	fixture_runs(db, &a, upload, 0);
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 0);

	int64_t again = fixture_save(db, "1", p, 2);
	assert_int_not_equal(again, upload);
	assert_true(*fixture_runs(db, &a, again, 2) > ids[1]);
	arena_release(&a);
}

static int64_t pair[2];

static bool delete_one(struct db *db, int nth, struct err *e)
{
	return run_delete(db, pair[nth], e);
}

static void both_runs_deleted_at_once(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	for (int i = 0; i < 10; i++) {
		int64_t upload = fixture_save(db, "1", p, 2);
		memcpy(pair, fixture_runs(db, &a, upload, 2), sizeof pair);
		fixture_together(2, "", delete_one);
		assert_int_equal(fixture_derived(db), 0);
		assert_int_equal(fixture_count(db,
					 "SELECT count(identity) FROM upload"),
			0);
	}
	arena_release(&a);
}

static struct claim rebuild_claim;

/* A rebuild and a deletion run at once: the run is deleted, whichever comes
 * first. */
static bool save_or_delete(struct db *db, int nth, struct err *e)
{
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	return nth == 0 ? run_delete(db, pair[0], e)
			: save(db, &rebuild_claim, &p, 1, NULL, e);
}

static void deletion_and_rebuild_at_once(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	for (int i = 0; i < 10; i++) {
		int64_t queued, upload = fixture_save(db, "1", &p, 1);
		pair[0] = *fixture_runs(db, &a, upload, 1);
		works(upload_requeue_all(db, &queued, &e));
		rebuild_claim = fixture_claim(db, upload);
		fixture_together(2, "", save_or_delete);
		fixture_runs(db, &a, upload, 0);
		assert_int_equal(fixture_derived(db), 0);
	}
	arena_release(&a);
}

static void people_say_something_else(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct run_row r;
	int64_t id = *fixture_runs(db, &a, fixture_save(db, "1", &p, 1), 1);
	struct run_change c = { .project = "vesta", .labels = "{}" };
	works(run_change(db, id, &c, &e));
	works(query_run(db, &a, id, &r, &e));
	assert_string_equal(r.name, "nightly");
	assert_string_equal(r.project, "vesta");
	assert_string_equal(r.workload, "train");
	assert_string_equal(r.labels, "{}");
	refuses(run_change(db, 4711, &c, &e), ERR_NOT_FOUND, "no run 4711");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(rebuild_replaces_rows_and_keeps_the_rest),
		CASE(rebuild_with_more_and_with_fewer_runs),
		CASE(rebuild_skips_uploads_in_progress),
		CASE(deleted_run_stays_deleted),
		CASE(bytes_without_runs_can_be_uploaded_again),
		CASE(both_runs_deleted_at_once),
		CASE(deletion_and_rebuild_at_once),
		CASE(people_say_something_else),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
