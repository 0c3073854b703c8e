/* tokens.c - creates, lists and revokes tokens. An admin of a project manages
 * only the tokens of that project. */
#include "listing.h"
#include "request_body.h"
#include "utc_time.h"
#include "token.h"
#include "audit_record.h"
#include "view_admin.h"
#include <string.h>

/* Returns the text of a member; NULL if it is null or absent. */
static bool tokens_text_of(const json_t *body, const char *key, size_t most,
	const char **out, struct err *e)
{
	const json_t *v = json_object_get(body, key);
	*out = NULL;
	if (!v || json_is_null(v))
		return true;
	if (!json_is_string(v) || !json_string_length(v) ||
		json_string_length(v) > most ||
		strlen(json_string_value(v)) != json_string_length(v))
		return err_set(e, ERR_INPUT,
			"%s: is not text of 1 to %zu bytes", key, most);
	*out = json_string_value(v);
	return true;
}

static bool tokens_expiry_of(const json_t *body, struct token_request *w,
	struct err *e)
{
	const json_t *days = json_object_get(body, "expires_days");
	const char *at;
	w->expires = NO_MOMENT;
	if (!tokens_text_of(body, "expires_at", UTC_TIME_TEXT + 10, &at, e))
		return false;
	if (at && !utc_time_parse(at, &w->expires))
		return err_set(e, ERR_INPUT,
			"expires_at: '%.40s' is not a moment such as "
			"2026-08-22T10:11:12Z",
			at);
	if (!days || json_is_null(days))
		return true;
	if (at)
		return err_set(e, ERR_INPUT,
			"expires_at and expires_days exclude each other; "
			"give one");
	json_int_t n = json_integer_value(days);
	if (!json_is_integer(days) || n < 1 || n > TOKEN_DAYS)
		return err_set(e, ERR_INPUT,
			"expires_days: is not a whole number from 1 to %d",
			TOKEN_DAYS);
	w->days = (int)n;
	return true;
}

/* An admin of a project creates tokens of that project, even if the request
 * names no project. */
static bool tokens_request_from(const struct call *c, const json_t *body,
	struct token_request *w, struct err *e)
{
	const char *scope;
	*w = (struct token_request){ .made_by = c->s.who.name,
		.maker = c->s.who.token };
	if (!tokens_text_of(body, "name", 200, &w->name, e) ||
		!tokens_text_of(body, "scope", 20, &scope, e) ||
		!tokens_text_of(body, "project", TOKEN_PROJECT, &w->project,
			e) ||
		!tokens_expiry_of(body, w, e))
		return false;
	if (!w->name)
		return err_set(e, ERR_INPUT,
			"name: is missing; name the user of the token");
	w->scope = scope ? scope_from(scope) : SCOPE_NONE;
	if (w->scope == SCOPE_NONE)
		return err_set(e, ERR_INPUT,
			"scope: '%.40s' is not read, upload or admin",
			scope ? scope : "");
	if (!w->project)
		w->project = project_scope_name(&c->s);
	return !w->project || project_scope_allows(&c->s, w->project, e);
}

json_t *token_post(struct call *c, struct err *e)
{
	json_t *body = request_body_read(c,
		"name|scope|project|expires_at|expires_days", e);
	char text[TOKEN_TEXT];
	struct token_request request;
	struct token_row row;
	int64_t id;
	bool ok = body && tokens_request_from(c, body, &request, e) &&
		  call_db(c, e) && token_new(c->s.db, &request, text, &id, e);
	if (ok)
		audit_record_describe(c, request.project,
			"token %lld '%s' scope=%s%s%s", (long long)id,
			request.name, scope_name(request.scope),
			request.project ? " project=" : "",
			request.project ? request.project : "");
	json_decref(body);
	if (!ok || !token_read(c->s.db, &c->s.arena, id, NULL, &row, e))
		return NULL;
	snprintf(c->location, sizeof c->location, "/api/v1/tokens/%lld",
		(long long)id);
	return view_token(&row, text);
}

json_t *tokens_get(struct call *c, struct err *e)
{
	struct token_row *rows;
	int64_t after;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &after, e) ||
		!token_list(c->s.db, &c->s.arena,
			param_text(&c->params, "project", NULL), after,
			(int)param(&c->params, "limit")->whole, &rows, &n,
			&more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_token(&rows[i], NULL));
		after = rows[i].id;
	}
	return listing_list(c, items, after, more);
}

json_t *token_delete(struct call *c, struct err *e)
{
	struct token_row row;
	const char *project = project_scope_name(&c->s);
	if (!call_db(c, e) ||
		!token_read(c->s.db, &c->s.arena, c->id, project, &row, e) ||
		!token_revoke(c->s.db, c->id, project, e))
		return NULL;
	audit_record_describe(c, row.project,
		"token %lld '%s' scope=%s revoked", (long long)row.id, row.name,
		scope_name(row.scope));
	return NULL;
}
