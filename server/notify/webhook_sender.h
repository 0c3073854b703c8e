/* webhook_sender.h - requests to webhooks, several at once, in the thread that calls.
 *
 * The only user of libcurl in this room. A request is one POST over http or https,
 * without a proxy, to an address that outward.h allows, which is checked when the
 * socket is made. No redirect is followed, no answer is read beyond 64 KiB, and no
 * request lasts longer than WEBHOOK_SENDER_S. Only the status of an answer counts;
 * its body is ignored.
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
	WEBHOOK_SENDER_AT_ONCE = 16,
	WEBHOOK_SENDER_S = 10,
	WEBHOOK_SENDER_SLOW_MS = 2000,
	WEBHOOK_SENDER_WHY = 300
};

struct webhook_sender;

/* `list` is outward.h's, and stays. */
struct webhook_sender *webhook_sender_new(const char *list, struct err *e);
/* Requests in progress are aborted at once. */
void webhook_sender_free(struct webhook_sender *s);

/* Starts a request; copies what it needs of the delivery. Not allowed while
 * WEBHOOK_SENDER_AT_ONCE are in progress. */
void webhook_sender_send(struct webhook_sender *s, const struct delivery *d);
/* The webhooks of requests that are in progress or not settled; returns their
 * number. */
int webhook_sender_busy(const struct webhook_sender *s,
	int64_t webhooks[WEBHOOK_SENDER_AT_ONCE]);
/* How many of these were slow when they were sent (delivery.h). */
int webhook_sender_slow(const struct webhook_sender *s);

/* Continues all of them as far as possible without waiting. */
void webhook_sender_turn(struct webhook_sender *s);
/* Until one of them can go on, `fd` (-1 none) can be read, `ms` are over, or
 * webhook_sender_wake() is called by another thread. */
void webhook_sender_wait(struct webhook_sender *s, int fd, int ms);
void webhook_sender_wake(struct webhook_sender *s);

struct webhook_sent {
	int64_t id;
	int tries;
	bool slow; /* it took longer than WEBHOOK_SENDER_SLOW_MS */
	int status; /* of the answer; -1 there was none */
	char why[WEBHOOK_SENDER_WHY]; /* then; text */
};
/* A request that ended and is not settled; false: none. It is returned again
 * until it is settled. */
bool webhook_sender_next(struct webhook_sender *s, struct webhook_sent *out);
/* How that one ended was written down: its place is free. */
void webhook_sender_settled(struct webhook_sender *s,
	const struct webhook_sent *sent);
