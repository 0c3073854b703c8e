/* search.c - finds runs, jobs, workloads, commits, kernels and operators by words, and
 * lists the values of a filter. */
#include "call.h"
#include "listing.h"
#include "query_search.h"
#include "view.h"
#include <ctype.h>

/* Splits q into its words, in lower case. */
static bool search_words(struct arena *a, struct search_filter *f,
	struct err *e)
{
	const char **words = arena_array(a, const char *, strlen(f->q) / 2 + 1);
	char *text = arena_strdup(a, f->q), *rest;
	for (char *s = text; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	for (char *s = strtok_r(text, " \t\n", &rest); s;
		s = strtok_r(NULL, " \t\n", &rest))
		words[f->words_n++] = s;
	f->words = words;
	return f->words_n ||
	       err_set(e, ERR_INPUT,
		       "q: it has no words; enter a part of a name");
}

static bool search_operator_has(const struct operator_info *o,
	const struct search_filter *f)
{
	for (uint32_t i = 0; i < f->words_n; i++)
		if (!strcasestr(o->name, f->words[i]) &&
			!(o->what && strcasestr(o->what, f->words[i])))
			return false;
	return true;
}

static bool search_operators(struct call *c, const struct search_filter *f,
	struct view_operators_found *out, struct err *e)
{
	const struct catalog *catalog = call_catalog(c, e);
	const struct operator_info *const *all;
	if (!catalog)
		return false;
	const uint32_t n = catalog_operators(catalog, &all);
	*out = (struct view_operators_found){
		.rows = arena_array(&c->s.arena, const struct operator_info *,
			(size_t)f->limit)
	};
	for (uint32_t i = 0; i < n; i++) {
		if (!search_operator_has(all[i], f))
			continue;
		if (out->all++ < (uint32_t)f->limit)
			out->rows[out->n++] = all[i];
	}
	return true;
}

json_t *search_get(struct call *c, struct err *e)
{
	struct arena *a = &c->s.arena;
	struct search_filter f = {
		.q = param_text(&c->params, "q", ""),
		.project = param_text(&c->params, "project", NULL),
		.limit = (int)param(&c->params, "limit")->whole,
	};
	struct search is;
	struct view_operators_found operators;
	if (!search_words(a, &f, e) || !call_db(c, e) ||
		!query_search(c->s.db, a, &f, &is, e))
		return NULL;
	const char **names = arena_array(a, const char *, is.kernels_of.n);
	for (uint32_t i = 0; i < is.kernels_of.n; i++)
		names[i] = is.kernels[i].name;
	const char **distinct =
		listing_distinct_names(c, 0, names, is.kernels_of.n, e);
	if (!distinct || !search_operators(c, &f, &operators, e))
		return NULL;
	return view_search(&is, distinct, &operators);
}

json_t *values_get(struct call *c, struct err *e)
{
	static const enum run_value of[] = { VALUE_PROJECT, VALUE_WORKLOAD,
		VALUE_DEVICE, VALUE_FRAMEWORK, VALUE_LABEL };
	const struct value_filter f = {
		.of = of[param(&c->params, "of")->whole],
		.q = param_text(&c->params, "q", NULL),
		.project = param_text(&c->params, "project", NULL),
		.limit = (int)param(&c->params, "limit")->whole,
	};
	struct value_row *rows;
	struct search_count n;
	if (!call_db(c, e) ||
		!query_values(c->s.db, &c->s.arena, &f, &rows, &n, e))
		return NULL;
	return view_values(rows, &n);
}
