/* pg_tools.c - finds PostgreSQL's programs, by running each candidate for its
 * version, and runs pg_dump or pg_restore at the other end of a pipe. */
#include "pg_tools.h"
#include "spawn.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct pg_tools_search {
	struct arena *arena;
	const char *first, *second; /* programs that the folder must have */
	int least, most; /* majors that will do */
	bool oldest; /* of these, not the newest */
	int major; /* found; 0 none yet */
	int newest; /* seen at all */
	const char *path[2];
};

/* Takes the folder's programs if they are better than what was found. */
static void pg_tools_try_folder(struct pg_tools_search *s, const char *bin)
{
	char text[128];
	const char *at;
	const char *first = arena_printf(s->arena, "%s/%s", bin, s->first);
	const char *second = arena_printf(s->arena, "%s/%s", bin, s->second);
	const char *ask[] = { first, "--version", NULL };

	if (access(first, X_OK) != 0 || access(second, X_OK) != 0 ||
		!spawn_ask(ask, text, sizeof text) ||
		!(at = strstr(text, "PostgreSQL) ")))
		return;
	int major = (int)strtol(at + strlen("PostgreSQL) "), NULL, 10);
	if (major > s->newest)
		s->newest = major;
	bool better =
		!s->major || (s->oldest ? major < s->major : major > s->major);
	if (major >= s->least && major <= s->most && better) {
		s->major = major;
		s->path[0] = first;
		s->path[1] = second;
	}
}

static void pg_tools_try_packages(struct pg_tools_search *s)
{
	static const char *const where[] = { "/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin", "/usr/local/pgsql/bin" };
	for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
		glob_t found;
		if (glob(where[i], 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				pg_tools_try_folder(s, found.gl_pathv[k]);
		globfree(&found);
	}
}

static void pg_tools_try_path(struct pg_tools_search *s)
{
	char text[1024];
	const char *at = getenv("PATH");
	while (at && *at) {
		size_t n = strcspn(at, ":");
		const char *dir = arena_strndup(s->arena, at, n);
		const char *config =
			arena_printf(s->arena, "%s/pg_config", dir);
		const char *ask[] = { config, "--bindir", NULL };
		if (*dir == '/')
			pg_tools_try_folder(s, dir);
		if (*dir == '/' && access(config, X_OK) == 0 &&
			spawn_ask(ask, text, sizeof text)) {
			text[strcspn(text, "\n")] = '\0';
			pg_tools_try_folder(s, text);
		}
		at += n + (at[n] == ':');
	}
}

bool pg_tools_find_server(struct pg_tools_server *p, int major, struct arena *a,
	struct err *e)
{
	struct pg_tools_search s = { .arena = a,
		.first = "postgres",
		.second = "initdb",
		.least = major ? major : POSTGRES_OLDEST,
		.most = major ? major : INT_MAX };
	pg_tools_try_packages(&s);
	if (!s.major)
		pg_tools_try_path(&s);
	*p = (struct pg_tools_server){ s.major, s.path[1], s.path[0] };
	if (p->major)
		return true;
	if (!s.newest)
		return err_set(e, ERR_INTERNAL,
			"no PostgreSQL server is installed here; install one "
			"(apt-get install postgresql), or give --db");
	if (!major)
		return err_set(e, ERR_INTERNAL,
			"PostgreSQL %d is installed, and %d or newer is "
			"needed; install one, or give --db",
			s.newest, POSTGRES_OLDEST);
	return err_set(e, ERR_INTERNAL,
		"the data folder holds a cluster of PostgreSQL %d, and only %d "
		"is installed; install postgresql-%d beside it, then see "
		"'Upgrades' in server/README.md",
		major, s.newest, major);
}

bool pg_tools_find(struct pg_tools *t, int least, struct arena *a,
	struct err *e)
{
	struct pg_tools_search s = { .arena = a,
		.first = "pg_dump",
		.second = "pg_restore",
		.least = least,
		.most = INT_MAX,
		.oldest = true };
	pg_tools_try_packages(&s);
	if (!s.major)
		pg_tools_try_path(&s);
	*t = (struct pg_tools){ s.path[0], s.path[1] };
	return s.major ||
	       err_set(e, ERR_INTERNAL,
		       "pg_dump and pg_restore of PostgreSQL %d or newer are "
		       "needed and not installed here; install "
		       "postgresql-client-%d",
		       least, least);
}

int pg_tools_cluster_major(const char *pg, struct arena *a)
{
	char text[16] = { 0 };
	FILE *f = fopen(arena_printf(a, "%s/PG_VERSION", pg), "re");
	if (!f)
		return 0;
	char *line = fgets(text, sizeof text, f);
	fclose(f);
	return line ? (int)strtol(line, NULL, 10) : 0;
}

static bool pg_tools_no_pipe(const struct pg_tools_copy *c, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "%s cannot be run: %s", c->name,
		strerror(errno));
}

