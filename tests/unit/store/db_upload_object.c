/* db_upload_object.c - bytes of uploads that move to object storage and back. What
 * the storage has is in memory here; verify.object_storage uses a real one. */
#include "fixture.h"
#include "upload_object.h"

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

#define PLACE "s3://bucket/all"

/* An upload of chunks of unequal lengths that is done. */
static int64_t done(struct db *db, const char *const *chunks, int n)
{
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out;
	struct buf all;
	int64_t id;
	buf_init(&all, 1 << 20);
	works(upload_begin(db, &fixture_meta, &id, &e));
	for (int i = 0; i < n; i++) {
		works(upload_chunk(db, id, i, chunks[i], strlen(chunks[i]),
			&e));
		buf_puts(&all, chunks[i]);
	}
	sha256_of(all.at, all.len, sha256);
	works(upload_finish(db, id, sha256, (int64_t)all.len, NULL, &out, &e));
	buf_release(&all);
	fixture_script(db, "UPDATE upload SET state = 'done', "
			   "finished_at = now()");
	return id;
}

static const char *const three[] = { "abc", "d", "efgh" };

/* Moves the upload without a storage. */
static struct upload_object moved(struct db *db, int64_t id)
{
	struct upload_object o;
	bool kept;
	works(upload_object_begin(db, PLACE, id - 1, &o, &e));
	assert_int_equal(o.upload, id);
	snprintf(o.etag, sizeof o.etag, "tag");
	works(upload_object_stored(db, &o, &kept, &e));
	assert_true(kept);
	works(upload_object_drop_chunks(db, id, &e));
	return o;
}

static void a_moved_chunk_is_a_range_of_the_object(void **state)
{
	static const int64_t at[] = { 0, 3, 4 };
	static const size_t lens[] = { 3, 1, 4 };
	struct db *db = *state;
	int64_t id = done(db, three, 3);
	char *got = malloc(UPLOAD_CHUNK);
	struct upload_object o = moved(db, id);
	assert_int_equal(o.bytes, 8);
	assert_int_equal(o.chunks, 3);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM upload_chunk"),
		0);
	for (int i = 0; i < 3; i++) {
		struct upload_chunk_place place;
		size_t len;
		works(upload_read_chunk(db, id, i, got, &len, &place, &e));
		assert_string_equal(place.object, o.object);
		assert_string_equal(place.etag, "tag");
		assert_int_equal(place.at, at[i]);
		assert_int_equal(len, lens[i]);
	}
	struct upload_chunk_place place;
	char want[80];
	size_t len;
	snprintf(want, sizeof want, "upload %lld has no chunk 3",
		(long long)id);
	refuses(upload_read_chunk(db, id, 3, got, &len, &place, &e),
		ERR_NOT_FOUND, want);
	free(got);
}

/* As long as the object is not complete, the chunks are read. */
static void a_begun_move_changes_no_read(void **state)
{
	struct db *db = *state;
	int64_t id = done(db, three, 3);
	char *got = malloc(UPLOAD_CHUNK);
	struct upload_object o, again;
	struct upload_chunk_place place;
	size_t len;
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	works(upload_read_chunk(db, id, 2, got, &len, &place, &e));
	assert_string_equal(place.object, "");
	assert_int_equal(len, 4);
	assert_memory_equal(got, "efgh", 4);
	/* the next process uses another name, and the first will be deleted */
	works(upload_object_begin(db, PLACE, 0, &again, &e));
	assert_string_not_equal(again.object, o.object);
	assert_false(again.stored);
	char object[UPLOAD_OBJECT];
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, o.object);
	free(got);
}

/* A process died between the two steps. */
static void chunks_that_are_left_are_dropped(void **state)
{
	struct db *db = *state;
	int64_t id = done(db, three, 3);
	struct upload_object o;
	bool kept;
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	snprintf(o.etag, sizeof o.etag, "tag");
	works(upload_object_stored(db, &o, &kept, &e));
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	assert_int_equal(o.upload, id);
	assert_true(o.stored);
	works(upload_object_drop_chunks(db, id, &e));
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	assert_int_equal(o.upload, 0);
}

static const struct {
	const char *name, *change;
} not_moved[] = {
	{ "waiting", "UPDATE upload SET state = 'queued', finished_at = NULL" },
	{ "expired", "UPDATE upload SET dropped_at = now()" },
};

static void only_idle_bytes_move(void **state)
{
	struct db *db = *state;
	done(db, three, 3);
	for (size_t i = 0; i < sizeof not_moved / sizeof *not_moved; i++) {
		struct upload_object o;
		fixture_script(db, not_moved[i].change);
		works(upload_object_begin(db, PLACE, 0, &o, &e));
		if (o.upload)
			fail_msg("%s", not_moved[i].name);
	}
}

