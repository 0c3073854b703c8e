/* view_admin.c - who may do what, and did. */
#include "view_admin.h"

json_t *view_token(const struct token_row *t)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:b}", "id",
		view_whole(t->id), "name", t->name, "scope",
		scope_name(t->scope), "project", view_text(t->project),
		"created_at", view_moment(t->created), "expires_at",
		view_moment(t->expires), "used_at", view_moment(t->used),
		"made_by", t->made_by, "expired", t->expired);
}

json_t *view_token_made(const struct token_row *t, const char *text)
{
	json_t *v = view_token(t);
	json_object_set_new(v, "token", json_string(text));
	return v;
}

json_t *view_session(const struct who *w)
{
	static const char *const by[] = { [BY_NONE] = "none",
		[BY_LOOPBACK] = "loopback",
		[BY_TOKEN] = "token",
		[BY_COOKIE] = "cookie" };
	return json_pack("{s:o, s:s, s:o, s:o, s:s}", "name",
		view_text(*w->name ? w->name : NULL), "scope",
		scope_name(w->scope), "project",
		view_text(*w->project ? w->project : NULL), "expires_at",
		view_moment(w->expires), "by", by[w->by]);
}

json_t *view_audit(const struct audit_row *r)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "id",
		view_whole(r->id), "at", view_moment(r->at), "who", r->who,
		"token_id", r->token ? view_whole(r->token) : json_null(),
		"project", view_text(r->project), "method", r->method, "path",
		r->path, "detail", view_text(r->detail), "status",
		r->status ? json_integer(r->status) : json_null());
}
