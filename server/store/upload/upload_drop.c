/* upload_drop.c - chunks are deleted last ones first, then the upload. */
#include "upload_drop.h"
#include "sql.h"
#include "upload.h"

/* MiB, mostly: some 0.1 s each, and 1 GiB for whoever waits. */
enum { BATCH = 64, SOME_BATCHES = 16, SWEEP_CHUNKS = 2 * BATCH };

struct drop {
	int64_t id;
	int idle_s;
	int chunks;
	bool gone;
};

/* How many chunks the upload has, held; -1 where it is not to be dropped. */
static bool hold(struct db *db, const struct drop *d, int32_t *chunks,
	struct err *e)
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

/* Nothing is written to it any more: whoever still sends has the number of a
 * chunk that does not come next. */
static bool shorten(struct db *db, const struct drop *d, int32_t keep,
	struct err *e)
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

/* The first statement waits for a chunk that is being written; the second must
 * see it. */
static bool drop_batch(struct db *db, void *arg, struct err *e)
{
	struct drop *d = arg;
	struct sql_params p = { 0 };
	int32_t chunks;
	if (!hold(db, d, &chunks, e))
		return false;
	int32_t keep = chunks > BATCH ? chunks - BATCH : 0;
	d->gone = keep == 0;
	d->chunks = chunks < 0 ? -1 : chunks - keep;
	if (chunks < 0)
		return true;
	sql_int8(&p, d->id);
	return shorten(db, d, keep, e) &&
	       (keep || sql_run(db, "DELETE FROM upload WHERE id = $1", &p,
				NULL, e));
}

bool upload_drop(struct db *db, int64_t id, int idle_s, int *chunks, bool *gone,
	struct err *e)
{
	struct drop d = { .id = id, .idle_s = idle_s };
	bool ok = sql_transaction(db, drop_batch, &d, e);
	*chunks = ok ? d.chunks : 0;
	*gone = ok && d.gone;
	return ok;
}

bool upload_drop_some(struct db *db, int64_t id, struct err *e)
{
	bool gone = false;
	int chunks;
	for (int i = 0; i < SOME_BATCHES && !gone; i++)
		if (!upload_drop(db, id, 0, &chunks, &gone, e))
			return false;
	return true;
}

bool upload_abort(struct db *db, int64_t id, struct err *e)
{
	return upload_drop_some(db, id, e);
}

bool upload_forsake(struct db *db, int64_t *n, struct err *e)
{
	return sql_change(db,
		"UPDATE upload SET touched_at = '-infinity' "
		"WHERE state = 'receiving'",
		NULL, n, e);
}

/* Idle ones; in the arena. */
static bool idle(struct db *db, struct arena *a, int idle_s,
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
	if (!idle(db, &a, idle_s, &ids, &n, e))
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
			/* A transaction costs about what a chunk does. */
			left -= 1 + (chunks > 0 ? chunks : 0);
		}
		*swept += gone && chunks >= 0;
		*more = !gone || i + 1 < n;
		/* One that cannot be dropped does not keep the others. */
		if (!ok)
			all = err_set(e, why.code, "%s", why.text);
	}
	arena_release(&a);
	return all;
}
