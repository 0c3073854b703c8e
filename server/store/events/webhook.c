/* webhook.c - webhooks, and the queue of deliveries to them. */
#include "webhook.h"
#include "sql.h"
#include <string.h>
#include <sys/random.h>

bool webhook_new(struct db *db, struct webhook_row *w,
	uint8_t secret[WEBHOOK_SECRET], struct err *e)
{
	static const char sql[] =
		"INSERT INTO webhook (project, url, secret, events, created_by) "
		"SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM webhook "
		"WHERE project IS NOT DISTINCT FROM $1) < $6 "
		"RETURNING id, created_at";
	struct sql_params p = { 0 };
	struct sql_array events;
	struct result r;
	if (getrandom(secret, WEBHOOK_SECRET, 0) != WEBHOOK_SECRET)
		return err_set(e, ERR_INTERNAL,
			"the system gives no random bytes");
	sql_array_init(&events, SQL_TEXT);
	for (uint32_t i = 0; i < w->events_n; i++)
		sql_array_text(&events, w->events[i]);
	sql_text(&p, w->project);
	sql_text(&p, w->url);
	sql_bytes(&p, secret, WEBHOOK_SECRET);
	sql_array(&p, &events);
	sql_text(&p, w->made_by);
	sql_int8(&p, WEBHOOKS_MAX);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&events);
	if (!ok)
		return false;
	bool made = result_next(&r);
	if (made) {
		w->id = result_int8(&r, 0);
		w->created = result_moment(&r);
	}
	result_release(&r);
	return made || err_set(e, ERR_INPUT,
			       "%s has %d webhooks, the most there may be; "
			       "remove one first",
			       w->project ? "the project" : "the whole server",
			       WEBHOOKS_MAX);
}

#define WEBHOOK_COLUMNS \
	"SELECT id, project, url, created_by, events, created_at FROM webhook "

static void webhook_read_row(struct result *r, struct arena *a, void *row)
{
	struct webhook_row *w = row;

	w->id = result_int8(r, 0);
	w->project = result_text(r, a);
	w->url = result_text(r, a);
	w->made_by = result_text(r, a);
	w->events = result_texts(r, a, &w->events_n);
	w->created = result_moment(r);
}

bool webhook_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct webhook_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, project);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	*rows = sql_page(db,
		WEBHOOK_COLUMNS
		"WHERE ($1 IS NULL OR project = $1) AND id > $2 "
		"ORDER BY id LIMIT $3",
		&p, limit, webhook_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}

static bool webhook_not_found(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no webhook %lld", (long long)id);
}

