/* catalog_params.c - looks values up in the catalog; an error lists all allowed
 * values. */
#include "catalog_params.h"
#include "profile_word.h"
#include "query.h"
#include <string.h>

bool catalog_params_platform(const struct call *c, const char *param,
	const struct catalog *catalog, const struct platform **out,
	struct err *e)
{
	const char *name = param_text(&c->params, param, NULL);
	const struct platform *const *all;
	struct arena a = { 0 };
	const char *list = "";
	*out = NULL;
	if (!name || (*out = catalog_platform(catalog, name)))
		return true;
	uint32_t n = catalog_platforms(catalog, &all);
	for (uint32_t i = 0; i < n; i++)
		list = arena_printf(&a, "%s%s%s", list, i ? ", " : "",
			all[i]->name);
	err_set(e, ERR_INPUT,
		"%s: '%.60s' is not a platform of the catalog; it has %s",
		param, name, list);
	arena_release(&a);
	return false;
}

bool catalog_params_dtype(const struct call *c, enum dtype *out, struct err *e)
{
	const char *name = param_text(&c->params, "dtype", NULL);
	struct arena a = { 0 };
	const char *list = "";
	*out = DTYPE_UNKNOWN;
	if (!name || (*out = dtype_from(name, strlen(name))))
		return true;
	for (int d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
		list = arena_printf(&a, "%s%s%s", list, *list ? ", " : "",
			dtype_word((enum dtype)d));
	err_set(e, ERR_INPUT, "dtype: '%.60s' is not one of %s", name, list);
	arena_release(&a);
	return false;
}

bool catalog_params_run_phase(const struct call *c, enum phase *out,
	struct err *e)
{
	const char *word = param_text(&c->params, "phase", NULL);
	*out = PHASE_UNKNOWN;
	for (int p = PHASE_UNKNOWN + 1; word && p < PHASES; p++)
		if (!strcmp(word, profile_word_phase[p]))
			*out = (enum phase)p;
	return !word || *out ||
	       err_set(e, ERR_INPUT,
		       "phase: only reference sets have '%s'; runs have "
		       "prefill, decode, mixed",
		       word);
}
