/* db_capture.c - tests the capture file of a run: it is stored in chunks, read
 * back, and replaced. */
#include "fixture.h"
#include "run_change.h"

/* The capture file of a run has `len` bytes, each computed from its position
 * and its run. It is stored in chunks of `step` bytes. */
struct writer {
	size_t len, step;
	uint8_t salt;
	int calls;
	struct db *race; /* a connection that causes one lost race */
};

static uint8_t byte_at(const struct writer *w, uint32_t run, size_t at)
{
	return (uint8_t)(at * 31 + (at >> 16) + run * 7 + w->salt);
}

static bool write_run(void *ctx, uint32_t run, capture_put_fn *put, void *to,
	struct err *e)
{
	struct writer *w = ctx;
	uint8_t *bytes = malloc(w->step);
	bool ok = true;
	w->calls++;
	for (size_t at = 0; ok && at < w->len; at += w->step) {
		size_t n = w->len - at < w->step ? w->len - at : w->step;
		for (size_t i = 0; i < n; i++)
			bytes[i] = byte_at(w, run, at + i);
		ok = put(to, bytes, n, e);
	}
	free(bytes);
	if (ok && w->race && w->calls == 1)
		ok = sql_script(w->race,
			"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; "
			"END $$",
			e);
	return ok;
}

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

static int64_t capture_save(struct db *db, struct writer *w, uint32_t n)
{
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	const struct captures captures = { write_run, w };
	int64_t id = fixture_upload(db, &fixture_meta, "1").id;
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, p, n, &captures, &e));
	arena_release(&a);
	return id;
}

/* Reads the capture file of the run to its end; asserts every byte and the
 * sizes of the chunks. */
static void reads_back(struct db *db, int64_t id, const struct writer *w,
	uint32_t run)
{
	uint8_t *piece = malloc(CAPTURE_PIECE);
	int64_t edition = 0;
	size_t at = 0, len;
	for (int32_t seq = 0;; seq++) {
		works(query_capture(db, id, seq, &edition, piece, &len, &e));
		size_t left = w->len - at;
		assert_int_equal(len,
			left < CAPTURE_PIECE ? left : CAPTURE_PIECE);
		if (!len)
			break;
		for (size_t i = 0; i < len; i++)
			if (piece[i] != byte_at(w, run, at + i))
				fail_msg("byte %zu is another", at + i);
		at += len;
	}
	free(piece);
}

static void every_length_is_read_back(void **state)
{
	static const struct writer writers[] = {
		{ .len = 1, .step = 1 },
		{ .len = CAPTURE_PIECE - 1, .step = 70001 },
		{ .len = CAPTURE_PIECE, .step = CAPTURE_PIECE },
		{ .len = CAPTURE_PIECE + 1, .step = 65536 },
		{ .len = 5 * CAPTURE_PIECE + 77,
			.step = 2 * CAPTURE_PIECE + 5 },
	};
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		struct arena a = { 0 };
		struct writer w = writers[i];
		struct db *db = fixture_db();
		int64_t upload = capture_save(db, &w, 2);
		const int64_t *ids = fixture_runs(db, &a, upload, 2);
		reads_back(db, ids[0], &w, 0);
		reads_back(db, ids[1], &w, 1);
		arena_release(&a);
		db_free(db);
	}
	(void)state;
}

static void run_without_a_capture_says_so(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	char piece[1];
	int64_t edition = 0;
	size_t len;
	int64_t id = *fixture_runs(db, &a, fixture_save(db, "1", &p, 1), 1);
	refuses(query_capture(db, id, 0, &edition, piece, &len, &e),
		ERR_NOT_FOUND,
		arena_printf(&a,
			"run %lld has no capture: it was made by an earlier "
			"version; 'kernsiftd rebuild' stores one",
			(long long)id));
	refuses(query_capture(db, 4711, 0, &edition, piece, &len, &e),
		ERR_NOT_FOUND, "no run 4711");
	arena_release(&a);
}

static void rebuild_replaces_it_and_a_reader_notices(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct writer w = { .len = 2 * CAPTURE_PIECE + 9, .step = 5000 };
	const struct captures captures = { write_run, &w };
	uint8_t *piece = malloc(CAPTURE_PIECE);
	int64_t queued, edition = 0, upload = capture_save(db, &w, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	size_t len;
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + 3);
	works(query_capture(db, id, 0, &edition, piece, &len, &e));

	w = (struct writer){ .len = CAPTURE_PIECE + 1,
		.step = 5000,
		.salt = 3 };
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, &p, 1, &captures, &e));
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + 2);
	reads_back(db, id, &w, 0);
	/* Also after the requested chunk was deleted. */
	for (int32_t seq = 1; seq < 4; seq++)
		refuses(query_capture(db, id, seq, &edition, piece, &len, &e),
			ERR_CONFLICT,
			arena_printf(&a,
				"the capture of run %lld was rewritten "
				"meanwhile; fetch it again",
				(long long)id));
	free(piece);
	arena_release(&a);
}

static void a_deleted_run_has_no_capture(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	struct writer w = { .len = 10, .step = 10 };
	const struct captures captures = { write_run, &w };
	int64_t queued, upload = capture_save(db, &w, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	works(run_delete(db, ids[0], &e));
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run_capture"),
		1);
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	w.calls = 0;
	works(save(db, &c, p, 2, &captures, &e));
	assert_int_equal(w.calls, 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run_capture"),
		1);
	reads_back(db, ids[1], &w, 1);
	arena_release(&a);
}

/* The whole operation is repeated, and nothing of the first attempt stays. */
static void lost_race_writes_it_again(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct writer w = { .len = CAPTURE_PIECE + 5, .step = 999, .race = db };
	int64_t upload = capture_save(db, &w, 1);
	assert_int_equal(w.calls, 2);
	reads_back(db, *fixture_runs(db, &a, upload, 1), &w, 0);
	arena_release(&a);
}

static bool refuse(void *ctx, uint32_t run, capture_put_fn *put, void *to,
	struct err *e)
{
	(void)ctx, (void)run;
	return put(to, "half", 4, e) &&
	       err_set(e, ERR_TOO_LARGE, "the capture is too large");
}

static void failed_writer_leaves_no_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	const struct captures captures = { refuse, NULL };
	fixture_upload(db, &fixture_meta, "1");
	struct claim c;
	works(upload_claim(db, "host:1", 30, &c, &e));
	refuses(save(db, &c, &p, 1, &captures, &e), ERR_TOO_LARGE,
		"the capture is too large");
	assert_int_equal(fixture_derived(db), 0);
	/* The claim is still valid, so it may be failed with that sentence. */
	works(upload_fail(db, &c, &(struct err){ ERR_TOO_LARGE, "too large" },
		&e));
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(every_length_is_read_back),
		CASE(run_without_a_capture_says_so),
		CASE(rebuild_replaces_it_and_a_reader_notices),
		CASE(a_deleted_run_has_no_capture),
		CASE(lost_race_writes_it_again),
		CASE(failed_writer_leaves_no_run),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
