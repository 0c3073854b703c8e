/* upload_work.c - the work queue: claims, leases, tries, and queuing uploads
 * again. */
#include "upload.h"
#include "sql.h"
#include <poll.h>

/* Ends the try of an upload that no worker holds any more. $1: number of tries,
 * $2: the sentence if this was the last one. */
#define END_TRY                                                 \
	"UPDATE upload "                                        \
	"SET worker = NULL, lease_until = NULL, stage = NULL, " \
	"state = CASE WHEN attempts >= $1 THEN 'failed' "       \
	"ELSE 'queued' END, "                                   \
	"error = CASE WHEN attempts >= $1 THEN $2::text END, "  \
	"finished_at = CASE WHEN attempts >= $1 THEN now() END "

/* The worker is gone and can give no reason. */
static const char upload_expired_sql[] =
	END_TRY "WHERE id IN (SELECT id FROM upload "
		"WHERE state = 'working' AND lease_until < now() "
		"FOR UPDATE SKIP LOCKED)";

static bool upload_end_expired(struct db *db, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int4(&p, UPLOAD_TRIES);
	sql_text(&p,
		"the ingest stopped without an answer three times in a row, "
		"never getting further; retry, or record a shorter window");
	return sql_hot(db, upload_expired_sql, &p, NULL, e);
}

bool upload_abandon(struct db *db, const char *worker, const char *sentence,
	int tries, struct err *e)
{
	struct sql_params p = { 0 };
	/* Progress resets the count in the row to 0. With `tries` 1, an upload
	 * that made progress fails, too. */
	sql_int4(&p, tries > 1 ? tries : 0);
	sql_text(&p, sentence);
	sql_text(&p, worker);
	return sql_run(db, END_TRY "WHERE state = 'working' AND worker = $3",
		&p, NULL, e);
}

static const char upload_claim_sql[] =
	"UPDATE upload "
	"SET state = 'working', token = token + 1, attempts = attempts + 1, "
	"worker = $1, lease_until = now() + make_interval(secs => $2), "
	"stage = NULL, done_bytes = 0 "
	"WHERE id = (SELECT id FROM upload "
	"WHERE state = 'queued' "
	"ORDER BY queued_at, id "
	"LIMIT 1 "
	"FOR UPDATE SKIP LOCKED) "
	"RETURNING id, token, bytes, chunks";

bool upload_claim(struct db *db, const char *worker, int lease_s,
	struct claim *c, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	if (!upload_end_expired(db, e))
		return false;
	sql_text(&p, worker);
	sql_int4(&p, lease_s);
	if (!sql_hot(db, upload_claim_sql, &p, &r, e))
		return false;
	*c = (struct claim){ .lease_s = lease_s };
	if (result_next(&r)) {
		c->upload = result_int8(&r, 0);
		c->token = result_int8(&r, 0);
		c->bytes = result_int8(&r, 0);
		c->chunks = result_int4(&r, 0);
	}
	result_release(&r);
	return true;
}

static void upload_read_place(struct result *r,
	struct upload_chunk_place *place, size_t *len)
{
	struct arena a = { 0 };
	const char *object = result_text(r, &a), *etag = result_text(r, &a);
	snprintf(place->object, sizeof place->object, "%s",
		object ? object : "");
	snprintf(place->etag, sizeof place->etag, "%s", etag ? etag : "");
	place->at = result_int8(r, 0);
	int64_t end = result_int8(r, place->at);
	if (object)
		*len = (size_t)(end - place->at);
	arena_release(&a);
}

