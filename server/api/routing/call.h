/* call.h - one API call: the input of its handler, the possible results and the
 * steps.
 *
 * A handler reads no socket and writes no bytes. It has three ways to return: a
 * JSON value that its caller owns; NULL after setting call.table, call.text or
 * call.stream; or NULL after setting *e. api.c converts the result to an HTTP
 * status and bytes. If a handler returns NULL and sets nothing, that is a bug
 * and the answer is 500, except for a route with status 204.
 *
 * api_call() runs all steps at once. For an upload, the call is opened before
 * the body arrives and answered after it. */
#pragma once
#include "api.h"
#include "arena.h"
#include "catalog_cache.h"
#include "err.h"
#include "param.h"
#include "project_scope.h"
#include "service.h"
#include "table.h"
#include <jansson.h>
#include <stdint.h>

struct api;
struct api_receive;
struct api_request;
struct route;

enum { CALL_WORD = 101 };

/* The audit record of an API call that changes something, in the arena. */
struct audit_record {
	int64_t id; /* of its row; 0: none */
	int64_t also; /* id of the row for another project; 0: none */
	const char *path, *detail, *description, *project;
};

struct call {
	struct api *api;
	const struct api_request *request;
	const struct route *route;
	struct service_call s; /* s.who is set by guard_scope() */
	struct audit_record audit;
	struct params params;
	bool limited; /* set by concurrency_limit_enter() */
	struct api_receive *receive; /* only for upload_post */
	int64_t id, k; /* {id} and {k} in the path; 0: none */
	char word
		[CALL_WORD]; /* {op}, {platform} or {set} in the path; "": none */
	int64_t began_us;

	/* A handler may set these in addition to the value that it returns. */
	int status; /* 0: the first status of the route */
	const struct table *table;
	enum table_format format;
	char *text; /* malloc'ed; api.c takes it over */
	size_t text_len;
	struct api_stream stream; /* api.c takes it over */
	const char *text_type; /* of text and stream */
	char location[128], disposition[192], cookie[API_COOKIE];
};

/* Finds the route, identifies the caller, checks both and reads the parameters.
 * If it returns false with *e set, call_answer() makes the answer of this
 * error. In both cases call_close() must follow. */
bool call_open(struct call *c, struct api *a, const struct api_request *r,
	struct api_answer *out, struct err *e);
/* Runs the handler, unless *e is already set, and makes the answer. */
void call_answer(struct call *c, struct api_answer *out, struct err *e);
void call_close(struct call *c);

/* Gives the API call a database connection until its answer is made. */
static inline bool call_db(struct call *c, struct err *e)
{
	return service_db(&c->s, e);
}

static inline void call_db_return(struct call *c)
{
	service_db_return(&c->s);
}

/* The current catalog. All requests for it within one API call return the same
 * catalog. */
static inline const struct catalog *call_catalog(struct call *c, struct err *e)
{
	return catalog_cache_take(&c->s, e);
}

#define ROUTE(method, path, scope, reach, fn, answer, help) \
	json_t *fn(struct call *c, struct err *e);
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema)
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
