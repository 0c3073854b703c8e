/* concrete_inputs.c - splits the JSON list into texts and reads numbers, bools
 * and lists from them. */
#include "concrete_inputs.h"
#include <string.h>

/* The end of a JSON value at p: the comma or bracket after it. NULL if the text
 * ends before. */
static const char *concrete_inputs_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\' && p[1];
			if (!*p)
				return NULL;
		} else if (depth == 0 && (*p == ',' || *p == ']')) {
			return p;
		} else if (*p == '[' || *p == '{') {
			depth++;
		} else if (*p == ']' || *p == '}') {
			depth--;
		}
	}
	return NULL;
}

static bool concrete_inputs_split(struct concrete_inputs *c, const char *p)
{
	if (*p++ != '[')
		return false;
	if (*p == ']')
		return !p[1];
	for (;; p++) {
		const char *end = concrete_inputs_end(p);
		if (!end || end == p || c->n == CONCRETE_INPUTS_MAX)
			return false;
		bool quoted = *p == '"' && end - p >= 2 && end[-1] == '"';
		c->value[c->n].at = p + quoted;
		c->value[c->n++].len = (uint32_t)(end - p) - 2 * quoted;
		p = end;
		if (*p == ']')
			return !p[1];
	}
}

bool concrete_inputs_read(struct concrete_inputs *c, const char *json)
{
	c->n = 0;
	if (!json || !*json)
		return true;
	if (concrete_inputs_split(c, json))
		return true;
	c->n = 0;
	return false;
}

bool concrete_inputs_is(const struct concrete_inputs *c, uint32_t arg,
	const char *text, size_t len)
{
	return arg < c->n && c->value[arg].len == len &&
	       !memcmp(c->value[arg].at, text, len);
}

bool concrete_inputs_none(const struct concrete_inputs *c, uint32_t arg)
{
	return arg >= c->n || !c->value[arg].len ||
	       concrete_inputs_is(c, arg, "None", strlen("None")) ||
	       concrete_inputs_is(c, arg, "null", strlen("null"));
}

/* Reads a whole number between p and end; returns the position after it, or
 * NULL. */
static const char *concrete_inputs_number(const char *p, const char *end,
	int64_t *v)
{
	bool negative = p < end && *p == '-';

	*v = 0;
	p += negative;
	if (p == end || *p < '0' || *p > '9')
		return NULL;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*v, 10, v) ||
			__builtin_add_overflow(*v, *p - '0', v))
			return NULL;
	*v = negative ? -*v : *v;
	return p;
}

bool concrete_inputs_whole(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v)
{
	if (arg >= c->n)
		return false;
	const char *end = c->value[arg].at + c->value[arg].len;
	return concrete_inputs_number(c->value[arg].at, end, v) == end;
}

bool concrete_inputs_bool(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v)
{
	*v = concrete_inputs_is(c, arg, "True", strlen("True")) ||
	     concrete_inputs_is(c, arg, "true", strlen("true"));
	return *v || concrete_inputs_is(c, arg, "False", strlen("False")) ||
	       concrete_inputs_is(c, arg, "false", strlen("false"));
}

/* The position after a comma and blanks; `p` itself if there is no comma. */
static const char *concrete_inputs_comma(const char *p, const char *end)
{
	if (p == end || *p != ',')
		return p;
	for (p++; p < end && *p == ' ';)
		p++;
	return p;
}

int concrete_inputs_list(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v, int max)
{
	int n = 0;

	if (max > 0 && concrete_inputs_whole(c, arg, v))
		return 1;
	if (arg >= c->n || c->value[arg].len < 2 || *c->value[arg].at != '[')
		return -1;
	const char *p = c->value[arg].at + 1;
	const char *end = c->value[arg].at + c->value[arg].len - 1;
	if (*end != ']')
		return -1;
	while (p < end) {
		if (n == max || !(p = concrete_inputs_number(p, end, &v[n])))
			return -1;
		n++;
		const char *next = concrete_inputs_comma(p, end);
		if (p < end && next == p)
			return -1;
		p = next;
	}
	return n;
}

int concrete_inputs_trues(const struct concrete_inputs *c, uint32_t arg, int n)
{
	int trues = 0;

	if (arg >= c->n || c->value[arg].len < 2 || *c->value[arg].at != '[')
		return -1;
	const char *p = c->value[arg].at + 1;
	const char *end = c->value[arg].at + c->value[arg].len;
	for (int i = 0; i < n; i++) {
		size_t left = (size_t)(end - p);
		bool is = left > 4 && !memcmp(p, "True", 4);
		if (!is && !(left > 5 && !memcmp(p, "False", 5)))
			return -1;
		trues += is;
		p += is ? 4 : 5;
		if (*p != ',' && *p != ']')
			return -1;
		p = concrete_inputs_comma(p, end);
	}
	return trues;
}
