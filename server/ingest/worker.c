/* worker.c - the loop of an ingest process, and the limits around it. */
#include "worker.h"
#include "arena.h"
#include "catalog.h"
#include "db.h"
#include "fleet_best.h"
#include "ingest.h"
#include "log.h"
#include "site_overrides.h"
#include "rollup.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The catalog that uploads are analyzed with: the program's catalog with the
 * installation's current overrides. */
struct worker_catalog {
	struct catalog *catalog; /* NULL: not built yet */
	int64_t version; /* version of the overrides */
	struct arena arena; /* contains the overrides' documents */
};

static void worker_catalog_release(struct worker_catalog *f)
{
	catalog_free(f->catalog);
	arena_release(&f->arena);
	*f = (struct worker_catalog){ 0 };
}

static bool worker_catalog_load(struct worker_catalog *f, struct db *db,
	int64_t version, struct err *e)
{
	struct worker_catalog next = { .version = version };
	struct catalog_own own = { 0 };
	if (version && !site_overrides_read(db, &next.arena, &own, e)) {
		arena_release(&next.arena);
		return false;
	}
	next.catalog = catalog_new(version ? &own : NULL, e);
	if (!next.catalog) {
		arena_release(&next.arena);
		return false;
	}
	worker_catalog_release(f);
	*f = next;
	return true;
}

/* Reads the catalog again if it was edited. Edits that cannot be used are
 * logged, and the previous catalog stays in use. */
static bool worker_catalog_renew(struct worker_catalog *f, struct db *db,
	struct err *e)
{
	int64_t version;
	struct err why = { 0 };
	if (!site_overrides_version(db, &version, e))
		return false;
	if (f->catalog && f->version == version)
		return true;
	if (worker_catalog_load(f, db, version, &why))
		return true;
	if (why.code != ERR_INPUT)
		return err_set(e, why.code, "%s", why.text);
	log_error("worker skips version %lld of the catalog: %s",
		(long long)version, why.text);
	if (!f->catalog && !worker_catalog_load(f, db, 0, e))
		return false;
	f->version = version; /* the rejected version is logged only once */
	return true;
}

/* Sums over runs are folded if there is nothing else to do, and after every
 * FOLD_EVERY ingests, so that a reader never has to add many deltas. */
enum { FOLD_EVERY = 32, FOLD_RUNS = 64, FOLD_BESTS = 64 };
enum { IDLE_MS = 1000, PAUSE_MS = 50, PAUSE_MAX_MS = 2000, SAVE_TRIES = 10 };

static volatile sig_atomic_t stopping;

static void worker_on_term(int sig)
{
	(void)sig;
	stopping = 1;
}

void worker_name(pid_t pid, const char *word, char name[WORKER_NAME])
{
	char host[64];
	if (gethostname(host, sizeof host) != 0)
		snprintf(host, sizeof host, "localhost");
	host[sizeof host - 1] = '\0';
	snprintf(name, WORKER_NAME, "%s:%ld:%.16s", host, (long)pid,
		word ? word : "");
}

/* On Ctrl-C a terminal sends SIGINT to all its processes. Only the parent
 * decides what to do, so a worker ignores the signal. */
static void worker_signals_set(void)
{
	struct sigaction act = { .sa_handler = worker_on_term };
	sigset_t none;
	sigaction(SIGTERM, &act, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void worker_tell_kernel(const char *file, const char *word)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, word, strlen(word)) < 0)
		log_debug("worker file=%s refused", file);
	close(fd);
}

/* Gives a worker the lowest priority for CPU and disk, and makes it the first
 * process to be killed if memory runs out. Each step is optional: if the system
 * rejects it, the work continues.
 *
 * A Linux kernel that groups tasks by session (autogroup) applies the nice
 * value only within a session. Each backend of PostgreSQL is a session. Without
 * a group of its own, two busy workers made small requests wait 60 ms instead
 * of 15. So a worker is also a session, in a group of low priority. */