/* The storage's object: its bytes, given in pieces of two. */
static bool storage_read(void *ctx, const struct upload_object *o,
	upload_object_sink_fn *sink, void *to, struct err *why)
{
	const char *bytes = ctx;
	(void)o;
	if (!bytes)
		return err_set(why, ERR_BUSY, "the storage is away");
	for (size_t at = 0, n = strlen(bytes); at < n; at += 2)
		if (!sink(to, bytes + at, n - at < 2 ? 1 : 2, why))
			return false;
	return true;
}

static void bytes_come_back(void **state)
{
	struct db *db = *state;
	int64_t id = done(db, three, 3);
	char *got = malloc(UPLOAD_CHUNK), object[UPLOAD_OBJECT];
	struct upload_object o, next;
	struct upload_chunk_place place;
	size_t len;
	o = moved(db, id);
	works(upload_object_next(db, 0, &next, &e));
	assert_string_equal(next.object, o.object);
	assert_string_equal(next.etag, "tag");
	/* a failure changes nothing */
	refuses(upload_object_back(db, &next, storage_read, NULL, &e), ERR_BUSY,
		"the storage is away");
	works(upload_read_chunk(db, id, 0, got, &len, &place, &e));
	assert_string_equal(place.object, o.object);

	works(upload_object_back(db, &next, storage_read,
		(char[]){ "abcdefgh" }, &e));
	works(upload_read_chunk(db, id, 0, got, &len, &place, &e));
	assert_string_equal(place.object, "");
	assert_int_equal(len, 8); /* one chunk now */
	assert_memory_equal(got, "abcdefgh", 8);
	assert_int_equal(fixture_count(db, "SELECT chunks::bigint FROM upload"),
		1);
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, o.object);
	works(upload_object_deleted(db, object, &e));
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, "");
	works(upload_object_next(db, 0, &next, &e));
	assert_int_equal(next.upload, 0);
	free(got);
	/* a day later it is deleted again, and then forgotten */
	fixture_script(db, "UPDATE object_to_delete "
			   "SET deleted_at = now() - interval '25 hours'");
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, o.object);
	works(upload_object_deleted(db, object, &e));
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM object_to_delete"),
		0);
}

/* If the row is deleted while the object is being written, the name is kept. */
static void an_upload_that_vanished_is_not_kept(void **state)
{
	struct db *db = *state;
	struct upload_object o;
	char object[UPLOAD_OBJECT];
	bool kept;
	done(db, three, 3);
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	snprintf(o.etag, sizeof o.etag, "tag");
	fixture_script(db, "DELETE FROM upload_object");
	works(upload_object_stored(db, &o, &kept, &e));
	assert_false(kept);
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, o.object);
}

/* The bytes expired, and the same bytes arrive again in other chunks before the object is
 * deleted. */
static void new_bytes_replace_the_object(void **state)
{
	struct db *db = *state;
	int64_t id = done(db, three, 3), again;
	uint8_t sha256[SHA256_BYTES];
	struct upload_outcome out;
	struct upload_chunk_place place;
	char *got = malloc(UPLOAD_CHUNK);
	size_t len;
	moved(db, id);
	fixture_script(db, "UPDATE upload SET dropped_at = now()");
	works(upload_begin(db, &fixture_meta, &again, &e));
	works(upload_chunk(db, again, 0, "abcdefgh", 8, &e));
	sha256_of("abcdefgh", 8, sha256);
	works(upload_finish(db, again, sha256, 8, NULL, &out, &e));
	assert_true(out.existing);
	assert_int_equal(out.id, id);
	works(upload_read_chunk(db, id, 0, got, &len, &place, &e));
	assert_string_equal(place.object, "");
	assert_int_equal(len, 8);
	free(got);
}

static void incomplete_objects_are_abandoned(void **state)
{
	struct db *db = *state;
	struct upload_object o;
	char object[UPLOAD_OBJECT];
	done(db, three, 3);
	works(upload_object_begin(db, PLACE, 0, &o, &e));
	works(upload_object_to_delete(db, "s3://", "", object, &e));
	assert_string_equal(object, "");
	works(upload_object_abandon(db, &e));
	works(upload_object_to_delete(db, "s3://other/", "", object, &e));
	assert_string_equal(object, "");
	works(upload_object_to_delete(db, PLACE, "", object, &e));
	assert_string_equal(object, o.object);
}

static void a_moved_upload_is_computed_again(void **state)
{
	struct db *db = *state;
	int64_t n;
	moved(db, done(db, three, 3));
	works(upload_requeue_all(db, &n, &e));
	assert_int_equal(n, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_moved_chunk_is_a_range_of_the_object),
		CASE(a_begun_move_changes_no_read),
		CASE(chunks_that_are_left_are_dropped),
		CASE(only_idle_bytes_move),
		CASE(bytes_come_back),
		CASE(an_upload_that_vanished_is_not_kept),
		CASE(new_bytes_replace_the_object),
		CASE(incomplete_objects_are_abandoned),
		CASE(a_moved_upload_is_computed_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
