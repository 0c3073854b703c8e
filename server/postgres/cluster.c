/* cluster.c - the private cluster: its data folder, initdb, access rules and
 * log; starts, watches and stops the postmaster. */
#include "cluster.h"
#include "arena.h"
#include "clock.h"
#include "db.h"
#include "log.h"
#include "pg_tools.h"
#include "sha256.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOG_MAX = 16 << 20, LOG_TAIL = 4096 };

enum {
	NAP_MS = 20,
	LOCK_MS = 10000, /* a short command uses the folder */
	SERVER_LOCK_MS = 2000, /* a server that is ending uses the folder */
	FAST_MS = 60000,
	ORPHAN_INT_MS = 30000,
	ORPHAN_QUIT_MS = 5000,
	ORPHAN_KILL_MS = 10000,
	BACKOFF_MS = 100,
	BACKOFF_MAX_MS = 2000,
	/* after running this long, the cause of earlier failures no longer
	 * exists */
	STEADY_MS = 1000,
};

static void cluster_sleep(void)
{
	nanosleep(&(struct timespec){ 0, NAP_MS * 1000000L }, NULL);
}

/* The data folder: its path, its contents, and the process that uses it.
 *
 *   lock            locked (flock) by the process that uses the folder;
 *                   contains its pid and role
 *   pg/             PostgreSQL's cluster, owned by the account that runs it
 *   pg.new/         a cluster that is being created
 *   run/            its socket, if the path is short and has no special
 *                   characters
 *   hba.conf, ident.conf   who may connect
 *   postgres.log    PostgreSQL's log */
struct data_dir {
	const char *path; /* absolute; contains all other paths except `run` */
	const char *pg, *fresh, *hba, *ident, *log;
	const char *run; /* contains no character that must be quoted */
	int lock; /* descriptor; -1: not held by this process */
	/* the process that has locked the folder, if not this one */
	long holder;
	bool holder_serves; /* that process is a server, not a short command */
};

/* What PostgreSQL appends to the path of the socket's folder. */
enum { SOCKET_NAME = sizeof "/.s.PGSQL.5432.lock" };

static bool cluster_dir_default(struct arena *a, const char **path,
	struct err *e)
{
	const char *home = getenv("HOME");
	struct passwd *pw = getpwuid(geteuid());
	if (!home || *home != '/')
		home = pw ? pw->pw_dir : NULL;
	*path = "/var/lib/kernsift";
	if (geteuid() == 0)
		return true;
	if (!home || *home != '/')
		return err_set(e, ERR_INTERNAL,
			"there is no home folder to keep data in; give --data");
	*path = arena_printf(a, "%s/.local/share/kernsift", home);
	return true;
}

static bool cluster_dir_make(struct arena *a, const char *path, struct err *e)
{
	char *at = arena_strdup(a, path);
	for (char *p = at + 1;; p++) {
		if (*p && *p != '/')
			continue;
		char was = *p;
		*p = '\0';
		if (mkdir(at, was ? 0755 : 0711) != 0 && errno != EEXIST)
			return err_set(e, ERR_INTERNAL,
				"the folder '%.200s' cannot be made: %s", at,
				strerror(errno));
		*p = was;
		if (!was)
			return true;
	}
}

/* The folder of the socket. The path of a socket has at most 107 bytes, and in
 * this path commas and quotes have a special meaning for libpq and PostgreSQL.
 * If the path of the data folder is too long or contains such characters, the
 * socket is in another folder with a short path, whose name is derived from the
 * data folder. */
static const char *cluster_dir_run_path(struct arena *a, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+:@~-";
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	const char *run = arena_printf(a, "%s/run", path);
	size_t room = sizeof(((struct sockaddr_un *)0)->sun_path) - SOCKET_NAME;
	if (strlen(run) <= room && !run[strspn(run, plain)])
		return run;
	sha256_of(path, strlen(path), digest);
	sha256_hex(digest, hex);
	if (geteuid() == 0)
		return arena_printf(a, "/run/kernsift-%.16s", hex);
	return arena_printf(a, "/tmp/kernsift-%u-%.16s", geteuid(), hex);
}

