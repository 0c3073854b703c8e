/* backup.c - the commands `backup` and `restore`. `backup` writes the whole
 * database to one file. `restore` loads such a file into an empty database,
 * completely or not at all. */
#include "archive.h"
#include "command.h"
#include "pg_tools.h"
#include "log.h"
#include "snapshot.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

struct backup {
	struct store store;
	struct arena arena;
	struct snapshot snapshot;
	struct manifest manifest;
	struct archive_writer *file;
	char piece[PIECE];
};

static void backup_describe(struct backup *b, bool raw)
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

/* A program at the other end of a pipe: pg_dump or pg_restore. If the program
 * fails, its stderr becomes the error text. The signals INT, TERM and HUP end
 * the copy with an error; they are blocked until backup_pipe_end(). */
struct backup_pipe {
	const char *name;
	pid_t pid;
	int end; /* this program's end of the pipe; non-blocking */
	bool deaf; /* the other program has stopped reading */
	int messages, signals;
	sigset_t were; /* the signals that were blocked before */
};

static bool backup_pipe_fail(const struct backup_pipe *c, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "%s cannot be run: %s", c->name,
		strerror(errno));
}

static void backup_pipe_hold_signals(struct backup_pipe *c)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &c->were);
	c->signals = signalfd(-1, &ours, SFD_CLOEXEC);
}

static void backup_pipe_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Finds the first line of the program's stderr that reports an error; otherwise
 * its first line. */
static void backup_pipe_reason(const struct backup_pipe *c, char *line,
	size_t size)
{
	char text[2000];
	ssize_t n = pread(c->messages, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, "error: ");
	at = at ? at + strlen("error: ") : text;
	size_t len = strcspn(at, "\n");
	if (!len)
		snprintf(line, size, "it gave no reason");
	else
		snprintf(line, size, "%.*s", (int)len, at);
	line[utf8_trim(line, strlen(line))] = '\0';
}

/* Waits for the end of the program, which must be successful. `give_up` ends
 * the program first. */
static bool backup_pipe_end(struct backup_pipe *c, bool give_up, struct err *e)
{
	char why[300];
	int status = 0;
	backup_pipe_close(&c->end);
	if (c->pid > 0 && give_up)
		kill(c->pid, SIGTERM);
	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status) {
		backup_pipe_reason(c, why, sizeof why);
		err_set(e,
			strstr(why, "No space left") ? ERR_DISK_FULL
						     : ERR_INTERNAL,
			"%s failed: %s", c->name, why);
	}
	backup_pipe_close(&c->messages);
	backup_pipe_close(&c->signals);
	sigprocmask(SIG_SETMASK, &c->were, NULL);
	return !status;
}

/* Starts a program. `writes`: we read its output; otherwise it reads what we
 * write. */
static bool backup_pipe_new(struct backup_pipe *c, const char *const argv[],
	const char *const env[], bool writes, struct err *e)
{
	const char *slash = strrchr(argv[0], '/');
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	*c = (struct backup_pipe){ .name = slash ? slash + 1 : argv[0],
		.end = -1 };
	backup_pipe_hold_signals(c);
	c->messages = memfd_create("messages", MFD_CLOEXEC);
	bool ok = null >= 0 && c->messages >= 0 && c->signals >= 0 &&
		  pipe2(ends, O_CLOEXEC) == 0;
	if (!ok) {
		backup_pipe_fail(c, e);
	} else {
		int theirs = ends[writes];
		struct pg_tools_stdio with = { env, writes ? -1 : theirs,
			c->messages };
		c->end = ends[!writes];
		c->pid = pg_tools_spawn(NULL, "/", argv, writes ? theirs : null,
			SIGTERM, &with, e);
		close(theirs);
		ok = c->pid > 0 && (fcntl(c->end, F_SETFL, O_NONBLOCK) == 0 ||
					   backup_pipe_fail(c, e));
	}
	backup_pipe_close(&null);
	if (!ok) {
		struct err ignored = { 0 };
		backup_pipe_end(c, true, &ignored);
	}
	return ok;
}

/* Waits until the pipe is ready. A pending signal is handled first. */
static bool backup_pipe_ready(struct backup_pipe *c, short events,
	struct err *e)
{
	struct pollfd p[] = { { c->signals, POLLIN, 0 },
		{ c->end, events, 0 } };
	struct signalfd_siginfo info;
	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return backup_pipe_fail(c, e);
	if (p[0].revents && read(c->signals, &info, sizeof info) > 0)
		return err_set(e, ERR_CONFLICT, "stopped by SIG%s",
			sigabbrev_np((int)info.ssi_signo));
	return true;
}

