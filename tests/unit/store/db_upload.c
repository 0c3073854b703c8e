/* db_upload.c - tests an upload from its first byte until it is queued. */
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

static void digest(const char *text, uint8_t sha256[SHA256_BYTES])
{
	sha256_of(text, strlen(text), sha256);
}

static int64_t begin(struct db *db, const char *text)
{
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	works(upload_chunk(db, id, 0, text, strlen(text), &e));
	return id;
}

static void received_and_queued(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct upload_row row;
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	works(upload_row_get(db, &a, id, &row, &e));
	assert_string_equal(row.state, "receiving");
	assert_string_equal(row.project, "mesa");
	assert_string_equal(row.workload, "train");
	assert_string_equal(row.name, "nightly");
	assert_string_equal(row.job, "job7");
	assert_string_equal(row.labels,
		"{\"gpu\": \"h100\", \"branch\": \"main\"}");
	assert_string_equal(row.file_name, "a.json.gz");
	assert_true(isnan(row.gpu_hours));
	assert_null(row.sha256);
	assert_true(row.received == NO_MOMENT);

	works(upload_chunk(db, id, 0, "abc", 3, &e));
	works(upload_chunk(db, id, 1, "de", 2, &e));
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out;
	digest("abcde", sha256);
	works(upload_finish(db, id, sha256, 5, NULL, &out, &e));
	assert_int_equal(out.id, id);
	assert_false(out.existing);
	assert_string_equal(out.state, "queued");

	works(upload_row_get(db, &a, id, &row, &e));
	assert_string_equal(row.state, "queued");
	assert_int_equal(row.bytes, 5);
	/* printf abcde | sha256sum */
	assert_string_equal(row.sha256,
		"36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0"
		"c44ca42c");
	assert_true(row.received >= row.created);
	char *got = arena_alloc(&a, UPLOAD_CHUNK, 1);
	size_t len;
	struct upload_chunk_place place;
	works(upload_read_chunk(db, id, 1, got, &len, &place, &e));
	assert_int_equal(len, 2);
	assert_memory_equal(got, "de", 2);
	arena_release(&a);
}

/* Provenance files are part of the identity of an upload. */
static void provenance_is_read_back(void **state)
{
	static const char *const files[] = { "[{}]", NULL, "[{}]", "[{}, {}]" };
	static const int same_as[] = { 0, 1, 0, 3 };
	struct db *db = *state;
	struct arena a = { 0 };
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out[4];
	digest("abc", sha256);
	for (int i = 0; i < 4; i++) {
		const char *text;
		int64_t id;
		works(upload_begin(db, &fixture_meta, &id, &e));
		works(upload_chunk(db, id, 0, "abc", 3, &e));
		works(upload_finish(db, id, sha256, 3, files[i], &out[i], &e));
		assert_int_equal(out[i].existing, same_as[i] != i);
		assert_int_equal(out[i].id, out[same_as[i]].id);
		works(upload_provenance_read(db, out[i].id, &a, &text, &e));
		if (files[i])
			assert_string_equal(text, files[i]);
		else
			assert_null(text);
	}
	arena_release(&a);
}

static void a_full_chunk_is_read_back(void **state)
{
	struct db *db = *state;
	uint8_t *bytes = malloc(UPLOAD_CHUNK), *got = malloc(UPLOAD_CHUNK);
	int64_t id;
	size_t len;
	struct upload_chunk_place place;
	for (uint32_t i = 0; i < UPLOAD_CHUNK; i++)
		bytes[i] = (uint8_t)(i * 2654435761U >> 24);
	works(upload_begin(db, &fixture_meta, &id, &e));
	works(upload_chunk(db, id, 0, bytes, UPLOAD_CHUNK, &e));
	works(upload_read_chunk(db, id, 0, got, &len, &place, &e));
	assert_int_equal(len, UPLOAD_CHUNK);
	assert_memory_equal(bytes, got, UPLOAD_CHUNK);
	free(bytes);
	free(got);
}

