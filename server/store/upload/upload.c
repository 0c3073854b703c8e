/* upload.c - receives uploads, finishes or drops them, and lists them.
 *
 * The commits of upload_begin() and of chunks do not wait for the disk.
 * upload_finish() accepts the upload; its commit comes later in the same log
 * and does wait.
 *
 * An upload that was never completely received is dropped from its end, batch
 * by batch. Each batch is a separate transaction that leaves the upload as if
 * fewer chunks had been sent. So whenever this is interrupted, no chunk is left
 * without its upload, and a sweep continues. */
#include "upload.h"
#include "sha256.h"
#include "sql.h"
#include "text_validate.h"
#include <assert.h>
#include <string.h>
#include <time.h>

static const char upload_begin_sql[] =
	"INSERT INTO upload (project, workload, name, job, labels, "
	"file_name, gpu_hours) "
	"SELECT $1, $2, $3, $4, $5, $6, $7 "
	"WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING id";

bool upload_begin(struct db *db, const struct upload_meta *m, int64_t *id,
	struct err *e)
{
	if (!text_validate("project", m->project, e) ||
		!text_validate("workload", m->workload, e) ||
		!text_validate("name", m->name, e) ||
		!text_validate("job", m->job, e) ||
		!text_validate("file", m->file_name, e))
		return false;
	if (m->gpu_hours > UPLOAD_HOURS_MAX)
		return err_set(e, ERR_INPUT,
			"gpu_hours is %.3g; the limit is 1,000,000,000",
			m->gpu_hours);
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, m->project);
	sql_text(&p, m->workload);
	sql_text(&p, m->name);
	sql_text(&p, m->job);
	sql_json(&p, m->labels);
	sql_text(&p, m->file_name);
	sql_float8(&p, m->gpu_hours);
	if (!sql_run(db, upload_begin_sql, &p, &r, e))
		return false;
	result_next(&r);
	*id = result_int8(&r, 0);
	result_release(&r);
	return true;
}

/* One statement, so that a chunk needs one round trip and one transaction. */
static const char upload_chunk_sql[] =
	"WITH u AS ("
	"UPDATE upload "
	"SET chunks = chunks + 1, bytes = bytes + octet_length($3), "
	"touched_at = now() "
	"WHERE id = $1 AND state = 'receiving' AND chunks = $2 "
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING id) "
	"INSERT INTO upload_chunk (upload_id, seq, bytes) "
	"SELECT id, $2, $3 FROM u "
	"RETURNING true";

bool upload_chunk(struct db *db, int64_t id, int32_t seq, const void *bytes,
	size_t len, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_int4(&p, seq);
	sql_bytes(&p, bytes, len);
	if (!sql_hot(db, upload_chunk_sql, &p, &r, e))
		return false;
	bool written = result_next(&r);
	result_release(&r);
	return written ||
	       err_set(e, ERR_CONFLICT,
		       "upload %lld does not take chunk %d: it is no longer "
		       "being received, or an earlier chunk is missing",
		       (long long)id, seq);
}

/* Numbers of chunks, which are mostly 1 MiB. A batch takes about 0.1 s;
 * upload_abort() drops 1 GiB. */
enum { DROP_BATCH = 64, ABORT_BATCHES = 16, SWEEP_CHUNKS = 2 * DROP_BATCH };

struct upload_dropping {
	int64_t id;
	int idle_s;
	int chunks;
	bool gone;
};

/* Locks the upload; *chunks is the number of its chunks, -1 if it must not be
 * dropped. */
static bool upload_drop_hold(struct db *db, const struct upload_dropping *d,
	int32_t *chunks, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, d->id);
	sql_int4(&p, d->idle_s);
	if (!sql_run(db,
		    "SELECT chunks FROM upload "
		    "WHERE id = $1 AND state = 'receiving' AND ($2 = 0 "
		    "OR touched_at < now() - make_interval(secs => $2)) "
		    "FOR UPDATE",
		    &p, &r, e))
		return false;
	*chunks = result_next(&r) ? result_int4(&r, 0) : -1;
	result_release(&r);
	return true;
}

