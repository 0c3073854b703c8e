/* compare_text.c - figures and runs as sentences have them. */
#include "compare_parts.h"
#include <math.h>

const char *compare_text_time(struct arena *a, double ns)
{
	double size = fabs(ns);
	if (size < 9.9995e2)
		return arena_printf(a, "%.3g ns", ns);
	if (size < 9.9995e5)
		return arena_printf(a, "%.4g µs", ns / 1e3);
	if (size < 9.9995e8)
		return arena_printf(a, "%.4g ms", ns / 1e6);
	return arena_printf(a, "%.2f s", ns / 1e9);
}

const char *compare_text_pct(struct arena *a, double share)
{
	return arena_printf(a, "%.1f %%", 100 * share);
}

const char *compare_text_run(struct arena *a, const struct compared_run *r)
{
	if (r->id)
		return arena_printf(a, "run %lld", (long long)r->id);
	if (r->name && *r->name)
		return arena_printf(a, "'%s'", r->name);
	return "a run without a name";
}

const char *compare_text_join(struct arena *a, const char *list,
	const char *item)
{
	return list ? arena_printf(a, "%s, %s", list, item) : item;
}
