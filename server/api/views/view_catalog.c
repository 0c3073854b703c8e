/* view_catalog.c - operators and rules of the catalog, and trials of rules. */
#include "view_catalog.h"
#include "utf8.h"
#include <string.h>

/* The bytes of a name, which may begin within a character. */
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

json_t *view_operator(const struct operator_info *o)
{
	return row_operator(o);
}

json_t *view_rule(const struct rule_info *r, uint32_t place)
{
	return row_rule(r, place);
}

json_t *view_trial(const char *name, const struct rule_trial *t)
{
	return row_rule_trial(name, t, t->rule >= 0);
}

json_t *view_catalog_list(json_t *items, int64_t version, const char *catalog,
	const char *fault, const char *own)
{
	json_t *v = view_list(items, NULL);
	json_t *mine = own ? json_loads(own, 0, NULL) : NULL;
	view_set_whole(v, "version", version);
	view_set_text(v, "catalog", catalog);
	view_set_text(v, "fault", fault);
	json_object_set_new(v, "site_overrides", mine ? mine : json_array());
	return v;
}

json_t *view_op_trial(const char *name, const struct operator_info *o)
{
	struct rule_trial t = { .rule = -1,
		.op = o ? o->name : NULL,
		.own = o && o->own,
		.why = o ? "the catalog has the host operator under its name"
			 : "the catalog does not have the host operator, or it "
			   "only calls others" };
	return view_trial(name, &t);
}
