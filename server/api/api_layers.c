/* api_layers.c - a run's layers, and which of its kernels are launched
 * together. */
#include "breakdown_read.h"
#include "heavy.h"
#include "listing.h"
#include "ranged.h"
#include "view_layers.h"
#include <stdlib.h>
#include <string.h>

bool breakdown_read(struct call *c, int64_t run,
	const struct breakdown_asked *asked, struct breakdown_stored *out,
	struct err *e)
{
	return call_db(c, e) &&
	       (asked ? ranged_layers(c, run, asked, out, e)
		      : query_breakdown(c->db, &c->arena, run, out, e)) &&
	       breakdown_fits(run, out, e);
}

bool breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e)
{
	size_t *bytes = calloc(is->kernels_n + 1, sizeof *bytes), sum = 0;
	if (!bytes)
		abort();
	for (uint32_t i = 0; i < is->kernels_n; i++)
		bytes[i] = strlen(is->kernels[i].name) +
			   strlen(is->kernels[i].short_name);
	for (uint32_t i = 0; i < is->breakdown.rows_n; i++) {
		const struct breakdown_row *r = &is->breakdown.rows[i];
		sum += r->kernel == ROW_NO_KERNEL ? 0 : bytes[r->kernel];
		sum += r->module ? strlen(r->module) : 0;
	}
	free(bytes);
	return sum <= QUERY_PAGE_BYTES ||
	       err_set(e, ERR_TOO_LARGE,
		       "the names in the layers of run %lld come to %lld MiB, "
		       "and an answer holds %d; /runs/%lld/kernels lists its "
		       "kernels page by page",
		       (long long)run, (long long)(sum >> 20) + 1,
		       (int)(QUERY_PAGE_BYTES >> 20), (long long)run);
}

bool breakdown_lags(struct call *c, int64_t run, bool *lag, struct err *e)
{
	struct note_row *notes;
	uint32_t n;
	*lag = false;
	if (!query_notes(c->db, &c->arena, run, &notes, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		*lag |= !strcmp(notes[i].code, note_name(NOTE_names_lag));
	return true;
}

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
		!breakdown_read(c, c->id, any ? &asked : NULL, &is, e))
		return NULL;
	if (listing_is_json(c))
		return view_breakdown(c->id, &is);
	if (param(&c->params, "format")->whole > TABLE_MD)
		return listing_table(c, view_breakdown_rows(&c->arena, &is),
			"breakdown-rows");
	if (!breakdown_lags(c, c->id, &lags, e))
		return NULL;
	return listing_table(c,
		view_breakdown_table(&c->arena, &run, lags, &is), "breakdown");
}

json_t *run_groups_get(struct call *c, struct err *e)
{
	struct groups_stored is;
	int64_t offset;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !call_db(c, e) ||
		!query_groups(c->db, &c->arena, c->id, &is, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c, view_groups_table(&c->arena, &is),
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
