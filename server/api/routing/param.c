/* param.c - parses a query and checks it against the parameters of its route.
 */
#include "param.h"
#include "utc_time.h"
#include "query.h"
#include "call.h"
#include "utf8.h"
#include <errno.h>
#include <math.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct param_spec param_specs[] = {
#define ROUTE(method, path, scope, reach, fn, answer, help)
#define PARAM(fn, name, kind, range, fallback, help) \
	{ fn, name, PARAM_##kind, range, fallback, help },
#define BODY(fn, type, schema)
#include "routes.def"
#undef ROUTE
#undef PARAM
#undef BODY
	{ 0 },
};

static int param_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static const char *param_decode(const char *s, size_t len, bool form,
	struct arena *a)
{
	char *out = arena_alloc(a, len + 1, 1);
	size_t n = 0;
	for (size_t i = 0; i < len; i++, n++) {
		if (s[i] != '%') {
			out[n] = form && s[i] == '+' ? ' ' : s[i];
			continue;
		}
		int high = len - i > 2 ? param_hex(s[i + 1]) : -1;
		int low = len - i > 2 ? param_hex(s[i + 2]) : -1;
		if (high < 0 || low < 0)
			return NULL;
		out[n] = (char)(high << 4 | low);
		i += 2;
	}
	return utf8_valid(out, n) ? out : NULL;
}

const char *param_path_decode(const char *s, size_t len, struct arena *a)
{
	return param_decode(s, len, false, a);
}

struct query_pair {
	const char *key, *value;
};

/* Reads the next pair of *query ("a=1&b=%20") and advances *query; key is NULL
 * at the end. The decoded text is in the arena and is valid UTF-8 without
 * U+0000; otherwise ERR_INPUT. */
static bool param_next(const char **query, struct arena *a,
	struct query_pair *p, struct err *e)
{
	const char *s = *query;
	while (s && *s == '&')
		s++;
	*p = (struct query_pair){ 0 };
	if (!s || !*s)
		return true;
	size_t len = strcspn(s, "&");
	size_t key = strcspn(s, "=&");
	*query = s + len;
	p->key = param_decode(s, key, true, a);
	p->value = key < len ? param_decode(s + key + 1, len - key - 1, true, a)
			     : "";
	if (p->key && p->value)
		return true;
	return err_set(e, ERR_INPUT,
		"'%.*s' in the query is not percent-encoded UTF-8 text",
		len > 80 ? 80 : (int)len, s);
}

enum { LABELS_MAX = 32, LABEL_KEY_MAX = 100 };

static bool param_whole_from(struct param *p, const char *text, struct err *e)
{
	char *end;
	long long minimum = strtoll(p->spec->range, &end, 10);
	long long most = strtoll(end + 2, NULL, 10);
	errno = 0;
	p->whole = strtoll(text, &end, 10);
	if (!errno && !*end && end != text && strspn(text, "0123456789") &&
		p->whole >= minimum && p->whole <= most)
		return true;
	return err_set(e, ERR_INPUT,
		"%s: '%.40s' is not a whole number from %lld to %lld",
		p->spec->name, text, minimum, most);
}

static bool param_real_from(struct param *p, const char *text, struct err *e)
{
	char *end;
	double minimum = strtod(p->spec->range, &end);
	double most = strtod(strstr(p->spec->range, "..") + 2, NULL);
	p->real = strspn(text, "0123456789.eE+-") == strlen(text)
			  ? strtod(text, &end)
			  : (double)NAN;
	if (isfinite(p->real) && !*end && end != text && p->real >= minimum &&
		p->real <= most)
		return true;
	return err_set(e, ERR_INPUT,
		"%s: '%.40s' is not a number from %g to %g", p->spec->name,
		text, minimum, most);
}

static bool param_choice_from(struct param *p, const char *text, struct err *e)
{
	const char *word = p->spec->range;
	for (p->whole = 0; *word; p->whole++) {
		size_t len = strcspn(word, "|");
		if (strlen(text) == len && !strncmp(word, text, len))
			return true;
		word += len + (word[len] == '|');
	}
	return err_set(e, ERR_INPUT, "%s: '%.40s' is not one of %s",
		p->spec->name, text, p->spec->range);
}

