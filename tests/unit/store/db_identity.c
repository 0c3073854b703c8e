/* db_identity.c - tests whether an upload equals a stored one. */
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

static void same_again_is_the_earlier_one(void **state)
{
	struct db *db = *state;
	struct upload_meta again = fixture_meta;
	struct upload_outcome first = fixture_upload(db, &fixture_meta, "abc");
	/* The order of labels, the file name and the hours do not make a
	 * different upload. */
	again.labels = "{\"gpu\":\"h100\",\"branch\":\"main\"}";
	again.file_name = "b.json.gz";
	again.gpu_hours = 3;
	struct upload_outcome out = fixture_upload(db, &again, "abc");
	assert_true(out.existing);
	assert_int_equal(out.id, first.id);
	assert_string_equal(out.state, "queued");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload"), 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		1);
}

static void anything_else_makes_another(void **state)
{
	struct db *db = *state;
	struct upload_meta m[] = { fixture_meta, fixture_meta, fixture_meta,
		fixture_meta, fixture_meta };
	m[1].project = "mesb";
	m[2].workload = "infer";
	m[3].name = "";
	m[4].labels = "{}";
	for (int i = 0; i < 5; i++)
		assert_false(fixture_upload(db, &m[i], "abc").existing);
	assert_false(fixture_upload(db, &m[0], "abcd").existing);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload"), 6);
}

/* The job groups runs; it is not part of their identity. */
static void another_job_is_the_same_upload(void **state)
{
	struct db *db = *state;
	struct upload_meta again = fixture_meta;
	again.job = "job8";
	assert_false(fixture_upload(db, &fixture_meta, "abc").existing);
	assert_true(fixture_upload(db, &again, "abc").existing);
}

static void fields_do_not_run_into_each_other(void **state)
{
	struct db *db = *state;
	struct upload_meta a = fixture_meta, b = fixture_meta;
	a.project = "ab";
	a.workload = "c";
	b.project = "a";
	b.workload = "bc";
	assert_false(fixture_upload(db, &a, "x").existing);
	assert_false(fixture_upload(db, &b, "x").existing);
}

static void same_as_a_failed_one_queues_it_again(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct upload_row row;
	struct upload_outcome first = fixture_upload(db, &fixture_meta, "abc");
	struct claim c = fixture_claim(db, first.id);
	works(upload_fail(db, &c,
		&(struct err){ ERR_TOO_LARGE, "the file is a PNG image" }, &e));
	works(upload_row_get(db, &a, first.id, &row, &e));
	assert_string_equal(row.state, "failed");
	assert_string_equal(row.error, "the file is a PNG image");

	struct upload_outcome out = fixture_upload(db, &fixture_meta, "abc");
	assert_true(out.existing);
	assert_int_equal(out.id, first.id);
	assert_string_equal(out.state, "queued");
	works(upload_row_get(db, &a, first.id, &row, &e));
	assert_string_equal(row.state, "queued");
	assert_null(row.error);
	assert_int_equal(row.tries, 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload"), 1);
	arena_release(&a);
}

static int64_t racers[4];

static bool finish_racer(struct db *db, int nth, struct err *e)
{
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out;
	digest("race", sha256);
	return upload_finish(db, racers[nth], sha256, 4, NULL, &out, e) &&
	       (!strcmp(out.state, "queued") ||
		       err_set(e, ERR_INTERNAL, "state %s", out.state));
}

static void four_equal_uploads_at_once_are_one(void **state)
{
	struct db *db = *state;
	for (int round = 0; round < 10; round++) {
		fixture_script(db, "TRUNCATE upload, upload_chunk CASCADE");
		for (int i = 0; i < 4; i++)
			racers[i] = begin(db, "race");
		fixture_together(4, "", finish_racer);
		assert_int_equal(fixture_count(db,
					 "SELECT count(*) FROM upload"),
			1);
		assert_int_equal(fixture_count(db,
					 "SELECT count(*) FROM upload u "
					 "JOIN upload_chunk c "
					 "ON c.upload_id = u.id"),
			1);
		assert_int_equal(fixture_count(db,
					 "SELECT count(*) FROM upload_chunk"),
			1);
	}
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(same_again_is_the_earlier_one),
		CASE(anything_else_makes_another),
		CASE(another_job_is_the_same_upload),
		CASE(fields_do_not_run_into_each_other),
		CASE(same_as_a_failed_one_queues_it_again),
		CASE(four_equal_uploads_at_once_are_one),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