static void worker_priority_lower(int by)
{
	enum { WHO_PROCESS = 1, CLASS_BEST_EFFORT = 2 << 13, LOWEST = 7 };
	struct sched_param none = { 0 };
	char group[16];
	setsid();
	worker_tell_kernel("/proc/self/oom_score_adj", "500");
	if (by == 0)
		return;
	snprintf(group, sizeof group, "%d", by);
	worker_tell_kernel("/proc/self/autogroup", group);
	sched_setscheduler(0, SCHED_BATCH, &none);
	setpriority(PRIO_PROCESS, 0, by);
	syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_BEST_EFFORT | LOWEST);
}

static void worker_limit(int what, rlim_t soft)
{
	struct rlimit l;
	getrlimit((__rlimit_resource_t)what, &l);
	l.rlim_cur = soft < l.rlim_max ? soft : l.rlim_max;
	if (setrlimit((__rlimit_resource_t)what, &l) != 0)
		log_warn("worker limit=%d refused: %s", what, strerror(errno));
}

/* The sanitizers reserve terabytes of address space, so the address space has
 * no limit in their builds. The arena's limit applies there, too. */
static void worker_memory_limit(int64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)bytes;
#elif defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
	worker_limit(RLIMIT_AS, (rlim_t)bytes);
#endif
#else
	worker_limit(RLIMIT_AS, (rlim_t)bytes);
#endif
}

/* CPU time counts from the start of the process, so each upload gets its limit
 * on top of the time used before. Beyond it, SIGXCPU ends the process. */
static void worker_cpu_limit(int cpu_s)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	worker_limit(RLIMIT_CPU,
		(rlim_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec + 1 + cpu_s));
}

/* Sleeps, longer each time; a signal ends the sleep early. */
static void worker_pause_more(int *ms)
{
	struct timespec t = { *ms / 1000, *ms % 1000 * 1000000L };
	if (!stopping)
		nanosleep(&t, NULL);
	*ms = *ms * 2 < PAUSE_MAX_MS ? *ms * 2 : PAUSE_MAX_MS;
}

/* Waits for a working connection; false only if the process must stop. */
static bool worker_connected(struct db **db, const char *conninfo)
{
	int ms = PAUSE_MS;
	for (bool logged = false; !stopping; logged = true) {
		struct err e = { 0 };
		if (*db && db_revive(*db, &e))
			return true;
		/* Listen before the first look at the queue, so that no upload
		 * is missed. */
		if (!*db && (*db = db_new(conninfo, &e)) &&
			upload_wait(*db, 0, &e))
			return true;
		if (!logged)
			log_warn("worker waits for the database: %s", e.text);
		worker_pause_more(&ms);
	}
	return false;
}

/* Number of tries that an upload has after a failed ingest; 0: this failure
 * does not count. The upload is not at fault if the cause is a stop, a full
 * disk, object storage that does not answer or rejects the credentials, or a
 * database that became unavailable. It may be at fault if a working
 * database rejected it. It may also be at fault if the database becomes
 * unavailable again and again while the upload's own rows are written. */
static int worker_tries_of(struct db *db, const struct err *why, bool saving)
{
	struct err gone = { 0 };
	if (why->code == ERR_BUSY || why->code == ERR_DISK_FULL ||
		why->code == ERR_CONFLICT || why->code == ERR_FORBIDDEN ||
		why->code == ERR_FILE)
		return 0;
	if (db_ping(db, &gone))
		return UPLOAD_TRIES;
	return saving ? SAVE_TRIES : 0;
}

/* Returns an upload to the queue. If the database stays unavailable, the
 * lease expires. */
static void worker_give_back(struct db **db, const struct claim *c,
	const struct err *why, bool saving, const struct worker_options *o)
{
	char name[WORKER_NAME];
	int most = worker_tries_of(*db, why, saving);
	worker_name(getpid(), getenv(WORKER_POOL_WORD), name);
	log_warn("ingest upload=%lld put off: %s", (long long)c->upload,
		why->text);
	for (int tries = 0; tries < 2; tries++) {
		struct err e = { 0 };
		bool ok = most ? upload_abandon(*db, name, err_public(why),
					 most, &e)
			       : upload_release(*db, c, !stopping, &e);
		if (ok || e.code == ERR_CONFLICT ||
			!worker_connected(db, o->conninfo))
			return;
	}
}