static void chunk_out_of_order_is_refused(void **state)
{
	struct db *db = *state;
	int64_t id = begin(db, "abc");
	char want[160];
	snprintf(want, sizeof want,
		"upload %lld does not take chunk 2: it is no longer being "
		"received, or an earlier chunk is missing",
		(long long)id);
	refuses(upload_chunk(db, id, 2, "x", 1, &e), ERR_CONFLICT, want);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		1);
}

static void missing_chunk_is_not_found(void **state)
{
	struct db *db = *state;
	char *got = malloc(UPLOAD_CHUNK);
	size_t len;
	struct upload_chunk_place place;
	refuses(upload_read_chunk(db, 4711, 3, got, &len, &place, &e),
		ERR_NOT_FOUND, "upload 4711 has no chunk 3");
	free(got);
}

static void bytes_that_do_not_add_up_are_refused(void **state)
{
	struct db *db = *state;
	int64_t id = begin(db, "abc");
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out;
	char want[80];
	digest("abcd", sha256);
	snprintf(want, sizeof want, "upload %lld holds 3 bytes, not the 4 sent",
		(long long)id);
	refuses(upload_finish(db, id, sha256, 4, NULL, &out, &e), ERR_CONFLICT,
		want);
}

static void finished_twice_is_refused(void **state)
{
	struct db *db = *state;
	struct upload_outcome out = fixture_upload(db, &fixture_meta, "abc");
	uint8_t sha256[SHA256_BYTES];
	char want[80];
	digest("abc", sha256);
	snprintf(want, sizeof want, "upload %lld is no longer being received",
		(long long)out.id);
	refuses(upload_finish(db, out.id, sha256, 3, NULL, &out, &e),
		ERR_CONFLICT, want);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload "
					   "WHERE state = 'queued'"),
		1);
}

static void aborted_leaves_nothing(void **state)
{
	struct db *db = *state;
	int64_t id = begin(db, "abc");
	works(upload_abort(db, id, &e));
	works(upload_abort(db, id, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT (SELECT count(*) FROM upload) + "
				 "(SELECT count(*) FROM upload_chunk)"),
		0);
}

static void queued_is_not_aborted(void **state)
{
	struct db *db = *state;
	struct upload_outcome out = fixture_upload(db, &fixture_meta, "abc");
	works(upload_abort(db, out.id, &e));
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		1);
}

static void idle_is_swept_and_others_not(void **state)
{
	struct db *db = *state;
	bool more;
	int64_t swept, idle = begin(db, "abc");
	fixture_script(db,
		"UPDATE upload SET touched_at = now() - interval '61 s'");
	int64_t alive = begin(db, "abc");
	fixture_upload(db, &fixture_meta, "queued");
	fixture_script(db,
		"UPDATE upload SET touched_at = now() - interval '61 s' "
		"WHERE state = 'queued'");
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, 1);
	struct arena a = { 0 };
	struct upload_row row;
	works(upload_row_get(db, &a, alive, &row, &e));
	struct err e = { 0 };
	assert_false(upload_row_get(db, &a, idle, &row, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		2);
	arena_release(&a);
}

static void chunk_keeps_an_upload_alive(void **state)
{
	struct db *db = *state;
	bool more;
	int64_t swept, id = begin(db, "abc");
	fixture_script(db,
		"UPDATE upload SET touched_at = now() - interval '61 s'");
	works(upload_chunk(db, id, 1, "d", 1, &e));
	works(upload_sweep(db, 60, &swept, &more, &e));
	assert_int_equal(swept, 0);
}

