/* snapshot.c - a snapshot of the whole database; an empty database before and
 * after a restore. */
#include "snapshot.h"
#include "migrate.h"
#include "sql.h"
#include "upload.h"

static bool snapshot_check_database(struct db *db, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT to_regclass('migration') IS NOT NULL "
		    "AND to_regclass('kernel') IS NOT NULL",
		    NULL, &r, e))
		return false;
	result_next(&r);
	bool ours = result_bool(&r);
	result_release(&r);
	return ours || err_set(e, ERR_INPUT,
			       "the database has no tables of kernsift: there "
			       "is nothing to back up");
}

bool snapshot_now(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e)
{
	static const char sql[] =
		"SELECT current_setting('server_version_num')::int4 / 10000, "
		"(SELECT max(number) FROM migration), "
		"(SELECT string_agg(sha256, '' ORDER BY number) "
		"FROM migration), "
		"(SELECT count(*) FROM upload), "
		"(SELECT count(*) FROM upload_chunk), "
		"(SELECT count(*) FROM run_identity "
		"WHERE deleted_at IS NULL), "
		"(SELECT count(*) FROM kernel), "
		"(SELECT count(*) FROM token)";
	struct result r;
	uint8_t digest[SHA256_BYTES];
	size_t len;
	(void)a;
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	result_next(&r);
	s->major = result_int4(&r, 0);
	s->schema = result_int4(&r, 0);
	const void *hashes = result_bytes(&r, &len);
	sha256_of(hashes, len, digest);
	sha256_hex(digest, s->migrations);
	s->uploads = result_int8(&r, 0);
	s->chunks = result_int8(&r, 0);
	s->runs = result_int8(&r, 0);
	s->kernels = result_int8(&r, 0);
	s->tokens = result_int8(&r, 0);
	result_release(&r);
	return true;
}

bool snapshot_hold(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e)
{
	struct result r;
	*s = (struct snapshot){ 0 };
	if (!sql_script(db,
		    "SET statement_timeout = 0; "
		    "SET idle_in_transaction_session_timeout = 0; "
		    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		    e) ||
		!snapshot_check_database(db, e) || !snapshot_now(db, s, a, e) ||
		!sql_run(db, "SELECT pg_export_snapshot()", NULL, &r, e))
		return false;
	result_next(&r);
	s->id = result_text(&r, a);
	result_release(&r);
	return true;
}

bool snapshot_known(int64_t schema, const char *migrations, struct err *e)
{
	char hex[SHA256_HEX];
	int n = migrate_digest(schema, hex);
	if (schema > n)
		return err_set(e, ERR_CONFLICT,
			"the backup's schema is number %lld, and this program "
			"knows %d; use a newer kernsiftd",
			(long long)schema, n);
	return !strcmp(hex, migrations) ||
	       err_set(e, ERR_CONFLICT,
		       "the backup's migrations are not those of this program; "
		       "use the kernsiftd that made it");
}

/* Tables of extensions and of the system are ignored. */
static bool restore_check_empty(struct db *db, struct err *e)
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

static bool restore_check_version(struct db *db, int64_t major, struct err *e)
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
	return restore_check_version(db, major, e) && migrate_lock(db, e) &&
	       restore_check_empty(db, e);
}

/* Leaves the uploads as retention does, except those whose bytes are in object storage,
 * which a backup never contains. An upload with runs keeps them and its
 * identity. Any other upload loses its identity, so that the same bytes can be
 * uploaded again. A queued upload fails, because its bytes do not exist. */
static bool restore_without_bytes(struct db *db, struct err *e)
{
	return sql_script(db,
		"UPDATE upload u SET dropped_at = coalesce(dropped_at, now()), "
		"identity = CASE WHEN state = 'done' AND EXISTS "
		"(SELECT FROM run r WHERE r.upload_id = u.id) "
		"THEN identity END "
		"WHERE state IN ('done', 'failed') AND chunks > 0 "
		"AND NOT EXISTS (SELECT FROM upload_object o "
		"WHERE o.upload_id = u.id AND o.stored_at IS NOT NULL); "
		"UPDATE upload u SET state = 'failed', identity = NULL, "
		"dropped_at = now(), finished_at = now(), "
		"error = 'its bytes were not in the backup that this "
		"installation was restored from; send it again' "
		"WHERE state = 'queued' "
		"AND NOT EXISTS (SELECT FROM upload_object o "
		"WHERE o.upload_id = u.id AND o.stored_at IS NOT NULL)",
		e);
}

bool restore_settle(struct db *db, bool raw, struct err *e)
{
	int64_t n;
	return sql_script(db, "SET statement_timeout = 0", e) &&
	       upload_release_all(db, &n, e) && upload_expire_all(db, &n, e) &&
	       (raw || restore_without_bytes(db, e)) &&
	       sql_script(db, "ANALYZE", e);
}
