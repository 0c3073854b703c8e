/* migrate.c - applies numbered migrations without gaps and with constant
 * hashes, then creates the views. */
#include "migrate.h"
#include "db_conn.h"
#include "embedded.h"
#include "sha256.h"
#include "sql.h"

extern const struct embedded sql_files[];

struct migration {
	int number; /* from 1 */
	const char *name; /* name of the file, as recorded */
	const struct embedded *file;
	uint8_t sha256[SHA256_BYTES];
};

struct migrate_plan {
	struct migration *list; /* the program's migrations, by number */
	int n, done;
};

/* Lists the program's files; their names begin with their number. */
static bool migrate_list_files(struct migrate_plan *plan, struct arena *a,
	const struct embedded *files, struct err *e)
{
	static const char dir[] = "migrations/";
	int all = 0;
	while (files[all].path)
		all++;
	plan->list = arena_array(a, struct migration, (size_t)all);
	for (const struct embedded *f = files; f->path; f++) {
		if (strncmp(f->path, dir, strlen(dir)))
			continue;
		struct migration *m = &plan->list[plan->n++];
		m->name = f->path + strlen(dir);
		m->file = f;
		m->number = (int)strtol(m->name, NULL, 10);
		sha256_of(f->bytes, *f->len, m->sha256);
		if (m->number != plan->n)
			return err_set(e, ERR_INTERNAL,
				"migration %d is missing from the program "
				"before '%s'",
				plan->n, m->name);
	}
	return true;
}

/* Compares a recorded migration with the program's migration of the same
 * number. */
static bool migrate_check(struct migrate_plan *plan, int number,
	const char *name, const void *sha256, struct err *e)
{
	plan->done++;
	if (number != plan->done)
		return err_set(e, ERR_DATABASE,
			"migration %d is missing from the database though "
			"'%s' was applied",
			plan->done, name);
	if (number > plan->n)
		return err_set(e, ERR_DATABASE,
			"the database has migration '%s', which this program "
			"does not know; use a newer kernsiftd",
			name);
	const struct migration *m = &plan->list[number - 1];
	if (memcmp(sha256, m->sha256, SHA256_BYTES) || strcmp(name, m->name))
		return err_set(e, ERR_DATABASE,
			"migration '%s' was changed after it was applied as "
			"'%s'; put it back and add a new one instead",
			m->name, name);
	return true;
}

static bool migrate_check_applied(struct db *db, struct arena *a,
	struct migrate_plan *plan, struct err *e)
{
	struct result r;
	if (!sql_script(db,
		    "CREATE TABLE IF NOT EXISTS migration ("
		    "number int PRIMARY KEY CHECK (number > 0), "
		    "name text NOT NULL, "
		    "sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32), "
		    "applied_at timestamptz NOT NULL DEFAULT now())",
		    e) ||
		!sql_run(db,
			"SELECT number, name, sha256 "
			"FROM migration "
			"ORDER BY number",
			NULL, &r, e))
		return false;
	bool ok = true;
	while (ok && result_next(&r)) {
		size_t len;
		int number = result_int4(&r, 0);
		const char *name = result_text(&r, a);
		ok = migrate_check(plan, number, name, result_bytes(&r, &len),
			e);
	}
	result_release(&r);
	return ok;
}

static bool migrate_apply(struct db *db, void *arg, struct err *e)
{
	const struct migration *m = arg;
	struct err why = { 0 };
	struct sql_params p = { 0 };
	sql_int4(&p, m->number);
	sql_text(&p, m->name);
	sql_bytes(&p, m->sha256, SHA256_BYTES);
	return (sql_script(db, (const char *)m->file->bytes, &why) &&
		       sql_run(db,
			       "INSERT INTO migration (number, name, sha256) "
			       "VALUES ($1, $2, $3)",
			       &p, NULL, &why)) ||
	       err_set(e, why.code, "migration '%s' failed: %s", m->name,
		       why.text);
}

static bool migrate_apply_new(struct db *db, const struct embedded *files,
	int *applied, struct err *e)
{
	struct arena a = { 0 };
	struct migrate_plan plan = { 0 };
	bool ok = migrate_list_files(&plan, &a, files, e) &&
		  migrate_check_applied(db, &a, &plan, e);
	for (int i = plan.done; ok && i < plan.n; i++) {
		ok = sql_transaction(db, migrate_apply, &plan.list[i], e);
		*applied += ok;
	}
	arena_release(&a);
	return ok;
}

int migrate_digest(int64_t n, char hex[SHA256_HEX])
{
	struct arena a = { 0 };
	struct migrate_plan plan = { 0 };
	struct err ignored = { 0 };
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
	migrate_list_files(&plan, &a, sql_files, &ignored);
	sha256_init(&sha);
	for (int i = 0; i < plan.n && i < n; i++)
		sha256_add(&sha, plan.list[i].sha256, SHA256_BYTES);
	sha256_end(&sha, digest);
	sha256_hex(digest, hex);
	arena_release(&a);
	return plan.n;
}

/* Any number that no other lock uses. */
#define MIGRATE_LOCK_KEY "7236284921357811"

/* Checks that the database stores text as UTF-8 and has the features of
 * PostgreSQL 15. */
static bool migrate_check_server(struct db *db, struct err *e)
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
		"SELECT pg_advisory_lock(" MIGRATE_LOCK_KEY "); "
		"RESET lock_timeout",
		e);
}

static bool migrate_views(struct db *db, void *arg, struct err *e)
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
	/* A migration has no time limit, and waits until another migration
	 * ends. */
	bool ok =
		sql_script(db,
			"SET statement_timeout = 0; "
			"SET idle_in_transaction_session_timeout = 0; "
			"SET lock_timeout = '5min'; "
			"SELECT pg_advisory_lock(" MIGRATE_LOCK_KEY ")",
			e) &&
		migrate_check_server(db, e) &&
		migrate_apply_new(db, files, applied, e) &&
		sql_transaction(db, migrate_views, (void *)(uintptr_t)files, e);
	struct err ignored = { 0 };
	bool back = sql_script(db,
			    "SELECT pg_advisory_unlock(" MIGRATE_LOCK_KEY "); "
			    "RESET lock_timeout",
			    ok ? e : &ignored) &&
		    db_limits(db, ok ? e : &ignored);
	return ok && back;
}

bool migrate(struct db *db, int *applied, struct err *e)
{
	return migrate_files(db, sql_files, applied, e);
}
