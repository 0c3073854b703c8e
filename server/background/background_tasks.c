/* background_tasks.c - runs a step of each background task at intervals until the server
 * stops. */
#include "background_tasks.h"
#include "bytes_mover.h"
#include "clock.h"
#include "audit.h"
#include "webhook_dispatcher.h"
#include "webhook.h"
#include "retention.h"
#include "conn_cancel.h"
#include "log.h"
#include "trend_watcher.h"
#include "leader_lock.h"
#include "retention_summary.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first vacuum waits until the load of the server's start is over. */
enum { STEP_S = 15, FIRST_S = 300 };
/* How often the trends are checked during a long vacuum. */
enum { SLICE_S = 5 };

struct background_tasks {
	const char *conninfo;
	int vacuum_s; /* 0: never */
	const char *bytes; /* of bytes_mover_run() */
	struct object_settings objects;
	struct object_store *store;
	struct webhook_dispatcher *dispatcher;
	struct conn_cancel cancel;
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock; /* protects only `wake` */
	pthread_cond_t wake;
	/* used only by the thread */
	struct db *db;
	bool away, stuck, unmoved; /* the problem exists and is logged */
	bool moving; /* the next step follows without a rest */
	/* row of the audit log, once something is deleted; 0: none */
	int64_t row;
	struct err unwritten; /* why the row could not be written */
	time_t vacuum_at, look_at;
};

static bool background_tasks_go_on(void *ctx)
{
	struct background_tasks *c = ctx;
	return !atomic_load(&c->stop);
}

/* Records what was deleted, in the log and in the audit log. If the pass
 * stopped early, its audit row says that it did not finish. */
static bool background_tasks_tell(struct background_tasks *c,
	const struct retention_report *r, struct err *e)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->why.code && background_tasks_go_on(c))
		log_warn("vacuum left=%lld: %s", (long long)r->left,
			r->why.text);
	if (!c->row)
		return true;
	retention_summary_text(r, text);
	log_info("vacuum %s", text);
	return e->code || audit_end(c->db, c->row, AUDIT_DONE, text, NULL, e);
}

/* Searches one project after the other for slow GPUs. Returns false if the
 * database cannot be reached. */
static bool background_tasks_gpus(struct background_tasks *c, bool *failed,
	struct err *e)
{
	struct slow_gpu_place after = { 0 };
	bool more = true;
	while (more && background_tasks_go_on(c)) {
		struct err why = { 0 };
		if (slow_gpu_watcher_step(c->db, &after, &more, &why))
			continue;
		if (!more)
			return err_set(e, why.code, "%s", why.text);
		*failed = true;
		if (!c->stuck)
			log_warn("slow GPUs: %s", why.text);
		c->stuck = true;
	}
	return true;
}

/* Checks one workload after the other. A workload whose check fails does not
 * block the others; it is checked again the next time. Returns false if the
 * database cannot be reached. */
static bool background_tasks_look_out(struct background_tasks *c, struct err *e)
{
	int64_t after = 0;
	bool more = true, failed = false;
	while (more && background_tasks_go_on(c)) {
		struct err why = { 0 };
		int64_t was = after;
		if (trend_watcher_step(c->db, &after, &more, &why))
			continue;
		if (after == was)
			return err_set(e, why.code, "%s", why.text);
		failed = true;
		if (!c->stuck)
			log_warn("look-out: %s", why.text);
		c->stuck = true;
	}
	if (!background_tasks_gpus(c, &failed, e))
		return false;
	c->stuck = failed;
	c->look_at = clock_ms() / 1000 + SLICE_S;
	return true;
}

/* Runs before each deletion: if the audit record cannot be written, nothing is
 * deleted. */
static bool background_tasks_go_on_dropping(void *ctx)
{
	struct background_tasks *c = ctx;
	struct err unheard = { 0 };
	if (!c->row &&
		!audit_command(c->db, "vacuum", NULL, &c->row, &c->unwritten))
		return false;
	if (clock_ms() / 1000 >= c->look_at)
		background_tasks_look_out(c, &unheard);
	return background_tasks_go_on(c);
}

static bool background_tasks_vacuum(struct background_tasks *c, struct err *e)
{
	static const struct retention_request as_stored = { NULL, -1, -1, -1 };
	struct arena a = { 0 };
	struct retention_report report;
	int64_t dropped;
	bool more = true;
	if (!c->vacuum_s || clock_ms() / 1000 < c->vacuum_at)
		return true;
	c->vacuum_at = clock_ms() / 1000 + c->vacuum_s;
	c->look_at = clock_ms() / 1000 + SLICE_S;
	c->row = 0;
	c->unwritten = (struct err){ 0 };
	bool ok = retention_vacuum(c->db, &a, &as_stored, false,
		background_tasks_go_on_dropping, c, &report, e);
	ok = background_tasks_tell(c, &report, e) && ok;
	if (ok && c->unwritten.code)
		ok = err_set(e, c->unwritten.code, "%s", c->unwritten.text);
	while (ok && more && background_tasks_go_on(c))
		ok = delivery_sweep(c->db, &dropped, &more, e);
	if (!ok) /* the vacuum is started again */
		c->vacuum_at = clock_ms() / 1000;
	arena_release(&a);
	return ok;
}

