/* nsys_report.c - runs `nsys export` on a report, and removes all that it
 * leaves. */
#include "nsys_report.h"
#include "utf8.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char NSYS_REPORT_MAGIC[] = "NVIDIA Tegra Profiler Report";
static const char NSYS_REPORT_SQLITE[] = "SQLite format 3";

/* Whether the file is a regular one that begins with these bytes. */
static bool nsys_report_begins(int fd, const char *bytes, size_t len)
{
	char head[64];
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && len <= sizeof head &&
	       pread(fd, head, len, 0) == (ssize_t)len &&
	       !memcmp(head, bytes, len);
}

/* Finds the full path of nsys. Relative folders of PATH do not count: the
 * current folder may be one of another user. */
static bool nsys_report_find(char to[static PATH_MAX])
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t len = strcspn(at, ":");
		struct stat st;
		int n = snprintf(to, PATH_MAX, "%.*s/nsys", (int)len, at);
		if (*at == '/' && n < PATH_MAX && !stat(to, &st) &&
			S_ISREG(st.st_mode) && !access(to, X_OK))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

bool nsys_report_convertible(const char *path)
{
	char nsys[PATH_MAX];
	/* O_NONBLOCK: to open a named pipe must not wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && nsys_report_begins(fd, NSYS_REPORT_MAGIC,
				     sizeof NSYS_REPORT_MAGIC - 1);

	if (fd >= 0)
		close(fd);
	return is && nsys_report_find(nsys);
}

/* ---- the folder: the export, what nsys printed, and what else it may leave
 * there, such as the journal of SQLite */

#define NSYS_REPORT_EXPORT "report.sqlite"
#define NSYS_REPORT_LOG "nsys.log"

struct nsys_folder {
	char path[PATH_MAX];
	int fd;
};

static bool nsys_report_folder_new(struct nsys_folder *f, struct err *e)
{
	const char *set = getenv("TMPDIR");
	const char *tmp = set && *set == '/' ? set : "/tmp";
	int n = snprintf(f->path, sizeof f->path, "%s/kernsift-nsys-XXXXXX",
		tmp);

	if (n >= (int)sizeof f->path || !mkdtemp(f->path))
		return err_set(e, ERR_INPUT,
			"cannot make a folder in '%.200s' for `nsys export`: "
			"%s (set TMPDIR)",
			tmp, strerror(errno));
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd >= 0)
		return true;
	err_set(e, ERR_INPUT, "cannot open the folder '%.200s': %s", f->path,
		strerror(errno));
	rmdir(f->path);
	return false;
}

/* Removes all that is in the folder, and closes it. A link is removed, not
 * followed. */
static void nsys_report_folder_empty(int fd)
{
	DIR *d = fdopendir(fd);

	if (!d) {
		close(fd);
		return;
	}
	for (struct dirent *at; (at = readdir(d));) {
		if (!strcmp(at->d_name, ".") || !strcmp(at->d_name, ".."))
			continue;
		int inner = openat(fd, at->d_name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner >= 0)
			nsys_report_folder_empty(inner);
		unlinkat(fd, at->d_name, inner >= 0 ? AT_REMOVEDIR : 0);
	}
	closedir(d);
}

static void nsys_report_folder_remove(struct nsys_folder *f)
{
	nsys_report_folder_empty(f->fd);
	rmdir(f->path);
}

/* The last line that nsys printed and that is not blank, as text for a message;
 * "" if there is none. */
static void nsys_report_last_line(const struct nsys_folder *f,
	char to[static 300])
{
	char tail[4096 + 1], *line, *save = NULL, last[100] = "";
	int fd = openat(f->fd, NSYS_REPORT_LOG, O_RDONLY | O_CLOEXEC);
	off_t len = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, tail, sizeof tail - 1,
		len < (off_t)sizeof tail ? 0 : len - (off_t)sizeof tail + 1);

	tail[n > 0 ? n : 0] = '\0';
	for (line = strtok_r(tail, "\r\n", &save); line;
		line = strtok_r(NULL, "\r\n", &save))
		if (line[strspn(line, " \t")])
			snprintf(last, sizeof last, "%s",
				line + strspn(line, " \t"));
	for (char *c = last; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	/* A byte that is not text becomes three. */
	_Static_assert(3 * sizeof last <= 300, "the text fits");
	to[utf8_sanitize(to, last, strlen(last))] = '\0';
	if (fd >= 0)
		close(fd);
}

/* ---- the process. It has a process group of its own, so that a signal from
 * the terminal reaches only this process, which then ends all processes of that
 * group. */

enum {
	NSYS_REPORT_GRACE_S = 3, /* to end after a signal, then SIGKILL */
	NSYS_REPORT_NOT_RUN = 127
};

struct nsys_process {
	pid_t pid;
	sigset_t set, before;
	struct sigaction chld;
};

static void nsys_report_signals_block(struct nsys_process *p)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	static const int mine[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD };

	sigemptyset(&p->set);
	for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
		sigaddset(&p->set, mine[i]);
	sigprocmask(SIG_BLOCK, &p->set, &p->before);
	sigaction(SIGCHLD, &plain, &p->chld);
}

static void nsys_report_signals_restore(struct nsys_process *p)
{
	sigaction(SIGCHLD, &p->chld, NULL);
	sigprocmask(SIG_SETMASK, &p->before, NULL);
}

