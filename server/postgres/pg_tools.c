/* pg_tools.c - finds PostgreSQL's programs by running each candidate to read
 * its version. Starts a program: forks, changes the user, executes it. */
#include "pg_tools.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENV = 64 };

static void pg_tools_environment(const struct pg_tools_stdio *w, char *to[ENV])
{
	static char *const clean[] = { "LC_ALL=C", "PATH=/usr/bin:/bin",
		"HOME=/" };
	enum { CLEAN = sizeof clean / sizeof *clean };
	int n = 0;
	/* If two variables have one name, the first one is used. */
	for (; w->env && w->env[n] && n < ENV - CLEAN - 1; n++)
		to[n] = (char *)(uintptr_t)w->env[n];
	for (int i = 0; i < CLEAN; i++)
		to[n++] = clean[i];
	to[n] = NULL;
}

/* Runs between fork and exec, so it may only use system calls. */
static _Noreturn void pg_tools_exec(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct pg_tools_stdio *w, pid_t parent)
{
	char *env[ENV];
	sigset_t none;
	int in = w->in >= 0 ? w->in : open("/dev/null", O_RDONLY);

	setsid();
	umask(077);
	if (a && a->other &&
		(setgroups((size_t)a->groups_n, a->groups) != 0 ||
			setgid(a->gid) != 0 || setuid(a->uid) != 0))
		_exit(PG_TOOLS_NO_ENTRY);
	if (chdir(dir) != 0)
		_exit(PG_TOOLS_NO_ENTRY);
	/* This must be after the change of user, because that resets the
	 * parent-death signal. */
	prctl(PR_SET_PDEATHSIG, farewell);
	if (getppid() != parent)
		_exit(0);
	dup2(in, 0);
	dup2(out, 1);
	if (w->stderr_fd >= 0)
		dup2(w->stderr_fd, 2);
	else if (a)
		dup2(out, 2);
	close_range(3, ~0U, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	pg_tools_environment(w, env);
	execve(argv[0], (char *const *)argv, env);
	_exit(PG_TOOLS_NO_PROGRAM);
}

pid_t pg_tools_spawn(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct pg_tools_stdio *with, struct err *e)
{
	static const struct pg_tools_stdio none = { NULL, -1, -1 };
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		pg_tools_exec(a, dir, argv, out, farewell, with ? with : &none,
			parent);
	if (pid < 0)
		err_set(e, ERR_INTERNAL, "'%.200s' cannot be started: %s",
			argv[0], strerror(errno));
	return pid;
}

/* Runs a program as the current user until it ends; `text` gets the first bytes
 * of its stdout. Returns false, without a sentence, if the program could not be
 * run or failed. For programs that may be missing. */
static bool pg_tools_ask(const char *const argv[], char *text, size_t size)
{
	struct err e = { 0 };
	int ends[2], status = -1;
	size_t len = 0;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t pid = pg_tools_spawn(NULL, "/", argv, ends[1], SIGKILL, NULL, &e);
	close(ends[1]);
	while (pid > 0 && len < size - 1 &&
		(n = read(ends[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	text[len] = '\0';
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

struct pg_tools_search {
	struct arena *arena;
	const char *first, *second; /* programs that the folder must have */
	int min, most; /* major versions that are allowed */
	bool oldest; /* select the oldest of these, not the newest */
	int major; /* the selected version; 0: none yet */
	int newest; /* the newest version found, allowed or not */
	const char *path[2];
};

/* Selects the programs in this folder if they are better than those found
 * before. */
static void pg_tools_try_folder(struct pg_tools_search *s, const char *bin)
{
	char text[128];
	const char *at;
	const char *first = arena_printf(s->arena, "%s/%s", bin, s->first);
	const char *second = arena_printf(s->arena, "%s/%s", bin, s->second);
	const char *ask[] = { first, "--version", NULL };

	if (access(first, X_OK) != 0 || access(second, X_OK) != 0 ||
		!pg_tools_ask(ask, text, sizeof text) ||
		!(at = strstr(text, "PostgreSQL) ")))
		return;
	int major = (int)strtol(at + strlen("PostgreSQL) "), NULL, 10);
	if (major > s->newest)
		s->newest = major;
	bool better =
		!s->major || (s->oldest ? major < s->major : major > s->major);
	if (major >= s->min && major <= s->most && better) {
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
			pg_tools_ask(ask, text, sizeof text)) {
			text[strcspn(text, "\n")] = '\0';
			pg_tools_try_folder(s, text);
		}
		at += n + (at[n] == ':');
	}
}

static bool pg_tools_no_server(const struct pg_tools_search *s, int major,
	struct err *e)
{
	if (!s->newest)
		return err_set(e, ERR_INTERNAL,
			"no PostgreSQL server is installed here; install one "
			"(apt-get install postgresql), or give --db");
	if (!major)
		return err_set(e, ERR_INTERNAL,
			"PostgreSQL %d is installed, and %d or newer is "
			"needed; install one, or give --db",
			s->newest, POSTGRES_OLDEST);
	return err_set(e, ERR_INTERNAL,
		"the data folder holds a cluster of PostgreSQL %d, and only %d "
		"is installed; install postgresql-%d beside it, then see "
		"'Upgrades' in server/README.md",
		major, s->newest, major);
}

bool pg_tools_find(struct pg_tools *t, enum pg_tools_kind kind, int major,
	struct arena *a, struct err *e)
{
	bool server = kind == PG_TOOLS_SERVER;
	struct pg_tools_search s = { .arena = a,
		.first = server ? "postgres" : "pg_dump",
		.second = server ? "initdb" : "pg_restore",
		.min = major ? major : POSTGRES_OLDEST,
		.most = server && major ? major : INT_MAX,
		.oldest = !server };
	pg_tools_try_packages(&s);
	if (!s.major)
		pg_tools_try_path(&s);
	*t = (struct pg_tools){ s.path[0], s.path[1] };
	if (!s.major && server)
		return pg_tools_no_server(&s, major, e);
	return s.major ||
	       err_set(e, ERR_INTERNAL,
		       "pg_dump and pg_restore of PostgreSQL %d or newer are "
		       "needed and not installed here; install "
		       "postgresql-client-%d",
		       major, major);
}
