/* delivery.c - taken with a lease, ended where it is still the same try. */
#include "delivery.h"
#include "db_conn.h"
#include "sql.h"

/* The first of each webhook that is due: as many looks into the index as there
 * are webhooks, however much waits. What another took meanwhile is no longer due
 * when its lock is had, and so not taken twice. */
static const char claim_sql[] =
	"WITH first AS ("
	"SELECT f.id, row_number() OVER (PARTITION BY w.slow_at IS NULL "
	"ORDER BY w.slow_at, f.next_at, f.id) AS nth, "
	"w.slow_at IS NOT NULL AS slow "
	"FROM webhook w CROSS JOIN LATERAL ("
	"SELECT d.id, d.next_at FROM webhook_delivery d "
	"WHERE d.webhook_id = w.id AND d.next_at <= now() "
	"ORDER BY d.id LIMIT 1) f "
	"WHERE w.id <> ALL ($1)), "
	"due AS ("
	"SELECT d.id FROM webhook_delivery d JOIN first f ON f.id = d.id "
	"WHERE d.next_at <= now() AND (NOT f.slow OR f.nth <= $4) "
	"ORDER BY d.next_at, d.id LIMIT $2 "
	"FOR UPDATE OF d SKIP LOCKED) "
	"UPDATE webhook_delivery d "
	"SET tries = d.tries + 1, "
	"next_at = now() + make_interval(secs => $3) "
	"FROM due, webhook w "
	"WHERE d.id = due.id AND w.id = d.webhook_id "
	"RETURNING d.id, d.webhook_id, d.tries, w.url, d.event, d.body, "
	"w.secret, (w.slow_at IS NOT NULL)::int";

bool delivery_claim(struct db *db, struct arena *a, const int64_t *busy,
	int busy_n, int limit, int slow, struct delivery **rows, uint32_t *n,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	sql_array_init(&list, SQL_INT8);
	for (int i = 0; i < busy_n; i++)
		sql_array_int8(&list, busy[i]);
	sql_array(&p, &list);
	sql_int4(&p, limit);
	sql_int4(&p, DELIVERY_LEASE_S);
	sql_int4(&p, slow);
	bool ok = sql_hot(db, claim_sql, &p, &r, e);
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

/* Seconds after the first try, the second, …: 23 h 48 min in all. */
#define WAITS "'{30,120,600,1800,7200,21600,54000}'::int[]"
_Static_assert(DELIVERY_TRIES == 8, "a wait behind each try but the last");

static bool end_others(struct db *db, int64_t id, const char *error,
	struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, id);
	sql_text(&p, error);
	return sql_run(db,
		"UPDATE webhook_delivery SET next_at = NULL, error = $2 "
		"WHERE next_at IS NOT NULL AND webhook_id = "
		"(SELECT webhook_id FROM webhook_delivery WHERE id = $1)",
		&p, NULL, e);
}

/* Behind the delivery, not with it: who drops the webhook locks that first. */
static bool end_pace(struct db *db, int64_t id, bool slow, struct err *e)
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
		"next_at = CASE WHEN NOT $4 THEN NULL "
		"ELSE now() + make_interval(secs => (" WAITS ")[tries]) END, "
		"status = $5, error = $6 "
		"WHERE id = $1 AND tries = $2";
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	sql_int4(&p, tries);
	sql_bool(&p, how == DELIVERY_DONE);
	sql_bool(&p, how == DELIVERY_LATER);
	sql_int4_known(&p, status);
	sql_text(&p, error);
	return sql_change(db, sql, &p, &n, e) &&
	       (!n || end_pace(db, id, slow, e)) &&
	       (!n || how != DELIVERY_GONE || end_others(db, id, error, e));
}

bool delivery_listen(struct db *db, struct err *e)
{
	return sql_script(db, "LISTEN kernsift_event", e);
}

int delivery_socket(struct db *db)
{
	return PQsocket(db->pg);
}

bool delivery_heard(struct db *db, bool *any, struct err *e)
{
	*any = false;
	if (!PQconsumeInput(db->pg))
		return conn_err(db, NULL, e);
	for (PGnotify *n; (n = PQnotifies(db->pg)); *any = true)
		PQfreemem(n);
	return true;
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
		"WHERE next_at IS NULL "
		"AND created_at < now() - make_interval(days => $1) "
		"LIMIT $2)",
		&p, dropped, e);
	*more = ok && *dropped == BATCH;
	return ok;
}
