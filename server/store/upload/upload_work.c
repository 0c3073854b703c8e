/* upload_work.c - an upload is worked on: claimed, told of, given up. */
#include "upload.h"
#include "sql.h"

/* Ends the try of an upload that nobody works on any more. $1: tries, $2: the
 * sentence of the last one. */
#define END_TRY                                                 \
	"UPDATE upload "                                        \
	"SET worker = NULL, lease_until = NULL, stage = NULL, " \
	"state = CASE WHEN tries >= $1 THEN 'failed' "          \
	"ELSE 'queued' END, "                                   \
	"error = CASE WHEN tries >= $1 THEN $2::text END, "     \
	"finished_at = CASE WHEN tries >= $1 THEN now() END "

/* Its sentence is ours: nobody is left who could say more. */
static const char expired_sql[] =
	END_TRY "WHERE id IN (SELECT id FROM upload "
		"WHERE state = 'working' AND lease_until < now() "
		"FOR UPDATE SKIP LOCKED)";

static bool end_expired(struct db *db, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int4(&p, UPLOAD_TRIES);
	sql_text(&p,
		"the ingest stopped without an answer three times in a row, "
		"never getting further; retry, or record a shorter window");
	return sql_hot(db, expired_sql, &p, NULL, e);
}

bool upload_abandon(struct db *db, const char *worker, const char *sentence,
	int tries, struct err *e)
{
	struct sql_params p = { 0 };
	/* One that got further than ever counts from 0. */
	sql_int4(&p, tries > 1 ? tries : 0);
	sql_text(&p, sentence);
	sql_text(&p, worker);
	return sql_run(db, END_TRY "WHERE state = 'working' AND worker = $3",
		&p, NULL, e);
}

static const char claim_sql[] =
	"UPDATE upload "
	"SET state = 'working', token = token + 1, tries = tries + 1, "
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
	if (!end_expired(db, e))
		return false;
	sql_text(&p, worker);
	sql_int4(&p, lease_s);
	if (!sql_hot(db, claim_sql, &p, &r, e))
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

bool upload_read(struct db *db, int64_t id, int32_t seq, void *into,
	size_t *len, struct err *e)
{
	static const char sql[] = "SELECT bytes FROM upload_chunk "
				  "WHERE upload_id = $1 AND seq = $2";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_int4(&p, seq);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		const void *bytes = result_bytes(&r, len);
		if (*len <= UPLOAD_CHUNK)
			memcpy(into, bytes, *len);
		else
			err_set(e, ERR_INTERNAL,
				"chunk %d of upload %lld is larger than a "
				"chunk may be",
				seq, (long long)id);
	}
	result_release(&r);
	if (there && *len > UPLOAD_CHUNK)
		return false;
	return there || err_set(e, ERR_NOT_FOUND, "upload %lld has no chunk %d",
				(long long)id, seq);
}

/* Parameters of a fenced statement begin with these two. */
#define FENCE "WHERE id = $1 AND state = 'working' AND token = $2 "

static void fence(struct sql_params *p, const struct claim *c)
{
	sql_int8(p, c->upload);
	sql_int8(p, c->token);
}

static bool fenced(struct db *db, const char *sql, const struct sql_params *p,
	const struct claim *c, struct err *e)
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

/* Its commit does not wait for the disk: a lease is only a promise. */
static const char progress_sql[] =
	"UPDATE upload "
	"SET stage = $3, done_bytes = $4, "
	"tries = CASE WHEN $4 > best_bytes THEN 0 ELSE tries END, "
	"best_bytes = greatest(best_bytes, $4), "
	"lease_until = now() + make_interval(secs => $5) " FENCE
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING true";

bool upload_progress(struct db *db, const struct claim *c, const char *stage,
	int64_t done_bytes, struct err *e)
{
	struct sql_params p = { 0 };
	fence(&p, c);
	sql_text(&p, stage);
	sql_int8(&p, done_bytes);
	sql_int4(&p, c->lease_s);
	return fenced(db, progress_sql, &p, c, e);
}

bool upload_fail(struct db *db, const struct claim *c, const char *sentence,
	struct err *e)
{
	static const char sql[] =
		"UPDATE upload "
		"SET state = 'failed', error = $3, finished_at = now(), "
		"worker = NULL, lease_until = NULL, stage = NULL " FENCE
		"RETURNING true";
	struct sql_params p = { 0 };
	fence(&p, c);
	sql_text(&p, sentence);
	return fenced(db, sql, &p, c, e);
}

/* Ends the work on an upload as if it had not been begun. */
#define RELEASE                                                  \
	"UPDATE upload "                                         \
	"SET state = 'queued', tries = greatest(tries - 1, 0), " \
	"worker = NULL, lease_until = NULL, stage = NULL "

bool upload_release(struct db *db, const struct claim *c, struct err *e)
{
	static const char sql[] = RELEASE FENCE "RETURNING true";
	struct sql_params p = { 0 };
	fence(&p, c);
	return fenced(db, sql, &p, c, e);
}

bool upload_release_all(struct db *db, int64_t *released, struct err *e)
{
	return sql_change(db, RELEASE "WHERE state = 'working'", NULL, released,
		e);
}
