/* webhook.h - webhooks, and the queue of deliveries to them.
 *
 * What is sent is signed with the webhook's secret, which is shown once, when
 * the webhook is created. A claimed delivery is due again after
 * DELIVERY_LEASE_S unless delivery_end() is called: each is sent once however
 * many servers there are, and a second time only if its result is not recorded
 * for that long, because the server died right after it or the database was
 * unreachable. There are at most DELIVERY_TRIES tries over a day, with growing
 * pauses. */
#pragma once
#include "db.h"

/* Webhooks per project, and of all projects; deliveries that may wait for one
 * webhook: a further one ends at once, with an error that says so. */
enum { WEBHOOK_SECRET = 32, WEBHOOKS_MAX = 50, WEBHOOK_WAITING_MAX = 1000 };
enum { DELIVERY_LEASE_S = 60, DELIVERY_TRIES = 8, DELIVERY_DAYS = 30 };

struct webhook_row {
	int64_t id;
	const char *project, *url, *made_by; /* project NULL: of all */
	const char *const *events;
	uint32_t events_n;
	int64_t created;
};

/* Creates one; fills id and created. ERR_INPUT beyond WEBHOOKS_MAX. */
bool webhook_new(struct db *db, struct webhook_row *w,
	uint8_t secret[WEBHOOK_SECRET], struct err *e);
/* Oldest first, those after this id; `project` NULL: of all. */
bool webhook_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct webhook_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool webhook_get(struct db *db, struct arena *a, int64_t id,
	struct webhook_row *w, struct err *e); /* ERR_NOT_FOUND */
/* Deletes it with its deliveries. */
bool webhook_drop(struct db *db, int64_t id, struct err *e);

/* Queues a delivery for every webhook of the project, or of all, that has
 * `event` ("gate", "change_point"), and wakes the dispatcher when the
 * transaction ends. `body` is the JSON that is sent. In the caller's
 * transaction, if there is one. */
bool webhook_notify(struct db *db, const char *project, const char *event,
	const char *body, struct err *e);
/* Queues one for this webhook only. */
bool webhook_notify_one(struct db *db, int64_t id, const char *event,
	const char *body, int64_t *delivery, struct err *e);

struct delivery_row {
	int64_t id;
	const char *event;
	int tries;
	/* NO_MOMENT none; without `next` it has ended */
	int64_t created, next, delivered;
	int status; /* of the last response; -1 none */
	const char *error; /* of the last try; NULL none */
};
/* Newest first, those before this id (0 from the newest). */
bool webhook_deliveries(struct db *db, struct arena *a, int64_t id,
	int64_t before, int limit, struct delivery_row **rows, uint32_t *n,
	bool *more, struct err *e);

struct delivery {
	int64_t id, webhook;
	int tries; /* the number of this one, from 1 */
	bool slow; /* its webhook is new, or was slow at its last try */
	const char *url, *event, *body;
	uint8_t secret[WEBHOOK_SECRET];
};

/* Claims at most `limit` that are due, one per webhook, none of the `busy`
 * ones; at most `slow` of them of new or slow webhooks, in turn. */
bool delivery_claim(struct db *db, struct arena *a, const int64_t *busy,
	int busy_n, int limit, int slow, struct delivery **rows, uint32_t *n,
	struct err *e);

enum delivery_end {
	DELIVERY_DONE,
	DELIVERY_LATER, /* another try, unless this was the last one */
	DELIVERY_GONE, /* ends all deliveries that wait for its webhook */
};
/* How the try ended, and whether it was slow; `error` NULL if it is done. No
 * effect if the delivery was claimed again meanwhile, or deleted with its
 * webhook. */
bool delivery_end(struct db *db, int64_t id, int tries, enum delivery_end how,
	bool slow, int status, const char *error, struct err *e);

/* From here on db_notified() reports queued deliveries. */
bool delivery_listen(struct db *db, struct err *e);

/* Deletes a batch of those that were created DELIVERY_DAYS ago and have
 * ended. */
bool delivery_sweep(struct db *db, int64_t *dropped, bool *more, struct err *e);
