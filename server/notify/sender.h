/* sender.h - requests to webhooks, several at once, in the thread that calls.
 *
 * The room's door to libcurl. A request is one POST: http or https, over no
 * proxy, to an address that outward.h lets through, which is looked at when the
 * socket is made; no redirect is followed, no answer read beyond 64 KiB, nothing
 * waited for beyond SENDER_S. An answer is its status: what follows the head is
 * read by nobody.
 *
 *   Kernsift-Event: gate
 *   Kernsift-Delivery: 17
 *   Kernsift-Signature: t=1755848102,v1=<hex>
 *
 * where v1 is HMAC-SHA256 with the webhook's secret over "t.body". */
#pragma once
#include "webhook.h"

/* SLOW_MS: who takes longer is slow. */
enum {
	SENDER_AT_ONCE = 16,
	SENDER_S = 10,
	SENDER_SLOW_MS = 2000,
	SENDER_WHY = 300
};

struct sender;

/* `list` is outward.h's, and stays. */
struct sender *sender_new(const char *list, struct err *e);
/* What is under way is given up, at once. */
void sender_free(struct sender *s);

/* Begins; what it needs of the delivery is copied. Not when SENDER_AT_ONCE are
 * under way. */
void sender_send(struct sender *s, const struct delivery *d);
/* The webhooks of those under way or not settled; how many. */
int sender_busy(const struct sender *s, int64_t webhooks[SENDER_AT_ONCE]);
/* How many of these were slow when they were sent (webhook.h). */
int sender_slow(const struct sender *s);

/* Goes on with all of them as far as that needs no waiting. */
void sender_turn(struct sender *s);
/* Until one of them can go on, `fd` (-1 none) can be read, `ms` are over, or
 * sender_wake() is called by another thread. */
void sender_wait(struct sender *s, int fd, int ms);
void sender_wake(struct sender *s);

struct sent {
	int64_t id;
	int tries;
	bool slow; /* it took longer than SENDER_SLOW_MS */
	int status; /* of the answer; -1 there was none */
	char why[SENDER_WHY]; /* then; text */
};
/* One that ended and is not settled; false: none. It is told again until it is. */
bool sender_next(struct sender *s, struct sent *out);
/* How that one ended was written down: its place is free. */
void sender_settled(struct sender *s, const struct sent *sent);
