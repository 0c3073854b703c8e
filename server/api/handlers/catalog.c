/* catalog.c - lists and edits the catalog; tests its rules on names. */
#include "audit_record.h"
#include "call.h"
#include "catalog_cache.h"
#include "concurrency_limit.h"
#include "query_operator.h"
#include "request_body.h"
#include "view_operators.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- lists and edits */

static const char **catalog_part(struct catalog_own *own,
	enum site_overrides_kind kind)
{
	return kind == SITE_OPERATORS ? &own->operators
	       : kind == SITE_RULES   ? &own->rules
				      : &own->platforms;
}

static json_t *catalog_listed(struct call *c, enum site_overrides_kind kind,
	struct err *e)
{
	struct catalog_own own;
	const struct catalog *k = call_catalog(c, e);
	if (!k || !site_overrides_read(c->s.db, &c->s.arena, &own, e))
		return NULL;
	return view_catalog_list(k, kind, c->s.in_force->version,
		c->s.in_force->fault, *catalog_part(&own, kind));
}

json_t *platforms_get(struct call *c, struct err *e)
{
	return catalog_listed(c, SITE_PLATFORMS, e);
}

json_t *operators_get(struct call *c, struct err *e)
{
	return catalog_listed(c, SITE_OPERATORS, e);
}

json_t *rules_get(struct call *c, struct err *e)
{
	return catalog_listed(c, SITE_RULES, e);
}

/* Whether the catalog would have no faults after this edit. */
static bool catalog_would_do(const struct catalog_own *own, struct err *e)
{
	struct catalog *k = catalog_new(own, e);
	catalog_free(k);
	return k;
}

/* The result of the edit: the runs whose attribution does not contain it yet.
 */
static json_t *catalog_changed(struct call *c, struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	int64_t runs;
	if (!k || !query_outdated(c->s.db, catalog_version(k), &runs, e))
		return NULL;
	const char *text =
		!runs ? "every run is attributed with this catalog"
		: runs == 1
			? "1 run was attributed with an earlier catalog: "
			  "`kernsiftd rebuild` attributes it again"
			: arena_printf(&c->s.arena,
				  "%lld runs were attributed with an earlier "
				  "catalog: `kernsiftd rebuild` attributes "
				  "them again",
				  (long long)runs);
	return json_pack("{s:o, s:s, s:o, s:s}", "version",
		view_whole(c->s.in_force->version), "catalog",
		catalog_version(k), "outdated_runs", view_whole(runs),
		"message", text);
}

/* Returns a list of the body as compact JSON text, in the arena; NULL with
 * ERR_INPUT if it is not a list. */
static const char *catalog_list_text(struct call *c, const json_t *body,
	const char *key, struct err *e)
{
	const json_t *v = json_object_get(body, key);
	if (!json_is_array(v)) {
		err_set(e, ERR_INPUT, "%s: is not a list", key);
		return NULL;
	}
	char *text = json_dumps(v, JSON_COMPACT);
	const char *copy = arena_strdup(&c->s.arena, text);
	free(text);
	return copy;
}

static bool catalog_write(struct call *c, enum site_overrides_kind kind,
	json_t *body, struct err *e)
{
	json_t *version = json_object_get(body, "version");
	struct catalog_own own;
	int64_t now;
	if (!json_is_integer(version) || json_integer_value(version) < 0)
		return err_set(e, ERR_INPUT,
			"version: is not the whole number that GET returned");
	const char *text = catalog_list_text(c, body, "items", e);
	if (!text || !call_db(c, e) ||
		!site_overrides_read(c->s.db, &c->s.arena, &own, e))
		return false;
	if (own.version != json_integer_value(version))
		return err_set(e, ERR_CONFLICT,
			"the catalog has changed: its version is %lld, not "
			"%lld; get it again and repeat the change",
			(long long)own.version,
			(long long)json_integer_value(version));
	const char *before = *catalog_part(&own, kind);
	*catalog_part(&own, kind) = text;
	if ((kind == SITE_OPERATORS && !catalog_edit_check(text, e)) ||
		!catalog_would_do(&own, e))
		return false;
	audit_record_describe(c, NULL, "%zu items for version %lld",
		json_array_size(json_object_get(body, "items")),
		(long long)own.version);
	/* If the text is unchanged, no new version is made. Otherwise every run
	 * would count as attributed with an earlier catalog. */
	return !strcmp(before ? before : "[]", text) ||
	       site_overrides_write(c->s.db, kind, text, own.version, &now, e);
}

