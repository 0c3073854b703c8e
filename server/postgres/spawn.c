/* spawn.c - fork, step down, exec. */
#include "spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool spawn_account_fill(struct account *a, const struct passwd *pw,
	struct err *e)
{
	a->uid = pw->pw_uid;
	a->gid = pw->pw_gid;
	a->groups_n = ACCOUNT_GROUPS;
	snprintf(a->name, sizeof a->name, "%s", pw->pw_name);
	if (getgrouplist(a->name, a->gid, a->groups, &a->groups_n) < 0)
		return err_set(e, ERR_INTERNAL,
			"user '%s' is in more than %d groups", a->name,
			ACCOUNT_GROUPS);
	a->other = a->uid != geteuid();
	return true;
}

bool account_from(struct account *a, const char *pg, struct err *e)
{
	struct stat st;
	struct passwd *pw;
	bool made = stat(pg, &st) == 0;
	uid_t me = geteuid();

	*a = (struct account){ 0 };
	if (me != 0 && made && st.st_uid != me)
		return err_set(e, ERR_INTERNAL,
			"the cluster in '%.200s' belongs to another user "
			"(number %u); run as that one, or as root",
			pg, st.st_uid);
	if (me != 0)
		pw = getpwuid(me);
	else if (made && st.st_uid != 0)
		pw = getpwuid(st.st_uid);
	else
		pw = getpwnam("postgres");
	if (!pw && me == 0 && !made)
		return err_set(e, ERR_INTERNAL,
			"user 'postgres' does not exist, and PostgreSQL does "
			"not run as root; install PostgreSQL, run as another "
			"user, or give --db");
	if (!pw)
		return err_set(e, ERR_INTERNAL,
			"user number %u has no name, which PostgreSQL asks "
			"for; add it to /etc/passwd, or give --db",
			made ? st.st_uid : me);
	return spawn_account_fill(a, pw, e);
}

enum { ENV = 64 };

static void spawn_environment(const struct spawn_with *w, char *to[ENV])
{
	static char *const clean[] = { "LC_ALL=C", "PATH=/usr/bin:/bin",
		"HOME=/" };
	enum { CLEAN = sizeof clean / sizeof *clean };
	int n = 0;
	/* Of two with one name the first counts. */
	for (; w->env && w->env[n] && n < ENV - CLEAN - 1; n++)
		to[n] = (char *)(uintptr_t)w->env[n];
	for (int i = 0; i < CLEAN; i++)
		to[n++] = clean[i];
	to[n] = NULL;
}

/* Between fork and exec: nothing but system calls. */
static _Noreturn void spawn_exec(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct spawn_with *w, pid_t parent)
{
	char *env[ENV];
	sigset_t none;
	int in = w->in >= 0 ? w->in : open("/dev/null", O_RDONLY);

	setsid();
	umask(077);
	if (a && a->other &&
		(setgroups((size_t)a->groups_n, a->groups) != 0 ||
			setgid(a->gid) != 0 || setuid(a->uid) != 0))
		_exit(SPAWN_NO_ENTRY);
	if (chdir(dir) != 0)
		_exit(SPAWN_NO_ENTRY);
	/* Comes after the change of user, which resets the parent-death
	 * signal. */
	prctl(PR_SET_PDEATHSIG, farewell);
	if (getppid() != parent)
		_exit(0);
	dup2(in, 0);
	dup2(out, 1);
	if (w->said >= 0)
		dup2(w->said, 2);
	else if (a)
		dup2(out, 2);
	close_range(3, ~0U, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	spawn_environment(w, env);
	execve(argv[0], (char *const *)argv, env);
	_exit(SPAWN_NO_PROGRAM);
}

pid_t spawn_with(const struct account *a, const char *dir,
	const char *const argv[], int out, int farewell,
	const struct spawn_with *w, struct err *e)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		spawn_exec(a, dir, argv, out, farewell, w, parent);
	if (pid < 0)
		err_set(e, ERR_INTERNAL, "'%.200s' cannot be started: %s",
			argv[0], strerror(errno));
	return pid;
}

pid_t spawn(const struct account *a, const char *dir, const char *const argv[],
	int out, int farewell, struct err *e)
{
	const struct spawn_with w = { NULL, -1, -1 };
	return spawn_with(a, dir, argv, out, farewell, &w, e);
}

bool spawn_ask(const char *const argv[], char *text, size_t size)
{
	struct err e = { 0 };
	int ends[2], status = -1;
	size_t len = 0;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t pid = spawn(NULL, "/", argv, ends[1], SIGKILL, &e);
	close(ends[1]);
	while (pid > 0 && len < size - 1 &&
		(n = read(ends[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	text[len] = '\0';
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
