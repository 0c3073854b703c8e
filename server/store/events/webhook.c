/* webhook.c - webhooks made, listed and dropped. */
#include "webhook.h"
#include "sql.h"
#include <sys/random.h>

bool webhook_new(struct db *db, struct webhook_row *w,
	uint8_t secret[WEBHOOK_SECRET], struct err *e)
{
	static const char sql[] =
		"INSERT INTO webhook (project, url, secret, events, made_by) "
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

#define COLUMNS \
	"SELECT id, project, url, made_by, events, created_at FROM webhook "

static void read_row(struct result *r, struct arena *a, struct webhook_row *w)
{
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
	struct result r;
	sql_text(&p, project);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	if (!sql_run(db,
		    COLUMNS "WHERE ($1 IS NULL OR project = $1) AND id > $2 "
			    "ORDER BY id LIMIT $3",
		    &p, &r, e))
		return false;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	*rows = arena_array(a, struct webhook_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read_row(&r, a, &(*rows)[i]);
	result_release(&r);
	return true;
}

static bool no_webhook(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no webhook %lld", (long long)id);
}

bool webhook_get(struct db *db, struct arena *a, int64_t id,
	struct webhook_row *w, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_run(db, COLUMNS "WHERE id = $1", &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		read_row(&r, a, w);
	result_release(&r);
	return there || no_webhook(id, e);
}

bool webhook_drop(struct db *db, int64_t id, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	return sql_change(db, "DELETE FROM webhook WHERE id = $1", &p, &n, e) &&
	       (n || no_webhook(id, e));
}

bool webhook_tell(struct db *db, int64_t id, const char *event,
	const char *body, int64_t *delivery, struct err *e)
{
	static const char sql[] = "WITH put AS (" WEBHOOK_PUT(
		"WHERE w.id = $1") ") "
				   "SELECT id, pg_notify('kernsift_event', '') "
				   "IS NULL FROM put";
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
	return there || no_webhook(id, e);
}

bool webhook_deliveries(struct db *db, struct arena *a, int64_t id,
	int64_t before, int limit, struct delivery_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	static const char sql[] =
		"SELECT id, event, tries, created_at, next_at, delivered_at, "
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
