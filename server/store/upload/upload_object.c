/* upload_object.c - the rows that say where the bytes of an upload are. */
#include "upload_object.h"
#include "sql.h"
#include <stdio.h>
#include <string.h>

/* Numbers of chunks, which are mostly 1 MiB; a batch takes about 0.1 s. */
enum { UPLOAD_OBJECT_BATCH = 64 };

/* A name is used once, also by other databases with the same place. */
static const char upload_object_begin_sql[] =
	"WITH next AS ("
	"SELECT u.id, u.bytes, u.chunks, u.sha256 "
	"FROM upload_chunk c JOIN upload u ON u.id = c.upload_id "
	"WHERE c.seq = 0 AND c.upload_id > $2 "
	"AND u.state IN ('done', 'failed') AND u.dropped_at IS NULL "
	"ORDER BY c.upload_id LIMIT 1 FOR NO KEY UPDATE OF u), "
	"named AS ("
	"INSERT INTO upload_object AS o (upload_id, object, chunk_ends) "
	"SELECT n.id, concat($1, '/upload-', n.id, '-', gen_random_uuid()), "
	"(SELECT array_agg(e.at ORDER BY e.seq) "
	"FROM (SELECT seq, (sum(octet_length(bytes)) "
	"OVER (ORDER BY seq))::bigint AS at FROM upload_chunk "
	"WHERE upload_id = n.id) e) "
	"FROM next n "
	"ON CONFLICT (upload_id) DO UPDATE SET "
	"object = CASE WHEN o.stored_at IS NULL THEN EXCLUDED.object "
	"ELSE o.object END, "
	"chunk_ends = CASE WHEN o.stored_at IS NULL THEN EXCLUDED.chunk_ends "
	"ELSE o.chunk_ends END "
	"RETURNING o.object, o.etag, o.stored_at IS NOT NULL AS stored) "
	"SELECT n.id, n.bytes, n.chunks, n.sha256, o.object, o.etag, o.stored "
	"FROM next n, named o";

static void upload_object_row(struct result *r, struct upload_object *o)
{
	struct arena a = { 0 };
	size_t len;
	o->upload = result_int8(r, 0);
	o->bytes = result_int8(r, 0);
	o->chunks = result_int4(r, 0);
	const void *sha256 = result_bytes(r, &len);
	memcpy(o->sha256, sha256, SHA256_BYTES);
	const char *object = result_text(r, &a), *etag = result_text(r, &a);
	snprintf(o->object, sizeof o->object, "%s", object);
	snprintf(o->etag, sizeof o->etag, "%s", etag ? etag : "");
	o->stored = result_bool(r);
	arena_release(&a);
}

static bool upload_object_one(struct db *db, const char *sql,
	const struct sql_params *p, struct upload_object *o, struct err *e)
{
	struct result r;
	*o = (struct upload_object){ 0 };
	if (!sql_run(db, sql, p, &r, e))
		return false;
	if (result_next(&r))
		upload_object_row(&r, o);
	result_release(&r);
	return true;
}

bool upload_object_begin(struct db *db, const char *place, int64_t after,
	struct upload_object *o, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, place);
	sql_int8(&p, after);
	return upload_object_one(db, upload_object_begin_sql, &p, o, e);
}

bool upload_object_stored(struct db *db, const struct upload_object *o,
	bool *kept, struct err *e)
{
	static const char sql[] =
		"UPDATE upload_object SET stored_at = now(), etag = $3 "
		"WHERE upload_id = $1 AND object = $2";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, o->upload);
	sql_text(&p, o->object);
	sql_text(&p, o->etag);
	if (!sql_change(db, sql, &p, &n, e))
		return false;
	*kept = n > 0;
	return true;
}

bool upload_object_drop_chunks(struct db *db, int64_t upload, struct err *e)
{
	/* If new bytes replaced the object meanwhile, they are kept. */
	static const char sql[] =
		"WITH held AS (SELECT u.id FROM upload u "
		"JOIN upload_object o ON o.upload_id = u.id "
		"WHERE u.id = $1 AND o.stored_at IS NOT NULL FOR UPDATE) "
		"DELETE FROM upload_chunk "
		"WHERE upload_id = (SELECT id FROM held) AND seq IN ("
		"SELECT seq FROM upload_chunk WHERE upload_id = $1 "
		"ORDER BY seq DESC LIMIT $2)";
	struct sql_params p = { 0 };
	int64_t n = UPLOAD_OBJECT_BATCH;
	sql_int8(&p, upload);
	sql_int4(&p, UPLOAD_OBJECT_BATCH);
	while (n == UPLOAD_OBJECT_BATCH)
		if (!sql_change(db, sql, &p, &n, e))
			return false;
	return true;
}

