/* restore.c - a database before a copy goes in, and after. */
#include "migrate.h"
#include "snapshot.h"
#include "sql.h"
#include "upload.h"

/* What extensions brought, and the system, does not count. */
static bool empty(struct db *db, struct err *e)
{
	static const char sql[] =
		"SELECT current_database()::text, count(*), "
		"min(c.relname::text) "
		"FROM pg_class c "
		"WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') "
		"AND c.relnamespace NOT IN (SELECT oid FROM pg_namespace "
		"WHERE nspname ~ '^pg_' OR nspname = 'information_schema') "
		"AND NOT EXISTS (SELECT FROM pg_depend d "
		"WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid "
		"AND d.deptype = 'e')";
	struct result r;
	struct arena a = { 0 };
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	result_next(&r);
	const char *name = result_text(&r, &a);
	int64_t n = result_int8(&r, 0);
	const char *one = result_text(&r, &a);
	result_release(&r);
	bool ok = !n || err_set(e, ERR_CONFLICT,
				"database '%.60s' is not empty: it has '%.60s'"
				"%s; a backup is restored into an empty one",
				name, one, n > 1 ? " and more" : "");
	arena_release(&a);
	return ok;
}

static bool young_enough(struct db *db, int64_t major, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT current_setting('server_version_num')::int4 "
		    "/ 10000",
		    NULL, &r, e))
		return false;
	result_next(&r);
	int here = result_int4(&r, 0);
	result_release(&r);
	return here >= major ||
	       err_set(e, ERR_CONFLICT,
		       "the backup is of PostgreSQL %lld, and the database's "
		       "is %d; restore it into %lld or newer",
		       (long long)major, here, (long long)major);
}

bool restore_begin(struct db *db, int64_t major, struct err *e)
{
	return young_enough(db, major, e) && migrate_lock(db, e) &&
	       empty(db, e);
}

/* As a vacuum leaves it (keep_drop.c): an upload that has runs keeps them and its
 * identity; that of any other goes, so that the same can be sent again, and one
 * that waits could never be read. */
static bool bytes_left_out(struct db *db, struct err *e)
{
	return sql_script(db,
		"UPDATE upload u SET dropped_at = coalesce(dropped_at, now()), "
		"identity = CASE WHEN state = 'done' AND EXISTS "
		"(SELECT FROM run r WHERE r.upload_id = u.id) "
		"THEN identity END "
		"WHERE state IN ('done', 'failed') AND chunks > 0; "
		"UPDATE upload SET state = 'failed', identity = NULL, "
		"dropped_at = now(), finished_at = now(), "
		"error = 'its bytes were not in the backup that this "
		"installation was restored from; send it again' "
		"WHERE state = 'queued'",
		e);
}

bool restore_settle(struct db *db, bool raw, struct err *e)
{
	int64_t n;
	return sql_script(db, "SET statement_timeout = 0", e) &&
	       upload_release_all(db, &n, e) && upload_forsake(db, &n, e) &&
	       (raw || bytes_left_out(db, e)) && sql_script(db, "ANALYZE", e);
}
