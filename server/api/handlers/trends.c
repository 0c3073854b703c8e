/* trends.c - lists workloads, and returns one value per run of a workload over
 * time. */
#include "call.h"
#include "catalog_cache.h"
#include "collective.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "measure.h"
#include "query_trend.h"
#include "trend.h"
#include "trend_work.h"
#include "view_trend.h"
#include <string.h>

json_t *workloads_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	struct workload_row *rows;
	int64_t after;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &after, e) ||
		!query_workloads(c->s.db, &c->s.arena,
			&(struct workload_filter){
				.project = param_text(ps, "project", NULL),
				.q = param_text(ps, "q", NULL),
				.since = NO_MOMENT,
				.until = NO_MOMENT,
				.after = after,
				.limit = (int)param(ps, "limit")->whole },
			&rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_workload(&rows[i]));
		after = rows[i].newest;
	}
	return listing_list(c, items, after, more);
}

static bool trends_stat_param(const struct call *c, struct trend_filter *f,
	struct err *e)
{
	const struct param *stat = param(&c->params, "stat");
	f->stat = trend_stat_of(f->metric);
	if (!stat->given)
		return true;
	f->stat = (enum trend_stat)stat->whole;
	struct arena a = { 0 };
	const char *others = trend_others(&a, f->metric, f->stat);
	if (others)
		err_set(e, ERR_INPUT, "stat: %s has no %s; it has %s",
			trend_metric_word(f->metric), trend_stat_word(f->stat),
			others);
	arena_release(&a);
	return !others;
}

static bool trends_params_read(const struct call *c, struct trend_filter *f,
	struct err *e)
{
	const struct params *ps = &c->params;
	*f = (struct trend_filter){
		.project = param_text(ps, "project", ""),
		.workload = param_text(ps, "workload", ""),
		.metric = (enum trend_metric)param(ps, "metric")->whole,
		.of = param_text(ps, "of", NULL),
		.device = param_text(ps, "device", NULL),
		.framework = param_text(ps, "framework", NULL),
		.labels = ps->labels,
		.group = param_text(ps, "group", NULL),
		.since = param_moment(&c->params, "since"),
		.until = param_moment(&c->params, "until"),
		.limit = TREND_UNITS,
	};
	const char *word = trend_metric_word(f->metric);
	if (!trends_stat_param(c, f, e))
		return false;
	switch (trend_of(f->metric)) {
	case TREND_OF_NAME:
		return f->of || err_set(e, ERR_INPUT,
					"of: is missing; give the name of the "
					"%s",
					word);
	case TREND_OF_KIND:
		return !f->of || collective_kind_from(f->of) ||
		       err_set(e, ERR_INPUT,
			       "of: '%.60s' is not a kind of collective (use "
			       "one such as all_reduce)",
			       f->of);
	default:
		return !f->of || err_set(e, ERR_INPUT,
					 "of: %s is a metric of the whole run; "
					 "omit it",
					 word);
	}
}

/* Finds the kernels with the stem of the requested one, if a compiler numbers
 * it. */
static bool trends_numbered(struct call *c, struct trend_filter *f,
	struct err *e)
{
	struct arena *a = &c->s.arena;
	struct kernel_stem stem, other;
	struct kernel_named *rows;
	uint32_t n;
	const struct catalog *k = catalog_cache_take(&c->s, e);

	if (!k)
		return false;
	catalog_kernel_stem(k, f->of, a, &stem);
	if (!stem.text || stem.varies != NAME_NUMBER)
		return true;
	const char *prefix =
		arena_strndup(a, stem.text, strcspn(stem.text, "*"));
	if (!call_db(c, e) ||
		!query_kernel_prefix(c->s.db, a, prefix, &rows, &n, e))
		return false;
	int64_t *like = arena_array(a, int64_t, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		catalog_kernel_stem(k, rows[i].name, a, &other);
		if (other.text && !strcmp(other.text, stem.text))
			like[f->like_n++] = rows[i].id;
	}
	f->like = like;
	return true;
}

/* A name that no run has is an error. A name that only some runs have is
 * allowed. */
static bool trends_trend_read(struct call *c, const struct trend_filter *f,
	struct trend *t, struct err *e)
{
	if (!call_db(c, e) || !query_trend(c->s.db, &c->s.arena, f, t, e))
		return false;
	call_db_return(c); /* the rest takes time and needs no database */
	if (f->metric == TREND_METRIC_measure) {
		enum measure_better better;
		measure_meaning(&c->s.arena, f->of, &better);
		t->lower = better == MEASURE_LOWER;
		t->higher = better == MEASURE_HIGHER;
	}
	return t->there || trend_of(f->metric) != TREND_OF_NAME ||
	       !(t->n + t->left_out) ||
	       err_set(e, ERR_NOT_FOUND,
		       "no run of this series has the %s '%.60s'",
		       trend_metric_word(f->metric), f->of);
}

/* Examines the work around the change points of t. */
static bool trends_other_work(struct call *c, struct trend_result *is,
	struct err *e)
{
	const char **other_work;
	const struct catalog *k = catalog_cache_take(&c->s, e);
	if (!k || !call_db(c, e) ||
		!trend_work_from(c->s.db, k, &c->s.arena, is->t, is->changes,
			is->changes_n, &other_work, e))
		return false;
	call_db_return(c);
	is->other_work = other_work;
	return true;
}

json_t *trends_get(struct call *c, struct err *e)
{
	struct change_options o = CHANGE_OPTIONS;
	struct trend_filter f;
	struct trend t;
	struct trend_result is = { .f = &f, .t = &t };
	struct change_point *changes;
	if (!trends_params_read(c, &f, e) || !concurrency_limit_enter(c, e) ||
		(f.metric == TREND_METRIC_kernel &&
			!trends_numbered(c, &f, e)) ||
		!trends_trend_read(c, &f, &t, e))
		return NULL;
	uint32_t *group = arena_array(&c->s.arena, uint32_t, t.n);
	is.grouped = trend_groups(&t, group);
	o.alpha = param(&c->params, "alpha")->real;
	if (!change_points_from(t.value, group, t.n, &o, &c->s.arena, &changes,
		    &is.changes_n)) {
		arena_err(&c->s.arena, e);
		return NULL;
	}
	is.changes = changes;
	if (!trends_other_work(c, &is, e))
		return NULL;
	return listing_is_json(c)
		       ? view_trend(&is)
		       : listing_file(c, view_trend_table(&c->s.arena, &is),
				 "trend");
}