/* Moves bytes for the time between two checks of the trends. */
static bool background_tasks_move(struct background_tasks *c, struct err *e)
{
	struct bytes_mover_report r;
	c->moving = false;
	if (!bytes_mover_run(c->db, c->store, c->bytes,
		    clock_ms() + SLICE_S * 1000, background_tasks_go_on, c, &r,
		    e))
		return false;
	if (r.moved || r.deleted)
		log_info("bytes moved=%lld bytes=%lld deleted=%lld",
			(long long)r.moved, (long long)r.bytes,
			(long long)r.deleted);
	if (r.left && !c->unmoved && background_tasks_go_on(c))
		log_warn("bytes stay where they are: %s", r.why.text);
	c->unmoved = r.left;
	c->moving = r.more && !r.unavailable;
	return true;
}

/* A process that has the leader lock keeps it as long as its database
 * connection exists. */
static bool background_tasks_step(struct background_tasks *c, struct err *e)
{
	bool mine;
	if (!c->db)
		c->db = db_new(c->conninfo, e);
	return c->db && conn_cancel_attach(&c->cancel, c->db, e) &&
	       leader_lock_try(c->db, &mine, e) &&
	       (!mine || (background_tasks_vacuum(c, e) &&
				 background_tasks_move(c, e) &&
				 background_tasks_look_out(c, e)));
}

static void background_tasks_part(struct background_tasks *c)
{
	conn_cancel_detach(&c->cancel);
	db_free(c->db);
	c->db = NULL;
}

static void background_tasks_rest(struct background_tasks *c)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec +=
		c->vacuum_s && c->vacuum_s < STEP_S ? c->vacuum_s : STEP_S;
	pthread_mutex_lock(&c->lock);
	while (background_tasks_go_on(c) &&
		!pthread_cond_timedwait(&c->wake, &c->lock, &until))
		;
	pthread_mutex_unlock(&c->lock);
}

static void *background_tasks_run(void *arg)
{
	struct background_tasks *c = arg;
	while (background_tasks_go_on(c)) {
		struct err e = { 0 };
		bool ok = background_tasks_step(c, &e);
		if (!ok && !c->away && background_tasks_go_on(c))
			log_warn("background tasks wait: %s", e.text);
		c->away = !ok;
		if (!ok)
			background_tasks_part(c);
		if (!ok || !c->moving)
			background_tasks_rest(c);
	}
	background_tasks_part(c);
	return NULL;
}

static void background_tasks_ready(struct background_tasks *c)
{
	pthread_condattr_t how;
	pthread_condattr_init(&how);
	pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &how);
	pthread_condattr_destroy(&how);
	pthread_mutex_init(&c->lock, NULL);
	conn_cancel_init(&c->cancel);
	c->vacuum_at = clock_ms() / 1000 +
		       (c->vacuum_s < FIRST_S ? c->vacuum_s : FIRST_S);
}

static void background_tasks_release(struct background_tasks *c)
{
	object_store_free(
		c->store); /* before libcurl ends with the dispatcher */
	webhook_dispatcher_free(c->dispatcher);
	conn_cancel_release(&c->cancel);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->wake);
	free(c);
}

struct background_tasks *background_tasks_new(const struct config *is,
	const char *conninfo, struct err *e)
{
	struct background_tasks *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->conninfo = conninfo;
	c->vacuum_s = is->vacuum_s;
	c->bytes = is->bytes;
	c->objects = config_objects(is);
	background_tasks_ready(c);
	c->dispatcher =
		webhook_dispatcher_new(conninfo, is->webhook_private, e);
	c->store = c->dispatcher ? object_store_new(&c->objects, e) : NULL;
	if (c->store &&
		!pthread_create(&c->thread, NULL, background_tasks_run, c))
		return c;
	err_set(e, ERR_INTERNAL,
		"cannot create the thread of the background tasks");
	background_tasks_release(c);
	return NULL;
}

void background_tasks_free(struct background_tasks *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	atomic_store(&c->stop, true);
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
	conn_cancel_now(&c->cancel);
	pthread_join(c->thread, NULL);
	background_tasks_release(c);
}
