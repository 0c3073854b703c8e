/* api_trials.c - which rule catches a name: bounded, because whoever may read may
 * ask, and a draft may have rules that take long to give up. */
#include "request_body.h"
#include "catalog_cache.h"
#include "dispatch.h"
#include "concurrency_limit.h"
#include "query_operator.h"
#include "view_catalog.h"
#include "view_importance.h"
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 100, RULES_MAX = 500, NAME_BYTES = 65536, BUDGET_S = 2 };

struct trials {
	struct call *call;
	const struct catalog *catalog;
	double began_s;
	json_t *items;
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void try_kernel(const struct trials *t, const char *name, size_t len)
{
	struct rule_trial is = { .rule = -1 };
	struct err why = { 0 };
	if (now_s() - t->began_s > BUDGET_S)
		is.why = "was not tried: the names before took too long";
	else if (!catalog_trial(t->catalog, name, len, &t->call->s.arena, &is,
			 &why))
		is = (struct rule_trial){ .rule = -1, .why = why.text };
	view_append(t->items, view_trial(name, &is));
}

static void try_op(const struct trials *t, const char *name, size_t len)
{
	view_append(t->items,
		view_op_trial(name, catalog_op(t->catalog, name, len)));
}

static bool try_all(const struct trials *t, json_t *names, const char *key,
	void (*one)(const struct trials *t, const char *name, size_t len),
	struct err *e)
{
	size_t i;
	json_t *each;
	if (!names)
		return true;
	if (!json_is_array(names) || json_array_size(names) > NAMES_MAX)
		return err_set(e, ERR_INPUT,
			"%s: is not a list of at most %d names", key,
			NAMES_MAX);
	json_array_foreach(names, i, each)
	{
		const char *name = json_string_value(each);
		size_t len = json_string_length(each);
		if (!name || !len || len > NAME_BYTES || strlen(name) != len)
			return err_set(e, ERR_INPUT,
				"%s: entry %zu is not a name of 1 to %d bytes",
				key, i, NAME_BYTES);
		one(t, name, len);
	}
	return true;
}

/* This installation's edits, with the rules of the body in place of its own. */
static bool draft_read(struct call *c, json_t *body, struct catalog_own *own,
	struct err *e)
{
	size_t n = json_array_size(json_object_get(body, "rules"));
	const char *text;
	if (n > RULES_MAX)
		return err_set(e, ERR_INPUT,
			"rules: are %zu; at most %d are tried at once", n,
			RULES_MAX);
	text = body_list(c, body, "rules", e);
	if (!text || !own_read(c->s.db, &c->s.arena, own, e))
		return false;
	own->rules = text;
	return true;
}

static bool tried(struct call *c, json_t *body, json_t *items, struct err *e)
{
	bool drafted = json_object_get(body, "rules");
	struct trials t = { c, call_catalog(c, e), now_s(), items };
	struct catalog *draft = NULL;
	struct catalog_own own;
	if (!t.catalog || (drafted && !draft_read(c, body, &own, e)))
		return false;
	call_db_return(c); /* the rest takes time, and no database */
	if (drafted)
		t.catalog = draft = catalog_new(&own, e);
	bool ok = t.catalog &&
		  try_all(&t, json_object_get(body, "names"), "names",
			  try_kernel, e) &&
		  try_all(&t, json_object_get(body, "ops"), "ops", try_op, e);
	catalog_free(draft);
	return ok;
}

json_t *rules_test_post(struct call *c, struct err *e)
{
	json_t *body = body_read(c, "names|ops|rules", e);
	json_t *items = json_array();
	bool ok = body && heavy_take(c, e) && tried(c, body, items, e);
	json_decref(body);
	if (ok)
		return view_list(items, NULL);
	json_decref(items);
	return NULL;
}