bool upload_read_chunk(struct db *db, int64_t id, int32_t seq, void *into,
	size_t *len, struct upload_chunk_place *place, struct err *e)
{
	/* chunk_ends counts from 1, and element 0 is NULL */
	static const char sql[] =
		"SELECT c.bytes, o.object, o.etag, "
		"coalesce(o.chunk_ends[$2], 0), o.chunk_ends[$2 + 1] "
		"FROM upload u "
		"LEFT JOIN upload_object o ON o.upload_id = u.id "
		"AND o.stored_at IS NOT NULL "
		"LEFT JOIN upload_chunk c ON c.upload_id = u.id AND c.seq = $2 "
		"AND o.upload_id IS NULL "
		"WHERE u.id = $1 "
		"AND (c.seq IS NOT NULL OR o.chunk_ends[$2 + 1] IS NOT NULL)";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_int4(&p, seq);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		const void *bytes = result_bytes(&r, len);
		size_t stored = bytes ? *len : 0;
		upload_read_place(&r, place, len);
		if (bytes && stored <= UPLOAD_CHUNK)
			memcpy(into, bytes, stored);
	}
	result_release(&r);
	if (there && *len > UPLOAD_CHUNK)
		return err_set(e, ERR_INTERNAL,
			"chunk %d of upload %lld is larger than a chunk may be",
			seq, (long long)id);
	return there || err_set(e, ERR_NOT_FOUND, "upload %lld has no chunk %d",
				(long long)id, seq);
}

bool upload_provenance_read(struct db *db, int64_t id, struct arena *a,
	const char **text, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	*text = NULL;
	if (!sql_hot(db, "SELECT provenance FROM upload WHERE id = $1", &p, &r,
		    e))
		return false;
	if (result_next(&r))
		*text = result_text(&r, a);
	result_release(&r);
	return true;
}

/* Only the holder of the lease may write. upload_fence_params() adds the first
 * two parameters. */
#define FENCE "WHERE id = $1 AND state = 'working' AND token = $2 "

static void upload_fence_params(struct sql_params *p, const struct claim *c)
{
	sql_int8(p, c->upload);
	sql_int8(p, c->token);
}

static bool upload_run_fenced(struct db *db, const char *sql,
	const struct sql_params *p, const struct claim *c, struct err *e)
{
	struct result r;
	if (!sql_hot(db, sql, p, &r, e))
		return false;
	bool mine = result_next(&r);
	result_release(&r);
	return mine ||
	       err_set(e, ERR_CONFLICT, "the lease on upload %lld was lost",
		       (long long)c->upload);
}

/* The commit does not wait for the disk: losing a lease does no harm. */
static const char upload_progress_sql[] =
	"UPDATE upload "
	"SET stage = $3, done_bytes = $4, "
	"attempts = CASE WHEN $4 > best_bytes THEN 0 ELSE attempts END, "
	"best_bytes = greatest(best_bytes, $4), "
	"lease_until = now() + make_interval(secs => $5) " FENCE
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING true";

bool upload_progress(struct db *db, const struct claim *c, const char *stage,
	int64_t done_bytes, struct err *e)
{
	struct sql_params p = { 0 };
	upload_fence_params(&p, c);
	sql_text(&p, stage);
	sql_int8(&p, done_bytes);
	sql_int4(&p, c->lease_s);
	return upload_run_fenced(db, upload_progress_sql, &p, c, e);
}

bool upload_hold(struct db *db, const char *const *workers, int n, int lease_s,
	struct err *e)
{
	static const char sql[] =
		"UPDATE upload "
		"SET lease_until = now() + make_interval(secs => $2) "
		"WHERE state = 'working' AND worker = ANY ($1)";
	struct sql_params p = { 0 };
	struct sql_array names;
	sql_array_init(&names, SQL_TEXT);
	for (int i = 0; i < n; i++)
		sql_array_text(&names, workers[i]);
	sql_array(&p, &names);
	sql_int4(&p, lease_s);
	bool ok = sql_run(db, sql, &p, NULL, e);
	sql_array_release(&names);
	return ok;
}

bool upload_fail(struct db *db, const struct claim *c, const struct err *why,
	struct err *e)
{
	bool unreadable = why->code == ERR_FORMAT || why->code == ERR_TRACE;
	static const char sql[] =
		"UPDATE upload "
		"SET state = 'failed', error = $3, finished_at = now(), "
		"unreadable_by = $4, "
		"worker = NULL, lease_until = NULL, stage = NULL " FENCE
		"RETURNING true";
	struct sql_params p = { 0 };
	upload_fence_params(&p, c);
	sql_text(&p, err_public(why));
	sql_text(&p, unreadable ? KERNSIFT_VERSION : NULL);
	return upload_run_fenced(db, sql, &p, c, e);
}

