/* route.c - a path has the pattern of at most one route per method. */
#include "route.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct route routes[] = {
#define ROUTE(method, path, scope, fn, answer, help) \
	{ #method, path, SCOPE_##scope, fn, answer, help },
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema)
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
	{ 0 },
};

const struct route_body route_bodies[] = {
#define ROUTE(method, path, scope, fn, answer, help)
#define PARAM(fn, name, kind, range, fallback, help)
#define BODY(fn, type, schema) { fn, type, schema },
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
	{ 0 },
};

/* Whether path has the form of pattern; *id is what stands for "{id}". */
static bool fits(const char *pattern, const char *path, const char **id)
{
	while (*pattern) {
		if (strncmp(pattern, "{id}", 4)) {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		size_t len = strcspn(path, "/");
		if (!len)
			return false;
		*id = path;
		pattern += 4;
		path += len;
	}
	return !*path;
}

static bool id_from(const char *text, int64_t *id, struct err *e)
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

static void allow_add(char allow[ALLOW_TEXT], const char *method)
{
	size_t len = strlen(allow);
	snprintf(allow + len, ALLOW_TEXT - len, "%s%s%s", len ? ", " : "",
		method, strcmp(method, "GET") ? "" : ", HEAD");
}

const struct route *route_find(const char *method, const char *path,
	int64_t *id, char allow[ALLOW_TEXT], struct err *e)
{
	enum { PREFIX = sizeof "/api/v1" - 1 };
	allow[0] = '\0';
	for (const struct route *r = routes; r->handler; r++) {
		const char *text = NULL;
		bool short_form = r->scope == SCOPE_NONE ||
				  !strcmp(r->path, "/api/v1/metrics");
		if (!fits(r->path, path, &text) &&
			!(short_form && !strcmp(r->path + PREFIX, path)))
			continue;
		if (strcmp(r->method, method) &&
			!(!strcmp(method, "HEAD") &&
				!strcmp(r->method, "GET"))) {
			allow_add(allow, r->method);
			continue;
		}
		allow[0] = '\0';
		return text && !id_from(text, id, e) ? NULL : r;
	}
	if (*allow)
		err_set(e, ERR_METHOD,
			"%.20s is not a method of '%.200s'; it has %s", method,
			path, allow);
	else
		err_set(e, ERR_NOT_FOUND, "there is nothing at '%.200s'", path);
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
