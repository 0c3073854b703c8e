/* chores.c - a step of each, again and again, until the server stops. */
#include "chores.h"
#include "audit.h"
#include "courier.h"
#include "webhook.h"
#include "retention.h"
#include "conn_cancel.h"
#include "log.h"
#include "lookout.h"
#include "leader_lock.h"
#include "retention_summary.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* The first vacuum is not amid what a start brings along. */
enum { STEP_S = 15, FIRST_S = 300 };
/* So long a vacuum keeps the look-out waiting, and what goes meanwhile. */
enum { SLICE_S = 5 };

struct chores {
	const char *conninfo;
	int vacuum_s; /* 0: never */
	struct courier *courier;
	struct conn_cancel cancel;
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock; /* of `wake` alone */
	pthread_cond_t wake;
	/* the thread's */
	struct db *db;
	bool away, stuck; /* and told so */
	int64_t row; /* of the audit, once something goes; 0 */
	struct err unwritten; /* it could not be */
	time_t vacuum_at, look_at;
};

static time_t now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static bool go_on(void *ctx)
{
	struct chores *c = ctx;
	return !atomic_load(&c->stop);
}

/* What went, in the log and in the audit; of one that broke off the audit says
 * that it did not end. */
static bool tell(struct chores *c, const struct retention_report *r,
	struct err *e)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->why.code && go_on(c))
		log_warn("vacuum left=%lld: %s", (long long)r->left,
			r->why.text);
	if (!c->row)
		return true;
	retention_summary_text(r, text);
	log_info("vacuum %s", text);
	return e->code || audit_end(c->db, c->row, AUDIT_DONE, text, NULL, e);
}

/* Workload by workload; one that fails keeps none behind it, and is looked at
 * again the next time. False where the database is away. */
static bool look_out(struct chores *c, struct err *e)
{
	int64_t after = 0;
	bool more = true, failed = false;
	while (more && go_on(c)) {
		struct err why = { 0 };
		int64_t was = after;
		if (lookout_step(c->db, &after, &more, &why))
			continue;
		if (after == was)
			return err_set(e, why.code, "%s", why.text);
		failed = true;
		if (!c->stuck)
			log_warn("look-out: %s", why.text);
		c->stuck = true;
	}
	c->stuck = failed;
	c->look_at = now_s() + SLICE_S;
	return true;
}

/* Before each thing that goes: what cannot be written down is not done. */
static bool go_on_dropping(void *ctx)
{
	struct chores *c = ctx;
	struct err unheard = { 0 };
	if (!c->row &&
		!audit_command(c->db, "vacuum", NULL, &c->row, &c->unwritten))
		return false;
	if (now_s() >= c->look_at)
		look_out(c, &unheard);
	return go_on(c);
}

static bool vacuum(struct chores *c, struct err *e)
{
	static const struct retention_request as_stored = { NULL, -1, -1, -1 };
	struct arena a = { 0 };
	struct retention_report report;
	int64_t dropped;
	bool more = true;
	if (!c->vacuum_s || now_s() < c->vacuum_at)
		return true;
	c->vacuum_at = now_s() + c->vacuum_s;
	c->look_at = now_s() + SLICE_S;
	c->row = 0;
	c->unwritten = (struct err){ 0 };
	bool ok = retention_vacuum(c->db, &a, &as_stored, false, go_on_dropping,
		c, &report, e);
	ok = tell(c, &report, e) && ok;
	if (ok && c->unwritten.code)
		ok = err_set(e, c->unwritten.code, "%s", c->unwritten.text);
	while (ok && more && go_on(c))
		ok = delivery_sweep(c->db, &dropped, &more, e);
	if (!ok) /* begun anew */
		c->vacuum_at = now_s();
	arena_release(&a);
	return ok;
}

/* Whoever has the turn keeps it as long as its connection lasts. */
static bool step(struct chores *c, struct err *e)
{
	bool mine;
	if (!c->db)
		c->db = db_new(c->conninfo, e);
	return c->db && conn_cancel_attach(&c->cancel, c->db, e) &&
	       leader_lock_try(c->db, &mine, e) &&
	       (!mine || (vacuum(c, e) && look_out(c, e)));
}

static void part(struct chores *c)
{
	conn_cancel_detach(&c->cancel);
	db_free(c->db);
	c->db = NULL;
}

static void rest(struct chores *c)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec +=
		c->vacuum_s && c->vacuum_s < STEP_S ? c->vacuum_s : STEP_S;
	pthread_mutex_lock(&c->lock);
	while (go_on(c) && !pthread_cond_timedwait(&c->wake, &c->lock, &until))
		;
	pthread_mutex_unlock(&c->lock);
}

static void *run(void *arg)
{
	struct chores *c = arg;
	while (go_on(c)) {
		struct err e = { 0 };
		bool ok = step(c, &e);
		if (!ok && !c->away && go_on(c))
			log_warn("chores wait: %s", e.text);
		c->away = !ok;
		if (!ok)
			part(c);
		rest(c);
	}
	part(c);
	return NULL;
}

static void ready(struct chores *c)
{
	pthread_condattr_t how;
	pthread_condattr_init(&how);
	pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &how);
	pthread_condattr_destroy(&how);
	pthread_mutex_init(&c->lock, NULL);
	conn_cancel_init(&c->cancel);
	c->vacuum_at =
		now_s() + (c->vacuum_s < FIRST_S ? c->vacuum_s : FIRST_S);
}

static void release(struct chores *c)
{
	courier_free(c->courier);
	conn_cancel_release(&c->cancel);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->wake);
	free(c);
}

struct chores *chores_new(const struct config *is, const char *conninfo,
	struct err *e)
{
	struct chores *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->conninfo = conninfo;
	c->vacuum_s = is->vacuum_s;
	ready(c);
	c->courier = courier_new(conninfo, is->webhook_private, e);
	if (c->courier && !pthread_create(&c->thread, NULL, run, c))
		return c;
	err_set(e, ERR_INTERNAL, "the system gives no thread for chores");
	release(c);
	return NULL;
}

void chores_free(struct chores *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	atomic_store(&c->stop, true);
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
	conn_cancel_now(&c->cancel);
	pthread_join(c->thread, NULL);
	release(c);
}