static void chunk_stays_on_its_page(void **state)
{
	struct db *db = *state;
	int64_t id = begin(db, "abc");
	fixture_script(db, "SELECT pg_stat_force_next_flush()");
	fixture_script(db,
		"SELECT "
		"pg_stat_reset_single_table_counters('upload'::regclass)");
	for (int32_t i = 1; i <= 50; i++)
		works(upload_chunk(db, id, i, "d", 1, &e));
	fixture_script(db, "SELECT pg_stat_force_next_flush()");
	/* Neither the index entries nor the pages grow with the chunks. */
	assert_int_equal(fixture_count(db, "SELECT n_tup_hot_upd "
					   "FROM pg_stat_user_tables "
					   "WHERE relname = 'upload'"),
		50);
	assert_int_equal(fixture_count(db,
				 "SELECT pg_relation_size('upload') / 8192"),
		1);
}

static void only_failed_ones_are_retried(void **state)
{
	struct db *db = *state;
	struct upload_outcome out = fixture_upload(db, &fixture_meta, "abc");
	char want[100];
	snprintf(want, sizeof want,
		"upload %lld is queued; only a failed one can be retried",
		(long long)out.id);
	refuses(upload_retry(db, out.id, &e), ERR_CONFLICT, want);
	refuses(upload_retry(db, 4711, &e), ERR_NOT_FOUND, "no upload 4711");
	struct claim c = fixture_claim(db, out.id);
	works(upload_fail(db, &c, &(struct err){ ERR_TOO_LARGE, "no" }, &e));
	works(upload_retry(db, out.id, &e));
	fixture_claim(db, out.id);
}

/* A file that this version cannot read. After an upgrade it may be readable. */
static void unreadable_files_are_not_retried(void **state)
{
	struct db *db = *state;
	struct upload_outcome out = fixture_upload(db, &fixture_meta, "png");
	struct claim c = fixture_claim(db, out.id);
	struct arena a = { 0 };
	struct upload_row u;
	char want[100];
	works(upload_fail(db, &c, &(struct err){ ERR_FORMAT, "a PNG image" },
		&e));
	works(upload_row_get(db, &a, out.id, &u, &e));
	assert_false(u.retryable);
	snprintf(want, sizeof want, "upload %lld would fail again: a PNG image",
		(long long)out.id);
	refuses(upload_retry(db, out.id, &e), ERR_CONFLICT, want);
	fixture_script(db, "UPDATE upload SET unreadable_by = '0.0.9'");
	works(upload_row_get(db, &a, out.id, &u, &e));
	assert_true(u.retryable);
	works(upload_retry(db, out.id, &e));
	works(upload_row_get(db, &a, out.id, &u, &e));
	assert_false(u.retryable);
	assert_int_equal(fixture_count(db, "SELECT count(unreadable_by) "
					   "FROM upload"),
		0);
	arena_release(&a);
}

static void texts_that_do_not_fit_are_refused(void **state)
{
	struct db *db = *state;
	struct upload_meta m = fixture_meta;
	int64_t id;
	char name[502];
	memset(name, 'n', 501);
	name[501] = '\0';
	m.workload = name;
	refuses(upload_begin(db, &m, &id, &e), ERR_INPUT,
		"workload has 501 bytes; at most 500 are kept");
	name[500] = '\0';
	works(upload_begin(db, &m, &id, &e));
	m.workload = "\xff";
	refuses(upload_begin(db, &m, &id, &e), ERR_INPUT,
		"workload is not text in UTF-8");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(received_and_queued),
		CASE(provenance_is_read_back),
		CASE(a_full_chunk_is_read_back),
		CASE(chunk_out_of_order_is_refused),
		CASE(missing_chunk_is_not_found),
		CASE(bytes_that_do_not_add_up_are_refused),
		CASE(finished_twice_is_refused),
		CASE(aborted_leaves_nothing),
		CASE(queued_is_not_aborted),
		CASE(idle_is_swept_and_others_not),
		CASE(chunk_keeps_an_upload_alive),
		CASE(chunk_stays_on_its_page),
		CASE(only_failed_ones_are_retried),
		CASE(unreadable_files_are_not_retried),
		CASE(texts_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
