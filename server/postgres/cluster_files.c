/* cluster_files.c - initdb, access rules, connection string, log. */
#include "cluster_files.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_MAX = 16 << 20, LOG_TAIL = 4096 };

extern char **environ;

static int remove_one(const char *path, const struct stat *st, int kind,
	struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

void cluster_remove(const char *pg)
{
	nftw(pg, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool make_fresh(const struct folder *f, const struct account *who,
	struct err *e)
{
	cluster_remove(f->fresh);
	if (mkdir(f->fresh, 0700) != 0 ||
		(who->other && lchown(f->fresh, who->uid, who->gid) != 0))
		return err_set(e, ERR_INTERNAL, "'%.200s' cannot be made: %s",
			f->fresh, strerror(errno));
	return true;
}

static bool run_initdb(const struct folder *f, const struct account *who,
	const struct postgres *programs, int log, int *status, struct err *e)
{
	const char *const argv[] = { programs->initdb, "-D", f->fresh, "-U",
		"kernsift", "--auth-local=peer", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C", "--data-checksums",
		"--no-instructions", NULL };
	pid_t pid = spawn(who, f->fresh, argv, log, SIGTERM, e);
	return pid > 0 && waitpid(pid, status, 0) == pid;
}

bool cluster_make(const struct folder *f, const struct account *who,
	const struct postgres *programs, struct err *e)
{
	int log = -1, status = 0;
	struct arena a = { 0 };
	bool ok = make_fresh(f, who, e) && cluster_log_open(f, &log, e) &&
		  run_initdb(f, who, programs, log, &status, e);
	if (ok && WIFEXITED(status) && WEXITSTATUS(status) == SPAWN_NO_ENTRY)
		ok = err_set(e, ERR_INTERNAL,
			"user '%s', who is to run PostgreSQL, cannot enter "
			"'%.150s'; choose a data folder it can reach",
			who->name, f->path);
	else if (ok && status != 0)
		ok = err_set(e, ERR_INTERNAL,
			"initdb could not make a cluster: %s; see '%.150s'",
			cluster_log_last(f, &a), f->log);
	if (ok && rename(f->fresh, f->pg) != 0)
		ok = err_set(e, ERR_INTERNAL, "'%.200s' cannot be made: %s",
			f->pg, strerror(errno));
	if (log >= 0)
		close(log);
	arena_release(&a);
	return ok;
}

/* Whole or not at all; readable by the account, and no secret. */
static bool file_write(const char *path, const char *text, struct arena *a,
	struct err *e)
{
	const char *fresh = arena_printf(a, "%s.new", path);
	size_t len = strlen(text);
	unlink(fresh);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && fchmod(fd, 0644) == 0 &&
		  write(fd, text, len) == (ssize_t)len;
	if (fd >= 0)
		close(fd);
	if (ok && rename(fresh, path) == 0)
		return true;
	return err_set(e, ERR_INTERNAL, "'%.200s' cannot be written: %s", path,
		strerror(errno));
}

bool cluster_rules_write(const struct folder *f, const struct account *who,
	struct arena *a, struct err *e)
{
	return file_write(f->hba,
		       "# written by kernsiftd at each start\n"
		       "local all kernsift peer map=kernsift\n",
		       a, e) &&
	       file_write(f->ident,
		       arena_printf(a,
			       "# written by kernsiftd at each start\n"
			       "kernsift \"root\" kernsift\n"
			       "kernsift \"%s\" kernsift\n",
			       who->name),
		       a, e);
}

const char *cluster_socket_setting(const struct folder *f, struct arena *a)
{
	return arena_printf(a, "unix_socket_directories=%s", f->run);
}

const char *cluster_conninfo_from(const struct folder *f, struct arena *a)
{
	return arena_printf(a,
		"host=%s port=5432 user=kernsift dbname=postgres", f->run);
}

void cluster_environment_clear(void)
{
	for (char **at = environ; at && *at;) {
		char name[64];
		size_t len = strcspn(*at, "=");
		if (strncmp(*at, "PG", 2) != 0 || len >= sizeof name) {
			at++;
			continue;
		}
		memcpy(name, *at, len);
		name[len] = '\0';
		unsetenv(name);
	}
}

bool cluster_log_open(const struct folder *f, int *fd, struct err *e)
{
	struct stat st;
	struct arena a = { 0 };
	if (stat(f->log, &st) == 0 && st.st_size > LOG_MAX)
		rename(f->log, arena_printf(&a, "%s.1", f->log));
	arena_release(&a);
	*fd = open(f->log,
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	return *fd >= 0 ||
	       err_set(e, ERR_INTERNAL, "'%.200s' cannot be opened: %s", f->log,
		       strerror(errno));
}

const char *cluster_log_last(const struct folder *f, struct arena *a)
{
	char tail[LOG_TAIL + 1];
	const char *found = NULL;
	int fd = open(f->log, O_RDONLY | O_CLOEXEC);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	ssize_t n = fd < 0 ? 0
			   : pread(fd, tail, LOG_TAIL,
				     size > LOG_TAIL ? size - LOG_TAIL : 0);
	if (fd >= 0)
		close(fd);
	tail[n > 0 ? n : 0] = '\0';
	char *rest = tail, *line;
	while ((line = strsep(&rest, "\n"))) {
		char *at = strstr(line, "FATAL:");
		at = at ? at : strstr(line, "error:");
		if (at)
			found = at + strcspn(at, ":") + 1;
	}
	if (!found)
		return "it gave no reason";
	return arena_strdup(a, found + strspn(found, " "));
}
