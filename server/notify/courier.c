/* courier.c - takes what is due, has it sent, writes down how it ended. */
#include "courier.h"
#include "conn_cancel.h"
#include "log.h"
#include "sender.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Events are heard at once; what is to be tried again is looked for. */
enum { LOOK_MS = 5000, AWAY_MS = 1000 };
/* Of the sender's places, those for webhooks that are new or were slow. */
enum { SLOW_PLACES = 4 };

struct courier {
	const char *conninfo;
	struct sender *sender;
	struct conn_cancel cancel;
	pthread_t thread;
	atomic_bool stop;
	/* the thread's */
	struct db *db;
	int64_t look_at_ms;
	bool away; /* and told so */
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* An answer in the 200s is a receipt; 410 wants no more. */
static bool settle_one(struct courier *c, const struct sent *s, struct err *e)
{
	char text[SENDER_WHY];
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

static bool settle(struct courier *c, bool *any, struct err *e)
{
	struct sent s;
	bool ok = true;
	for (*any = false; ok && sender_next(c->sender, &s); *any = true) {
		ok = settle_one(c, &s, e);
		if (ok)
			sender_settled(c->sender, &s);
	}
	return ok;
}

static bool claim(struct courier *c, bool *any, struct err *e)
{
	struct arena a = { 0 };
	struct delivery *rows;
	int64_t busy[SENDER_AT_ONCE];
	int busy_n = sender_busy(c->sender, busy);
	int room = SENDER_AT_ONCE - busy_n;
	int slow = SLOW_PLACES - sender_slow(c->sender);
	uint32_t n = 0;
	bool ok = !room || delivery_claim(c->db, &a, busy, busy_n, room,
				   slow > 0 ? slow : 0, &rows, &n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		sender_send(c->sender, &rows[i]);
	*any = n > 0;
	c->look_at_ms = now_ms() + LOOK_MS;
	arena_release(&a);
	return ok;
}

static bool connected(struct courier *c, struct err *e)
{
	if (!c->db) {
		c->db = db_new(c->conninfo, e);
		c->look_at_ms = 0;
	}
	return c->db && conn_cancel_attach(&c->cancel, c->db, e) &&
	       (c->look_at_ms || delivery_listen(c->db, e));
}

/* Writes and takes what can be, then waits: not before what it took was begun,
 * for what fails at once wakes nobody. */
static bool tend(struct courier *c, struct err *e)
{
	bool ended, heard, taken = false;
	sender_turn(c->sender);
	if (!connected(c, e) || !settle(c, &ended, e) ||
		!db_notified(c->db, &heard, e))
		return false;
	if ((ended || heard || now_ms() >= c->look_at_ms) &&
		!claim(c, &taken, e))
		return false;
	if (!taken)
		sender_wait(c->sender, db_socket(c->db), LOOK_MS);
	return true;
}

static void part(struct courier *c)
{
	conn_cancel_detach(&c->cancel);
	db_free(c->db);
	c->db = NULL;
}

static void *run(void *arg)
{
	struct courier *c = arg;
	while (!atomic_load(&c->stop)) {
		struct err e = { 0 };
		bool ok = tend(c, &e);
		if (!ok && !c->away && !atomic_load(&c->stop))
			log_warn("webhooks wait for the database: %s", e.text);
		c->away = !ok;
		if (!ok) {
			part(c);
			sender_wait(c->sender, -1, AWAY_MS);
		}
	}
	part(c);
	return NULL;
}

struct courier *courier_new(const char *conninfo, const char *list,
	struct err *e)
{
	struct courier *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->conninfo = conninfo;
	conn_cancel_init(&c->cancel);
	c->sender = sender_new(list, e);
	if (c->sender && !pthread_create(&c->thread, NULL, run, c))
		return c;
	err_set(e, ERR_INTERNAL, "the system gives no thread for webhooks");
	sender_free(c->sender);
	conn_cancel_release(&c->cancel);
	free(c);
	return NULL;
}

void courier_free(struct courier *c)
{
	if (!c)
		return;
	atomic_store(&c->stop, true);
	conn_cancel_now(&c->cancel);
	sender_wake(c->sender);
	pthread_join(c->thread, NULL);
	sender_free(c->sender);
	conn_cancel_release(&c->cancel);
	free(c);
}
