/* view_catalog.c - operators and rules of the catalog, results of testing rules,
 * and measured ceilings. */
#include "view_operators.h"
#include "utf8.h"
#include <string.h>

/* Some bytes of a name; the first one may be inside a character. */
static json_t *view_catalog_bytes(const char *name, uint32_t from, uint32_t to)
{
	struct arena a = { 0 };
	char *text = arena_alloc(&a, 3 * (size_t)(to - from) + 1, 1);
	size_t len = utf8_sanitize(text, name + from, to - from);
	json_t *v = json_stringn(text, len);
	arena_release(&a);
	return v;
}

static json_t *view_catalog_sizes(const struct operator_info *o)
{
	json_t *sizes = json_array();
	for (uint32_t i = 0; i < o->sizes_n; i++)
		view_append(sizes, json_string(o->sizes[i]));
	return sizes;
}

static json_t *view_catalog_aliases(const struct operator_info *o)
{
	json_t *aliases = json_object();
	for (uint32_t i = 0; i < o->aliases_n; i++)
		view_set_text(aliases, o->aliases[2 * i],
			o->aliases[2 * i + 1]);
	return aliases;
}

#define ROWS "catalog.def"
#include "row_functions.h"

json_t *view_ceilings(const struct measured_ceilings *m)
{
	struct arena a = { 0 };
	json_t *items = json_array();
	for (uint32_t i = 0; i < m->is.n; i++) {
		const struct ceiling *r = &m->is.rows[i];
		view_append(items,
			row_ceiling(r, m->platform,
				measured_ceilings_note(r, m->platform, &a)));
	}
	arena_release(&a);
	return row_platform_ceilings(m, items);
}

json_t *view_trial(const char *name, const struct rule_trial *t)
{
	return row_rule_trial(name, t, t->rule >= 0);
}

static json_t *view_catalog_items(const struct catalog *k,
	enum site_overrides_kind kind)
{
	const struct platform *const *platforms;
	const struct operator_info *const *operators;
	const struct rule_info *rules;
	if (kind == SITE_PLATFORMS) {
		uint32_t n = catalog_platforms(k, &platforms);
		return view_platforms(platforms, n);
	}
	json_t *items = json_array();
	uint32_t n = kind == SITE_RULES ? catalog_rules(k, &rules)
					: catalog_operators(k, &operators);
	for (uint32_t i = 0; i < n; i++)
		view_append(items, kind == SITE_RULES
					   ? row_rule(&rules[i], i)
					   : row_operator(operators[i]));
	return items;
}

json_t *view_catalog_list(const struct catalog *k,
	enum site_overrides_kind kind, int64_t version, const char *fault,
	const char *own)
{
	json_t *v = view_list(view_catalog_items(k, kind), NULL);
	json_t *mine = own ? json_loads(own, 0, NULL) : NULL;
	view_set_whole(v, "version", version);
	view_set_text(v, "catalog", catalog_version(k));
	view_set_text(v, "fault", fault);
	json_object_set_new(v, "site_overrides", mine ? mine : json_array());
	return v;
}
