/* view_admin.c - who may do what, and did; webhooks; retention. */
#include "view_admin.h"
#include "sha256.h"

json_t *view_token(const struct token_row *t)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:b}", "id",
		view_whole(t->id), "name", t->name, "scope",
		scope_name(t->scope), "project", view_text(t->project),
		"created_at", view_moment(t->created), "expires_at",
		view_moment(t->expires), "last_used_at", view_moment(t->used),
		"created_by", t->made_by, "expired", t->expired);
}

json_t *view_token_made(const struct token_row *t, const char *text)
{
	json_t *v = view_token(t);
	json_object_set_new(v, "token", json_string(text));
	return v;
}

json_t *view_session(const struct identity *w)
{
	static const char *const by[] = { [IDENTITY_NONE] = "none",
		[IDENTITY_LOOPBACK] = "loopback",
		[IDENTITY_TOKEN] = "token",
		[IDENTITY_COOKIE] = "cookie" };
	return json_pack("{s:o, s:s, s:o, s:o, s:s}", "name",
		view_text(*w->name ? w->name : NULL), "scope",
		scope_name(w->scope), "project",
		view_text(*w->project ? w->project : NULL), "expires_at",
		view_moment(w->expires), "by", by[w->by]);
}

json_t *view_audit(const struct audit_row *r)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "id",
		view_whole(r->id), "at", view_moment(r->at), "actor", r->who,
		"token_id", r->token ? view_whole(r->token) : json_null(),
		"project", view_text(r->project), "method", r->method, "path",
		r->path, "detail", view_text(r->detail), "status",
		r->status ? json_integer(r->status) : json_null());
}

_Static_assert((int)WEBHOOK_SECRET == (int)SHA256_BYTES,
	"a secret has the digits of a digest");

json_t *view_webhook(const struct webhook_row *w)
{
	json_t *events = json_array();
	for (uint32_t i = 0; i < w->events_n; i++)
		view_append(events, json_string(w->events[i]));
	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:o}", "id",
		view_whole(w->id), "url", w->url, "events", events, "project",
		view_text(w->project), "created_by", w->made_by, "created_at",
		view_moment(w->created));
}

json_t *view_webhook_made(const struct webhook_row *w,
	const uint8_t secret[WEBHOOK_SECRET])
{
	char hex[SHA256_HEX];
	json_t *v = view_webhook(w);
	sha256_hex(secret, hex);
	json_object_set_new(v, "secret", json_string(hex));
	return v;
}

json_t *view_delivery(const struct delivery_row *d)
{
	return json_pack("{s:o, s:s, s:o, s:i, s:o, s:o, s:o, s:o}", "id",
		view_whole(d->id), "event", d->event, "created_at",
		view_moment(d->created), "attempts", d->tries,
		"next_attempt_at", view_moment(d->next), "delivered_at",
		view_moment(d->delivered), "status", view_whole(d->status),
		"error", view_text(d->error));
}

json_t *view_retention(const struct retention_row *r)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "project",
		view_text(r->project), "raw_days", view_whole(r->raw_days),
		"run_days", view_whole(r->run_days), "quota_mib",
		view_whole(r->quota_mib));
}

json_t *view_test(const struct webhook_row *w, int64_t at_us)
{
	return json_pack("{s:s, s:o, s:n, s:o, s:n}", "event", "test",
		"project", view_text(w->project), "workload", "at",
		view_moment(at_us), "url");
}
