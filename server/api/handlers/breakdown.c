/* breakdown.c - the layers of a run, its launch groups, and the layers of
 * several runs. */
#include "breakdown_compare.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "reanalyze.h"
#include "run_breakdown.h"
#include "view_breakdown.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- layers and launch groups of a run */

/* Adds the distinct names to kernels of a run (0: of several runs). */
static bool breakdown_distinct_names(struct call *c, int64_t run,
	struct breakdown_kernel *const *kernels, uint32_t n, struct err *e)
{
	const char **names = arena_array(&c->s.arena, const char *, n);
	for (uint32_t i = 0; i < n; i++)
		names[i] = kernels[i]->name;
	const char **distinct = listing_distinct_names(c, run, names, n, e);
	for (uint32_t i = 0; distinct && i < n; i++)
		kernels[i]->distinct_name = distinct[i];
	return distinct;
}

static bool breakdown_run_names(struct call *c,
	struct breakdown_kernel *kernels, uint32_t n, struct err *e)
{
	struct breakdown_kernel **list =
		arena_array(&c->s.arena, struct breakdown_kernel *, n);
	for (uint32_t i = 0; i < n; i++)
		list[i] = &kernels[i];
	return breakdown_distinct_names(c, c->id, list, n, e);
}

/* Reads what the request specifies instead of the detected layers; *any:
 * whether it specifies anything. */
static bool breakdown_params_read(const struct call *c,
	struct breakdown_params *params, bool *any, struct err *e)
{
	const struct params *ps = &c->params;
	const struct param *every = param(ps, "every");
	const struct param *device = param(ps, "device");
	const struct param *stratum = param(ps, "stratum");
	*params = BREAKDOWN_DEFAULTS;
	params->layers.range = param_text(ps, "range", NULL);
	params->layers.start = param_text(ps, "start", NULL);
	params->layers.every = every->given ? (uint32_t)every->whole : 0;
	params->device = device->given ? (int32_t)device->whole : -1;
	params->stratum = stratum->given ? stratum->whole : -1;
	params->realign = param(ps, "realign")->whole == 1;
	if (params->layers.range && params->layers.start)
		return err_set(e, ERR_INPUT,
			"range and start both set the layer boundaries: give "
			"one of them");
	if (every->given && !params->layers.start)
		return err_set(e, ERR_INPUT,
			"every: requires start, whose kernels it counts");
	*any = params->layers.range || params->layers.start || device->given ||
	       stratum->given || params->realign;
	return true;
}

json_t *run_breakdown_get(struct call *c, struct err *e)
{
	struct breakdown_params params;
	struct breakdown_stored is;
	struct run_row run;
	bool any = false, lags;
	if (!breakdown_params_read(c, &params, &any, e) ||
		!listing_run(c, &run, e) ||
		(any && !concurrency_limit_enter(c, e)) ||
		!run_breakdown_read(&c->s, c->id, any ? &params : NULL, &is, e))
		return NULL;
	if (listing_is_json(c))
		return breakdown_run_names(c, is.kernels, is.kernels_n, e)
			       ? view_breakdown(c->id, &is)
			       : NULL;
	if (param(&c->params, "format")->whole > TABLE_MD)
		return listing_table(c, view_breakdown_rows(&c->s.arena, &is),
			"breakdown-rows");
	if (!run_breakdown_names_lag(&c->s, c->id, &lags, e))
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
	if (!breakdown_run_names(c, is.kernels, is.kernels_n, e))
		return NULL;
	json_t *items = json_array();
	uint32_t n = 0;
	for (int64_t i = offset; i < is.groups.n && n < (uint32_t)limit;
		i++, n++)
		view_append(items, view_group(&is, (uint32_t)i));
	json_t *v =
		listing_list(c, items, offset + n, offset + n < is.groups.n);
	json_object_set_new(v, "run", view_whole(c->id));
	return v;
}

/* ---- layers of several runs, row by row */

enum { RUNS_MIN = 2 };

static bool breakdown_compare_id_from(const char *at, size_t len, int64_t *id,
	struct err *e)
{
	char text[32] = "", *end;
	if (len < sizeof text)
		memcpy(text, at, len);
	errno = 0;
	*id = strtoll(text, &end, 10);
	return (!errno && *text >= '0' && *text <= '9' && !*end && *id > 0) ||
	       err_set(e, ERR_INPUT, "runs: '%.*s' is not the id of a run",
		       len < 40 ? (int)len : 40, at);
}

static bool breakdown_compare_add(int64_t ids[BREAKDOWN_COMPARE_MAX],
	uint32_t *n, int64_t id, struct err *e)
{
	for (uint32_t i = 0; i < *n; i++)
		if (ids[i] == id)
			return err_set(e, ERR_INPUT,
				"runs: run %lld is given twice", (long long)id);
	if (*n == BREAKDOWN_COMPARE_MAX)
		return err_set(e, ERR_INPUT,
			"runs: has more than %d runs, the maximum of a "
			"breakdown comparison",
			BREAKDOWN_COMPARE_MAX);
	ids[(*n)++] = id;
	return true;
}

