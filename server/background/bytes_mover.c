/* bytes_mover.c - one upload after the other. */
#include "bytes_mover.h"
#include "clock.h"
#include "upload_object.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After so many failures in a row that are not the object's, the storage is considered
 * unavailable until the next call. */
enum { MOVER_FAILURES = 3 };

struct bytes_mover {
	struct db *db;
	struct object_store *store;
	const char *to;
	int64_t until_ms;
	bool (*go_on)(void *ctx);
	void *ctx;
	struct bytes_mover_report *report;
	int failures;
};

bool bytes_mover_check(const char *to, struct err *e)
{
	return !*to || !strcmp(to, BYTES_MOVER_DATABASE) ||
	       object_place_check(to, e);
}

/* The chunks of an upload as the body of a request. */
struct bytes_mover_source {
	struct bytes_mover *mover;
	const struct upload_object *of;
	uint8_t *chunk;
	size_t at, len;
	int32_t seq;
};

static bool bytes_mover_chunk(struct bytes_mover_source *s, struct err *e)
{
	struct upload_chunk_place place;
	s->at = 0;
	if (!upload_read_chunk(s->mover->db, s->of->upload, s->seq++, s->chunk,
		    &s->len, &place, e))
		return false;
	return !*place.object || err_set(e, ERR_CONFLICT,
					 "upload %lld is being moved by "
					 "another server",
					 (long long)s->of->upload);
}

static bool bytes_mover_next(void *ctx, void *into, size_t room, size_t *len,
	struct err *e)
{
	struct bytes_mover_source *s = ctx;
	*len = 0;
	if (s->at == s->len) {
		if (s->seq == s->of->chunks)
			return true;
		if (!bytes_mover_chunk(s, e))
			return false;
	}
	*len = s->len - s->at < room ? s->len - s->at : room;
	memcpy(into, s->chunk + s->at, *len);
	s->at += *len;
	return true;
}

/* Compares what the storage returns with the digest of what was sent to it. */
struct bytes_mover_sink {
	struct sha256 sha256;
	upload_object_sink_fn *sink; /* NULL: only compares */
	void *to;
};

static bool bytes_mover_take(void *ctx, const void *bytes, size_t len,
	struct err *e)
{
	struct bytes_mover_sink *s = ctx;
	sha256_add(&s->sha256, bytes, len);
	return !s->sink || s->sink(s->to, bytes, len, e);
}

static bool bytes_mover_read(void *ctx, const struct upload_object *o,
	upload_object_sink_fn *sink, void *to, struct err *e)
{
	struct bytes_mover *m = ctx;
	struct bytes_mover_sink s = { .sink = sink, .to = to };
	uint8_t digest[SHA256_BYTES];
	sha256_init(&s.sha256);
	if (!object_get(m->store, o->object, o->etag, 0, o->bytes,
		    bytes_mover_take, &s, e))
		return false;
	sha256_end(&s.sha256, digest);
	return !memcmp(digest, o->sha256, sizeof digest) ||
	       err_set(e, ERR_CONFLICT,
		       "%.200s: object storage returns other bytes than it "
		       "received",
		       o->object);
}

static bool bytes_mover_write(struct bytes_mover *m, struct upload_object *o,
	struct err *e)
{
	struct bytes_mover_source s = { .mover = m,
		.of = o,
		.chunk = malloc(UPLOAD_CHUNK) };
	if (!s.chunk)
		abort();
	bool ok = object_put(m->store, o->object, o->bytes, o->sha256,
		bytes_mover_next, &s, o->etag, e);
	free(s.chunk);
	return ok;
}

static bool bytes_mover_out(struct bytes_mover *m, struct upload_object *o,
	struct err *e)
{
	bool kept = true;
	if (!o->stored && (!bytes_mover_write(m, o, e) ||
				  !bytes_mover_read(m, o, NULL, NULL, e) ||
				  !upload_object_stored(m->db, o, &kept, e)))
		return false;
	return !kept || upload_object_drop_chunks(m->db, o->upload, e);
}

static bool bytes_mover_back(struct bytes_mover *m, struct upload_object *o,
	struct err *e)
{
	return upload_object_back(m->db, o, bytes_mover_read, m, e);
}

/* Whether there is time for another one. */
static bool bytes_mover_may(struct bytes_mover *m)
{
	m->report->more = clock_ms() >= m->until_ms;
	return !m->report->more && m->go_on(m->ctx);
}

/* Whether another one is tried after this result. */
static bool bytes_mover_count(struct bytes_mover *m, bool ok,
	const struct err *why)
{
	bool storage =
		!ok && (why->code == ERR_BUSY || why->code == ERR_FORBIDDEN ||
			       why->code == ERR_FILE);
	m->failures = storage ? m->failures + 1 : 0;
	m->report->unavailable = m->failures == MOVER_FAILURES;
	if (ok)
		return true;
	m->report->left++;
	if (!m->report->why.code)
		m->report->why = *why;
	return !m->report->unavailable && why->code != ERR_DATABASE;
}

static bool bytes_mover_uploads(struct bytes_mover *m, struct err *e)
{
	bool back = !strcmp(m->to, BYTES_MOVER_DATABASE), more = true;
	struct upload_object o = { 0 };
	if (back && !upload_object_abandon(m->db, e))
		return false;
	while (more && bytes_mover_may(m)) {
		struct err why = { 0 };
		if (!(back ? upload_object_next(m->db, o.upload, &o, e)
			   : upload_object_begin(m->db, m->to, o.upload, &o,
				     e)))
			return false;
		if (!o.upload)
			return true;
		bool ok = back ? bytes_mover_back(m, &o, &why)
			       : bytes_mover_out(m, &o, &why);
		m->report->moved += ok;
		m->report->bytes += ok ? o.bytes : 0;
		more = bytes_mover_count(m, ok, &why);
	}
	return true;
}

/* Deletes only objects of this place: a copy of the database with another place or none
 * must not delete the objects of the original. */
static bool bytes_mover_delete(struct bytes_mover *m, const char *below,
	struct err *e)
{
	char object[UPLOAD_OBJECT] = "";
	bool more = true;
	while (more && bytes_mover_may(m)) {
		struct err why = { 0 };
		if (!upload_object_to_delete(m->db, below, object, object, e))
			return false;
		if (!*object)
			return true;
		bool ok = object_delete(m->store, object, &why) &&
			  upload_object_deleted(m->db, object, &why);
		m->report->deleted += ok;
		more = bytes_mover_count(m, ok, &why);
	}
	return true;
}

bool bytes_mover_run(struct db *db, struct object_store *store, const char *to,
	int64_t until_ms, bool (*go_on)(void *ctx), void *ctx,
	struct bytes_mover_report *report, struct err *e)
{
	struct bytes_mover m = { db, store, to, until_ms, go_on, ctx, report,
		0 };
	char below[UPLOAD_OBJECT] = "s3://";
	if (strcmp(to, BYTES_MOVER_DATABASE) != 0)
		snprintf(below, sizeof below, "%s/upload-", to);
	*report = (struct bytes_mover_report){ 0 };
	if (!*to)
		return true;
	object_store_on_wait(store, go_on, ctx);
	bool ok = bytes_mover_uploads(&m, e);
	m.failures = 0;
	ok = ok && (report->more || report->unavailable ||
			   bytes_mover_delete(&m, below, e));
	object_store_on_wait(store, NULL, NULL);
	return ok;
}
