/* cluster.c - a private PostgreSQL's life: made, started, watched, stopped. */
#include "cluster.h"
#include "cluster_files.h"
#include "db.h"
#include "data_dir.h"
#include "orphan_postgres.h"
#include "log.h"
#include "pg_tools.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NAP_MS = 20,
	LOCK_MS = 10000, /* a passing command has the folder */
	SERVER_LOCK_MS = 2000, /* a server that is just going */
	FAST_MS = 60000,
	BACKOFF_MS = 100,
	BACKOFF_MAX_MS = 2000,
	STEADY_MS = 1000, /* up this long: whatever it was is over */
};

struct cluster {
	struct arena arena;
	struct folder folder;
	struct account account;
	struct postgres programs;
	int connections;
	const char *conninfo;
	bool fresh; /* made just now */
	pid_t pid; /* of the postmaster; 0 none */
	int64_t started_ms, start_at_ms;
	int backoff_ms;
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, NAP_MS * 1000000L }, NULL);
}

/* Ends what a crash left, and starts a postmaster; does not wait for it. */
static bool start(struct cluster *c, struct err *e)
{
	struct arena a = { 0 };
	const struct folder *f = &c->folder;
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
	bool ok = leftover_end(f, &c->account, e) &&
		  folder_run(f, &c->account, e) &&
		  cluster_rules_write(f, &c->account, &a, e) &&
		  cluster_log_open(f, &log, e);
	pid_t pid = ok ? spawn(&c->account, f->pg, argv, log, SIGINT, e) : -1;
	if (log >= 0)
		close(log);
	arena_release(&a);
	c->pid = pid > 0 ? pid : 0;
	c->started_ms = now_ms();
	return pid > 0;
}

/* Whether the postmaster is still there; says in the log how it ended. */
static bool running(struct cluster *c)
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
static bool wait_ready(struct cluster *c, struct err *e)
{
	for (int64_t said = now_ms(); running(c); nap()) {
		struct err no = { 0 };
		struct db *db = db_new(c->conninfo, &no);
		db_free(db);
		if (db)
			return true;
		if (now_ms() - said > 10000) {
			said = now_ms();
			log_info("cluster is not ready yet: %s", no.text);
		}
	}
	return err_set(e, ERR_INTERNAL,
		"PostgreSQL did not start: %s; see '%.150s'",
		cluster_log_last(&c->folder, &c->arena), c->folder.log);
}

static void stop(struct cluster *c)
{
	int64_t until = now_ms() + FAST_MS;
	if (c->pid)
		kill(c->pid, SIGINT);
	while (c->pid && waitpid(c->pid, NULL, WNOHANG) == 0) {
		if (until && now_ms() > until) {
			log_warn("cluster does not stop: ending it at once");
			kill(c->pid, SIGQUIT);
			until = 0;
		}
		nap();
	}
	c->pid = 0;
}

/* The folder's lock, and then everything that has to be there to start. */
static bool own(struct cluster *c, struct err *e)
{
	struct folder *f = &c->folder;
	if (!account_from(&c->account, f->pg, e))
		return false;
	int major = postgres_cluster_major(f->pg, &c->arena);
	c->fresh = !major;
	return postgres_find(&c->programs, major, &c->arena, e) &&
	       (major || cluster_make(f, &c->account, &c->programs, e)) &&
	       start(c, e) && wait_ready(c, e);
}

/* Another has the folder: whether its PostgreSQL answers. */
static bool attach(struct cluster *c)
{
	struct err no = { 0 };
	struct db *db = db_new(c->conninfo, &no);
	db_free(db);
	return db != NULL;
}

static bool lock_or_attach(struct cluster *c, enum cluster_role role,
	struct err *e)
{
	struct folder *f = &c->folder;
	int64_t began = now_ms();
	for (;; nap()) {
		bool serve = role == CLUSTER_SERVE;
		if (role == CLUSTER_ATTACH) {
			if (attach(c))
				return true;
			return err_set(e, ERR_INTERNAL,
				"no kernsiftd serves the data folder '%.150s'; "
				"start one, or give --db",
				f->path);
		}
		if (folder_lock(f, serve, e))
			return own(c, e);
		if (e->code)
			return false;
		if (!serve && f->holder_serves && attach(c))
			return true;
		int64_t patience =
			serve && f->holder_serves ? SERVER_LOCK_MS : LOCK_MS;
		if (now_ms() - began > patience)
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
	if (!folder_open(&c->folder, data, &c->arena, e)) {
		cluster_free(c);
		return NULL;
	}
	cluster_environment_clear();
	c->conninfo = cluster_conninfo_from(&c->folder, &c->arena);
	if (!lock_or_attach(c, role, e)) {
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
	int64_t now = now_ms();
	bool was = c->pid != 0;
	if (c->folder.lock < 0 || running(c))
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
	if (start(c, &e))
		log_info("cluster started again pid=%ld", (long)c->pid);
	else
		log_error("cluster: %s", e.text);
}

void cluster_free(struct cluster *c)
{
	if (!c)
		return;
	stop(c);
	/* Outside the data folder it would be litter. */
	if (c->folder.lock >= 0)
		rmdir(c->folder.run);
	folder_unlock(&c->folder);
	arena_release(&c->arena);
	free(c);
}

void cluster_discard(struct cluster *c)
{
	if (c && c->fresh && c->folder.lock >= 0) {
		stop(c);
		cluster_remove(c->folder.pg);
	}
	cluster_free(c);
}
