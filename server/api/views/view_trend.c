/* view_trend.c - workloads and their series as JSON and tables. */
#include "view_trend.h"
#include "table.h"
#include "utc_time.h"
#include "view_compare.h"
#include <math.h>

json_t *view_workload(const struct workload_row *w)
{
	json_t *v = json_object();
	view_set_text(v, "project", w->project);
	view_set_text(v, "workload", w->workload);
	view_set_whole(v, "runs", w->runs);
	json_object_set_new(v, "first_at", view_moment(w->first));
	json_object_set_new(v, "last_at", view_moment(w->last));
	return v;
}

/* To a tenth of a nanosecond, or a millionth: more digits are noise, and 50,000
 * values are long. */
static double view_trend_rounded(const struct trend_result *is, double v)
{
	double by = is->f->stat == TREND_SHARE ? 1e6 : 10;
	return round(v * by) / by;
}

static json_t *view_trend_points(const struct trend_result *is)
{
	const struct trend *t = is->t;
	json_t *run = json_array(), *at = json_array(), *value = json_array(),
	       *group = json_array();
	for (uint32_t i = 0; i < t->n; i++) {
		view_append(run, view_whole(t->run[i]));
		view_append(at, view_whole(t->at[i] / 1000));
		view_append(value,
			view_real(view_trend_rounded(is, t->value[i])));
		view_append(group, view_text(t->group[i]));
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "run", run, "at_ms", at,
		"value", value, "group", group);
}

static double view_trend_pct(double ratio)
{
	return round((ratio - 1) * 1e6) / 1e4;
}

json_t *view_trend_change(const struct trend_result *is,
	const struct change_point *p)
{
	const struct trend *t = is->t;
	json_t *v = json_object();
	view_set_whole(v, "index", p->at);
	view_set_whole(v, "run", t->run[p->at]);
	json_object_set_new(v, "at", view_moment(t->at[p->at]));
	view_set_text(v, "group", t->group[p->at]);
	view_set_real(v, "before", view_trend_rounded(is, p->before));
	view_set_real(v, "after", view_trend_rounded(is, p->after));
	view_set_real(v, "change_pct", view_trend_pct(p->ratio));
	view_set_real(v, "low_pct", view_trend_pct(p->low));
	view_set_real(v, "high_pct", view_trend_pct(p->high));
	view_set_real(v, "p", p->p);
	return v;
}

json_t *view_trend(const struct trend_result *is)
{
	const struct trend_filter *f = is->f;
	json_t *v = json_object(), *changes = json_array();
	for (uint32_t i = 0; i < is->changes_n; i++)
		view_append(changes, view_trend_change(is, &is->changes[i]));
	view_set_text(v, "metric", trend_metric_word(f->metric));
	view_set_text(v, "stat", trend_stat_word(f->stat));
	view_set_text(v, "of", f->of);
	view_set_text(v, "unit", f->stat == TREND_SHARE ? "1" : "ns");
	view_set_text(v, "project", f->project);
	view_set_text(v, "workload", f->workload);
	view_set_text(v, "group", is->grouped ? f->group : NULL);
	view_set_whole(v, "n", is->t->n);
	json_object_set_new(v, "more", json_boolean(is->t->more));
	json_object_set_new(v, "points", view_trend_points(is));
	json_object_set_new(v, "change_points", changes);
	view_set_whole(v, "excluded", is->t->left_out);
	return v;
}

static const struct column in_ns[] = { { "Run", true }, { "Stored At", false },
	{ "Value (ns)", true }, { "Group", false }, { "Change (%)", true } };
static const struct column in_shares[] = { { "Run", true },
	{ "Stored At", false }, { "Share", true }, { "Group", false },
	{ "Change (%)", true } };

const struct table *view_trend_table(struct arena *a,
	const struct trend_result *is)
{
	const struct trend *t = is->t;
	bool share = is->f->stat == TREND_SHARE;
	uint32_t c = 0;
	const char **at;
	struct table *table = table_new(a, TABLE_COLUMNS(in_ns), t->n, &at);
	if (share)
		table->columns = in_shares;
	for (uint32_t i = 0; i < t->n; i++) {
		char moment[UTC_TIME_TEXT];
		bool changed = c < is->changes_n && is->changes[c].at == i;
		utc_time_format(t->at[i], moment);
		*at++ = table_whole(a, t->run[i]);
		*at++ = arena_strdup(a, moment);
		*at++ = share ? table_figure(a, t->value[i])
			      : table_real(a, t->value[i]);
		*at++ = t->group[i] ? t->group[i] : "";
		*at++ = changed ? table_figure(a,
					  view_trend_pct(is->changes[c].ratio))
				: "";
		c += changed;
	}
	return table;
}
