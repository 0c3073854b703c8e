/* webhooks.c - creates, lists, tests and deletes webhooks. An admin of a
 * project manages only the webhooks of that project. */
#include "listing.h"
#include "api_state.h"
#include "request_body.h"
#include "outward.h"
#include "audit_record.h"
#include "view_admin.h"
#include "web_url.h"
#include <string.h>

enum { EVENTS = 3, PROJECT_MAX = 200 };
static const char *const events[EVENTS] = { "gate", "change_point",
	"slow_device" };

static bool webhooks_event_read(const json_t *v, struct webhook_row *w,
	const char *list[EVENTS], struct err *e)
{
	const char *word = json_string_value(v);
	int i = 0;
	while (i < EVENTS && (!word || strcmp(word, events[i]) != 0))
		i++;
	if (i == EVENTS)
		return err_set(e, ERR_INPUT,
			"events: '%.40s' is not gate, change_point or slow_device",
			word ? word : "");
	for (uint32_t k = 0; k < w->events_n; k++)
		if (list[k] == events[i])
			return err_set(e, ERR_INPUT,
				"events: %s is given twice", word);
	list[w->events_n++] = events[i];
	return true;
}

static bool webhooks_events_read(struct call *c, const json_t *body,
	struct webhook_row *w, struct err *e)
{
	const json_t *v = json_object_get(body, "events"), *each;
	const char **list = arena_array(&c->s.arena, const char *, EVENTS);
	size_t i;
	if (!json_is_array(v) || !json_array_size(v))
		return err_set(e, ERR_INPUT,
			"events: is not a list of gate, change_point and "
			"slow_device");
	json_array_foreach(v, i, each)
	{
		if (!webhooks_event_read(each, w, list, e))
			return false;
	}
	w->events = list;
	return true;
}

static bool webhooks_project_read(struct call *c, const json_t *body,
	struct webhook_row *w, struct err *e)
{
	const json_t *v = json_object_get(body, "project");
	if (!v || json_is_null(v)) {
		w->project = project_scope_name(&c->s);
		return true;
	}
	size_t len = json_string_length(v);
	if (!json_is_string(v) || !len || len > PROJECT_MAX ||
		strlen(json_string_value(v)) != len)
		return err_set(e, ERR_INPUT,
			"project: is not text of 1 to %d bytes; null "
			"means all",
			PROJECT_MAX);
	w->project = arena_strdup(&c->s.arena, json_string_value(v));
	return project_scope_allows(&c->s, w->project, e);
}

/* The address that the host name resolves to is checked at each delivery.
 * Rejects what can be rejected without resolving the name. */
static bool webhooks_url_read(struct call *c, const json_t *body,
	struct webhook_row *w, struct err *e)
{
	const char *list = c->api->is.webhook_private;
	const json_t *v = json_object_get(body, "url");
	struct web_url url;
	struct err why = { 0 };
	if (!json_is_string(v) ||
		strlen(json_string_value(v)) != json_string_length(v))
		return err_set(e, ERR_INPUT,
			"url: is missing; give the address that receives events");
	w->url = arena_strdup(&c->s.arena, json_string_value(v));
	return web_url_read(w->url, &url, e) &&
	       (outward_named(list ? list : "", url.host, &why) ||
		       err_set(e, ERR_INPUT, "url: %s", why.text));
}

json_t *webhook_post(struct call *c, struct err *e)
{
	json_t *body = request_body_read(c, "url|events|project", e);
	struct webhook_row w = { .made_by = c->s.who.name };
	uint8_t secret[WEBHOOK_SECRET];
	bool ok = body && webhooks_url_read(c, body, &w, e) &&
		  webhooks_events_read(c, body, &w, e) &&
		  webhooks_project_read(c, body, &w, e) && call_db(c, e) &&
		  webhook_new(c->s.db, &w, secret, e);
	json_decref(body);
	if (!ok)
		return NULL;
	/* The address is not recorded, because many addresses are secrets. */
	audit_record_describe(c, w.project, "webhook %lld", (long long)w.id);
	return view_webhook(&w, secret);
}

json_t *webhooks_get(struct call *c, struct err *e)
{
	struct webhook_row *rows;
	int64_t after;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &after, e) ||
		!webhook_list(c->s.db, &c->s.arena,
			param_text(&c->params, "project", NULL), after,
			(int)param(&c->params, "limit")->whole, &rows, &n,
			&more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_webhook(&rows[i], NULL));
		after = rows[i].id;
	}
	return listing_list(c, items, after, more);
}

json_t *webhook_delete(struct call *c, struct err *e)
{
	struct webhook_row w;
	if (call_db(c, e) && webhook_get(c->s.db, &c->s.arena, c->id, &w, e) &&
		webhook_drop(c->s.db, c->id, e))
		audit_record_describe(c, w.project,
			"webhook %lld that '%s' made removed", (long long)w.id,
			w.made_by);
	return NULL;
}

static int64_t webhooks_now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

json_t *webhook_test_post(struct call *c, struct err *e)
{
	struct webhook_row w;
	int64_t delivery;
	if (!call_db(c, e) || !webhook_get(c->s.db, &c->s.arena, c->id, &w, e))
		return NULL;
	json_t *event = view_test(&w, webhooks_now_us());
	char *text = json_dumps(event, JSON_COMPACT);
	json_decref(event);
	bool ok =
		webhook_notify_one(c->s.db, c->id, "test", text, &delivery, e);
	free(text);
	return ok ? json_pack("{s:o}", "delivery", view_whole(delivery)) : NULL;
}

json_t *webhook_deliveries_get(struct call *c, struct err *e)
{
	struct webhook_row w;
	struct delivery_row *rows;
	int64_t before;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &before, e) ||
		!webhook_get(c->s.db, &c->s.arena, c->id, &w, e) ||
		!webhook_deliveries(c->s.db, &c->s.arena, c->id, before,
			(int)param(&c->params, "limit")->whole, &rows, &n,
			&more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_delivery(&rows[i]));
		before = rows[i].id;
	}
	return listing_list(c, items, before, more);
}
