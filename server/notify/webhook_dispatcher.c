/* webhook_dispatcher.c - claims due deliveries, sends them and records their
 * results. */
#include "webhook_dispatcher.h"
#include "clock.h"
#include "conn_cancel.h"
#include "log.h"
#include "webhook_sender.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* New events are received at once; retries are looked for at this interval. */
enum { LOOK_MS = 5000, AWAY_MS = 1000 };
/* Of the sender's places, those for webhooks that are new or were slow. */
enum { SLOW_PLACES = 4 };

struct webhook_dispatcher {
	const char *conninfo;
	struct webhook_sender *sender;
	struct conn_cancel leash;
	pthread_t thread;
	atomic_bool stop;
	/* the thread's */
	struct db *db;
	int64_t look_at_ms;
	bool away; /* and logged */
};

/* An answer in the 200s is a receipt; 410 wants no more. */
static bool webhook_dispatcher_settle_one(struct webhook_dispatcher *c,
	const struct webhook_sent *s, struct err *e)
{
	char text[WEBHOOK_SENDER_WHY];
	const char *error = s->why;
	enum delivery_end how = s->status >= 200 && s->status < 300
					? DELIVERY_DONE
				: s->status == 410 ? DELIVERY_GONE
						   : DELIVERY_LATER;
	if (s->status >= 300 && s->status < 400)
		snprintf(text, sizeof text,
			"the receiver answers %d; redirects are not followed",
			s->status);
	else if (how == DELIVERY_GONE)
		snprintf(text, sizeof text,
			"the receiver answers 410: it wants no more");
	else
		snprintf(text, sizeof text, "the receiver answers %d",
			s->status);
	if (s->status >= 0)
		error = text;
	if (how == DELIVERY_DONE)
		error = NULL;
	else
		log_info("webhook delivery=%lld try=%d: %s", (long long)s->id,
			s->tries, error);
	return delivery_end(c->db, s->id, s->tries, how, s->slow, s->status,
		error, e);
}

static bool webhook_dispatcher_settle(struct webhook_dispatcher *c, bool *any,
	struct err *e)
{
	struct webhook_sent s;
	bool ok = true;
	for (*any = false; ok && webhook_sender_next(c->sender, &s);
		*any = true) {
		ok = webhook_dispatcher_settle_one(c, &s, e);
		if (ok)
			webhook_sender_settled(c->sender, &s);
	}
	return ok;
}

static bool webhook_dispatcher_claim(struct webhook_dispatcher *c, bool *any,
	struct err *e)
{
	struct arena a = { 0 };
	struct delivery *rows;
	int64_t busy[WEBHOOK_SENDER_AT_ONCE];
	int busy_n = webhook_sender_busy(c->sender, busy);
	int room = WEBHOOK_SENDER_AT_ONCE - busy_n;
	int slow = SLOW_PLACES - webhook_sender_slow(c->sender);
	uint32_t n = 0;
	bool ok = !room || delivery_claim(c->db, &a, busy, busy_n, room,
				   slow > 0 ? slow : 0, &rows, &n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		webhook_sender_send(c->sender, &rows[i]);
	*any = n > 0;
	c->look_at_ms = clock_ms() + LOOK_MS;
	arena_release(&a);
	return ok;
}

static bool webhook_dispatcher_connected(struct webhook_dispatcher *c,
	struct err *e)
{
	if (!c->db) {
		c->db = db_new(c->conninfo, e);
		c->look_at_ms = 0;
	}
	return c->db && conn_cancel_attach(&c->leash, c->db, e) &&
	       (c->look_at_ms || delivery_listen(c->db, e));
}

/* Records results and claims what is due, then waits, but not before what it
 * claimed was begun, because what fails at once wakes no thread. */
static bool webhook_dispatcher_tend(struct webhook_dispatcher *c, struct err *e)
{
	bool ended, heard, taken = false;
	webhook_sender_turn(c->sender);
	if (!webhook_dispatcher_connected(c, e) ||
		!webhook_dispatcher_settle(c, &ended, e) ||
		!db_notified(c->db, &heard, e))
		return false;
	if ((ended || heard || clock_ms() >= c->look_at_ms) &&
		!webhook_dispatcher_claim(c, &taken, e))
		return false;
	if (!taken)
		webhook_sender_wait(c->sender, db_socket(c->db), LOOK_MS);
	return true;
}

static void webhook_dispatcher_part(struct webhook_dispatcher *c)
{
	conn_cancel_detach(&c->leash);
	db_free(c->db);
	c->db = NULL;
}

static void *webhook_dispatcher_run(void *arg)
{
	struct webhook_dispatcher *c = arg;
	while (!atomic_load(&c->stop)) {
		struct err e = { 0 };
		bool ok = webhook_dispatcher_tend(c, &e);
		if (!ok && !c->away && !atomic_load(&c->stop))
			log_warn("webhooks wait for the database: %s", e.text);
		c->away = !ok;
		if (!ok) {
			webhook_dispatcher_part(c);
			webhook_sender_wait(c->sender, -1, AWAY_MS);
		}
	}
	webhook_dispatcher_part(c);
	return NULL;
}

struct webhook_dispatcher *webhook_dispatcher_new(const char *conninfo,
	const char *list, struct err *e)
{
	struct webhook_dispatcher *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->conninfo = conninfo;
	conn_cancel_init(&c->leash);
	c->sender = webhook_sender_new(list, e);
	if (c->sender &&
		!pthread_create(&c->thread, NULL, webhook_dispatcher_run, c))
		return c;
	err_set(e, ERR_INTERNAL, "the system gives no thread for webhooks");
	webhook_sender_free(c->sender);
	conn_cancel_release(&c->leash);
	free(c);
	return NULL;
}

void webhook_dispatcher_free(struct webhook_dispatcher *c)
{
	if (!c)
		return;
	atomic_store(&c->stop, true);
	conn_cancel_now(&c->leash);
	webhook_sender_wake(c->sender);
	pthread_join(c->thread, NULL);
	webhook_sender_free(c->sender);
	conn_cancel_release(&c->leash);
	free(c);
}