bool upload_object_next(struct db *db, int64_t after, struct upload_object *o,
	struct err *e)
{
	static const char sql[] =
		"SELECT u.id, u.bytes, u.chunks, u.sha256, "
		"o.object, o.etag, true "
		"FROM upload_object o JOIN upload u ON u.id = o.upload_id "
		"WHERE o.upload_id > $1 AND o.stored_at IS NOT NULL "
		"AND u.dropped_at IS NULL AND u.state IN ('done', 'failed') "
		"ORDER BY o.upload_id LIMIT 1";
	struct sql_params p = { 0 };
	sql_int8(&p, after);
	return upload_object_one(db, sql, &p, o, e);
}

/* The chunks that are made of an object. */
struct upload_object_chunks {
	struct db *db;
	const struct upload_object *of;
	upload_object_read_fn *read;
	void *ctx;
	uint8_t *chunk;
	size_t filled;
	int32_t seq;
};

static bool upload_object_chunk(struct upload_object_chunks *w, struct err *e)
{
	static const char sql[] =
		"INSERT INTO upload_chunk (upload_id, seq, bytes) "
		"VALUES ($1, $2, $3)";
	struct sql_params p = { 0 };
	sql_int8(&p, w->of->upload);
	sql_int4(&p, w->seq++);
	sql_bytes(&p, w->chunk, w->filled);
	w->filled = 0;
	return sql_run(w->db, sql, &p, NULL, e);
}

static bool upload_object_take(void *to, const void *bytes, size_t len,
	struct err *e)
{
	struct upload_object_chunks *w = to;
	const uint8_t *from = bytes;
	while (len > 0) {
		size_t room = UPLOAD_CHUNK - w->filled;
		size_t n = len < room ? len : room;
		memcpy(w->chunk + w->filled, from, n);
		w->filled += n;
		from += n;
		len -= n;
		if (w->filled == UPLOAD_CHUNK && !upload_object_chunk(w, e))
			return false;
	}
	return true;
}

static bool upload_object_back_work(struct db *db, void *arg, struct err *e)
{
	static const char hold[] =
		"SELECT 1 FROM upload WHERE id = $1 "
		"AND state IN ('done', 'failed') AND dropped_at IS NULL "
		"FOR UPDATE";
	static const char clear[] =
		"DELETE FROM upload_chunk WHERE upload_id = $1";
	static const char forget[] =
		"WITH gone AS ("
		"DELETE FROM upload_object WHERE upload_id = $1) "
		"UPDATE upload SET chunks = $2 WHERE id = $1";
	struct upload_object_chunks *w = arg;
	struct sql_params p = { 0 };
	struct result r;
	w->db = db;
	w->seq = 0;
	w->filled = 0;
	sql_int8(&p, w->of->upload);
	if (!sql_run(db, hold, &p, &r, e))
		return false;
	bool idle = result_next(&r);
	result_release(&r);
	if (!idle) /* it is being worked on, or its bytes expired */
		return true;
	if (!sql_run(db, clear, &p, NULL, e) ||
		!w->read(w->ctx, w->of, upload_object_take, w, e) ||
		(w->filled && !upload_object_chunk(w, e)))
		return false;
	sql_int4(&p, w->seq);
	return sql_run(db, forget, &p, NULL, e);
}

bool upload_object_back(struct db *db, const struct upload_object *o,
	upload_object_read_fn *read, void *ctx, struct err *e)
{
	struct upload_object_chunks w = { .of = o,
		.read = read,
		.ctx = ctx,
		.chunk = malloc(UPLOAD_CHUNK) };
	if (!w.chunk)
		abort();
	bool ok = sql_transaction(db, upload_object_back_work, &w, e);
	free(w.chunk);
	return ok;
}

bool upload_object_abandon(struct db *db, struct err *e)
{
	return sql_run(db, "DELETE FROM upload_object WHERE stored_at IS NULL",
		NULL, NULL, e);
}

bool upload_object_to_delete(struct db *db, const char *below,
	const char *after, char object[UPLOAD_OBJECT], struct err *e)
{
	static const char sql[] =
		"SELECT object FROM object_to_delete "
		"WHERE object > $1 AND starts_with(object, $2) "
		"AND (deleted_at IS NULL OR deleted_at < now() - interval '1 day') "
		"ORDER BY object LIMIT 1";
	struct arena a = { 0 };
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, after);
	sql_text(&p, below);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	snprintf(object, UPLOAD_OBJECT, "%s",
		result_next(&r) ? result_text(&r, &a) : "");
	result_release(&r);
	arena_release(&a);
	return true;
}

/* After the first deletion the row stays, after the second it is not needed. */
bool upload_object_deleted(struct db *db, const char *object, struct err *e)
{
	static const char sql[] =
		"WITH second AS (DELETE FROM object_to_delete "
		"WHERE object = $1 AND deleted_at IS NOT NULL) "
		"UPDATE object_to_delete SET deleted_at = now() "
		"WHERE object = $1 AND deleted_at IS NULL";
	struct sql_params p = { 0 };
	sql_text(&p, object);
	return sql_run(db, sql, &p, NULL, e);
}
