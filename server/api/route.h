/* route.h - routes.def as tables, and the way from a path to its route. */
#pragma once
#include "handler.h"
#include "token.h"

typedef json_t *handler_fn(struct call *c, struct err *e);

struct route {
	const char *method, *path;
	enum scope scope;
	handler_fn *handler;
	const char *answer, *help;
};

struct route_body {
	handler_fn *handler;
	const char *type, *schema;
};

/* Ended by an entry without a handler. */
extern const struct route routes[];
extern const struct route_body route_bodies[];

enum {
#define ROUTE(method, path, scope, fn, answer, help) +1
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema)
	ROUTES_N = 0
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
};

enum { ALLOW_TEXT = 48 };

/* The route of a method and path, with the path's {id}; HEAD finds GET's.
 * NULL with ERR_NOT_FOUND, ERR_INPUT for an id that is not one, or ERR_METHOD
 * and `allow` filled. */
const struct route *route_find(const char *method, const char *path,
	int64_t *id, char allow[ALLOW_TEXT], struct err *e);

/* The first status of a route's success, and its schema's name ("" none). */
int route_status(const struct route *r);
const char *route_schema(const struct route *r);