static bool param_value_from(struct param *p, const char *text, struct err *e)
{
	p->text = text;
	switch (p->spec->kind) {
	case PARAM_WHOLE:
		return param_whole_from(p, text, e);
	case PARAM_REAL:
		return param_real_from(p, text, e);
	case PARAM_CHOICE:
		return param_choice_from(p, text, e);
	case PARAM_MOMENT:
		return utc_time_parse(text, &p->whole) ||
		       err_set(e, ERR_INPUT,
			       "%s: '%.40s' is not a moment such as "
			       "2026-08-22T10:11:12Z",
			       p->spec->name, text);
	case PARAM_TEXT:
		if (strlen(text) <= strtoul(p->spec->range, NULL, 10))
			return true;
		return err_set(e, ERR_INPUT, "%s: is longer than %s bytes",
			p->spec->name, p->spec->range);
	case PARAM_LABELS:
	case PARAM_CURSOR:
		return true;
	}
	return true;
}

static bool param_label_add(json_t *labels, const struct query_pair *p,
	struct err *e)
{
	const char *key = p->key + sizeof "label." - 1;
	if (!*key || strlen(key) > LABEL_KEY_MAX)
		return err_set(e, ERR_INPUT,
			"'%.40s' is not a label: a key of 1 to %d bytes "
			"follows "
			"the dot",
			p->key, LABEL_KEY_MAX);
	if (strlen(p->value) > 200)
		return err_set(e, ERR_INPUT, "%.120s: is longer than 200 bytes",
			p->key);
	if (json_object_get(labels, key))
		return err_set(e, ERR_INPUT, "'%.120s' is given twice", p->key);
	if (json_object_size(labels) >= LABELS_MAX)
		return err_set(e, ERR_INPUT, "more than %d labels are given",
			LABELS_MAX);
	json_object_set_new(labels, key, json_string(p->value));
	return true;
}

static bool param_unknown(const struct params *ps, const char *key,
	struct arena *a, struct err *e)
{
	const char *list = "";
	for (int i = 0; i < ps->n; i++)
		list = arena_printf(a, "%s%s%s%s", list, i ? ", " : "",
			ps->list[i].spec->name,
			ps->list[i].spec->kind == PARAM_LABELS ? "KEY" : "");
	return err_set(e, ERR_INPUT,
		"'%.60s' is not a parameter of this path; it has %s", key,
		ps->n ? list : "none");
}

static bool param_pair_take(struct params *ps, struct arena *a, json_t *labels,
	const struct query_pair *pair, struct err *e)
{
	for (int i = 0; i < ps->n; i++) {
		struct param *p = &ps->list[i];
		if (p->spec->kind == PARAM_LABELS &&
			!strncmp(pair->key, p->spec->name,
				strlen(p->spec->name)))
			return param_label_add(labels, pair, e);
		if (strcmp(pair->key, p->spec->name))
			continue;
		if (p->given)
			return err_set(e, ERR_INPUT, "'%s' is given twice",
				pair->key);
		p->given = *pair->value;
		return !p->given || param_value_from(p, pair->value, e);
	}
	return param_unknown(ps, pair->key, a, e);
}

bool params_read(struct params *ps, struct arena *a,
	json_t *(*handler)(struct call *c, struct err *e), const char *query,
	struct err *e)
{
	*ps = (struct params){ 0 };
	for (const struct param_spec *s = param_specs; s->handler; s++) {
		if (s->handler != handler)
			continue;
		assert(ps->n < PARAMS_MAX);
		struct param *p = &ps->list[ps->n++];
		*p = (struct param){ .spec = s };
		if (*s->fallback)
			param_value_from(p, s->fallback, e);
	}
	json_t *labels = json_object();
	struct query_pair pair;
	bool ok;
	while ((ok = param_next(&query, a, &pair, e)) && pair.key)
		if (!(ok = param_pair_take(ps, a, labels, &pair, e)))
			break;
	if (ok && json_object_size(labels)) {
		char *text = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
		ps->labels = arena_strdup(a, text);
		free(text);
	}
	json_decref(labels);
	return ok;
}

const struct param *param(const struct params *ps, const char *name)
{
	int i = 0;
	while (i < ps->n && strcmp(ps->list[i].spec->name, name))
		i++;
	assert(i < ps->n);
	return &ps->list[i];
}

const char *param_text(const struct params *ps, const char *name,
	const char *otherwise)
{
	const struct param *p = param(ps, name);
	return p->text ? p->text : otherwise;
}

int64_t param_moment(const struct params *ps, const char *name)
{
	const struct param *p = param(ps, name);
	return p->given ? p->whole : NO_MOMENT;
}
