/* breakdown.c - a run's layers, and which of its kernels are launched
 * together. */
#include "run_breakdown.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "reanalyze.h"
#include "view_breakdown.h"
#include <stdlib.h>
#include <string.h>

/* What the request wants in place of what was found; *any: whether at all. */
static bool asked_read(const struct call *c, struct breakdown_asked *asked,
	bool *any, struct err *e)
{
	const struct params *ps = &c->params;
	const struct param *every = param(ps, "every");
	const struct param *device = param(ps, "device");
	const struct param *stratum = param(ps, "stratum");
	*asked = BREAKDOWN_UNASKED;
	asked->layers.range = param_text(ps, "range", NULL);
	asked->layers.start = param_text(ps, "start", NULL);
	asked->layers.every = every->given ? (uint32_t)every->whole : 0;
	asked->device = device->given ? (int32_t)device->whole : -1;
	asked->stratum = stratum->given ? stratum->whole : -1;
	asked->realign = param(ps, "realign")->whole == 1;
	if (asked->layers.range && asked->layers.start)
		return err_set(e, ERR_INPUT,
			"range and start both say where layers begin: give "
			"one of them");
	if (every->given && !asked->layers.start)
		return err_set(e, ERR_INPUT,
			"every counts the kernels that start names: give "
			"start too");
	*any = asked->layers.range || asked->layers.start || device->given ||
	       stratum->given || asked->realign;
	return true;
}

json_t *run_breakdown_get(struct call *c, struct err *e)
{
	struct breakdown_asked asked;
	struct breakdown_stored is;
	struct run_row run;
	bool any = false, lags;
	if (!asked_read(c, &asked, &any, e) || !listing_run(c, &run, e) ||
		(any && !heavy_take(c, e)) ||
		!breakdown_read(&c->s, c->id, any ? &asked : NULL, &is, e))
		return NULL;
	if (listing_is_json(c))
		return view_breakdown(c->id, &is);
	if (param(&c->params, "format")->whole > TABLE_MD)
		return listing_table(c, view_breakdown_rows(&c->s.arena, &is),
			"breakdown-rows");
	if (!breakdown_lags(&c->s, c->id, &lags, e))
		return NULL;
	return listing_table(c,
		view_breakdown_table(&c->s.arena, &run, lags, &is),
		"breakdown");
}

json_t *run_groups_get(struct call *c, struct err *e)
{
	struct groups_stored is;
	int64_t offset;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !call_db(c, e) ||
		!query_groups(c->s.db, &c->s.arena, c->id, &is, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c, view_groups_table(&c->s.arena, &is),
			"groups");
	json_t *items = json_array();
	uint32_t n = 0;
	for (int64_t i = offset; i < is.groups.n && n < (uint32_t)limit;
		i++, n++)
		view_append(items, view_group(&is, (uint32_t)i));
	json_t *v = listing_list(c, items, offset, n, offset + n < is.groups.n);
	json_object_set_new(v, "run", view_whole(c->id));
	return v;
}
