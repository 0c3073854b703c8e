/* keep_drop.c - looked at again, marked, and then its bytes, last ones first. */
#include "keep_drop.h"
#include "run_change.h"
#include "sql.h"

/* MiB, mostly; some 0.1 s. */
enum { BATCH = 64 };

/* The mark comes first: nobody reads the bytes from then on, and a vacuum that
 * is killed behind it is gone on with. What has runs keeps its identity, so
 * that the same bytes find them; else they may come again. */
static bool mark(struct db *db, const struct keep_item *item, bool *gone,
	struct err *e)
{
	static const char sql[] =
		"UPDATE upload u SET dropped_at = now(), identity = "
		"CASE WHEN u.state = 'done' AND r.any THEN u.identity END "
		"FROM (SELECT count(*) > 0 AS any, coalesce(bool_or(labels @> "
		"'{\"keep\": \"true\"}'), false) AS kept "
		"FROM run WHERE upload_id = $1) r "
		"WHERE u.id = $1 AND u.state IN ('done', 'failed') "
		"AND u.dropped_at IS NULL AND NOT r.kept "
		"AND (NOT $2 OR NOT r.any) "
		"AND (r.any OR u.identity IS NULL "
		"OR NOT u.labels @> '{\"keep\": \"true\"}')";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, item->id);
	sql_bool(&p, item->why == KEEP_DELETED || item->why == KEEP_EMPTIED);
	if (!sql_change(db, sql, &p, &n, e))
		return false;
	*gone = n > 0;
	return true;
}

/* Who sends them again takes the mark away, and they stay. */
static bool drop_bytes(struct db *db, int64_t upload, struct err *e)
{
	static const char sql[] =
		"WITH held AS (SELECT id FROM upload "
		"WHERE id = $1 AND dropped_at IS NOT NULL FOR UPDATE) "
		"DELETE FROM upload_chunk "
		"WHERE upload_id = (SELECT id FROM held) AND seq IN ("
		"SELECT seq FROM upload_chunk WHERE upload_id = $1 "
		"ORDER BY seq DESC LIMIT $2)";
	struct sql_params p = { 0 };
	int64_t n = BATCH;
	sql_int8(&p, upload);
	sql_int4(&p, BATCH);
	while (n == BATCH)
		if (!sql_change(db, sql, &p, &n, e))
			return false;
	return true;
}

static bool drop_gate(struct db *db, int64_t id, bool *gone, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	if (!sql_change(db, "DELETE FROM gate WHERE id = $1", &p, &n, e))
		return false;
	*gone = n > 0;
	return true;
}

bool keep_drop(struct db *db, const struct keep_item *item, bool *gone,
	struct err *e)
{
	*gone = item->why == KEEP_BEGUN;
	switch (item->kind) {
	case KEEP_RUN:
		return run_forget(db, item->id, gone, e);
	case KEEP_GATE:
		return drop_gate(db, item->id, gone, e);
	case KEEP_RAW:
	case KEEP_KINDS_N:
		break;
	}
	return (*gone || mark(db, item, gone, e)) &&
	       (!*gone || drop_bytes(db, item->id, e));
}