/* Reads at least one byte; *len is 0 at the end. */
static bool backup_pipe_read(struct backup_pipe *c, void *into, size_t room,
	size_t *len, struct err *e)
{
	for (;;) {
		if (!backup_pipe_ready(c, POLLIN, e))
			return false;
		ssize_t n = read(c->end, into, room);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return backup_pipe_fail(c, e);
		*len = (size_t)n;
		return true;
	}
}

/* Writes all bytes. If the program stops reading, this is not an error here,
 * but sets `deaf`; backup_pipe_end() finds the reason. */
static bool backup_pipe_write(struct backup_pipe *c, const void *bytes,
	size_t len, struct err *e)
{
	const char *at = bytes;
	while (len && !c->deaf) {
		if (!backup_pipe_ready(c, POLLOUT, e))
			return false;
		ssize_t n = write(c->end, at, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		c->deaf = n < 0 && errno == EPIPE;
		if (c->deaf)
			return true;
		if (n < 0)
			return backup_pipe_fail(c, e);
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool backup_copy(struct backup *b, struct backup_pipe *c, struct err *e)
{
	for (size_t n = 1; n;) {
		if (!backup_pipe_read(c, b->piece, PIECE, &n, e) ||
			!archive_write(b->file, b->piece, n, e))
			return false;
	}
	return true;
}

static bool backup_dump(struct backup *b, bool raw, struct err *e)
{
	struct pg_tools tools;
	struct backup_pipe c;
	if (!pg_tools_find(&tools, PG_TOOLS_COPY, b->snapshot.major, &b->arena,
		    e))
		return false;
	/* pg_dump does not compress: this program compresses better and ten
	 * times as fast. */
	const char *const argv[] = { tools.first, "--format=custom",
		"--compress=0", "--no-password", "--no-sync", "--encoding=UTF8",
		arena_printf(&b->arena, "--snapshot=%s", b->snapshot.id),
		raw ? NULL : "--exclude-table-data=upload_chunk", NULL };
	if (!backup_pipe_new(&c, argv, db_environment(b->store.db, &b->arena),
		    true, e))
		return false;
	bool ok = backup_copy(b, &c, e);
	return backup_pipe_end(&c, !ok, e) && ok;
}

static void backup_report(const char *path, const struct manifest *m)
{
	printf("%s: %lld runs of %lld uploads, %lld tokens, %.1f MiB%s\n", path,
		(long long)m->runs, (long long)m->uploads, (long long)m->tokens,
		(double)m->bytes / (1 << 20),
		m->raw ? "" : ", without the bytes of uploads");
	if (!m->raw)
		printf("after a restore from it, uploads cannot be read again "
		       "(rebuild, retry) or downloaded, except those in object "
		       "storage\n");
	printf("protect it like a password: it contains token hashes, webhook "
	       "secrets and all traces\n");
}

static bool backup_write(struct backup *b, const struct config *c,
	const char *path, bool raw, struct err *e)
{
	/* Cheap checks come first. */
	b->file = archive_writer_new(path, e);
	if (!b->file || !command_store(&b->store, c, CLUSTER_COMMAND, e) ||
		!snapshot_hold(b->store.db, &b->snapshot, &b->arena, e))
		return false;
	backup_describe(b, raw);
	return backup_dump(b, raw, e) &&
	       archive_writer_end(b->file, &b->manifest, e);
}

int command_backup(const struct invocation *in)
{
	struct err e = { 0 };
	const char *path = in->operands[0];
	signal(SIGPIPE, SIG_IGN);
	if (!*path) {
		err_set(&e, ERR_INPUT,
			"the file name is empty (for example kernsift.backup)");
		return command_fail(&e);
	}
	struct backup *b = calloc(1, sizeof *b);
	if (!b)
		abort();
	bool ok =
		backup_write(b, in->config, path, !in->config->without_raw, &e);
	if (ok)
		backup_report(path, &b->manifest);
	archive_writer_free(b->file);
	command_store_release(&b->store, false);
	arena_release(&b->arena);
	free(b);
	return ok ? 0 : command_fail(&e);
}

struct restore {
	struct store store;
	struct arena arena;
	struct manifest manifest;
	struct archive_reader *file;
};

static bool backup_restore_copy(struct restore *r, struct backup_pipe *c,
	struct err *e)
{
	const void *bytes;
	for (size_t n = 1; n && !c->deaf;) {
		if (!archive_read(r->file, &bytes, &n, e) ||
			!backup_pipe_write(c, bytes, n, e))
			return false;
	}
	return true;
}

/* Loads everything in one transaction of pg_restore. The current user owns all
 * objects. */
static bool backup_restore_load(struct restore *r, struct err *e)
{
	struct pg_tools tools;
	struct backup_pipe c;
	if (!pg_tools_find(&tools, PG_TOOLS_COPY, (int)r->manifest.postgres,
		    &r->arena, e))
		return false;
	const char *const argv[] = { tools.second, "--format=custom",
		"--single-transaction", "--exit-on-error", "--no-password",
		"--no-owner", "--no-privileges", "--no-comments",
		"--no-tablespaces", "--dbname", db_name(r->store.db, &r->arena),
		NULL };
	if (!backup_pipe_new(&c, argv, db_environment(r->store.db, &r->arena),
		    false, e))
		return false;
	bool ok = backup_restore_copy(r, &c, e);
	return backup_pipe_end(&c, !ok, e) && ok;
}

/* If PostgreSQL itself ended, only its log contains the reason, so the error
 * names the log. */
static bool backup_restore_load_with_reason(struct restore *r, struct err *e)
{
	struct err why = { 0 };
	if (backup_restore_load(r, &why))
		return true;
	if (!r->store.cluster || why.code != ERR_INTERNAL)
		return err_set(e, why.code, "%s", why.text);
	return err_set(e, why.code, "%s; see '%.100s'", why.text,
		cluster_log(r->store.cluster));
}

static bool backup_restore_check_rows(struct restore *r, struct err *e)
{
	const struct manifest *m = &r->manifest;
	struct snapshot s;
	if (!snapshot_now(r->store.db, &s, &r->arena, e))
		return false;
	return (s.uploads == m->uploads && s.chunks == m->chunks &&
		       s.runs == m->runs && s.kernels == m->kernels &&
		       s.tokens == m->tokens) ||
	       err_set(e, ERR_INTERNAL,
		       "the restored data differ from the backup: %lld runs of "
		       "%lld uploads instead of %lld runs of %lld uploads",
		       (long long)s.runs, (long long)s.uploads,
		       (long long)m->runs, (long long)m->uploads);
}

static bool backup_restore_settle_as_made(struct db *db, void *arg,
	struct err *e)
{
	const struct manifest *m = arg;
	return restore_settle(db, m->raw, e);
}

/* The steps after the transaction of pg_restore. If one of them fails, the
 * database is already filled and would reject another restore. If the cluster
 * is private, the caller removes it. */
static bool backup_restore_finish(struct restore *r, struct err *e)
{
	struct manifest *m = &r->manifest;
	struct err why = { 0 };
	int applied;
	if (backup_restore_check_rows(r, &why) &&
		command_migrated(r->store.db, &applied, &why) &&
		command_audit(r->store.db, "restore", m->made_at,
			backup_restore_settle_as_made, m, &why))
		return true;
	return err_set(e, why.code, "%.250s%s", why.text,
		r->store.cluster ? ""
				 : "; the database is incomplete: drop it, "
				   "and restore into a new and empty one");
}

static bool backup_restore_read(struct restore *r, const struct config *c,
	const char *path, struct err *e)
{
	const struct manifest *m = &r->manifest;
	/* Checks that change nothing come first. */
	r->file = archive_reader_new(path, &r->manifest, e);
	return r->file && snapshot_known(m->schema, m->migrations, e) &&
	       command_store(&r->store, c, CLUSTER_COMMAND, e) &&
	       restore_begin(r->store.db, m->postgres, e) &&
	       backup_restore_load_with_reason(r, e) &&
	       backup_restore_finish(r, e);
}

static void backup_restore_report(const char *path, const struct manifest *m)
{
	printf("restored %lld runs of %lld uploads and %lld tokens from %s, "
	       "made %s by kernsift %s\n",
		(long long)m->runs, (long long)m->uploads, (long long)m->tokens,
		path, m->made_at, m->version);
	if (!m->raw)
		printf("the backup has no bytes of uploads: they cannot be read "
		       "again (rebuild, retry) or downloaded\n");
}

int command_restore(const struct invocation *in)
{
	struct err e = { 0 };
	struct restore r = { 0 };
	const char *path = in->operands[0];
	signal(SIGPIPE, SIG_IGN);
	if (!*path) {
		err_set(&e, ERR_INPUT,
			"the file name is empty (for example kernsift.backup)");
		return command_fail(&e);
	}
	bool ok = backup_restore_read(&r, in->config, path, &e);
	if (ok)
		backup_restore_report(path, &r.manifest);
	archive_reader_free(r.file);
	command_store_release(&r.store, !ok);
	arena_release(&r.arena);
	return ok ? 0 : command_fail(&e);
}
