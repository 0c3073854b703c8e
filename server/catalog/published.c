/* published.c - values of an entry, each looked at before it is used. */
#include "published.h"
#include "utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { TEXT = 500 };

bool published_wrong(const struct published *r, const char *fmt, ...)
{
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!r->where)
		return err_set(r->err, ERR_INPUT, "%s", text);
	return err_set(r->err, ERR_INPUT, "%s: %s", r->where, text);
}

bool published_at(const struct published *parent, const json_t *list, size_t i,
	const char *what, const char *called, struct published *out)
{
	const char *in = parent->where ? parent->where : "";
	const char *comma = parent->where ? ", " : "";
	const char *name;

	*out = *parent;
	out->v = json_array_get(list, i);
	name = json_string_value(json_object_get(out->v, called));
	out->where = name ? arena_printf(parent->a, "%s%s%s[%zu] ('%.60s')", in,
				    comma, what, i, name)
			  : arena_printf(parent->a, "%s%s%s[%zu]", in, comma,
				    what, i);
	if (!out->where)
		return arena_err(parent->a, parent->err);
	return json_is_object(out->v) ||
	       published_wrong(out, "it is no object");
}

bool published_text(const struct published *r, const char *key, bool must,
	const char **out)
{
	const json_t *v = json_object_get(r->v, key);
	size_t len = json_string_length(v);

	*out = NULL;
	if (!must && (!v || json_is_null(v)))
		return true;
	if (!json_is_string(v) || len == 0 || len > TEXT)
		return published_wrong(r, "'%s' is no text of 1 to %d bytes",
			key, TEXT);
	*out = arena_strndup(r->a, json_string_value(v), len);
	return *out || arena_err(r->a, r->err);
}

bool published_count(const struct published *r, const char *key, bool must,
	int64_t *out)
{
	const json_t *v = json_object_get(r->v, key);

	*out = -1;
	if (!must && (!v || json_is_null(v)))
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return published_wrong(r, "'%s' is no whole number from 0",
			key);
	*out = json_integer_value(v);
	return true;
}

bool published_number(const struct published *r, const json_t *v,
	const char *key, double least, double *out)
{
	*out = json_number_value(v);
	if (!json_is_number(v) || !isfinite(*out) || *out < least)
		return published_wrong(r, "'%s' is no number from %g", key,
			least);
	return true;
}

bool published_list(const struct published *r, const char *key, size_t most,
	json_t **out)
{
	*out = json_object_get(r->v, key);
	size_t n = json_array_size(*out);
	if (!json_is_array(*out) || n == 0)
		return published_wrong(r, "'%s' is no list with entries", key);
	return n <= most || published_wrong(r,
				    "'%s' has %zu entries; %zu is the "
				    "limit",
				    key, n, most);
}
