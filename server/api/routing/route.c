/* route.c - finds the route of a path. For each method, at most one route
 * matches a path. */
#include "route.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct route routes[] = {
#define ROUTE(method, path, scope, reach, fn, answer, help)                \
	{ #method, path, SCOPE_##scope, PROJECT_SCOPE_##reach, fn, answer, \
		help },
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema)
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
	{ 0 },
};

const struct route_body route_bodies[] = {
#define ROUTE(method, path, scope, reach, fn, answer, help)
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema) { fn, type, schema },
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
	{ 0 },
};

enum { SEGMENTS = ROUTE_IDS + 1 };

/* The value that a path has for "{id}" or another placeholder. */
struct segment {
	/* name: after the brace; at: in the path; NULL: none */
	const char *name, *at;
};

/* Whether the path matches the pattern. */
static bool route_fits(const char *pattern, const char *path,
	struct segment of[SEGMENTS])
{
	int n = 0;
	while (*pattern) {
		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		size_t len = strcspn(path, "/");
		if (!len)
			return false;
		assert(n < SEGMENTS);
		of[n++] = (struct segment){ pattern + 1, path };
		pattern += strcspn(pattern, "}") + 1;
		path += len;
	}
	return !*path;
}

bool route_word(const char *text, size_t len, char word[ROUTE_WORD],
	struct err *e)
{
	struct arena a = { 0 };
	const char *plain = param_path_decode(text, len, &a);
	size_t n = plain ? strlen(plain) : 0;
	bool ok = n && n < ROUTE_WORD && strspn(plain, ROUTE_WORD_BYTES) == n;
	if (ok)
		memcpy(word, plain, n + 1);
	arena_release(&a);
	return ok || err_set(e, ERR_INPUT,
			     "'%.*s' is not a name: 1 to %d letters, digits "
			     "and _ . : + -",
			     len > 120 ? 120 : (int)len, text, ROUTE_WORD - 1);
}

static bool route_id_from(const char *text, int64_t *id, struct err *e)
{
	char *end;
	errno = 0;
	*id = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
	if (*id > 0 && !errno && (!*end || *end == '/'))
		return true;
	return err_set(e, ERR_INPUT,
		"'%.*s' is not an id: a whole number above 0",
		(int)strcspn(text, "/") > 40 ? 40 : (int)strcspn(text, "/"),
		text);
}

static bool route_segments_read(const struct segment of[SEGMENTS],
	struct route_at *out, struct err *e)
{
	for (int i = 0, id = 0; i < SEGMENTS && of[i].at; i++) {
		const char *at = of[i].at;
		if (!(route_is_number(of[i].name)
				    ? route_id_from(at, &out->ids[id++], e)
				    : route_word(at, strcspn(at, "/"),
					      out->word, e)))
			return false;
	}
	return true;
}

static void route_allow_add(char allow[ALLOW_TEXT], const char *method)
{
	size_t len = strlen(allow);
	snprintf(allow + len, ALLOW_TEXT - len, "%s%s%s", len ? ", " : "",
		method, strcmp(method, "GET") ? "" : ", HEAD");
}

const struct route *route_find(const char *method, const char *path,
	struct route_at *out, char allow[ALLOW_TEXT], struct err *e)
{
	enum { PREFIX = sizeof "/api/v1" - 1 };
	allow[0] = '\0';
	*out = (struct route_at){ 0 };
	for (const struct route *r = routes; r->handler; r++) {
		struct segment of[SEGMENTS] = { 0 };
		bool short_form = r->scope == SCOPE_NONE ||
				  !strcmp(r->path, "/api/v1/metrics");
		if (!route_fits(r->path, path, of) &&
			!(short_form && !strcmp(r->path + PREFIX, path)))
			continue;
		if (strcmp(r->method, method) &&
			!(!strcmp(method, "HEAD") &&
				!strcmp(r->method, "GET"))) {
			route_allow_add(allow, r->method);
			continue;
		}
		allow[0] = '\0';
		return route_segments_read(of, out, e) ? r : NULL;
	}
	if (*allow)
		err_set(e, ERR_METHOD,
			"%.20s is not a method of '%.200s'; it has %s", method,
			path, allow);
	else
		err_set(e, ERR_NOT_FOUND, "no such path: '%.200s'", path);
	return NULL;
}

int route_status(const struct route *r)
{
	return (int)strtol(r->answer, NULL, 10);
}

const char *route_schema(const struct route *r)
{
	const char *last = strrchr(r->answer, ' ');
	return last ? last + 1 : "";
}
