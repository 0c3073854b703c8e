/* migrate.c - one at a time: what is applied is checked, what is new applied,
 * the views made again. */
#include "migrate.h"
#include "db_conn.h"
#include "embedded.h"
#include "migrations.h"
#include "sql.h"

extern const struct embedded sql_files[];

/* Any number will do that nobody else takes. */
#define LOCK_KEY "7236284921357811"

/* The rules need text in UTF-8 and what PostgreSQL 15 can do. */
static bool usable(struct db *db, struct err *e)
{
	struct result r;
	struct arena a = { 0 };
	if (!sql_run(db,
		    "SELECT current_database()::text, "
		    "current_setting('server_encoding'), "
		    "current_setting('server_version'), "
		    "current_setting('server_version_num')::int4",
		    NULL, &r, e))
		return false;
	result_next(&r);
	const char *name = result_text(&r, &a), *encoding = result_text(&r, &a);
	const char *version = result_text(&r, &a);
	bool ok = result_int4(&r, 0) >= 150000;
	if (!ok)
		err_set(e, ERR_DATABASE,
			"the database is PostgreSQL %s; 15 or newer is needed",
			version);
	else if (strcmp(encoding, "UTF8"))
		ok = err_set(e, ERR_DATABASE,
			"database '%s' is encoded in %s; create it with "
			"ENCODING 'UTF8'",
			name, encoding);
	result_release(&r);
	arena_release(&a);
	return ok;
}

bool migrate_lock(struct db *db, struct err *e)
{
	return sql_script(db,
		"SET statement_timeout = 0; "
		"SET lock_timeout = '5min'; "
		"SELECT pg_advisory_lock(" LOCK_KEY "); "
		"RESET lock_timeout",
		e);
}

static bool views(struct db *db, void *arg, struct err *e)
{
	bool ok = true;
	for (const struct embedded *f = arg; ok && f->path; f++)
		if (!strncmp(f->path, "views/", 6))
			ok = sql_script(db, (const char *)f->bytes, e);
	return ok;
}

bool migrate_files(struct db *db, const struct embedded *files, int *applied,
	struct err *e)
{
	*applied = 0;
	/* A migration takes the time it takes; another one is waited for. */
	bool ok = sql_script(db,
			  "SET statement_timeout = 0; "
			  "SET idle_in_transaction_session_timeout = 0; "
			  "SET lock_timeout = '5min'; "
			  "SELECT pg_advisory_lock(" LOCK_KEY ")",
			  e) &&
		  usable(db, e) && migrations_apply(db, files, applied, e) &&
		  sql_transaction(db, views, (void *)(uintptr_t)files, e);
	struct err ignored = { 0 };
	bool back = sql_script(db,
			    "SELECT pg_advisory_unlock(" LOCK_KEY "); "
			    "RESET lock_timeout",
			    ok ? e : &ignored) &&
		    conn_limits(db, ok ? e : &ignored);
	return ok && back;
}

bool migrate(struct db *db, int *applied, struct err *e)
{
	return migrate_files(db, sql_files, applied, e);
}
