/* webhook.h - whom to tell of what happens, and what he was told so far.
 *
 * `project` is the webhook's; NULL: of all projects. What is sent is signed with
 * the secret, which is told once, when the webhook is made. */
#pragma once
#include "db.h"

/* Webhooks of one project, and of all; deliveries that may wait for one of them:
 * what comes beyond is over at once, and its list says so. */
enum { WEBHOOK_SECRET = 32, WEBHOOKS_MAX = 50, WEBHOOK_WAITING_MAX = 1000 };

/* SQL: what is put for the webhooks of `from`, which ends with FROM and WHERE of
 * "webhook w"; $2 is the event, $3 the body. */
#define WEBHOOK_PUT(from)                                                   \
	"INSERT INTO webhook_delivery "                                     \
	"(webhook_id, event, body, next_at, error) "                        \
	"SELECT w.id, $2, CASE WHEN f.no THEN '' ELSE $3 END, "             \
	"CASE WHEN NOT f.no THEN now() END, CASE WHEN f.no THEN "           \
	"'not told: 1,000 others waited for this webhook, the limit' END "  \
	"FROM webhook w CROSS JOIN LATERAL (SELECT count(*) >= 1000 AS no " \
	"FROM (SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id "   \
	"AND d.next_at IS NOT NULL LIMIT 1000) waiting) f " from            \
	" RETURNING id"
_Static_assert(WEBHOOK_WAITING_MAX == 1000, "as the statement says");

struct webhook_row {
	int64_t id;
	const char *project, *url, *made_by;
	const char *const *events;
	uint32_t events_n;
	int64_t created;
};

/* Makes one; fills id and created. ERR_INPUT beyond WEBHOOKS_MAX. */
bool webhook_new(struct db *db, struct webhook_row *w,
	uint8_t secret[WEBHOOK_SECRET], struct err *e);
/* Oldest first, those after this id; `project` NULL: of all. */
bool webhook_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct webhook_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool webhook_get(struct db *db, struct arena *a, int64_t id,
	struct webhook_row *w, struct err *e); /* ERR_NOT_FOUND */
/* What waits for it goes too. */
bool webhook_drop(struct db *db, int64_t id, struct err *e);

struct delivery_row {
	int64_t id;
	const char *event;
	int tries;
	/* NO_MOMENT none; a `next` that is none: it is over */
	int64_t created, next, delivered;
	int status; /* the last answer's; -1 none */
	const char *error; /* of the last try; NULL none */
};

/* Queues one for this webhook alone. */
bool webhook_tell(struct db *db, int64_t id, const char *event,
	const char *body, int64_t *delivery, struct err *e);
/* Newest first, those before this id (0 from the newest). */
bool webhook_deliveries(struct db *db, struct arena *a, int64_t id,
	int64_t before, int limit, struct delivery_row **rows, uint32_t *n,
	bool *more, struct err *e);
