/* view_admin.c - tokens, sessions, the audit log, webhooks and retention. */
#include "view_admin.h"
#include "sha256.h"

static json_t *view_admin_events(const struct webhook_row *w)
{
	json_t *events = json_array();
	for (uint32_t i = 0; i < w->events_n; i++)
		view_append(events, json_string(w->events[i]));
	return events;
}

#define ROWS "admin.def"
#include "row_functions.h"

json_t *view_token(const struct token_row *t, const char *text)
{
	return text ? row_token_created(t, text) : row_token(t);
}

json_t *view_audit(const struct audit_row *r)
{
	return row_audit_row(r);
}

json_t *view_webhook(const struct webhook_row *w, const uint8_t *secret)
{
	char hex[SHA256_HEX];
	if (!secret)
		return row_webhook(w);
	sha256_hex(secret, hex);
	return row_webhook_created(w, hex);
}

json_t *view_delivery(const struct delivery_row *d)
{
	return row_delivery(d);
}

json_t *view_retention(const struct retention_row *r)
{
	return row_retention_row(r);
}

json_t *view_session(const struct identity *w, const char *perfetto_url)
{
	static const char *const by[] = { [IDENTITY_NONE] = "none",
		[IDENTITY_LOOPBACK] = "loopback",
		[IDENTITY_TOKEN] = "token",
		[IDENTITY_COOKIE] = "cookie" };
	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:s}", "name",
		view_text(*w->name ? w->name : NULL), "scope",
		scope_name(w->scope), "project",
		view_text(*w->project ? w->project : NULL), "expires_at",
		view_moment(w->expires), "by", by[w->by], "perfetto_url",
		perfetto_url);
}

_Static_assert((int)WEBHOOK_SECRET == (int)SHA256_BYTES,
	"a secret has the digits of a digest");

json_t *view_test(const struct webhook_row *w, int64_t at_us)
{
	return json_pack("{s:s, s:o, s:n, s:o, s:n}", "event", "test",
		"project", view_text(w->project), "workload", "at",
		view_moment(at_us), "url");
}
