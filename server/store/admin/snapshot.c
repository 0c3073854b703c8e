/* snapshot.c - a moment held, counted, and known by its migrations. */
#include "snapshot.h"
#include "db_conn.h"
#include "embedded.h"
#include "migrations.h"
#include "sql.h"

extern const struct embedded sql_files[];

static bool is_ours(struct db *db, struct err *e)
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
		!is_ours(db, e) || !snapshot_now(db, s, a, e) ||
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
	int n = migrations_digest(sql_files, schema, hex);
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

const char *const *db_environment(struct db *db, struct arena *a)
{
	PQconninfoOption *all = PQconninfo(db->pg);
	size_t n = 0, at = 0;
	while (all && all[n].keyword)
		n++;
	const char **env = arena_array(a, const char *, n + 2);
	/* A service's words were looked up already. */
	for (size_t i = 0; i < n; i++)
		if (all[i].envvar && all[i].val && *all[i].val &&
			strcmp(all[i].keyword, "service") != 0)
			env[at++] = arena_printf(a, "%s=%s", all[i].envvar,
				all[i].val);
	PQconninfoFree(all);
	if (getenv("HOME")) /* certificates */
		env[at] = arena_printf(a, "HOME=%s", getenv("HOME"));
	return env;
}

const char *db_name(struct db *db, struct arena *a)
{
	struct buf b;
	size_t len;
	buf_init(&b, 1024);
	buf_puts(&b, "dbname='");
	for (const char *at = PQdb(db->pg); *at; at++)
		buf_printf(&b, *at == '\'' || *at == '\\' ? "\\%c" : "%c", *at);
	buf_puts(&b, "'");
	char *text = buf_take(&b, &len);
	const char *name = arena_strndup(a, text, len);
	free(text);
	return name;
}