/* From now on every chunk is rejected, because the number that a sender sends
 * is not that of the next chunk. */
static bool upload_drop_shorten(struct db *db, const struct upload_dropping *d,
	int32_t keep, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, d->id);
	sql_int4(&p, keep);
	return sql_run(db,
		"WITH gone AS (DELETE FROM upload_chunk "
		"WHERE upload_id = $1 AND seq >= $2 "
		"RETURNING octet_length(bytes) AS n) "
		"UPDATE upload "
		"SET chunks = $2, touched_at = '-infinity', "
		"bytes = bytes - (SELECT coalesce(sum(n), 0) FROM gone) "
		"WHERE id = $1",
		&p, NULL, e);
}

/* Uses two statements: the first waits for a chunk that is being written; the
 * second must see that chunk. */
static bool upload_drop_batch(struct db *db, void *arg, struct err *e)
{
	struct upload_dropping *d = arg;
	struct sql_params p = { 0 };
	int32_t chunks;
	if (!upload_drop_hold(db, d, &chunks, e))
		return false;
	int32_t keep = chunks > DROP_BATCH ? chunks - DROP_BATCH : 0;
	d->gone = keep == 0;
	d->chunks = chunks < 0 ? -1 : chunks - keep;
	if (chunks < 0)
		return true;
	sql_int8(&p, d->id);
	return upload_drop_shorten(db, d, keep, e) &&
	       (keep || sql_run(db, "DELETE FROM upload WHERE id = $1", &p,
				NULL, e));
}

/* Drops one batch. *chunks: number of deleted chunks, -1 if the upload must not
 * be dropped. *gone: nothing is left. idle_s: only if no chunk arrived for that
 * time; 0: in any case. */
static bool upload_drop(struct db *db, int64_t id, int idle_s, int *chunks,
	bool *gone, struct err *e)
{
	struct upload_dropping d = { .id = id, .idle_s = idle_s };
	bool ok = sql_transaction(db, upload_drop_batch, &d, e);
	*chunks = ok ? d.chunks : 0;
	*gone = ok && d.gone;
	return ok;
}

/* Drops a bounded number of batches, because a client waits. Sweeps drop the
 * rest. */
static bool upload_drop_some(struct db *db, int64_t id, struct err *e)
{
	bool gone = false;
	int chunks;
	for (int i = 0; i < ABORT_BATCHES && !gone; i++)
		if (!upload_drop(db, id, 0, &chunks, &gone, e))
			return false;
	return true;
}

bool upload_abort(struct db *db, int64_t id, struct err *e)
{
	return upload_drop_some(db, id, e);
}

bool upload_expire_all(struct db *db, int64_t *n, struct err *e)
{
	return sql_change(db,
		"UPDATE upload SET touched_at = '-infinity' "
		"WHERE state = 'receiving'",
		NULL, n, e);
}

/* Reads the ids of idle uploads into the arena. */
static bool upload_drop_idle(struct db *db, struct arena *a, int idle_s,
	const int64_t **ids, uint32_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int4(&p, idle_s);
	if (!sql_run(db,
		    "SELECT ARRAY(SELECT id FROM upload "
		    "WHERE state = 'receiving' "
		    "AND touched_at < now() - make_interval(secs => $1) "
		    "ORDER BY id)",
		    &p, &r, e))
		return false;
	result_next(&r);
	*ids = result_int8s(&r, a, n);
	result_release(&r);
	return true;
}

