/* system.c - returns health, readiness, metrics and the OpenAPI document. */
#include "api_state.h"
#include "db.h"
#include "gauges.h"
#include "call.h"
#include "upload.h"
#include <math.h>
#include <string.h>

json_t *healthz_get(struct call *c, struct err *e)
{
	(void)c, (void)e;
	return json_pack("{s:s}", "status", "ok");
}

json_t *readyz_get(struct call *c, struct err *e)
{
	/* reading it fails if the migrations were not applied */
	struct upload_queue q;
	if (atomic_load(&c->api->leaving)) {
		err_set(e, ERR_BUSY, "this server is stopping");
		return NULL;
	}
	if (!call_db(c, e) || !db_ping(c->s.db, e) ||
		!upload_queue(c->s.db, &q, e))
		return NULL;
	return json_pack("{s:s}", "status", "ready");
}

static void system_gauges(struct api *a, struct buf *b)
{
	buf_printf(b,
		"# HELP kernsift_uploads_arriving uploads that this server "
		"is receiving\n"
		"# TYPE kernsift_uploads_arriving gauge\n"
		"kernsift_uploads_arriving %d\n"
		"# HELP kernsift_captures_sending captures and timelines "
		"that this server is sending\n"
		"# TYPE kernsift_captures_sending gauge\n"
		"kernsift_captures_sending %d\n"
		"# HELP kernsift_comparisons_making comparisons and similar "
		"requests that this server is computing\n"
		"# TYPE kernsift_comparisons_making gauge\n"
		"kernsift_comparisons_making %d\n"
		"# HELP kernsift_db_connections_in_use database connections "
		"that requests use\n"
		"# TYPE kernsift_db_connections_in_use gauge\n"
		"kernsift_db_connections_in_use %d\n"
		"# HELP kernsift_build_info version of the server\n"
		"# TYPE kernsift_build_info gauge\n"
		"kernsift_build_info{version=\"%s\"} 1\n",
		atomic_load(&a->uploads), atomic_load(&a->service.captures),
		atomic_load(&a->limited), atomic_load(&a->service.lent),
		KERNSIFT_VERSION);
}

static void system_waits(struct api *a, struct buf *b)
{
	struct db_pool_waits w = db_pool_waits(a->is.pool);
	buf_printf(b,
		"# HELP kernsift_comparisons_refused_total comparisons and "
		"similar requests rejected because too many were running\n"
		"# TYPE kernsift_comparisons_refused_total counter\n"
		"kernsift_comparisons_refused_total %lld\n"
		"# HELP kernsift_db_waits_total requests that waited for a "
		"database connection\n"
		"# TYPE kernsift_db_waits_total counter\n"
		"kernsift_db_waits_total %lld\n"
		"# HELP kernsift_db_wait_seconds_total time that requests "
		"waited for a database connection\n"
		"# TYPE kernsift_db_wait_seconds_total counter\n"
		"kernsift_db_wait_seconds_total %.6f\n"
		"# HELP kernsift_db_refused_total requests that got no "
		"database connection in time\n"
		"# TYPE kernsift_db_refused_total counter\n"
		"kernsift_db_refused_total %lld\n",
		(long long)atomic_load(&a->limited_refused),
		(long long)w.waited, (double)w.waited_us / 1e6,
		(long long)w.refused);
}

static void system_database_gauges(struct call *c, struct buf *b)
{
	struct gauge *list;
	struct err away = { 0 };
	struct arena a = { 0 };
	int n;
	if (gauges_read(c->s.db, &a, &list, &n, &away))
		for (struct gauge *g = list; g < list + n; g++) {
			if (*g->help)
				buf_printf(b,
					"# HELP kernsift_%s %s\n"
					"# TYPE kernsift_%s gauge\n",
					g->name, g->help, g->name);
			if (!isnan(g->value))
				buf_printf(b,
					*g->label ? "kernsift_%s{%s} %.15g\n"
						  : "kernsift_%s%s %.15g\n",
					g->name, g->label, g->value);
		}
	arena_release(&a);
}

static void system_queue_gauges(const struct upload_queue *q, struct buf *b)
{
	const struct {
		const char *state;
		int64_t n;
	} states[] = { { "receiving", q->receiving }, { "queued", q->queued },
		{ "working", q->working }, { "done", q->done },
		{ "failed", q->failed } };
	buf_puts(b, "# HELP kernsift_uploads uploads stored, by state\n"
		    "# TYPE kernsift_uploads gauge\n");
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		buf_printf(b, "kernsift_uploads{state=\"%s\"} %lld\n",
			states[i].state, (long long)states[i].n);
	buf_printf(b,
		"# HELP kernsift_queue_age_seconds age of the oldest upload "
		"that waits for a worker\n"
		"# TYPE kernsift_queue_age_seconds gauge\n"
		"kernsift_queue_age_seconds %.3f\n",
		q->oldest_queued_s);
}

/* Without a database, kernsift_database_up is 0; the other metrics are still
 * reported. */
json_t *metrics_get(struct call *c, struct err *e)
{
	struct upload_queue q;
	struct err away = { 0 };
	struct buf b;
	(void)e;
	bool up = call_db(c, &away) && upload_queue(c->s.db, &q, &away);
	buf_init(&b, 1 << 20);
	buf_printf(&b,
		"# HELP kernsift_database_up whether the database answers\n"
		"# TYPE kernsift_database_up gauge\n"
		"kernsift_database_up %d\n",
		up);
	if (up) {
		system_queue_gauges(&q, &b);
		system_database_gauges(c, &b);
	}
	system_gauges(c->api, &b);
	system_waits(c->api, &b);
	metrics_text(&c->api->metrics, &b);
	c->text = buf_take(&b, &c->text_len);
	c->text_type = "text/plain; version=0.0.4; charset=utf-8";
	return NULL;
}

json_t *openapi_get(struct call *c, struct err *e)
{
	(void)e;
	c->text = malloc(c->api->openapi_len + 1);
	if (!c->text)
		abort();
	memcpy(c->text, c->api->openapi, c->api->openapi_len + 1);
	c->text_len = c->api->openapi_len;
	c->text_type = "application/json";
	return NULL;
}