static bool breakdown_compare_ids_read(const struct call *c,
	int64_t ids[BREAKDOWN_COMPARE_MAX], uint32_t *n, struct err *e)
{
	const char *at = param_text(&c->params, "runs", NULL);
	int64_t id;
	*n = 0;
	if (!at)
		return err_set(e, ERR_INPUT,
			"runs: is missing; give two to %d runs, such as "
			"runs=1,2",
			BREAKDOWN_COMPARE_MAX);
	for (;; at++) {
		size_t len = strcspn(at, ",");
		if (!breakdown_compare_id_from(at, len, &id, e) ||
			!breakdown_compare_add(ids, n, id, e))
			return false;
		at += len;
		if (!*at)
			break;
	}
	return *n >= RUNS_MIN ||
	       err_set(e, ERR_INPUT,
		       "runs: has one run; use /runs/%lld/breakdown for one "
		       "run, or give two to %d",
		       (long long)ids[0], BREAKDOWN_COMPARE_MAX);
}

/* The platform of the run, and the name of the device to show. */
static bool breakdown_compare_platform_read(struct call *c,
	struct run_breakdown *r, struct err *e)
{
	struct profile_device *devices;
	uint32_t n;
	if (!query_run_platform(c->s.db, &c->s.arena, r->row.id, &r->platform,
		    e) ||
		!query_run_devices(c->s.db, &c->s.arena, r->row.id, &devices,
			&n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (devices[i].number == r->is.breakdown.device)
			r->device_name = devices[i].name;
	return true;
}

static bool breakdown_compare_run_read(struct call *c, int64_t id,
	struct run_breakdown *r, struct err *e)
{
	struct breakdown_params params = BREAKDOWN_DEFAULTS;
	params.realign = param(&c->params, "realign")->whole == 1;
	if (!query_run(c->s.db, &c->s.arena, id, &r->row, e) ||
		!run_breakdown_names_lag(&c->s, id, &r->names_lag, e))
		return false;
	bool again = params.realign && r->names_lag;
	return (!again || concurrency_limit_enter(c, e)) &&
	       run_breakdown_read(&c->s, id, again ? &params : NULL, &r->is,
		       e) &&
	       breakdown_compare_platform_read(c, r, e);
}

static void breakdown_compare_side_from(struct arena *a,
	const struct breakdown_stored *is, struct breakdown_compare_side *s)
{
	const char **names = arena_array(a, const char *, is->kernels_n);
	const char **short_names = arena_array(a, const char *, is->kernels_n);
	for (uint32_t i = 0; i < is->kernels_n; i++) {
		names[i] = is->kernels[i].name;
		short_names[i] = is->kernels[i].short_name;
	}
	*s = (struct breakdown_compare_side){ .breakdown = &is->breakdown,
		.kernels = names,
		.short_names = short_names };
}

static bool breakdown_compare_identities(struct call *c,
	const struct run_breakdown *runs, uint32_t n,
	struct breakdown_compare_side *sides, struct err *e)
{
	bool varies;
	return run_breakdown_varies(&c->s, runs, n, &varies, e) &&
	       (!varies || (concurrency_limit_enter(c, e) &&
				   run_breakdown_identities(&c->s, runs, n,
					   sides, e)));
}

/* A kernel has the same distinct name in each run. */
static bool breakdown_compare_names(struct call *c, struct run_breakdown *runs,
	uint32_t n, struct err *e)
{
	struct breakdown_kernel **list;
	uint32_t all = 0;
	for (uint32_t s = 0; s < n; s++)
		all += runs[s].is.kernels_n;
	list = arena_array(&c->s.arena, struct breakdown_kernel *, all);
	all = 0;
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t i = 0; i < runs[s].is.kernels_n; i++)
			list[all++] = &runs[s].is.kernels[i];
	return breakdown_distinct_names(c, 0, list, all, e);
}

json_t *breakdown_get(struct call *c, struct err *e)
{
	struct breakdown_compare_side sides[BREAKDOWN_COMPARE_MAX];
	struct run_breakdown *runs = arena_array(&c->s.arena,
		struct run_breakdown, BREAKDOWN_COMPARE_MAX);
	int64_t ids[BREAKDOWN_COMPARE_MAX];
	struct breakdown_compare b;
	uint32_t n;
	if (!breakdown_compare_ids_read(c, ids, &n, e) || !call_db(c, e))
		return NULL;
	/* Checks the project of all runs first, so that a run of another
	 * project is reported as unknown before any other error. */
	for (uint32_t i = 0; i < n; i++)
		if (!project_scope_run(&c->s, ids[i], e))
			return NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (!breakdown_compare_run_read(c, ids[i], &runs[i], e))
			return NULL;
		breakdown_compare_side_from(&c->s.arena, &runs[i].is,
			&sides[i]);
	}
	if (!breakdown_compare_identities(c, runs, n, sides, e))
		return NULL;
	if (!breakdown_compare_from(sides, n, &c->s.arena, &b)) {
		arena_err(&c->s.arena, e);
		return NULL;
	}
	if (!listing_is_json(c))
		return listing_file(c,
			view_breakdown_compare_table(&c->s.arena, runs, &b),
			"breakdown");
	return breakdown_compare_names(c, runs, n, e)
		       ? view_breakdown_compare(runs, &b)
		       : NULL;
}