bool upload_sweep(struct db *db, int idle_s, int64_t *swept, bool *more,
	struct err *e)
{
	struct arena a = { 0 };
	const int64_t *ids;
	uint32_t n;
	*swept = 0;
	*more = false;
	if (!upload_drop_idle(db, &a, idle_s, &ids, &n, e))
		return false;
	bool all = true;
	int left = SWEEP_CHUNKS;
	for (uint32_t i = 0; i < n && left > 0; i++) {
		struct err why = { 0 };
		bool ok = true, gone = false;
		int chunks = 0;
		while (ok && !gone && left > 0) {
			ok = upload_drop(db, ids[i], idle_s, &chunks, &gone,
				&why);
			/* A transaction takes about as long as a chunk. */
			left -= 1 + (chunks > 0 ? chunks : 0);
		}
		*swept += gone && chunks >= 0;
		*more = !gone || i + 1 < n;
		/* Drops the other uploads even if one of them cannot be
		 * dropped. */
		if (!ok)
			all = err_set(e, why.code, "%s", why.text);
	}
	arena_release(&a);
	return all;
}

struct upload_finishing {
	int64_t id, bytes;
	const uint8_t *sha256;
	const char *provenance;
	struct upload_outcome *out;
	bool dropped; /* the earlier upload's bytes were dropped */
};

/* sha256 of all properties by which two uploads are the same. Equal objects
 * have the same text as jsonb. */
#define UPLOAD_IDENTITY                                     \
	"sha256($2::bytea || convert_to(jsonb_build_array(" \
	"u.project, u.workload, u.name, u.labels)::text "   \
	"|| coalesce(u.provenance, ''), 'UTF8'))"

/* Locks the upload; fails if the number of stored bytes is not the number of
 * bytes sent. */
static bool upload_finish_hold(struct db *db, const struct upload_finishing *f,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, f->id);
	if (!sql_run(db,
		    "SELECT bytes FROM upload "
		    "WHERE id = $1 AND state = 'receiving' "
		    "FOR UPDATE",
		    &p, &r, e))
		return false;
	bool there = result_next(&r);
	int64_t bytes = there ? result_int8(&r, 0) : 0;
	result_release(&r);
	if (!there)
		return err_set(e, ERR_CONFLICT,
			"upload %lld is no longer being received",
			(long long)f->id);
	return bytes == f->bytes ||
	       err_set(e, ERR_CONFLICT,
		       "upload %lld holds %lld bytes, not the %lld sent",
		       (long long)f->id, (long long)bytes, (long long)f->bytes);
}

static void upload_finish_key(struct sql_params *p,
	const struct upload_finishing *f)
{
	sql_int8(p, f->id);
	sql_bytes(p, f->sha256, SHA256_BYTES);
}

/* Looks for an earlier upload that is the same, and locks it until the
 * transaction ends. */
static bool upload_finish_find_earlier(struct db *db,
	struct upload_finishing *f, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct arena a = { 0 };
	upload_finish_key(&p, f);
	if (!sql_run(db,
		    "SELECT o.id, o.state, o.dropped_at IS NOT NULL "
		    "FROM upload u JOIN upload o ON o.identity = " UPLOAD_IDENTITY
		    " WHERE u.id = $1 "
		    "FOR UPDATE OF o",
		    &p, &r, e))
		return false;
	*f->out = (struct upload_outcome){ .id = f->id, .state = "queued" };
	if (result_next(&r)) {
		f->out->existing = true;
		f->out->id = result_int8(&r, 0);
		snprintf(f->out->state, sizeof f->out->state, "%s",
			result_text(&r, &a));
		f->dropped = result_bool(&r);
	}
	arena_release(&a);
	result_release(&r);
	return true;
}

static bool upload_finish_queue(struct db *db, const struct upload_finishing *f,
	struct err *e)
{
	struct sql_params p = { 0 };
	upload_finish_key(&p, f);
	return sql_run(db,
		"UPDATE upload u "
		"SET state = 'queued', sha256 = $2, identity = " UPLOAD_IDENTITY
		", "
		"received_at = now(), queued_at = now() "
		"WHERE id = $1",
		&p, NULL, e);
}

