/* gate_asked.c - members from flags over members from a file. */
#include "gate_asked.h"
#include <jansson.h>
#include <math.h>

/* The member, or a sentence: text that is none cannot travel. */
static bool put(json_t *to, const char *key, json_t *value, struct err *e)
{
	return (value && json_object_set_new(to, key, value) == 0) ||
	       err_set(e, ERR_INPUT, "what is given for '%.60s' is not UTF-8",
		       key);
}

static bool put_text(json_t *to, const char *key, const char *text,
	struct err *e)
{
	return !*text || put(to, key, json_string(text), e);
}

static bool number_from(const char *text, size_t len, double *out)
{
	char *end;
	if (!len || strspn(text, "+-.0123456789eE") != len)
		return false;
	*out = strtod(text, &end);
	return end == text + len && isfinite(*out);
}

/* "none" takes a rule away; a whole number stays one. */
static bool put_number(json_t *to, const char *key, const char *text,
	struct err *e)
{
	double n;
	if (!*text)
		return true;
	if (!strcmp(text, "none"))
		return put(to, key, json_null(), e);
	if (!number_from(text, strlen(text), &n))
		return err_set(e, ERR_INPUT, "%s: '%.60s' is not a number", key,
			text);
	bool whole = fabs(n) < 0x1p53 && floor(n) >= n;
	return put(to, key, whole ? json_integer((json_int_t)n) : json_real(n),
		e);
}

/* Words with commas between; "none" is none of them. */
static bool put_words(json_t *to, const char *key, const char *text,
	struct err *e)
{
	if (!*text)
		return true;
	json_t *words = json_array();
	if (strcmp(text, "none") == 0)
		return put(to, key, words, e);
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		if (json_array_append_new(words, json_stringn(at, len))) {
			json_decref(words);
			return put(to, key, NULL, e);
		}
		at += len;
		if (!*at)
			return put(to, key, words, e);
	}
}

/* One limit among `all`, in place of that of the same operator. */
static bool put_limit(json_t *all, const char *text, struct err *e)
{
	size_t i;
	double pct;
	json_t *item;
	const char *equals = strrchr(text, '=');
	if (!equals || equals == text ||
		!number_from(equals + 1, strlen(equals + 1), &pct))
		return err_set(e, ERR_INPUT,
			"operator: '%.60s' is not a limit; limits are "
			"NAME=PERCENT",
			text);
	json_t *name = json_stringn(text, (size_t)(equals - text));
	if (!name)
		return put(all, "operator", NULL, e);
	json_array_foreach(all, i, item)
	{
		if (json_equal(json_object_get(item, "operator"), name)) {
			json_array_remove(all, i);
			break;
		}
	}
	json_array_append_new(all,
		json_pack("{s:o, s:f}", "operator", name, "pct", pct));
	return true;
}

static bool put_limits(json_t *to, const struct text_list *given, struct err *e)
{
	if (!given->n)
		return true;
	json_t *all = json_object_get(to, "operators");
	if (!json_is_array(all)) {
		all = json_array();
		json_object_set_new(to, "operators", all);
	}
	for (int i = 0; i < given->n; i++)
		if (!put_limit(all, given->at[i], e))
			return false;
	return true;
}

static json_t *policy_read(const char *path, struct err *e)
{
	json_error_t why;
	if (!*path)
		return json_object();
	json_t *v = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!v) {
		/* Jansson's sentence names the file where it cannot be opened */
		if (why.line < 0)
			err_set(e, ERR_INPUT, "%.300s", why.text);
		else
			err_set(e, ERR_INPUT, "'%.100s', line %d: %.200s", path,
				why.line, why.text);
		return NULL;
	}
	if (json_is_object(v) && !json_object_get(v, "base") &&
		!json_object_get(v, "head"))
		return v;
	err_set(e, ERR_INPUT,
		json_is_object(v)
			? "'%.200s' names a base or a head; these stand on the "
			  "command line"
			: "'%.200s' is not a policy, which is a JSON object",
		path);
	json_decref(v);
	return NULL;
}

static bool put_all(json_t *to, const struct options *o, struct err *e)
{
	const struct {
		const char *key, *value;
		bool (*put)(json_t *to, const char *key, const char *text,
			struct err *e);
	} all[] = {
		{ "base", o->files.at[0], put_text },
		{ "head", o->files.at[1], put_text },
		{ "project", o->project, put_text },
		{ "workload", o->workload, put_text },
		{ "name", o->name, put_text },
		{ "cycle_pct", o->iteration_pct, put_number },
		{ "headroom_pct", o->headroom_pct, put_number },
		{ "fail_on", o->fail_on, put_words },
		{ "share_pct", o->share_pct, put_number },
		{ "least_runs", o->min_runs, put_number },
		{ "least_cycles", o->min_iterations, put_number },
		{ "least_coverage_pct", o->min_coverage_pct, put_number },
		{ "least_attributed_pct", o->min_attributed_pct, put_number },
		{ "refuse", o->reject_on, put_words },
		{ "alpha", o->alpha, put_number },
		{ "floor", o->floor, put_number },
		{ "range", o->range, put_text },
		{ "seed", o->seed, put_number },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!all[i].put(to, all[i].key, all[i].value, e))
			return false;
	return put_limits(to, &o->operator, e);
}

static int add(const char *bytes, size_t len, void *to)
{
	buf_add(to, bytes, len);
	return 0;
}

bool gate_asked(struct buf *b, const struct options *o, struct err *e)
{
	json_t *v = policy_read(o->policy, e);
	bool ok = v && put_all(v, o, e) &&
		  json_dump_callback(v, add, b, JSON_COMPACT) == 0;
	json_decref(v);
	return ok && (!b->full || err_set(e, ERR_INPUT,
					  "'%.200s' is larger than the 1 MiB "
					  "that a policy may have",
					  o->policy));
}
