/* cluster.c - the private cluster: initdb, access rules and log, then the postmaster's
 * life. */
#include "cluster.h"
#include "clock.h"
#include "data_dir.h"
#include "db.h"
#include "log.h"
#include "orphan_postgres.h"
#include "pg_tools.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOG_MAX = 16 << 20, LOG_TAIL = 4096 };

extern char **environ;

static int cluster_remove_one(const char *path, const struct stat *st, int kind,
	struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* A cluster's folder with all that is in it. */
static void cluster_remove(const char *pg)
{
	nftw(pg, cluster_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* For appending; a large one is first set aside as postgres.log.1. */
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

/* The last thing PostgreSQL complained of. */
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
	const struct account *who, const struct pg_tools_server *programs,
	int log, int *status, struct err *e)
{
	const char *const argv[] = { programs->initdb, "-D", f->fresh, "-U",
		"kernsift", "--auth-local=peer", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C", "--data-checksums",
		"--no-instructions", NULL };
	pid_t pid = spawn(who, f->fresh, argv, log, SIGTERM, e);
	return pid > 0 && waitpid(pid, status, 0) == pid;
}

/* initdb, in a folder that gets its name when it is complete. */
static bool cluster_make(const struct data_dir *f, const struct account *who,
	const struct pg_tools_server *programs, struct err *e)
{
	int log = -1, status = 0;
	struct arena a = { 0 };
	bool ok = cluster_make_fresh(f, who, e) &&
		  cluster_log_open(f, &log, e) &&
		  cluster_run_initdb(f, who, programs, log, &status, e);
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

/* Who may connect: the account and root, over the socket, as who they are. */
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

/* The setting of the socket's folder, and the connection string. */
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

/* libpq's variables belong to another database; the private one has its own. */
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

enum {
	NAP_MS = 20,
	LOCK_MS = 10000, /* a passing command has the folder */
	SERVER_LOCK_MS = 2000, /* a server that is just going */
	FAST_MS = 60000,
	BACKOFF_MS = 100,
	BACKOFF_MAX_MS = 2000,
	/* up this long: the cause of earlier failures is gone */
	STEADY_MS = 1000,
};

struct cluster {
	struct arena arena;
	struct data_dir folder;
	struct account account;
	struct pg_tools_server programs;
	int connections;
	const char *conninfo;
	bool fresh; /* made just now */
	pid_t pid; /* of the postmaster; 0 none */
	int64_t started_ms, start_at_ms;
	int backoff_ms;
};

static void cluster_sleep(void)
{
	nanosleep(&(struct timespec){ 0, NAP_MS * 1000000L }, NULL);
}

/* Ends what a crash left, and starts a postmaster; does not wait for it. */
static bool cluster_start(struct cluster *c, struct err *e)
{
	struct arena a = { 0 };
	const struct data_dir *f = &c->folder;
	const char *const argv[] = {
		c->programs.server,
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
	bool ok = orphan_postgres_end(f, &c->account, e) &&
		  data_dir_run(f, &c->account, e) &&
		  cluster_rules_write(f, &c->account, &a, e) &&
		  cluster_log_open(f, &log, e);
	pid_t pid = ok ? spawn(&c->account, f->pg, argv, log, SIGINT, e) : -1;
	if (log >= 0)
		close(log);
	arena_release(&a);
	c->pid = pid > 0 ? pid : 0;
	c->started_ms = clock_ms();
	return pid > 0;
}

/* Whether the postmaster is still there; says in the log how it ended. */
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

/* A crash may leave much to recover, so there is no limit as long as the
 * process lives. */
static bool cluster_wait_ready(struct cluster *c, struct err *e)
{
	for (int64_t said = clock_ms(); cluster_is_running(c);
		cluster_sleep()) {
		struct err no = { 0 };
		struct db *db = db_new(c->conninfo, &no);
		db_free(db);
		if (db)
			return true;
		if (clock_ms() - said > 10000) {
			said = clock_ms();
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

/* The folder's lock, and then everything that has to be there to start. */
static bool cluster_own(struct cluster *c, struct err *e)
{
	struct data_dir *f = &c->folder;
	if (!account_from(&c->account, f->pg, e))
		return false;
	int major = pg_tools_cluster_major(f->pg, &c->arena);
	c->fresh = !major;
	return pg_tools_find_server(&c->programs, major, &c->arena, e) &&
	       (major || cluster_make(f, &c->account, &c->programs, e)) &&
	       cluster_start(c, e) && cluster_wait_ready(c, e);
}

/* Another has the folder: whether its PostgreSQL answers. */
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
		if (data_dir_lock(f, serve, e))
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
	if (!data_dir_open(&c->folder, data, &c->arena, e)) {
		cluster_free(c);
		return NULL;
	}
	cluster_environment_clear();
	c->conninfo = cluster_conninfo_from(&c->folder, &c->arena);
	if (!cluster_lock_or_attach(c, role, e)) {
		cluster_free(c);
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

void cluster_free(struct cluster *c)
{
	if (!c)
		return;
	cluster_stop(c);
	/* Outside the data folder it would be litter. */
	if (c->folder.lock >= 0)
		rmdir(c->folder.run);
	data_dir_unlock(&c->folder);
	arena_release(&c->arena);
	free(c);
}

void cluster_discard(struct cluster *c)
{
	if (c && c->fresh && c->folder.lock >= 0) {
		cluster_stop(c);
		cluster_remove(c->folder.pg);
	}
	cluster_free(c);
}