/* Ends the work on an upload as if it had never begun. */
#define RELEASE                                                        \
	"UPDATE upload "                                               \
	"SET state = 'queued', attempts = greatest(attempts - 1, 0), " \
	"worker = NULL, lease_until = NULL, stage = NULL "

bool upload_release(struct db *db, const struct claim *c, bool last,
	struct err *e)
{
	static const char next[] = RELEASE FENCE "RETURNING true";
	static const char later[] =
		RELEASE ", queued_at = now() " FENCE "RETURNING true";
	struct sql_params p = { 0 };
	upload_fence_params(&p, c);
	return upload_run_fenced(db, last ? later : next, &p, c, e);
}

bool upload_release_all(struct db *db, int64_t *released, struct err *e)
{
	return sql_change(db, RELEASE "WHERE state = 'working'", NULL, released,
		e);
}

#define REQUEUE                                                   \
	"UPDATE upload u "                                        \
	"SET state = 'queued', queued_at = now(), attempts = 0, " \
	"done_bytes = 0, best_bytes = 0, error = NULL, "          \
	"unreadable_by = NULL, "                                  \
	"finished_at = NULL "

bool upload_requeue_failed(struct db *db, int64_t id, int64_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	return sql_change(db,
		REQUEUE "WHERE id = $1 AND state = 'failed' "
			"AND dropped_at IS NULL",
		&p, n, e);
}

/* An upload whose runs were all deleted has no identity, so nothing can be
 * computed. An upload that is being worked on is already computed again. */
static bool upload_requeue_work(struct db *db, void *queued, struct err *e)
{
	return sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) &&
	       sql_change(db,
		       REQUEUE "WHERE state IN ('done', 'failed') "
			       "AND identity IS NOT NULL "
			       "AND dropped_at IS NULL "
			       "AND (EXISTS (SELECT FROM upload_chunk c "
			       "WHERE c.upload_id = u.id AND c.seq = 0) "
			       "OR EXISTS (SELECT FROM upload_object o "
			       "WHERE o.upload_id = u.id "
			       "AND o.stored_at IS NOT NULL))",
		       NULL, queued, e);
}

bool upload_requeue_all(struct db *db, int64_t *queued, struct err *e)
{
	return sql_transaction(db, upload_requeue_work, queued, e);
}

bool upload_count_dropped(struct db *db, int64_t *uploads, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT count(*) FROM upload u "
		    "WHERE dropped_at IS NOT NULL AND EXISTS "
		    "(SELECT FROM run r WHERE r.upload_id = u.id)",
		    NULL, &r, e))
		return false;
	result_next(&r);
	*uploads = result_int8(&r, 0);
	result_release(&r);
	return true;
}

/* A second LISTEN is harmless; a connection that was opened again must listen
 * again. */
bool upload_wait(struct db *db, int ms, struct err *e)
{
	bool any;
	if (!sql_script(db, "LISTEN kernsift_queue", e) ||
		!db_notified(db, &any, e))
		return false;
	struct pollfd p = { .fd = db_socket(db), .events = POLLIN };
	if (any || poll(&p, 1, ms) <= 0)
		return true;
	return db_notified(db, &any, e);
}

static const char upload_queue_sql[] =
	"SELECT (SELECT count(*) FROM upload WHERE state = 'receiving'),"
	" (SELECT count(*) FROM upload WHERE state = 'queued'),"
	" (SELECT count(*) FROM upload WHERE state = 'working'),"
	" (SELECT count(*) FROM upload WHERE state = 'failed'),"
	" (SELECT count(*) FROM upload WHERE state = 'done'),"
	" (SELECT extract(epoch FROM now() - min(queued_at))"
	" FROM upload WHERE state = 'queued')::float8";

bool upload_queue(struct db *db, struct upload_queue *q, struct err *e)
{
	struct result r;
	if (!sql_run(db, upload_queue_sql, NULL, &r, e))
		return false;
	result_next(&r);
	q->receiving = result_int8(&r, 0);
	q->queued = result_int8(&r, 0);
	q->working = result_int8(&r, 0);
	q->failed = result_int8(&r, 0);
	q->done = result_int8(&r, 0);
	/* The age is negative if the clock was set back. */
	double age = result_float8(&r, 0);
	q->oldest_queued_s = age > 0 ? age : 0;
	result_release(&r);
	return true;
}
