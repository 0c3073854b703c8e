/* backup.c - the whole database as one file: pg_dump, from one moment. */
#include "archive_write.h"
#include "command.h"
#include "copier.h"
#include "log.h"
#include "postgres.h"
#include "snapshot.h"
#include <time.h>

enum { PIECE = 1 << 20 };

struct backup {
	struct store store;
	struct arena arena;
	struct snapshot snapshot;
	struct manifest manifest;
	struct archive_writer *file;
	char piece[PIECE];
};

static void describe(struct backup *b, bool raw)
{
	const struct snapshot *s = &b->snapshot;
	struct manifest *m = &b->manifest;
	time_t now = time(NULL);
	struct tm tm;
	gmtime_r(&now, &tm);
	strftime(m->made_at, sizeof m->made_at, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(m->version, sizeof m->version, "%s", KERNSIFT_VERSION);
	memcpy(m->migrations, s->migrations, sizeof m->migrations);
	m->postgres = s->major;
	m->schema = s->schema;
	m->raw = raw;
	m->uploads = s->uploads;
	m->chunks = raw ? s->chunks : 0;
	m->runs = s->runs;
	m->kernels = s->kernels;
	m->tokens = s->tokens;
}

static bool pump(struct backup *b, struct copier *c, struct err *e)
{
	for (size_t n = 1; n;) {
		if (!copier_read(c, b->piece, PIECE, &n, e) ||
			!archive_write(b->file, b->piece, n, e))
			return false;
	}
	return true;
}

static bool dump(struct backup *b, bool raw, struct err *e)
{
	struct postgres_tools tools;
	struct copier c;
	if (!postgres_tools_find(&tools, b->snapshot.major, &b->arena, e))
		return false;
	/* Compressed by us: better and ten times as fast. */
	const char *const argv[] = { tools.dump, "--format=custom",
		"--compress=0", "--no-password", "--no-sync", "--encoding=UTF8",
		arena_printf(&b->arena, "--snapshot=%s", b->snapshot.id),
		raw ? NULL : "--exclude-table-data=upload_chunk", NULL };
	if (!copier_new(&c, argv, db_environment(b->store.db, &b->arena), true,
		    e))
		return false;
	bool ok = pump(b, &c, e);
	return copier_end(&c, !ok, e) && ok;
}

static void tell(const char *path, const struct manifest *m)
{
	printf("%s: %lld runs of %lld uploads, %lld tokens, %.1f MiB%s\n", path,
		(long long)m->runs, (long long)m->uploads, (long long)m->tokens,
		(double)m->bytes / (1 << 20),
		m->raw ? "" : ", without the bytes of uploads");
	if (!m->raw)
		printf("what is restored from it cannot read its uploads again "
		       "(rebuild, retry), nor hand them out\n");
	printf("keep it as you would a password: hashes of tokens, secrets of "
	       "webhooks and all traces are in it\n");
}

static bool backup(struct backup *b, const struct config *c, const char *path,
	bool raw, struct err *e)
{
	/* First what costs nothing. */
	b->file = archive_writer_new(path, e);
	if (!b->file || !command_store(&b->store, c, CLUSTER_COMMAND, e) ||
		!snapshot_hold(b->store.db, &b->snapshot, &b->arena, e))
		return false;
	describe(b, raw);
	return dump(b, raw, e) && archive_writer_end(b->file, &b->manifest, e);
}

int command_backup(const struct invocation *in)
{
	struct err e = { 0 };
	const char *path = in->operands[0];
	signal(SIGPIPE, SIG_IGN);
	if (!*path) {
		err_set(&e, ERR_INPUT,
			"the name of the file to write is empty (for example "
			"kernsift.backup)");
		return command_fail(&e);
	}
	struct backup *b = calloc(1, sizeof *b);
	if (!b)
		abort();
	bool ok = backup(b, in->config, path, !in->config->without_raw, &e);
	if (ok)
		tell(path, &b->manifest);
	archive_writer_free(b->file);
	command_store_release(&b->store);
	arena_release(&b->arena);
	free(b);
	return ok ? 0 : command_fail(&e);
}