/* The earlier upload, whose bytes were dropped, gets the bytes of this upload
 * and their age. The chunk boundaries may differ from before. */
static bool upload_finish_move_bytes(struct db *db,
	const struct upload_finishing *f, struct err *e)
{
	static const char *const steps[] = {
		"DELETE FROM upload_chunk WHERE upload_id = $2 AND $1 > 0",
		"DELETE FROM upload_object WHERE upload_id = $2 AND $1 > 0",
		"UPDATE upload_chunk SET upload_id = $2 WHERE upload_id = $1",
		("UPDATE upload o SET dropped_at = NULL, received_at = now(), "
		 "chunks = u.chunks, bytes = u.bytes, provenance = u.provenance "
		 "FROM upload u WHERE u.id = $1 AND o.id = $2"),
		("UPDATE upload SET chunks = 0, bytes = 0 "
		 "WHERE id = $1 AND $2 > 0"),
	};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof steps / sizeof *steps; i++) {
		struct sql_params p = { 0 };
		sql_int8(&p, f->id);
		sql_int8(&p, f->out->id);
		ok = sql_run(db, steps[i], &p, NULL, e);
	}
	return ok;
}

/* The earlier upload stays, and is queued again if it had failed. This upload
 * is dropped by a later sweep. */
static bool upload_finish_duplicate(struct db *db,
	const struct upload_finishing *f, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n = 0;
	if (f->dropped && !upload_finish_move_bytes(db, f, e))
		return false;
	if (!strcmp(f->out->state, "failed")) {
		if (!upload_requeue_failed(db, f->out->id, &n, e))
			return false;
		assert(n == 1);
		snprintf(f->out->state, sizeof f->out->state, "queued");
	}
	sql_int8(&p, f->id);
	return sql_run(db,
		"UPDATE upload SET touched_at = '-infinity' WHERE id = $1", &p,
		NULL, e);
}

/* If two equal uploads finish at once, neither finds the other. The second one
 * then fails on the unique identity, and its transaction runs again. */
static bool upload_finish_provenance(struct db *db,
	const struct upload_finishing *f, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, f->id);
	sql_text(&p, f->provenance);
	return !f->provenance ||
	       sql_run(db, "UPDATE upload SET provenance = $2 WHERE id = $1",
		       &p, NULL, e);
}

static bool upload_finish_work(struct db *db, void *arg, struct err *e)
{
	struct upload_finishing *f = arg;
	return upload_finish_hold(db, f, e) &&
	       upload_finish_provenance(db, f, e) &&
	       upload_finish_find_earlier(db, f, e) &&
	       (f->out->existing ? upload_finish_duplicate(db, f, e)
				 : upload_finish_queue(db, f, e));
}

bool upload_finish(struct db *db, int64_t id,
	const uint8_t sha256[SHA256_BYTES], int64_t bytes,
	const char *provenance, struct upload_outcome *out, struct err *e)
{
	struct upload_finishing f = { id, bytes, sha256, provenance, out,
		false };
	struct err lost = { 0 };
	if (!sql_transaction(db, upload_finish_work, &f, e))
		return false;
	/* If this fails, a sweep drops the rows. */
	if (out->existing)
		upload_drop_some(db, id, &lost);
	return true;
}

#define UPLOAD_COLUMNS                                                  \
	"SELECT id, state, project, workload, name, job, "              \
	"labels::text, file_name, gpu_hours, bytes, sha256, attempts, " \
	"stage, done_bytes, error, created_at, received_at, "           \
	"finished_at, dropped_at, unreadable_by, runs "                 \
	"FROM upload_line "

static const char *upload_read_sha256(struct result *r, struct arena *a)
{
	size_t len;
	const void *bytes = result_bytes(r, &len);
	if (!bytes)
		return NULL;
	char *text = arena_alloc(a, SHA256_HEX, 1);
	sha256_hex(bytes, text);
	return text;
}

