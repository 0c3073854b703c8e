/* api.c - the dispatcher: finds the route, checks the caller, runs the handler
 * and wraps the result. Only this file makes the status and the bytes of an
 * answer. */
#include "call.h"
#include "api_state.h"
#include "catalog_cache.h"
#include "guard.h"
#include "concurrency_limit.h"
#include "log.h"
#include "openapi.h"
#include "route.h"
#include "strips_cache.h"
#include "audit_record.h"
#include "clock.h"
#include "view.h"
#include <assert.h>
#include <string.h>

enum { TABLE_BYTES = 1 << 28, RETRY_S = 5 };

struct api *api_new(const struct api_options *o, struct err *e)
{
	struct api *a = calloc(1, sizeof *a);
	if (!a)
		abort();
	concurrency_limit_init(a);
	a->is = *o;
	a->is.hosts = strdup(o->hosts ? o->hosts : "");
	a->openapi = openapi_text(&a->openapi_len, e);
	a->service.pool = o->pool;
	a->service.catalog = catalog_cache_new(e);
	a->service.strips = strips_cache_new();
	if (a->is.hosts && a->openapi && a->service.catalog)
		return a;
	api_free(a);
	return NULL;
}

void api_free(struct api *a)
{
	if (!a)
		return;
	free((char *)a->is.hosts);
	free(a->openapi);
	catalog_cache_free(a->service.catalog);
	strips_cache_free(a->service.strips);
	concurrency_limit_release(a);
	free(a);
}

void api_leave(struct api *a)
{
	atomic_store(&a->leaving, true);
}

static bool api_owns(const char *path)
{
	static const char *const roots[] = { "/healthz", "/readyz", "/metrics",
		"/openapi.json", "/api", NULL };
	for (int i = 0; roots[i]; i++)
		if (!strcmp(path, roots[i]))
			return true;
	return !strncmp(path, "/api/", 5);
}

static bool api_leads_to(const struct api_request *r, handler_fn *handler)
{
	struct err e = { 0 };
	char allow[ALLOW_TEXT];
	struct route_at at;
	const struct route *route =
		route_find(r->method, r->path, &at, allow, &e);
	return route && route->handler == handler;
}

size_t api_body_max(const struct api_request *r)
{
	return api_leads_to(r, upload_post) ? 0
	       : api_leads_to(r, set_post)  ? API_SET_MAX
	       : api_leads_to(r, kernel_profiles_post) ||
			       api_leads_to(r, measures_post)
		       ? API_PROFILE_MAX
		       : API_BODY_MAX;
}

static void api_json_body(struct api_answer *out, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(value);
	if (!text)
		abort();
	out->len = strlen(text);
	text[out->len++] = '\n'; /* replaces the NUL: a line end for people */
	out->body = text;
	out->type = "application/json";
}

/* Answers with the failure. The log gets the words that users do not see. */
static void api_error_body(const struct err *e, const char *path,
	struct api_answer *out)
{
	if (err_public(e) != e->text)
		log_error("answer path=%s error=%s text=\"%s\"", path,
			err_name(e->code), e->text);
	out->status = err_http(e->code);
	if (out->status == 503)
		out->retry_after_s = RETRY_S;
	api_json_body(out, view_error(e));
}

void api_refuse(struct api *a, enum err_code code, const char *sentence,
	struct api_answer *out)
{
	struct err e = { .code = code };
	snprintf(e.text, sizeof e.text, "%s", sentence);
	*out = (struct api_answer){ 0 };
	api_error_body(&e, "-", out);
	metrics_count(&a->metrics, ROUTES_N, out->status, 0);
}

static struct param *api_named(struct params *ps, const char *name)
{
	for (int i = 0; i < ps->n; i++)
		if (!strcmp(ps->list[i].spec->name, name))
			return &ps->list[i];
	return NULL;
}

/* Sets the parameter `project` as if the caller had given it, so that the
 * digest of a cursor includes it. A reference set belongs to no project. */
static bool api_project_put(struct call *c, struct err *e)
{
	struct param *set = api_named(&c->params, "reference_set");
	struct param *p = api_named(&c->params, "project");
	if (set && set->given)
		return true;
	if (p->given)
		return project_scope_allows(&c->s, p->text, e);
	p->given = true;
	p->text = c->s.who.project;
	return true;
}

static bool api_project_scope_check(struct call *c, struct err *e)
{
	if (!*c->s.who.project)
		return true;
	switch (c->route->project_scope) {
	case PROJECT_SCOPE_OPEN:
	case PROJECT_SCOPE_RUNS:
	case PROJECT_SCOPE_SAYS:
		return true;
	case PROJECT_SCOPE_RUN:
		return project_scope_run(&c->s, c->id, e);
	case PROJECT_SCOPE_UPLOADED:
		return project_scope_thing(&c->s, RESOURCE_UPLOAD, c->id, e);
	case PROJECT_SCOPE_JOB:
		return project_scope_job(&c->s, c->id, e);
	case PROJECT_SCOPE_GATE:
		return project_scope_thing(&c->s, RESOURCE_GATE, c->id, e);
	case PROJECT_SCOPE_TOKEN:
		return project_scope_thing(&c->s, RESOURCE_TOKEN, c->id, e);
	case PROJECT_SCOPE_WEBHOOK:
		return project_scope_thing(&c->s, RESOURCE_WEBHOOK, c->id, e);
	case PROJECT_SCOPE_PROJECT:
		return api_project_put(c, e);
	case PROJECT_SCOPE_WHOLE:
		break;
	}
	return err_set(e, ERR_FORBIDDEN,
		"this is for all projects; the token is limited to project "
		"'%.200s'",
		c->s.who.project);
}