/* Finds or creates the data folder; "" is the default folder. Texts are in the
 * arena. */
static bool cluster_dir_open(struct data_dir *f, const char *data,
	struct arena *a, struct err *e)
{
	char real[PATH_MAX];
	struct stat st;
	*f = (struct data_dir){ .lock = -1 };
	if (!*data && !cluster_dir_default(a, &data, e))
		return false;
	if (!cluster_dir_make(a, data, e))
		return false;
	if (!realpath(data, real) || stat(real, &st) != 0)
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' cannot be used: %s", data,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' is not a folder", data);
	if (access(real, W_OK | X_OK) != 0)
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' cannot be written to: %s",
			data, strerror(errno));
	/* root's cluster belongs to another user, who must be able to enter the
	 * folder. */
	if (geteuid() == 0 && !(st.st_mode & S_IXOTH))
		chmod(real, (st.st_mode & 07777) | S_IXGRP | S_IXOTH);
	f->path = arena_strdup(a, real);
	f->pg = arena_printf(a, "%s/pg", real);
	f->fresh = arena_printf(a, "%s/pg.new", real);
	f->hba = arena_printf(a, "%s/hba.conf", real);
	f->ident = arena_printf(a, "%s/ident.conf", real);
	f->log = arena_printf(a, "%s/postgres.log", real);
	f->run = cluster_dir_run_path(a, real);
	return true;
}

/* Whether this process has locked the folder. If not, either *e contains the
 * reason, or the folder is unchanged and `holder` is the process that has
 * locked it. */
static bool cluster_dir_lock(struct data_dir *f, bool serves, struct err *e)
{
	char path[PATH_MAX + 8], text[64] = { 0 };
	snprintf(path, sizeof path, "%s/lock", f->path);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	f->holder = 0;
	f->holder_serves = false;
	if (fd < 0)
		return err_set(e, ERR_INTERNAL, "'%.200s' cannot be opened: %s",
			path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (pread(fd, text, sizeof text - 1, 0) > 0) {
			f->holder = strtol(text, NULL, 10);
			f->holder_serves = strstr(text, "serve") != NULL;
		}
		close(fd);
		return false;
	}
	f->lock = fd;
	/* The text in this file is only information, for users and for a
	 * process that finds the folder in use. The flock is the lock. */
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%ld %s\n", (long)getpid(),
			serves ? "serve" : "command");
	return true;
}

/* Creates or repairs the private folder of the socket: mode 0700, owned by the
 * account. Rejects a folder that belongs to another account. */