static void upload_read_row(struct result *r, struct arena *a, void *row)
{
	struct upload_row *u = row;

	u->id = result_int8(r, 0);
	u->state = result_text(r, a);
	u->project = result_text(r, a);
	u->workload = result_text(r, a);
	u->name = result_text(r, a);
	u->job = result_text(r, a);
	u->labels = result_text(r, a);
	u->file_name = result_text(r, a);
	u->gpu_hours = result_float8(r, NAN);
	u->bytes = result_int8(r, 0);
	u->sha256 = upload_read_sha256(r, a);
	u->tries = result_int4(r, 0);
	u->stage = result_text(r, a);
	u->done_bytes = result_int8(r, 0);
	u->error = result_text(r, a);
	u->created = result_moment(r);
	u->received = result_moment(r);
	u->finished = result_moment(r);
	u->dropped = result_moment(r);
	const char *unreadable_by = result_text(r, a);
	u->retryable = !strcmp(u->state, "failed") && u->dropped == NO_MOMENT &&
		       (!unreadable_by ||
			       strcmp(unreadable_by, KERNSIFT_VERSION) != 0);
	u->runs = result_int8s(r, a, &u->runs_n);
}

bool upload_row_list(struct db *db, struct arena *a,
	const struct upload_filter *f, struct upload_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, f->state);
	sql_int8(&p, f->after);
	sql_int8(&p, f->limit + INT64_C(1));
	sql_text(&p, f->project);
	if (f->total && !sql_count(db,
				SQL_COUNT("FROM upload "
					  "WHERE ($1 IS NULL OR state = $1) "
					  "AND ($4 IS NULL OR project = $4) "),
				&p, f->total, e))
		return false;
	*rows = sql_page(db,
		UPLOAD_COLUMNS "WHERE ($1 IS NULL OR state = $1) "
			       "AND ($2 = 0 OR id < $2) "
			       "AND ($4 IS NULL OR project = $4) "
			       "ORDER BY id DESC "
			       "LIMIT $3",
		&p, f->limit, upload_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}

bool upload_row_get(struct db *db, struct arena *a, int64_t id,
	struct upload_row *row, struct err *e)
{
	static const char sql[] = UPLOAD_COLUMNS "WHERE id = $1";
	struct sql_params p = { 0 };
	bool there;
	sql_int8(&p, id);
	return sql_one(db, sql, &p, upload_read_row, a, row, &there, e) &&
	       (there || err_set(e, ERR_NOT_FOUND, "no upload %lld",
				 (long long)id));
}

/* Why the upload cannot be retried. */
static bool upload_retry_refuse(int64_t id, const struct upload_row *u,
	struct err *e)
{
	char day[16];
	if (u->dropped != NO_MOMENT) {
		time_t dropped = (time_t)(u->dropped / 1000000);
		struct tm utc;
		strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&dropped, &utc));
		return err_set(e, ERR_CONFLICT,
			"the bytes of upload %lld were dropped on %s, as "
			"GET /retention says; send the file again",
			(long long)id, day);
	}
	if (!strcmp(u->state, "failed"))
		return err_set(e, ERR_CONFLICT,
			"upload %lld would fail again: %.250s", (long long)id,
			u->error);
	return err_set(e, ERR_CONFLICT,
		"upload %lld is %s; only a failed one can be retried",
		(long long)id, u->state);
}

bool upload_retry(struct db *db, int64_t id, struct err *e)
{
	struct upload_row u;
	struct arena a = { 0 };
	int64_t n = 0;
	bool ok = upload_row_get(db, &a, id, &u, e) &&
		  (u.retryable || upload_retry_refuse(id, &u, e)) &&
		  upload_requeue_failed(db, id, &n, e) &&
		  /* It was queued or dropped since it was read. */
		  (n || (upload_row_get(db, &a, id, &u, e) &&
				upload_retry_refuse(id, &u, e)));
	arena_release(&a);
	return ok;
}