/* Copies the path and the query, for an audit record that begins after the
 * request is no longer available. */
static void api_audit_init(struct call *c)
{
	const struct api_request *r = c->request;
	c->audit.path = arena_strdup(&c->s.arena, r->path);
	if (r->query && *r->query)
		c->audit.detail = arena_strdup(&c->s.arena, r->query);
}

bool call_open(struct call *c, struct api *a, const struct api_request *r,
	struct api_answer *out, struct err *e)
{
	struct route_at at;
	*c = (struct call){ .s.service = &a->service,
		.api = a,
		.request = r,
		.began_us = clock_us() };
	*out = (struct api_answer){ 0 };
	if (!guard_host(a, r, e) || !guard_origin(a, r, e) ||
		!(c->route = route_find(r->method, r->path, &at, out->allow,
			  e)))
		return false;
	c->id = at.ids[0];
	c->k = at.ids[1];
	memcpy(c->word, at.word, sizeof c->word);
	api_audit_init(c);
	return guard_scope(c, e) &&
	       params_read(&c->params, &c->s.arena, c->route->handler, r->query,
		       e) &&
	       api_project_scope_check(c, e);
}

static void api_table_body(const struct call *c, struct api_answer *out,
	struct err *e)
{
	struct buf b;
	buf_init(&b, TABLE_BYTES);
	if (c->format == TABLE_CSV)
		table_csv(c->table, &b);
	else
		table_md(c->table, &b);
	if (b.full) {
		err_set(e, ERR_TOO_LARGE,
			"the table is larger than %d MiB; narrow it with q",
			TABLE_BYTES >> 20);
		buf_release(&b);
		return;
	}
	out->body = buf_take(&b, &out->len);
	out->type = c->format == TABLE_CSV ? "text/csv; charset=utf-8"
					   : "text/markdown; charset=utf-8";
}

/* Writes the handler's JSON value as the body; returns false if there is an
 * error. */
static bool api_value_body(struct call *c, json_t *value,
	struct api_answer *out, struct err *e)
{
	out->status = c->status ? c->status : route_status(c->route);
	if (e->code) {
		json_decref(value);
	} else if (value) {
		api_json_body(out, value);
	} else if (c->text) {
		out->body = c->text;
		out->len = c->text_len;
		out->type = c->text_type;
		c->text = NULL;
	} else if (c->stream.next) {
		out->stream = c->stream;
		out->type = c->text_type;
		c->stream = (struct api_stream){ 0 };
	} else if (c->table) {
		api_table_body(c, out, e);
	} else if (out->status != 204) {
		err_set(e, ERR_INTERNAL,
			"the server could not create an answer; see its log");
	}
	return !e->code;
}

void call_close(struct call *c)
{
	concurrency_limit_leave(c);
	free(c->text);
	if (c->stream.next)
		c->stream.free(c->stream.ctx);
	service_db_return(&c->s);
	catalog_cache_return(&c->s);
	strips_cache_expire(c->api->service.strips);
	arena_release(&c->s.arena);
}

void api_answer_release(struct api_answer *a)
{
	free(a->body);
	if (a->stream.next)
		a->stream.free(a->stream.ctx);
	a->body = NULL;
	a->stream = (struct api_stream){ 0 };
}

void call_answer(struct call *c, struct api_answer *out, struct err *e)
{
	assert(e->code || c->route);
	json_t *value = e->code ? NULL : c->route->handler(c, e);
	call_db_return(c);
	if (!e->code && api_value_body(c, value, out, e)) {
		memcpy(out->location, c->location, sizeof out->location);
		memcpy(out->disposition, c->disposition,
			sizeof out->disposition);
	} else {
		api_error_body(e, c->request ? c->request->path : "-", out);
	}
	memcpy(out->cookie, c->cookie, sizeof out->cookie);
	audit_record_end(c, out->status);
	call_db_return(c);
	metrics_count(&c->api->metrics,
		c->route ? (int)(c->route - routes) : ROUTES_N, out->status,
		clock_us() - c->began_us);
}

static bool api_changes(const struct route *r)
{
	return strcmp(r->method, "GET") != 0 && r->scope > SCOPE_READ;
}

bool api_call(struct api *a, const struct api_request *r,
	struct api_answer *out)
{
	struct err e = { 0 };
	struct call c;
	if (!api_owns(r->path)) {
		if (guard_host(a, r, &e) && guard_origin(a, r, &e))
			return false;
		api_refuse(a, e.code, e.text, out);
		return true;
	}
	if (call_open(&c, a, r, out, &e) && api_changes(c.route))
		audit_record_begin(&c, &e);
	call_answer(&c, out, &e);
	call_close(&c);
	return true;
}
