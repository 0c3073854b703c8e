/* delivery.h - what waits to be told, as whoever tells it takes it.
 *
 * A delivery that is taken comes back by itself after DELIVERY_LEASE_S, should
 * nobody say how it ended: so each goes out once, whoever many servers there are,
 * and a second time only where nobody writes down the answer for that long: the
 * server died right after it, or the database was away.
 * DELIVERY_TRIES tries over a day, each later than the one before. */
#pragma once
#include "db.h"
#include "webhook.h"

enum { DELIVERY_LEASE_S = 60, DELIVERY_TRIES = 8, DELIVERY_DAYS = 30 };

struct delivery {
	int64_t id, webhook;
	int tries; /* this one is the tries-th */
	bool slow; /* its webhook is new, or was at its last try */
	const char *url, *event, *body;
	uint8_t secret[WEBHOOK_SECRET];
};

/* At most `limit` that are due, one of a webhook, none of the `busy` ones; at
 * most `slow` of them of webhooks that are new or slow, these by turns. */
bool delivery_claim(struct db *db, struct arena *a, const int64_t *busy,
	int busy_n, int limit, int slow, struct delivery **rows, uint32_t *n,
	struct err *e);

enum delivery_end {
	DELIVERY_DONE,
	DELIVERY_LATER, /* over, where that was the last try */
	DELIVERY_GONE, /* and all that waits for its webhook */
};
/* How the try ended, and whether it took long; `error` NULL where it is done. What was taken again
 * meanwhile, or is gone with its webhook, stays as it is. */
bool delivery_end(struct db *db, int64_t id, int tries, enum delivery_end how,
	bool slow, int status, const char *error, struct err *e);

/* From here on this connection hears of what is queued: its socket becomes
 * readable then. */
bool delivery_listen(struct db *db, struct err *e);
int delivery_socket(struct db *db);
/* Whether it heard of any since it was last asked. */
bool delivery_heard(struct db *db, bool *any, struct err *e);

/* Drops a batch of those that ended DELIVERY_DAYS ago. */
bool delivery_sweep(struct db *db, int64_t *dropped, bool *more, struct err *e);
