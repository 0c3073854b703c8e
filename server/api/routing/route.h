/* route.h - the tables of routes.def, and the search for the route of a path.
 */
#pragma once
#include "call.h"
#include "token.h"
#include <string.h>

typedef json_t *handler_fn(struct call *c, struct err *e);

/* Which projects a route shows. routes.def explains each value. */
enum project_scope {
	PROJECT_SCOPE_OPEN,
	PROJECT_SCOPE_RUN,
	PROJECT_SCOPE_UPLOADED,
	PROJECT_SCOPE_JOB,
	PROJECT_SCOPE_GATE,
	PROJECT_SCOPE_TOKEN,
	PROJECT_SCOPE_WEBHOOK,
	PROJECT_SCOPE_PROJECT,
	PROJECT_SCOPE_RUNS,
	PROJECT_SCOPE_SAYS,
	PROJECT_SCOPE_WHOLE
};

struct route {
	const char *method, *path;
	enum scope scope;
	enum project_scope project_scope;
	handler_fn *handler;
	const char *answer, *help;
};

struct route_body {
	handler_fn *handler;
	const char *type, *schema;
};

/* The last entry has no handler. */
extern const struct route routes[];
extern const struct route_body route_bodies[];

enum {
#define ROUTE(method, path, scope, reach, fn, answer, help) +1
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema)
	ROUTES_N = 0
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
};

enum { ALLOW_TEXT = 48, ROUTE_IDS = 2, ROUTE_WORD = CALL_WORD };

/* The values of a path for the placeholders in braces. */
struct route_at {
	int64_t ids[ROUTE_IDS]; /* of {id} and {k}, in their order; 0 none */
	char word[ROUTE_WORD]; /* {op}, {platform} or {set}, decoded; "" none */
};

/* Returns the route of a method and path; HEAD uses the route of GET. NULL with
 * ERR_NOT_FOUND, with ERR_INPUT for an invalid id or name, or with ERR_METHOD
 * and `allow` set. */
const struct route *route_find(const char *method, const char *path,
	struct route_at *out, char allow[ALLOW_TEXT], struct err *e);

/* The characters of names of operators and reference sets. A path can contain
 * them without percent-encoding. */
#define ROUTE_WORD_BYTES                                  \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu" \
	"vwxyz0123456789_.:+-"
/* Percent-decodes and checks a name in a path (ERR_INPUT). */
bool route_word(const char *text, size_t len, char word[ROUTE_WORD],
	struct err *e);
/* Whether the placeholder "id}…" is a number rather than a name. */
static inline bool route_is_number(const char *segment)
{
	return !strncmp(segment, "id}", 3) || !strncmp(segment, "k}", 2);
}

/* The first success status of a route, and the name of the schema ("" if none).
 */
int route_status(const struct route *r);
const char *route_schema(const struct route *r);