bool webhook_get(struct db *db, struct arena *a, int64_t id,
	struct webhook_row *w, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_run(db, WEBHOOK_COLUMNS "WHERE id = $1", &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		webhook_read_row(&r, a, w);
	result_release(&r);
	return there || webhook_not_found(id, e);
}

bool webhook_drop(struct db *db, int64_t id, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	return sql_change(db, "DELETE FROM webhook WHERE id = $1", &p, &n, e) &&
	       (n || webhook_not_found(id, e));
}

bool webhook_deliveries(struct db *db, struct arena *a, int64_t id,
	int64_t before, int limit, struct delivery_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	static const char sql[] =
		"SELECT id, event, attempts, created_at, next_attempt_at, delivered_at, "
		"status, error FROM webhook_delivery "
		"WHERE webhook_id = $1 AND ($2 = 0 OR id < $2) "
		"ORDER BY id DESC LIMIT $3";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_int8(&p, before);
	sql_int8(&p, limit + INT64_C(1));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	*rows = arena_array(a, struct delivery_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		struct delivery_row *d = &(*rows)[i];
		d->id = result_int8(&r, 0);
		d->event = result_text(&r, a);
		d->tries = result_int4(&r, 0);
		d->created = result_moment(&r);
		d->next = result_moment(&r);
		d->delivered = result_moment(&r);
		d->status = result_int4(&r, -1);
		d->error = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

enum { BODY_MAX = 1 << 18 };

/* The row that is inserted for each webhook w. A CROSS JOIN LATERAL checks
 * whether too many deliveries of the webhook are waiting. $2 event, $3 body. */
#define DELIVERY_VALUES                                                         \
	"w.id, $2, CASE WHEN f.no THEN '' ELSE $3 END, "                        \
	"CASE WHEN NOT f.no THEN now() END, CASE WHEN f.no THEN "               \
	"'not sent: 1,000 deliveries of this webhook were waiting, the limit' " \
	"END "
#define DELIVERY_LIMIT                                                    \
	"CROSS JOIN LATERAL (SELECT count(*) >= 1000 AS no "              \
	"FROM (SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id " \
	"AND d.next_attempt_at IS NOT NULL LIMIT 1000) waiting) f "
_Static_assert(WEBHOOK_WAITING_MAX == 1000, "as the statement says");

/* PostgreSQL notifies when the transaction ends, so the dispatcher finds the
 * deliveries. There is one notification for any number of deliveries. */
bool webhook_notify(struct db *db, const char *project, const char *event,
	const char *body, struct err *e)
{
	static const char sql[] =
		"WITH put AS (INSERT INTO webhook_delivery "
		"(webhook_id, event, body, next_attempt_at, error) "
		"SELECT " DELIVERY_VALUES "FROM webhook w " DELIVERY_LIMIT
		"WHERE $2 = ANY (w.events) "
		"AND (w.project IS NULL OR w.project = $1) "
		"ORDER BY w.id RETURNING id) "
		"SELECT pg_notify('kernsift_event', '') "
		"FROM (SELECT count(*) AS n FROM put) c WHERE n > 0";
	struct sql_params p = { 0 };
	if (strlen(body) > BODY_MAX)
		return err_set(e, ERR_TOO_LARGE,
			"the body of event '%.40s' has %zu bytes; the limit "
			"is %d",
			event, strlen(body), BODY_MAX);
	sql_text(&p, project);
	sql_text(&p, event);
	sql_text(&p, body);
	return sql_run(db, sql, &p, NULL, e);
}

bool webhook_notify_one(struct db *db, int64_t id, const char *event,
	const char *body, int64_t *delivery, struct err *e)
{
	static const char sql[] =
		"WITH put AS (INSERT INTO webhook_delivery "
		"(webhook_id, event, body, next_attempt_at, error) "
		"SELECT " DELIVERY_VALUES "FROM webhook w " DELIVERY_LIMIT
		"WHERE w.id = $1 RETURNING id) "
		"SELECT id, pg_notify('kernsift_event', '') IS NULL FROM put";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_text(&p, event);
	sql_text(&p, body);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		*delivery = result_int8(&r, 0);
	result_release(&r);
	return there || webhook_not_found(id, e);
}

/* Selects the first due delivery of each webhook, with one index look-up per
 * webhook for any number of waiting deliveries. If another server claims a
 * delivery at the same time, the delivery is no longer due when its lock is
 * free, so it is not claimed twice. */
static const char delivery_claim_sql[] =
	"WITH first AS ("
	"SELECT f.id, row_number() OVER (PARTITION BY w.slow_at IS NULL "
	"ORDER BY w.slow_at, f.next_attempt_at, f.id) AS nth, "
	"w.slow_at IS NOT NULL AS slow "
	"FROM webhook w CROSS JOIN LATERAL ("
	"SELECT d.id, d.next_attempt_at FROM webhook_delivery d "
	"WHERE d.webhook_id = w.id AND d.next_attempt_at <= now() "
	"ORDER BY d.id LIMIT 1) f "
	"WHERE w.id <> ALL ($1)), "
	"due AS ("
	"SELECT d.id FROM webhook_delivery d JOIN first f ON f.id = d.id "
	"WHERE d.next_attempt_at <= now() AND (NOT f.slow OR f.nth <= $4) "
	"ORDER BY d.next_attempt_at, d.id LIMIT $2 "
	"FOR UPDATE OF d SKIP LOCKED) "
	"UPDATE webhook_delivery d "
	"SET attempts = d.attempts + 1, "
	"next_attempt_at = now() + make_interval(secs => $3) "
	"FROM due, webhook w "
	"WHERE d.id = due.id AND w.id = d.webhook_id "
	"RETURNING d.id, d.webhook_id, d.attempts, w.url, d.event, d.body, "
	"w.secret, (w.slow_at IS NOT NULL)::int";

bool delivery_claim(struct db *db, struct arena *a, const int64_t *busy,
	int busy_n, int limit, int slow, struct delivery **rows, uint32_t *n,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	sql_int8s(&p, &list, busy, (uint32_t)busy_n);
	sql_int4(&p, limit);
	sql_int4(&p, DELIVERY_LEASE_S);
	sql_int4(&p, slow);
	bool ok = sql_hot(db, delivery_claim_sql, &p, &r, e);
	sql_array_release(&list);
	if (!ok)
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct delivery, *n);
	for (struct delivery *d = *rows; result_next(&r); d++) {
		size_t len;
		d->id = result_int8(&r, 0);
		d->webhook = result_int8(&r, 0);
		d->tries = result_int4(&r, 0);
		d->url = result_text(&r, a);
		d->event = result_text(&r, a);
		d->body = result_text(&r, a);
		memcpy(d->secret, result_bytes(&r, &len), WEBHOOK_SECRET);
		d->slow = result_int4(&r, 7);
	}
	result_release(&r);
	return true;
}

/* Waits in seconds after the first try, the second, and so on: 23 h 48 min in
 * total. */
#define DELIVERY_WAITS "'{30,120,600,1800,7200,21600,54000}'::int[]"
_Static_assert(DELIVERY_TRIES == 8, "a wait after each try but the last");

static bool delivery_end_others(struct db *db, int64_t id, const char *error,
	struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	sql_text(&p, error);
	return sql_run(db,
		"UPDATE webhook_delivery SET next_attempt_at = NULL, error = $2 "
		"WHERE next_attempt_at IS NOT NULL AND webhook_id = "
		"(SELECT webhook_id FROM webhook_delivery WHERE id = $1)",
		&p, NULL, e);
}

/* Runs after the update of the delivery, in a separate statement, because
 * webhook_drop() locks the webhook first. */
static bool delivery_end_pace(struct db *db, int64_t id, bool slow,
	struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	sql_bool(&p, slow);
	return sql_run(db,
		"UPDATE webhook SET slow_at = CASE WHEN $2 THEN now() END "
		"WHERE id = (SELECT webhook_id FROM webhook_delivery "
		"WHERE id = $1) AND ($2 OR slow_at IS NOT NULL)",
		&p, NULL, e);
}

bool delivery_end(struct db *db, int64_t id, int tries, enum delivery_end how,
	bool slow, int status, const char *error, struct err *e)
{
	static const char sql[] =
		"UPDATE webhook_delivery "
		"SET delivered_at = CASE WHEN $3 THEN now() END, "
		"next_attempt_at = CASE WHEN NOT $4 THEN NULL "
		"ELSE now() + make_interval(secs => (" DELIVERY_WAITS
		")[attempts]) END, "
		"status = $5, error = $6 "
		"WHERE id = $1 AND attempts = $2";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	sql_int4(&p, tries);
	sql_bool(&p, how == DELIVERY_DONE);
	sql_bool(&p, how == DELIVERY_LATER);
	sql_int4_known(&p, status);
	sql_text(&p, error);
	return sql_change(db, sql, &p, &n, e) &&
	       (!n || delivery_end_pace(db, id, slow, e)) &&
	       (!n || how != DELIVERY_GONE ||
		       delivery_end_others(db, id, error, e));
}

bool delivery_listen(struct db *db, struct err *e)
{
	return sql_script(db, "LISTEN kernsift_event", e);
}

bool delivery_sweep(struct db *db, int64_t *dropped, bool *more, struct err *e)
{
	enum { BATCH = 1000 };
	struct sql_params p = { 0 };
	sql_int4(&p, DELIVERY_DAYS);
	sql_int4(&p, BATCH);
	bool ok = sql_change(db,
		"DELETE FROM webhook_delivery WHERE id IN ("
		"SELECT id FROM webhook_delivery "
		"WHERE next_attempt_at IS NULL "
		"AND created_at < now() - make_interval(days => $1) "
		"LIMIT $2)",
		&p, dropped, e);
	*more = ok && *dropped == BATCH;
	return ok;
}