__attribute__((noreturn)) static void nsys_report_become(struct nsys_process *p,
	char *const argv[], int null, int log, pid_t parent)
{
	setpgid(0, 0);
	/* If this process is killed, nsys ends, too. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(NSYS_REPORT_NOT_RUN);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
		dup2(log, STDERR_FILENO) < 0)
		_exit(NSYS_REPORT_NOT_RUN);
	nsys_report_signals_restore(p);
	execv(argv[0], argv);
	_exit(NSYS_REPORT_NOT_RUN);
}

/* Starts nsys. A report whose name begins with a dash must not look like an
 * option, and `--` is not known to every version. */
static bool nsys_report_start(struct nsys_process *p,
	const struct nsys_folder *f, const char *nsys, const char *path,
	struct err *e)
{
	static char export_[] = "export", type[] = "--type",
		    sqlite[] = "sqlite", output[] = "--output";
	char file[PATH_MAX], to[PATH_MAX + sizeof NSYS_REPORT_EXPORT];
	char *argv[] = { (char *)(uintptr_t)nsys, export_, type, sqlite, output,
		to, file, NULL };
	pid_t parent = getpid();
	int n = snprintf(file, sizeof file, "%s%s", *path == '-' ? "./" : "",
		path);

	snprintf(to, sizeof to, "%s/" NSYS_REPORT_EXPORT, f->path);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int log = openat(f->fd, NSYS_REPORT_LOG,
		O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	bool ok = n < (int)sizeof file && null >= 0 && log >= 0;
	p->pid = ok ? fork() : -1;
	if (p->pid == 0)
		nsys_report_become(p, argv, null, log, parent);
	if (p->pid < 0)
		err_set(e, ERR_BUSY, "cannot start '%.200s': %s", nsys,
			strerror(errno));
	else
		setpgid(p->pid, p->pid);
	if (null >= 0)
		close(null);
	if (log >= 0)
		close(log);
	return p->pid > 0;
}

/* Whether nsys has ended. */
static bool nsys_report_ended(const struct nsys_process *p, int *status)
{
	return waitpid(p->pid, status, WNOHANG) == p->pid;
}

/* Ends nsys and the processes that it started. */
static void nsys_report_end(const struct nsys_process *p, int by)
{
	int status;
	sigset_t chld;

	kill(-p->pid, by);
	kill(-p->pid, SIGCONT);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	bool ended = nsys_report_ended(p, &status);
	if (!ended) {
		sigtimedwait(&chld, NULL,
			&(struct timespec){ NSYS_REPORT_GRACE_S, 0 });
		ended = nsys_report_ended(p, &status);
	}
	kill(-p->pid, SIGKILL);
	while (!ended && waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* Waits until nsys ends. Returns the signal that ended the wait before; 0: none
 * did, and *status is that of nsys. */
static int nsys_report_wait(const struct nsys_process *p, int *status)
{
	while (!nsys_report_ended(p, status)) {
		/* The timeout is only for a signal that was lost. */
		int got =
			sigtimedwait(&p->set, NULL, &(struct timespec){ 1, 0 });
		struct sigaction is;
		if (got <= 0 || got == SIGCHLD)
			continue;
		if (!sigaction(got, NULL, &is) && is.sa_handler == SIG_IGN)
			continue;
		nsys_report_end(p, got);
		return got;
	}
	kill(-p->pid, SIGKILL);
	return 0;
}

/* Opens the export. Returns -1 with a message that has the status of nsys and
 * what it printed last. */
static int nsys_report_result(const struct nsys_folder *f, const char *nsys,
	const char *path, int status, struct err *e)
{
	char line[300], how[60];
	int fd = openat(f->fd, NSYS_REPORT_EXPORT,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool ended = WIFEXITED(status) && !WEXITSTATUS(status);

	if (ended && fd >= 0 &&
		nsys_report_begins(fd, NSYS_REPORT_SQLITE,
			sizeof NSYS_REPORT_SQLITE - 1))
		return fd;
	if (fd >= 0)
		close(fd);
	nsys_report_last_line(f, line);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof how, "was ended by signal %d",
			WTERMSIG(status));
	else if (!ended)
		snprintf(how, sizeof how, "ended with status %d",
			WEXITSTATUS(status));
	else
		snprintf(how, sizeof how, "wrote no SQLite file");
	err_set(e, ERR_TRACE, "'%.100s': `%.100s export` %s%s%s", path, nsys,
		how, *line ? ": " : "", line);
	return -1;
}

int nsys_report_convert(const char *path, struct err *e)
{
	char nsys[PATH_MAX];
	struct nsys_folder f;
	struct nsys_process p;
	int status = 0, by = 0, fd = -1;

	if (!nsys_report_find(nsys)) {
		err_set(e, ERR_INPUT, "'%.100s': there is no nsys in PATH",
			path);
		return -1;
	}
	nsys_report_signals_block(&p);
	if (nsys_report_folder_new(&f, e)) {
		if (nsys_report_start(&p, &f, nsys, path, e)) {
			by = nsys_report_wait(&p, &status);
			if (!by)
				fd = nsys_report_result(&f, nsys, path, status,
					e);
		}
		nsys_report_folder_remove(&f);
	}
	if (by)
		raise(by); /* it is blocked until the next line */
	nsys_report_signals_restore(&p);
	if (by && fd < 0)
		err_set(e, ERR_INPUT, "'%.100s': interrupted by signal %d",
			path, by);
	return fd;
}
