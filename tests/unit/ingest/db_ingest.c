/* db_ingest.c - one upload through ingest(), with a real PostgreSQL. */
#include "fixture.h"

static bool saving;

struct world {
	struct db *db;
	struct catalog *families;
};

static int setup(void **state)
{
	static struct world w;
	struct err e = { 0 };
	w = (struct world){ fixture_db(), catalog_new(NULL, &e) };
	assert_non_null(w.families);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	db_free(w->db);
	catalog_free(w->families);
	return 0;
}

static struct claim claim(struct world *w, int64_t upload)
{
	struct claim c = { 0 };
	works(upload_claim(w->db, "here:1", 30, &c, &err));
	assert_int_equal(c.upload, upload);
	return c;
}

static struct fixture_row row(struct world *w, int64_t upload)
{
	return fixture_row(w->db, upload);
}

/* The numbers are in fixture.h; chunks end in the middle of words. */
static void a_trace_in_small_chunks_is_done(void **state)
{
	struct world *w = *state;
	int64_t id = fixture_upload(w->db, "chunks", fixture_trace, 7);
	struct claim c = claim(w, id);
	works(ingest(w->db, &c, w->families, NULL, &fixture_limits, &saving,
		&err));

	struct fixture_row r = row(w, id);
	assert_string_equal(r.state, "done");
	assert_int_equal(r.runs, 1);
	assert_int_equal(r.launches, 2);
	assert_int_equal(r.kernels, 1);
	assert_int_equal(r.kernel_ns, 400);
	assert_int_equal(r.busy_ns, 400);
	assert_int_equal(r.copies, 1);
	assert_int_equal(r.copy_ns, 50);
	assert_int_equal(r.span_ns, 2050);
}

static void failed(struct world *w, int64_t id, const char *sentence)
{
	struct fixture_row u = row(w, id);
	assert_string_equal(u.state, "failed");
	assert_string_equal(u.error, sentence);
	assert_int_equal(u.runs, 0);
}

static void an_invalid_upload_fails(void **state)
{
	struct world *w = *state;
	int64_t id = fixture_upload(w->db, "empty", "{\"traceEvents\": []}",
		UPLOAD_CHUNK);
	struct claim c = claim(w, id);
	works(ingest(w->db, &c, w->families, NULL, &fixture_limits, &saving,
		&err));
	struct fixture_row u = row(w, id);
	assert_string_equal(u.state, "failed");
	assert_int_equal(u.runs, 0);
}

static void an_arena_too_small_fails_it(void **state)
{
	struct world *w = *state;
	struct ingest_limits limits = fixture_limits;
	int64_t id =
		fixture_upload(w->db, "arena", fixture_trace, UPLOAD_CHUNK);
	struct claim c = claim(w, id);
	limits.arena_bytes = 1;
	works(ingest(w->db, &c, w->families, NULL, &limits, &saving, &err));
	failed(w, id,
		"the trace needs more than 0 MiB of memory; record a shorter "
		"window, or raise --ingest-mib");
}

static void a_stop_request_ends_an_ingest(void **state)
{
	struct world *w = *state;
	struct ingest_limits limits = fixture_limits;
	const volatile sig_atomic_t stop = 1;
	struct err e = { 0 };
	int64_t id = fixture_upload(w->db, "stop", fixture_trace, UPLOAD_CHUNK);
	struct claim c = claim(w, id);
	limits.stop = &stop;
	assert_false(
		ingest(w->db, &c, w->families, NULL, &limits, &saving, &e));
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(row(w, id).state, "working");
	works(upload_release(w->db, &c, false, &err));
	struct claim again = claim(w, id);
	works(ingest(w->db, &again, w->families, NULL, &fixture_limits, &saving,
		&err));
	assert_string_equal(row(w, id).state, "done");
	assert_int_equal(row(w, id).tries, 1);
}

/* A worker whose lease expired must not write over another's work. */
static void a_lost_lease_leaves_nothing(void **state)
{
	struct world *w = *state;
	struct err e = { 0 };
	int64_t id =
		fixture_upload(w->db, "lease", fixture_trace, UPLOAD_CHUNK);
	struct claim late = claim(w, id);
	works(upload_release(w->db, &late, false, &err));
	struct claim now = claim(w, id);
	assert_false(ingest(w->db, &late, w->families, NULL, &fixture_limits,
		&saving, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_int_equal(row(w, id).runs, 0);
	works(ingest(w->db, &now, w->families, NULL, &fixture_limits, &saving,
		&err));
	assert_int_equal(row(w, id).runs, 1);
}

/* A server that starts requeues what the workers of its predecessor held.
 * This does not count as an attempt. */
static void a_restart_releases_all_claims(void **state)
{
	struct world *w = *state;
	int64_t released = 0;
	int64_t id =
		fixture_upload(w->db, "fresh", fixture_trace, UPLOAD_CHUNK);
	claim(w, id);
	works(upload_release_all(w->db, &released, &err));
	assert_int_equal(released, 1);
	struct claim c = claim(w, id);
	assert_int_equal(row(w, id).tries, 1);
	works(ingest(w->db, &c, w->families, NULL, &fixture_limits, &saving,
		&err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_in_small_chunks_is_done),
		cmocka_unit_test(an_invalid_upload_fails),
		cmocka_unit_test(an_arena_too_small_fails_it),
		cmocka_unit_test(a_stop_request_ends_an_ingest),
		cmocka_unit_test(a_lost_lease_leaves_nothing),
		cmocka_unit_test(a_restart_releases_all_claims),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
