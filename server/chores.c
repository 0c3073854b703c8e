/* chores.c - a step of each, again and again, until the server stops. */
#include "chores.h"
#include "audit.h"
#include "courier.h"
#include "delivery.h"
#include "keep.h"
#include "leash.h"
#include "log.h"
#include "lookout.h"
#include "turn.h"
#include "vacuum.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* The first vacuum is not amid what a start brings along. */
enum { STEP_S = 15, FIRST_S = 300 };

struct chores {
	const char *conninfo;
	int vacuum_s; /* 0: never */
	struct courier *courier;
	struct leash leash;
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock; /* of `wake` alone */
	pthread_cond_t wake;
	/* the thread's */
	struct db *db;
	bool away; /* and told so */
	time_t vacuum_at;
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

/* In the log; and what went, in the audit. */
static bool tell(struct chores *c, const struct keep_report *r, struct err *e)
{
	char text[VACUUM_TEXT];
	int64_t row;
	if (r->why.code && go_on(c))
		log_warn("vacuum left=%lld: %s", (long long)r->left,
			r->why.text);
	if (!r->sums_n)
		return true;
	vacuum_text(r, text);
	log_info("vacuum %s", text);
	return audit_command(c->db, "vacuum", text, &row, e) &&
	       audit_end(c->db, row, AUDIT_DONE, NULL, NULL, e);
}

static bool vacuum(struct chores *c, struct err *e)
{
	static const struct keep_ask as_stored = { NULL, -1, -1, -1 };
	struct arena a = { 0 };
	struct keep_report report;
	int64_t dropped;
	bool more = true;
	if (!c->vacuum_s || now_s() < c->vacuum_at)
		return true;
	c->vacuum_at = now_s() + c->vacuum_s;
	bool ok = keep_vacuum(c->db, &a, &as_stored, false, go_on, c, &report,
			  e) &&
		  tell(c, &report, e);
	while (ok && more && go_on(c))
		ok = delivery_sweep(c->db, &dropped, &more, e);
	arena_release(&a);
	return ok;
}

static bool look_out(struct chores *c, struct err *e)
{
	bool more = true;
	while (more && go_on(c))
		if (!lookout_step(c->db, &more, e))
			return false;
	return true;
}

/* Whoever has the turn keeps it as long as its connection lasts. */
static bool step(struct chores *c, struct err *e)
{
	bool mine;
	if (!c->db)
		c->db = db_new(c->conninfo, e);
	return c->db && leash_hold(&c->leash, c->db, e) &&
	       turn_take(c->db, &mine, e) &&
	       (!mine || (vacuum(c, e) && look_out(c, e)));
}

static void part(struct chores *c)
{
	leash_drop(&c->leash);
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
	leash_init(&c->leash);
	c->vacuum_at =
		now_s() + (c->vacuum_s < FIRST_S ? c->vacuum_s : FIRST_S);
}

static void release(struct chores *c)
{
	courier_free(c->courier);
	leash_release(&c->leash);
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
	leash_cut(&c->leash);
	pthread_join(c->thread, NULL);
	release(c);
}