static bool cluster_dir_run(const struct data_dir *f, const struct account *who,
	struct err *e)
{
	struct stat st;
	if (mkdir(f->run, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_INTERNAL,
			"the socket's folder '%.150s' cannot be made: %s",
			f->run, strerror(errno));
	int fd = open(f->run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ours = fd >= 0 && fstat(fd, &st) == 0 &&
		    (st.st_uid == who->uid || st.st_uid == geteuid());
	bool ok = ours && fchown(fd, who->uid, who->gid) == 0 &&
		  fchmod(fd, 0700) == 0;
	if (fd >= 0)
		close(fd);
	return ok || err_set(e, ERR_INTERNAL,
			     "the socket's folder '%.150s' belongs to another "
			     "user or cannot be made private; remove it",
			     f->run);
}

static bool cluster_account_fill(struct account *a, const struct passwd *pw,
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

/* Finds the account that runs PostgreSQL. This is the current account. If that
 * is root, it is the owner of the cluster in the folder `pg`, or 'postgres' if
 * there is no cluster. */
static bool cluster_account_from(struct account *a, const char *pg,
	struct err *e)
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
			"user number %u has no name, which PostgreSQL "
			"requires; add it to /etc/passwd, or give --db",
			made ? st.st_uid : me);
	return cluster_account_fill(a, pw, e);
}

/* The major version of the cluster in the folder; 0 if there is none. */
static int cluster_major(const char *pg, struct arena *a)
{
	char text[16] = { 0 };
	FILE *f = fopen(arena_printf(a, "%s/PG_VERSION", pg), "re");
	if (!f)
		return 0;
	char *line = fgets(text, sizeof text, f);
	fclose(f);
	return line ? (int)strtol(line, NULL, 10) : 0;
}

static bool cluster_orphan_is_postgres(const char *pid)
{
	char path[64], exe[512];
	snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
	ssize_t n = readlink(path, exe, sizeof exe - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	const char *base = strrchr(exe, '/');
	/* if the package was upgraded meanwhile, " (deleted)" follows the path
	 */
	return base && !strncmp(base + 1, "postgres", strlen("postgres"));
}

static bool cluster_orphan_is_in(const char *pid, const struct stat *cluster)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%.20s/cwd", pid);
	return stat(path, &st) == 0 && st.st_ino == cluster->st_ino &&
	       st.st_dev == cluster->st_dev;
}

/* Signals a process if it belongs to the cluster. It opens a handle (pidfd)
 * first and checks the process afterwards, so that the pid cannot be reused by
 * another process in between. */
static bool cluster_orphan_signal_one(const char *pid,
	const struct stat *cluster, int sig)
{
	int fd = pidfd_open((pid_t)strtol(pid, NULL, 10), 0);
	bool is = fd >= 0 && cluster_orphan_is_postgres(pid) &&
		  cluster_orphan_is_in(pid, cluster);
	if (is && sig)
		pidfd_send_signal(fd, sig, NULL, 0);
	if (fd >= 0)
		close(fd);
	return is;
}

/* Signals all processes of the cluster; returns their number. */
static int cluster_orphan_signal_all(const struct stat *cluster, int sig)
{
	int n = 0;
	DIR *proc = opendir("/proc");
	struct dirent *d;
	while (proc && (d = readdir(proc)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			n += cluster_orphan_signal_one(d->d_name, cluster, sig);
	if (proc)
		closedir(proc);
	return n;
}

/* Whether all of them end within this time. */
static bool cluster_orphan_wait(const struct stat *cluster, int ms)
{
	for (; cluster_orphan_signal_all(cluster, 0) > 0; ms -= NAP_MS) {
		if (ms <= 0)
			return false;
		cluster_sleep();
	}
	return true;
}

static bool cluster_orphan_postmaster_there(const struct data_dir *f,
	const struct stat *cluster)
{
	char path[4200], text[32] = "";
	snprintf(path, sizeof path, "%s/postmaster.pid", f->pg);
	FILE *file = fopen(path, "re");
	bool there = file && fgets(text, sizeof text, file);
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return there && *text &&
	       cluster_orphan_signal_one(text, cluster, SIGINT);
}

static bool cluster_orphan_end_all(const struct data_dir *f,
	const struct stat *cluster)
{
	bool master = cluster_orphan_postmaster_there(f, cluster);
	if (!master && cluster_orphan_wait(cluster, 0))
		return true;
	log_warn("cluster leftovers postmaster=%s: ending them",
		master ? "yes" : "no");
	/* Backends without a postmaster end by themselves, or after a signal.
	 */
	if (cluster_orphan_wait(cluster, master ? ORPHAN_INT_MS : 1000))
		return true;
	cluster_orphan_signal_all(cluster, SIGQUIT);
	if (cluster_orphan_wait(cluster, ORPHAN_QUIT_MS))
		return true;
	cluster_orphan_signal_all(cluster, SIGKILL);
	return cluster_orphan_wait(cluster, ORPHAN_KILL_MS);
}

static void cluster_orphan_remove_stale(const struct data_dir *f)
{
	static const char *const names[] = { "/.s.PGSQL.5432",
		"/.s.PGSQL.5432.lock" };
	char path[4200];
	snprintf(path, sizeof path, "%s/postmaster.pid", f->pg);
	unlink(path);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", f->run, names[i]);
		unlink(path);
	}
}

/* Ends the PostgreSQL processes that a crash left running.
 *
 * After the server is killed, its postmaster runs for a moment: it gets a
 * signal to stop, and writes its checkpoint. A backend that is computing may
 * outlive its postmaster. None of these processes may be running when the next
 * postmaster starts. They can be identified reliably: their program is named
 * postgres and their current folder is that of the cluster.
 *
 * Sends SIGINT, SIGQUIT and SIGKILL in turn, and waits until no process is
 * left. Then removes their pid file and socket, because a reused pid would make
 * the postmaster look alive. The caller must hold the lock of the folder and
 * must not have a postmaster. */
static bool cluster_orphans_end(const struct data_dir *f,
	const struct account *who, struct err *e)
{
	struct stat cluster;
	if (stat(f->pg, &cluster) != 0)
		return true;
	/* In a container, root may not be allowed to inspect the processes of
	 * another user. It may, however, take that user's identity for file
	 * access. */
	if (who->other)
		setfsuid(who->uid);
	bool ok = cluster_orphan_end_all(f, &cluster);
	if (who->other)
		setfsuid(geteuid());
	if (!ok)
		return err_set(e, ERR_INTERNAL,
			"processes of an earlier PostgreSQL in '%.200s' do not "
			"end; end them by hand",
			f->pg);
	cluster_orphan_remove_stale(f);
	return true;
}

extern char **environ;

static int cluster_remove_one(const char *path, const struct stat *st, int kind,
	struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* Removes the folder of a cluster with all its contents. */
static void cluster_remove(const char *pg)
{
	nftw(pg, cluster_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Opens the log for appending. A large log is renamed to postgres.log.1 first.
 */
static bool cluster_log_open(const struct data_dir *f, int *fd, struct err *e)
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

/* The last error message in PostgreSQL's log. */
static const char *cluster_log_last(const struct data_dir *f, struct arena *a)
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

static bool cluster_make_fresh(const struct data_dir *f,
	const struct account *who, struct err *e)
{
	cluster_remove(f->fresh);
	if (mkdir(f->fresh, 0700) != 0 ||
		(who->other && lchown(f->fresh, who->uid, who->gid) != 0))
		return err_set(e, ERR_INTERNAL, "'%.200s' cannot be made: %s",
			f->fresh, strerror(errno));
	return true;
}

static bool cluster_run_initdb(const struct data_dir *f,
	const struct account *who, const struct pg_tools *programs, int log,
	int *status, struct err *e)
{
	const char *const argv[] = { programs->second, "-D", f->fresh, "-U",
		"kernsift", "--auth-local=peer", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C", "--data-checksums",
		"--no-instructions", NULL };
	pid_t pid = pg_tools_spawn(who, f->fresh, argv, log, SIGTERM, NULL, e);
	return pid > 0 && waitpid(pid, status, 0) == pid;
}

/* Runs initdb in a temporary folder, which is renamed when the cluster is
 * complete. */
static bool cluster_make(const struct data_dir *f, const struct account *who,
	const struct pg_tools *programs, struct err *e)
{
	int log = -1, status = 0;
	struct arena a = { 0 };
	bool ok = cluster_make_fresh(f, who, e) &&
		  cluster_log_open(f, &log, e) &&
		  cluster_run_initdb(f, who, programs, log, &status, e);
	if (ok && WIFEXITED(status) && WEXITSTATUS(status) == PG_TOOLS_NO_ENTRY)
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

/* Writes a file completely or not at all. The account can read it; it contains
 * no secret. */
static bool cluster_file_write(const char *path, const char *text,
	struct arena *a, struct err *e)
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

/* The access rules: the account and root may connect over the socket, each
 * under its own name. */
static bool cluster_rules_write(const struct data_dir *f,
	const struct account *who, struct arena *a, struct err *e)
{
	return cluster_file_write(f->hba,
		       "# written by kernsiftd at each start\n"
		       "local all kernsift peer map=kernsift\n",
		       a, e) &&
	       cluster_file_write(f->ident,
		       arena_printf(a,
			       "# written by kernsiftd at each start\n"
			       "kernsift \"root\" kernsift\n"
			       "kernsift \"%s\" kernsift\n",
			       who->name),
		       a, e);
}

/* The first function returns the setting of the socket's folder, the second the
 * connection string. */
static const char *cluster_socket_setting(const struct data_dir *f,
	struct arena *a)
{
	return arena_printf(a, "unix_socket_directories=%s", f->run);
}

static const char *cluster_conninfo_from(const struct data_dir *f,
	struct arena *a)
{
	return arena_printf(a,
		"host=%s port=5432 user=kernsift dbname=postgres", f->run);
}

/* Removes libpq's variables from the environment, because they are meant for
 * another database. */
static void cluster_environment_clear(void)
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

struct cluster {
	struct arena arena;
	struct data_dir folder;
	struct account account;
	struct pg_tools programs;
	int connections;
	const char *conninfo;
	bool fresh; /* the cluster was created by this process */
	pid_t pid; /* of the postmaster; 0 none */
	int64_t started_ms, start_at_ms;
	int backoff_ms;
};

/* Ends the processes that a crash left running, and starts a postmaster. Does
 * not wait until it answers. */
static bool cluster_start(struct cluster *c, struct err *e)
{
	struct arena a = { 0 };
	const struct data_dir *f = &c->folder;
	const char *const argv[] = {
		c->programs.first,
		"-D",
		f->pg,
		"-p",
		"5432",
		"-c",
		"listen_addresses=",
		"-c",
		cluster_socket_setting(f, &a),
		"-c",
		"unix_socket_permissions=0700",
		"-c",
		arena_printf(&a, "hba_file=%s", f->hba),
		"-c",
		arena_printf(&a, "ident_file=%s", f->ident),
		"-c",
		arena_printf(&a, "max_connections=%d", c->connections),
		"-c",
		"log_destination=stderr",
		"-c",
		"logging_collector=off",
		"-c",
		"timezone=UTC",
		"-c",
		"log_timezone=UTC",
		"-c",
		"jit=off",
		NULL,
	};
	int log = -1;
	bool ok = cluster_orphans_end(f, &c->account, e) &&
		  cluster_dir_run(f, &c->account, e) &&
		  cluster_rules_write(f, &c->account, &a, e) &&
		  cluster_log_open(f, &log, e);
	pid_t pid = ok ? pg_tools_spawn(&c->account, f->pg, argv, log, SIGINT,
				 NULL, e)
		       : -1;
	if (log >= 0)
		close(log);
	arena_release(&a);
	c->pid = pid > 0 ? pid : 0;
	c->started_ms = clock_ms();
	return pid > 0;
}

/* Whether the postmaster is running. If it has ended, the reason is logged. */
static bool cluster_is_running(struct cluster *c)
{
	int status;
	if (c->pid == 0 || waitpid(c->pid, &status, WNOHANG) != c->pid)
		return c->pid != 0;
	c->pid = 0;
	if (WIFSIGNALED(status))
		log_warn("cluster ended by SIG%s",
			sigabbrev_np(WTERMSIG(status)));
	else
		log_warn("cluster ended status=%d", WEXITSTATUS(status));
	return false;
}

/* There is no time limit as long as the process lives, because recovery after a
 * crash may take long. */
static bool cluster_wait_ready(struct cluster *c, struct err *e)
{
	for (int64_t logged_ms = clock_ms(); cluster_is_running(c);
		cluster_sleep()) {
		struct err no = { 0 };
		struct db *db = db_new(c->conninfo, &no);
		db_free(db);
		if (db)
			return true;
		if (clock_ms() - logged_ms > 10000) {
			logged_ms = clock_ms();
			log_info("cluster is not ready yet: %s", no.text);
		}
	}
	return err_set(e, ERR_INTERNAL,
		"PostgreSQL did not start: %s; see '%.150s'",
		cluster_log_last(&c->folder, &c->arena), c->folder.log);
}

static void cluster_stop(struct cluster *c)
{
	int64_t until = clock_ms() + FAST_MS;
	if (c->pid)
		kill(c->pid, SIGINT);
	while (c->pid && waitpid(c->pid, NULL, WNOHANG) == 0) {
		if (until && clock_ms() > until) {
			log_warn("cluster does not stop: ending it at once");
			kill(c->pid, SIGQUIT);
			until = 0;
		}
		cluster_sleep();
	}
	c->pid = 0;
}

/* Performs all steps to start PostgreSQL. The caller has locked the folder. */
static bool cluster_own(struct cluster *c, struct err *e)
{
	struct data_dir *f = &c->folder;
	if (!cluster_account_from(&c->account, f->pg, e))
		return false;
	int major = cluster_major(f->pg, &c->arena);
	c->fresh = !major;
	return pg_tools_find(&c->programs, PG_TOOLS_SERVER, major, &c->arena,
		       e) &&
	       (major || cluster_make(f, &c->account, &c->programs, e)) &&
	       cluster_start(c, e) && cluster_wait_ready(c, e);
}

/* Whether the PostgreSQL of the process that has locked the folder answers. */
static bool cluster_attach(struct cluster *c)
{
	struct err no = { 0 };
	struct db *db = db_new(c->conninfo, &no);
	db_free(db);
	return db != NULL;
}

static bool cluster_lock_or_attach(struct cluster *c, enum cluster_role role,
	struct err *e)
{
	struct data_dir *f = &c->folder;
	int64_t began = clock_ms();
	for (;; cluster_sleep()) {
		bool serve = role == CLUSTER_SERVE;
		if (role == CLUSTER_ATTACH) {
			if (cluster_attach(c))
				return true;
			return err_set(e, ERR_INTERNAL,
				"no kernsiftd serves the data folder '%.150s'; "
				"start one, or give --db",
				f->path);
		}
		if (cluster_dir_lock(f, serve, e))
			return cluster_own(c, e);
		if (e->code)
			return false;
		if (!serve && f->holder_serves && cluster_attach(c))
			return true;
		int64_t patience =
			serve && f->holder_serves ? SERVER_LOCK_MS : LOCK_MS;
		if (clock_ms() - began > patience)
			return err_set(e, ERR_CONFLICT,
				"the data folder '%.150s' is in use by another "
				"kernsiftd, process %ld",
				f->path, f->holder);
	}
}

struct cluster *cluster_new(const char *data, enum cluster_role role,
	int connections, struct err *e)
{
	struct cluster *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->connections = connections;
	c->folder.lock = -1;
	if (!cluster_dir_open(&c->folder, data, &c->arena, e)) {
		cluster_free(c, false);
		return NULL;
	}
	cluster_environment_clear();
	c->conninfo = cluster_conninfo_from(&c->folder, &c->arena);
	if (!cluster_lock_or_attach(c, role, e)) {
		cluster_free(c, false);
		return NULL;
	}
	return c;
}

const char *cluster_conninfo(const struct cluster *c)
{
	return c->conninfo;
}

const char *cluster_log(const struct cluster *c)
{
	return c->folder.log;
}

void cluster_tend(struct cluster *c)
{
	struct err e = { 0 };
	int64_t now = clock_ms();
	bool was = c->pid != 0;
	if (c->folder.lock < 0 || cluster_is_running(c))
		return;
	if (was) {
		if (now - c->started_ms > STEADY_MS)
			c->backoff_ms = 0;
		c->start_at_ms = now + c->backoff_ms;
	}
	if (now < c->start_at_ms)
		return;
	c->backoff_ms = c->backoff_ms ? 2 * c->backoff_ms : BACKOFF_MS;
	if (c->backoff_ms > BACKOFF_MAX_MS)
		c->backoff_ms = BACKOFF_MAX_MS;
	c->start_at_ms = now + c->backoff_ms;
	if (cluster_start(c, &e))
		log_info("cluster started again pid=%ld", (long)c->pid);
	else
		log_error("cluster: %s", e.text);
}

void cluster_free(struct cluster *c, bool discard)
{
	if (!c)
		return;
	cluster_stop(c);
	if (c->folder.lock >= 0) {
		if (discard && c->fresh)
			cluster_remove(c->folder.pg);
		/* A folder outside the data folder would be left behind. */
		rmdir(c->folder.run);
		close(c->folder.lock);
	}
	arena_release(&c->arena);
	free(c);
}
