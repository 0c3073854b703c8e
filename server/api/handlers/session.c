/* session.c - the sign-in of the web page, and the identity of the caller. */
#include "api_state.h"
#include "request_body.h"
#include "guard.h"
#include "audit_record.h"
#include "view_admin.h"
#include <string.h>

static const char *session_token_of(const json_t *body, struct err *e)
{
	const json_t *v = json_object_get(body, "token");
	if (json_is_string(v) &&
		strlen(json_string_value(v)) == json_string_length(v))
		return json_string_value(v);
	err_set(e, ERR_INPUT, "token: is missing or not text");
	return NULL;
}

/* Records the sign-in. This happens only after the caller is identified, and at
 * most once a minute: attempts without a token, or repeated attempts with one,
 * must not grow the audit table. */
static bool session_record(struct call *c, struct err *e)
{
	bool first;
	return token_signed(c->s.db, c->s.who.token, &first, e) &&
	       (!first || audit_record_begin(c, e));
}

json_t *session_post(struct call *c, struct err *e)
{
	json_t *body = request_body_read(c, "token", e);
	const char *text = body ? session_token_of(body, e) : NULL;
	bool ok = text && guard_who(c, text, e) && session_record(c, e);
	if (ok)
		guard_cookie_set(c, text, c->s.who.expires);
	json_decref(body);
	return ok ? view_session(&c->s.who, c->api->is.perfetto_url) : NULL;
}

json_t *session_get(struct call *c, struct err *e)
{
	return guard_who(c, NULL, e)
		       ? view_session(&c->s.who, c->api->is.perfetto_url)
		       : NULL;
}

/* Signing out only deletes the cookie. The token stays valid, so there is no
 * audit record. */
json_t *session_delete(struct call *c, struct err *e)
{
	(void)e;
	guard_cookie_set(c, NULL, 0);
	return NULL;
}
