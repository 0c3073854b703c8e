/* webhook.h - webhooks, and the queue of deliveries to them.
 *
 * Deliveries are signed with the webhook's secret, which is shown only when the
 * webhook is created. A claimed delivery is due again after DELIVERY_LEASE_S
 * unless delivery_end() is called. So with any number of servers, each delivery
 * is sent once. It is sent a second time only if its result is not recorded in
 * this time, because the server died right after sending it or the database was
 * unavailable. There are at most DELIVERY_TRIES tries over a day, with growing
 * pauses. */
#pragma once
#include "db.h"

/* The maximum number of webhooks per project, and of webhooks for all projects.
 * The maximum number of deliveries that wait for one webhook; a further
 * delivery ends at once, with an error that says so. */
enum { WEBHOOK_SECRET = 32, WEBHOOKS_MAX = 50, WEBHOOK_WAITING_MAX = 1000 };
enum { DELIVERY_LEASE_S = 60, DELIVERY_TRIES = 8, DELIVERY_DAYS = 30 };

struct webhook_row {
	int64_t id;
	const char *project, *url, *made_by; /* project NULL: of all */
	const char *const *events;
	uint32_t events_n;
	int64_t created;
};

/* Creates a webhook; sets id and created. ERR_INPUT if there are
 * WEBHOOKS_MAX. */
bool webhook_new(struct db *db, struct webhook_row *w,
	uint8_t secret[WEBHOOK_SECRET], struct err *e);
/* Lists webhooks, oldest first, with ids above `after`; `project` NULL: of
 * all. */
bool webhook_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct webhook_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool webhook_get(struct db *db, struct arena *a, int64_t id,
	struct webhook_row *w, struct err *e); /* ERR_NOT_FOUND */
/* Deletes a webhook with its deliveries. */
bool webhook_drop(struct db *db, int64_t id, struct err *e);

/* Queues a delivery for every webhook that has `event` ("gate", "change_point",
 * "slow_device")
 * and belongs to the project or to all projects. Wakes the dispatcher when the
 * transaction ends. `body` is the JSON that is sent. Runs in the caller's
 * transaction, if there is one. */
bool webhook_notify(struct db *db, const char *project, const char *event,
	const char *body, struct err *e);
/* Queues a delivery for this webhook only. */
bool webhook_notify_one(struct db *db, int64_t id, const char *event,
	const char *body, int64_t *delivery, struct err *e);

struct delivery_row {
	int64_t id;
	const char *event;
	int tries;
	/* NO_MOMENT: none; no `next`: the delivery has ended */
	int64_t created, next, delivered;
	int status; /* of the last response; -1 none */
	const char *error; /* of the last try; NULL none */
};
/* Lists deliveries, newest first, with ids below `before` (0: from the
 * newest). */
bool webhook_deliveries(struct db *db, struct arena *a, int64_t id,
	int64_t before, int limit, struct delivery_row **rows, uint32_t *n,
	bool *more, struct err *e);

struct delivery {
	int64_t id, webhook;
	int tries; /* the number of this try, from 1 */
	bool slow; /* the webhook is new, or was slow at its last try */
	const char *url, *event, *body;
	uint8_t secret[WEBHOOK_SECRET];
};

/* Claims at most `limit` deliveries that are due, one per webhook, none of the
 * webhooks in `busy`. At most `slow` of them belong to new or slow webhooks,
 * which take turns. */
bool delivery_claim(struct db *db, struct arena *a, const int64_t *busy,
	int busy_n, int limit, int slow, struct delivery **rows, uint32_t *n,
	struct err *e);

enum delivery_end {
	DELIVERY_DONE,
	DELIVERY_LATER, /* try again, unless this was the last try */
	DELIVERY_GONE, /* end all deliveries that wait for the webhook */
};
/* Records how the try ended, and whether it was slow; `error` is NULL if it
 * succeeded. Has no effect if the delivery was claimed again in the meantime,
 * or deleted with its webhook. */
bool delivery_end(struct db *db, int64_t id, int tries, enum delivery_end how,
	bool slow, int status, const char *error, struct err *e);

/* From now on db_notified() reports queued deliveries. */
bool delivery_listen(struct db *db, struct err *e);

/* Deletes a batch of deliveries that ended and are older than DELIVERY_DAYS. */
bool delivery_sweep(struct db *db, int64_t *dropped, bool *more, struct err *e);
