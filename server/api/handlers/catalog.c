/* catalog.c - the catalogue: shown and edited. */
#include "request_body.h"
#include "catalog_cache.h"
#include "query_operator.h"
#include "audit_record.h"
#include "view_catalog.h"
#include "view_importance.h"
#include <stdlib.h>
#include <string.h>

static const char **part(struct catalog_own *own, enum own_kind kind)
{
	return kind == OWN_OPERATORS ? &own->operators
	       : kind == OWN_RULES   ? &own->rules
				     : &own->platforms;
}

static json_t *listed(struct call *c, enum own_kind kind, json_t *items,
	struct err *e)
{
	struct catalog_own own;
	const struct catalog *k = call_catalog(c, e);
	if (k && own_read(c->s.db, &c->s.arena, &own, e))
		return view_catalog_list(items, catalog_held_version(&c->s),
			catalog_version(k), catalog_held_fault(&c->s),
			*part(&own, kind));
	json_decref(items);
	return NULL;
}

json_t *platforms_get(struct call *c, struct err *e)
{
	const struct platform *const *all;
	const struct catalog *k = call_catalog(c, e);
	if (!k)
		return NULL;
	uint32_t n = catalog_platforms(k, &all);
	return listed(c, OWN_PLATFORMS, view_platforms(all, n), e);
}

json_t *operators_get(struct call *c, struct err *e)
{
	const struct operator_info *const *all;
	const struct catalog *k = call_catalog(c, e);
	if (!k)
		return NULL;
	uint32_t n = catalog_operators(k, &all);
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_operator(all[i]));
	return listed(c, OWN_OPERATORS, items, e);
}

json_t *rules_get(struct call *c, struct err *e)
{
	const struct rule_info *all;
	const struct catalog *k = call_catalog(c, e);
	if (!k)
		return NULL;
	uint32_t n = catalog_rules(k, &all);
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_rule(&all[i], i));
	return listed(c, OWN_RULES, items, e);
}

/* Whether the catalogue with this part in it would be faultless. */
static bool would_do(const struct catalog_own *own, struct err *e)
{
	struct catalog *k = catalog_new(own, e);
	catalog_free(k);
	return k;
}

/* What came of the edit: which runs were attributed without it. */
static json_t *changed(struct call *c, struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	int64_t runs;
	if (!k || !query_outdated(c->s.db, catalog_version(k), &runs, e))
		return NULL;
	const char *text =
		!runs ? "every run is attributed with this catalogue"
		: runs == 1
			? "1 run was attributed with an earlier catalogue: "
			  "`kernsiftd rebuild` attributes it anew"
			: arena_printf(&c->s.arena,
				  "%lld runs were attributed with an earlier "
				  "catalogue: `kernsiftd rebuild` attributes "
				  "them anew",
				  (long long)runs);
	return json_pack("{s:o, s:s, s:o, s:s}", "version",
		view_whole(catalog_held_version(&c->s)), "catalog",
		catalog_version(k), "outdated_runs", view_whole(runs),
		"message", text);
}

static bool write(struct call *c, enum own_kind kind, json_t *body,
	struct err *e)
{
	json_t *version = json_object_get(body, "version");
	struct catalog_own own;
	int64_t now;
	if (!json_is_integer(version) || json_integer_value(version) < 0)
		return err_set(e, ERR_INPUT,
			"version: is not the whole number that GET told");
	const char *text = body_list(c, body, "items", e);
	if (!text || !call_db(c, e) || !own_read(c->s.db, &c->s.arena, &own, e))
		return false;
	if (own.version != json_integer_value(version))
		return err_set(e, ERR_CONFLICT,
			"the catalogue was changed meanwhile: its version is "
			"%lld, not %lld; get it again and make your change to "
			"that",
			(long long)own.version,
			(long long)json_integer_value(version));
	const char *before = *part(&own, kind);
	*part(&own, kind) = text;
	if (!would_do(&own, e))
		return false;
	trail_tell(c, NULL, "%zu items for version %lld",
		json_array_size(json_object_get(body, "items")),
		(long long)own.version);
	/* A new version would call every run attributed with an earlier one. */
	return !strcmp(before ? before : "[]", text) ||
	       own_write(c->s.db, kind, text, own.version, &now, e);
}

static json_t *put(struct call *c, enum own_kind kind, struct err *e)
{
	json_t *body = body_read(c, "version|items", e);
	bool ok = body && write(c, kind, body, e);
	json_decref(body);
	return ok ? changed(c, e) : NULL;
}

json_t *platforms_put(struct call *c, struct err *e)
{
	return put(c, OWN_PLATFORMS, e);
}

json_t *operators_put(struct call *c, struct err *e)
{
	return put(c, OWN_OPERATORS, e);
}

json_t *rules_put(struct call *c, struct err *e)
{
	return put(c, OWN_RULES, e);
}
