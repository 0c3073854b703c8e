/* restore.c - a backup's file into an empty database, whole or not at all. */
#include "archive_read.h"
#include "command.h"
#include "copier.h"
#include "postgres.h"
#include "snapshot.h"

struct restore {
	struct store store;
	struct arena arena;
	struct manifest manifest;
	struct archive_reader *file;
};

static bool pump(struct restore *r, struct copier *c, struct err *e)
{
	const void *bytes;
	for (size_t n = 1; n && !c->deaf;) {
		if (!archive_read(r->file, &bytes, &n, e) ||
			!copier_write(c, bytes, n, e))
			return false;
	}
	return true;
}

/* All in one transaction, by pg_restore; nobody's rights but the caller's. */
static bool load(struct restore *r, struct err *e)
{
	struct postgres_tools tools;
	struct copier c;
	if (!postgres_tools_find(&tools, (int)r->manifest.postgres, &r->arena,
		    e))
		return false;
	const char *const argv[] = { tools.restore, "--format=custom",
		"--single-transaction", "--exit-on-error", "--no-password",
		"--no-owner", "--no-privileges", "--no-comments",
		"--no-tablespaces", "--dbname", db_name(r->store.db, &r->arena),
		NULL };
	if (!copier_new(&c, argv, db_environment(r->store.db, &r->arena), false,
		    e))
		return false;
	bool ok = pump(r, &c, e);
	return copier_end(&c, !ok, e) && ok;
}

/* A PostgreSQL that ended knows alone why. */
static bool load_or_tell(struct restore *r, struct err *e)
{
	struct err why = { 0 };
	if (load(r, &why))
		return true;
	if (!r->store.cluster || why.code != ERR_INTERNAL)
		return err_set(e, why.code, "%s", why.text);
	return err_set(e, why.code, "%s; see '%.100s'", why.text,
		cluster_log(r->store.cluster));
}

static bool same_rows(struct restore *r, struct err *e)
{
	const struct manifest *m = &r->manifest;
	struct snapshot s;
	if (!snapshot_now(r->store.db, &s, &r->arena, e))
		return false;
	return (s.uploads == m->uploads && s.chunks == m->chunks &&
		       s.runs == m->runs && s.kernels == m->kernels &&
		       s.tokens == m->tokens) ||
	       err_set(e, ERR_INTERNAL,
		       "what was restored is not what the backup tells: %lld "
		       "runs of %lld uploads in place of %lld of %lld",
		       (long long)s.runs, (long long)s.uploads,
		       (long long)m->runs, (long long)m->uploads);
}

static bool settle(struct db *db, void *arg, struct err *e)
{
	const struct manifest *m = arg;
	return restore_settle(db, m->raw, e);
}

/* What comes after pg_restore's transaction: the database is filled by then, and
 * another restore would refuse it. Our own is discarded by whoever called. */
static bool finish(struct restore *r, struct err *e)
{
	struct manifest *m = &r->manifest;
	struct err why = { 0 };
	int applied;
	if (same_rows(r, &why) &&
		command_migrated(r->store.db, &applied, &why) &&
		command_trail(r->store.db, "restore", m->made_at, settle, m,
			&why))
		return true;
	return err_set(e, why.code, "%.250s%s", why.text,
		r->store.cluster ? ""
				 : "; the database is filled but not fit for "
				   "use: drop it, serve nothing from it, and "
				   "restore into a new and empty one");
}

static bool restore(struct restore *r, const struct config *c, const char *path,
	struct err *e)
{
	const struct manifest *m = &r->manifest;
	/* First what touches nothing. */
	r->file = archive_reader_new(path, &r->manifest, e);
	return r->file && snapshot_known(m->schema, m->migrations, e) &&
	       command_store(&r->store, c, CLUSTER_COMMAND, e) &&
	       restore_begin(r->store.db, m->postgres, e) &&
	       load_or_tell(r, e) && finish(r, e);
}

static void tell(const char *path, const struct manifest *m)
{
	printf("restored %lld runs of %lld uploads and %lld tokens from %s, "
	       "made %s by kernsift %s\n",
		(long long)m->runs, (long long)m->uploads, (long long)m->tokens,
		path, m->made_at, m->version);
	if (!m->raw)
		printf("the bytes of uploads were not in it: they cannot be "
		       "read again (rebuild, retry), nor handed out\n");
}

int command_restore(const struct invocation *in)
{
	struct err e = { 0 };
	struct restore r = { 0 };
	const char *path = in->operands[0];
	signal(SIGPIPE, SIG_IGN);
	if (!*path) {
		err_set(&e, ERR_INPUT,
			"the name of the backup is empty (for example "
			"kernsift.backup)");
		return command_fail(&e);
	}
	bool ok = restore(&r, in->config, path, &e);
	if (ok)
		tell(path, &r.manifest);
	archive_reader_free(r.file);
	if (ok)
		command_store_release(&r.store);
	else
		command_store_discard(&r.store);
	arena_release(&r.arena);
	return ok ? 0 : command_fail(&e);
}