static void pg_tools_hold_signals(struct pg_tools_copy *c)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &c->were);
	c->signals = signalfd(-1, &ours, SFD_CLOEXEC);
}

static void pg_tools_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool pg_tools_copy_new(struct pg_tools_copy *c, const char *const argv[],
	const char *const env[], bool writes, struct err *e)
{
	const char *slash = strrchr(argv[0], '/');
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	*c = (struct pg_tools_copy){ .name = slash ? slash + 1 : argv[0],
		.end = -1 };
	pg_tools_hold_signals(c);
	c->said = memfd_create("said", MFD_CLOEXEC);
	bool ok = null >= 0 && c->said >= 0 && c->signals >= 0 &&
		  pipe2(ends, O_CLOEXEC) == 0;
	if (!ok) {
		pg_tools_no_pipe(c, e);
	} else {
		int theirs = ends[writes];
		struct spawn_with w = { env, writes ? -1 : theirs, c->said };
		c->end = ends[!writes];
		c->pid = spawn_with(NULL, "/", argv, writes ? theirs : null,
			SIGTERM, &w, e);
		close(theirs);
		ok = c->pid > 0 && (fcntl(c->end, F_SETFL, O_NONBLOCK) == 0 ||
					   pg_tools_no_pipe(c, e));
	}
	pg_tools_close(&null);
	if (!ok) {
		struct err ignored = { 0 };
		pg_tools_copy_end(c, true, &ignored);
	}
	return ok;
}

/* Until the pipe is ready; a signal that is waiting comes first. */
static bool pg_tools_ready(struct pg_tools_copy *c, short events, struct err *e)
{
	struct pollfd p[] = { { c->signals, POLLIN, 0 },
		{ c->end, events, 0 } };
	struct signalfd_siginfo info;
	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return pg_tools_no_pipe(c, e);
	if (p[0].revents && read(c->signals, &info, sizeof info) > 0)
		return err_set(e, ERR_CONFLICT, "stopped by SIG%s",
			sigabbrev_np((int)info.ssi_signo));
	return true;
}

bool pg_tools_copy_read(struct pg_tools_copy *c, void *into, size_t room,
	size_t *len, struct err *e)
{
	for (;;) {
		if (!pg_tools_ready(c, POLLIN, e))
			return false;
		ssize_t n = read(c->end, into, room);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return pg_tools_no_pipe(c, e);
		*len = (size_t)n;
		return true;
	}
}

bool pg_tools_copy_write(struct pg_tools_copy *c, const void *bytes, size_t len,
	struct err *e)
{
	const char *at = bytes;
	while (len && !c->deaf) {
		if (!pg_tools_ready(c, POLLOUT, e))
			return false;
		ssize_t n = write(c->end, at, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		c->deaf = n < 0 && errno == EPIPE;
		if (c->deaf)
			return true;
		if (n < 0)
			return pg_tools_no_pipe(c, e);
		at += n;
		len -= (size_t)n;
	}
	return true;
}

/* The first line that reports an error; else the first. */
static void pg_tools_reason(const struct pg_tools_copy *c, char *line,
	size_t size)
{
	char text[2000];
	ssize_t n = pread(c->said, text, sizeof text - 1, 0);
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

bool pg_tools_copy_end(struct pg_tools_copy *c, bool give_up, struct err *e)
{
	char why[300];
	int status = 0;
	pg_tools_close(&c->end);
	if (c->pid > 0 && give_up)
		kill(c->pid, SIGTERM);
	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status) {
		pg_tools_reason(c, why, sizeof why);
		err_set(e,
			strstr(why, "No space left") ? ERR_DISK_FULL
						     : ERR_INTERNAL,
			"%s failed: %s", c->name, why);
	}
	pg_tools_close(&c->said);
	pg_tools_close(&c->signals);
	sigprocmask(SIG_SETMASK, &c->were, NULL);
	return !status;
}