static json_t *catalog_put(struct call *c, enum site_overrides_kind kind,
	struct err *e)
{
	json_t *body = request_body_read(c, "version|items", e);
	bool ok = body && catalog_write(c, kind, body, e);
	json_decref(body);
	return ok ? catalog_changed(c, e) : NULL;
}

json_t *platforms_put(struct call *c, struct err *e)
{
	return catalog_put(c, SITE_PLATFORMS, e);
}

json_t *operators_put(struct call *c, struct err *e)
{
	return catalog_put(c, SITE_OPERATORS, e);
}

json_t *rules_put(struct call *c, struct err *e)
{
	return catalog_put(c, SITE_RULES, e);
}

/* ---- tests which rule matches a name. The time and the sizes are limited,
 * because every user with read access may call this, and a draft may contain
 * rules that run long before they fail */

enum { NAMES_MAX = 100, RULES_MAX = 500, NAME_BYTES = 65536, BUDGET_S = 2 };

struct trials {
	struct call *call;
	const struct catalog *catalog;
	double began_s;
	json_t *items;
};

static double catalog_test_now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void catalog_test_try_kernel(const struct trials *t, const char *name,
	size_t len)
{
	struct rule_trial is = { .rule = -1 };
	struct err why = { 0 };
	if (catalog_test_now_s() - t->began_s > BUDGET_S)
		is.why = "not tested: the previous names took too long";
	else if (!catalog_trial(t->catalog, name, len, &t->call->s.arena, &is,
			 &why))
		is = (struct rule_trial){ .rule = -1, .why = why.text };
	view_append(t->items, view_trial(name, &is));
}

static void catalog_test_try_op(const struct trials *t, const char *name,
	size_t len)
{
	const struct operator_info *o = catalog_op(t->catalog, name, len);
	const struct rule_trial is = { .rule = -1,
		.op = o ? o->name : NULL,
		.own = o && o->own,
		.why = o ? "the catalog has the host operator under its name"
			 : "the catalog does not have the host operator, or it "
			   "only calls others" };
	view_append(t->items, view_trial(name, &is));
}

static bool catalog_test_try_all(const struct trials *t, json_t *names,
	const char *key,
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

/* This installation's own entries, with the rules of the body instead of its
 * own rules. */
static bool catalog_test_draft_read(struct call *c, json_t *body,
	struct catalog_own *own, struct err *e)
{
	size_t n = json_array_size(json_object_get(body, "rules"));
	const char *text;
	if (n > RULES_MAX)
		return err_set(e, ERR_INPUT,
			"rules: has %zu entries; at most %d are tested at "
			"once",
			n, RULES_MAX);
	text = catalog_list_text(c, body, "rules", e);
	if (!text || !site_overrides_read(c->s.db, &c->s.arena, own, e))
		return false;
	own->rules = text;
	return true;
}

static bool catalog_test_tried(struct call *c, json_t *body, json_t *items,
	struct err *e)
{
	bool drafted = json_object_get(body, "rules");
	struct trials t = { c, call_catalog(c, e), catalog_test_now_s(),
		items };
	struct catalog *draft = NULL;
	struct catalog_own own;
	if (!t.catalog ||
		(drafted && !catalog_test_draft_read(c, body, &own, e)))
		return false;
	call_db_return(c); /* the rest takes time and needs no database */
	if (drafted)
		t.catalog = draft = catalog_new(&own, e);
	bool ok = t.catalog &&
		  catalog_test_try_all(&t, json_object_get(body, "names"),
			  "names", catalog_test_try_kernel, e) &&
		  catalog_test_try_all(&t, json_object_get(body, "ops"), "ops",
			  catalog_test_try_op, e);
	catalog_free(draft);
	return ok;
}

json_t *rules_test_post(struct call *c, struct err *e)
{
	json_t *body = request_body_read(c, "names|ops|rules", e);
	json_t *items = json_array();
	bool ok = body && concurrency_limit_enter(c, e) &&
		  catalog_test_tried(c, body, items, e);
	json_decref(body);
	if (ok)
		return view_list(items, NULL);
	json_decref(items);
	return NULL;
}
