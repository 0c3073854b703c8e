/* view_catalog.c - operators, rules, trials, sets. */
#include "view_catalog.h"
#include "utf8.h"
#include <string.h>

json_t *view_operator(const struct operator_info *o)
{
	json_t *v = json_object(), *sizes = json_array(),
	       *aliases = json_object();
	for (uint32_t i = 0; i < o->sizes_n; i++)
		view_append(sizes, json_string(o->sizes[i]));
	for (uint32_t i = 0; i < o->aliases_n; i++)
		view_set_text(aliases, o->aliases[2 * i],
			o->aliases[2 * i + 1]);
	view_set_text(v, "name", o->name);
	view_set_text(v, "description", o->what);
	view_set_text(v, "group", o->group);
	json_object_set_new(v, "specific", json_boolean(o->specific));
	json_object_set_new(v, "collective", json_boolean(o->collective));
	json_object_set_new(v, "sizes", sizes);
	json_object_set_new(v, "aliases", aliases);
	json_object_set_new(v, "site_override", json_boolean(o->own));
	return v;
}

json_t *view_rule(const struct rule_info *r, uint32_t place)
{
	json_t *v = json_object();
	view_set_whole(v, "rule", place);
	view_set_text(v, "match", r->match);
	view_set_text(v, "family", r->is.family);
	view_set_text(v, "operator", r->op);
	view_set_text(v, "defined_in", r->is.defined_in);
	view_set_text(v, "launched_from", r->is.launched_from);
	view_set_text(v, "known_from", r->is.known_from);
	json_object_set_new(v, "site_override", json_boolean(r->own));
	return v;
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

/* The bytes of a name, which may begin within a character. */
static json_t *view_catalog_bytes(const char *name, uint32_t from, uint32_t to)
{
	struct arena a = { 0 };
	char *text = arena_alloc(&a, 3 * (size_t)(to - from) + 1, 1);
	size_t len = utf8_mend(text, name + from, to - from);
	json_t *v = json_stringn(text, len);
	arena_release(&a);
	return v;
}

json_t *view_trial(const char *name, const struct rule_trial *t)
{
	bool found = t->rule >= 0;
	json_t *v = json_object();
	view_set_text(v, "name", name);
	view_set_whole(v, "rule", t->rule);
	json_object_set_new(v, "site_override", json_boolean(t->own));
	view_set_text(v, "match", t->match);
	view_set_whole(v, "from", found ? (int64_t)t->from : -1);
	view_set_whole(v, "to", found ? (int64_t)t->to : -1);
	json_object_set_new(v, "matched",
		found ? view_catalog_bytes(name, t->from, t->to) : json_null());
	view_set_text(v, "family", t->is.family);
	view_set_text(v, "operator", t->op);
	view_set_text(v, "reason", t->why);
	return v;
}

json_t *view_op_trial(const char *name, const struct operator_info *o)
{
	struct rule_trial t = { .rule = -1,
		.op = o ? o->name : NULL,
		.own = o && o->own,
		.why = o ? "the catalogue knows the host operator by its name"
			 : "the catalogue does not know the host operator, or "
			   "it only calls others" };
	return view_trial(name, &t);
}
