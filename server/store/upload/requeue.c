/* requeue.c - what is worked on again: failed uploads, and all of them. */
#include "requeue.h"
#include "migrate.h"
#include "sql.h"
#include "upload.h"

#define REQUEUE                                                \
	"UPDATE upload u "                                     \
	"SET state = 'queued', queued_at = now(), tries = 0, " \
	"done_bytes = 0, best_bytes = 0, error = NULL, "       \
	"finished_at = NULL "

bool requeue_failed(struct db *db, int64_t id, int64_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	return sql_change(db,
		REQUEUE "WHERE id = $1 AND state = 'failed' "
			"AND dropped_at IS NULL",
		&p, n, e);
}

bool upload_retry(struct db *db, int64_t id, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct arena a = { 0 };
	int64_t n;
	if (!requeue_failed(db, id, &n, e))
		return false;
	if (n)
		return true;
	sql_int8(&p, id);
	if (!sql_run(db,
		    "SELECT state, to_char(dropped_at AT TIME ZONE 'UTC', "
		    "'YYYY-MM-DD') FROM upload WHERE id = $1",
		    &p, &r, e))
		return false;
	bool there = result_next(&r);
	const char *state = there ? result_text(&r, &a) : "";
	const char *dropped = there ? result_text(&r, &a) : NULL;
	if (!there)
		err_set(e, ERR_NOT_FOUND, "no upload %lld", (long long)id);
	else if (dropped)
		err_set(e, ERR_CONFLICT,
			"the bytes of upload %lld were dropped on %s, as "
			"GET /retention says; send the file again",
			(long long)id, dropped);
	else
		err_set(e, ERR_CONFLICT,
			"upload %lld is %s; only a failed one can be retried",
			(long long)id, state);
	result_release(&r);
	arena_release(&a);
	return false;
}

/* One whose runs were all deleted has no identity left and nothing to make;
 * one that is worked on now is being made anew already. */
static bool requeue_all(struct db *db, void *queued, struct err *e)
{
	return sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) &&
	       sql_change(db,
		       REQUEUE "WHERE state IN ('done', 'failed') "
			       "AND identity IS NOT NULL "
			       "AND dropped_at IS NULL "
			       "AND EXISTS (SELECT FROM upload_chunk c "
			       "WHERE c.upload_id = u.id AND c.seq = 0)",
		       NULL, queued, e);
}

bool rebuild(struct db *db, int64_t *queued, struct err *e)
{
	return sql_transaction(db, requeue_all, queued, e);
}

bool rebuild_without(struct db *db, int64_t *uploads, struct err *e)
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