/* Processes one claimed upload; false if the worker should wait before the next
 * one. */
static bool worker_work(struct db **db, const struct claim *c,
	struct worker_catalog *f, struct object_store *objects,
	const struct worker_options *o)
{
	struct err e = { 0 };
	struct ingest_limits limits = o->limits;
	bool saving = false;
	limits.stop = &stopping;
	worker_cpu_limit(o->cpu_s);
	bool ok = worker_catalog_renew(f, *db, &e) &&
		  ingest(*db, c, f->catalog, objects, &limits, &saving, &e);
	malloc_trim(0);
	if (!ok)
		worker_give_back(db, c, &e, saving, o);
	return ok;
}

/* Computes some fleet-bests again whose runs came or went. */
static void worker_fleet_best(struct db *db, bool *left)
{
	struct err e = { 0 };
	bool more = false;
	if (!fleet_best_refresh(db, FOLD_BESTS, &more, &e) &&
		e.code != ERR_BUSY)
		log_warn("worker computes fleet-bests later: %s", e.text);
	*left = *left || (more && !e.code);
}

/* Folds some of the waiting sums; skips them if another process is folding
 * them. */
static void worker_fold(struct db *db, bool *left)
{
	struct err e = { 0 };
	int64_t folded = 0;
	*left = false;
	if (!rollup_fold(db, FOLD_RUNS, &folded, left, &e)) {
		*left = false;
		if (e.code != ERR_BUSY)
			log_warn("worker folds later: %s", e.text);
	}
	if (folded)
		log_debug("fold rows=%lld", (long long)folded);
	worker_fleet_best(db, left);
}

/* If there is nothing to ingest: folds sums, and waits if there is nothing to
 * fold. */
static bool worker_idle(struct db *db, struct err *e)
{
	bool left;
	worker_fold(db, &left);
	return left || upload_wait(db, IDLE_MS, e);
}

static void worker_work_on(struct db **db, struct worker_catalog *f,
	struct object_store *objects, const struct worker_options *o)
{
	char name[WORKER_NAME];
	int ms = PAUSE_MS, ingests = 0;
	worker_name(getpid(), getenv(WORKER_POOL_WORD), name);
	while (worker_connected(db, o->conninfo)) {
		struct err e = { 0 };
		struct claim c = { 0 };
		bool ok = upload_claim(*db, name, o->lease_s, &c, &e);
		if (ok && !c.upload)
			ok = worker_idle(*db, &e);
		else if (ok)
			ok = worker_work(db, &c, f, objects, o);
		if (ok && c.upload && ++ingests % FOLD_EVERY == 0) {
			bool left;
			worker_fold(*db, &left);
		}
		if (e.code)
			log_warn("worker: %s", e.text);
		if (ok)
			ms = PAUSE_MS;
		else
			worker_pause_more(&ms);
	}
}

static bool worker_may_wait(void *ctx)
{
	(void)ctx;
	return !stopping;
}

int worker_main(const struct worker_options *o)
{
	worker_signals_set();
	worker_priority_lower(o->nice);
	worker_memory_limit(o->memory_bytes);
	worker_limit(RLIMIT_CORE, 0);

	struct worker_catalog f = { 0 };
	struct db *db = NULL;
	struct err e = { 0 };
	struct object_store *objects = object_store_new(&o->objects, &e);
	if (objects)
		object_store_on_wait(objects, worker_may_wait, NULL);
	else
		log_warn("worker: %s", e.text);
	worker_work_on(&db, &f, objects, o);
	object_store_free(objects);
	db_free(db);
	worker_catalog_release(&f);
	return 0;
}
