/* view_trend.c - workloads and their series as JSON and tables. */
#include "view_trend.h"
#include "table.h"
#include "utc_time.h"
#include "view_compare.h"
#include <math.h>
#include <string.h>

static const char *view_trend_unit(const struct trend_result *is)
{
	if (is->f->metric != TREND_METRIC_measure)
		return trend_unit(is->f->metric, is->f->stat);
	return is->t->unit ? is->t->unit : "number";
}

static bool view_trend_in_ns(const struct trend_result *is)
{
	return !strcmp(view_trend_unit(is), "ns");
}

/* Rounds to a tenth of a nanosecond, or a share or bandwidth to a millionth.
 * More digits are noise, and would make an answer with 50,000 values long. The
 * size of a measure is not known. */
static double view_trend_rounded(const struct trend_result *is, double v)
{
	if (is->f->metric == TREND_METRIC_measure)
		return v;
	double by = view_trend_in_ns(is) ? 10 : 1e6;
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

static const char *view_trend_other_work(const struct trend_result *is,
	const struct change_point *p)
{
	return is->other_work[p - is->changes];
}

static bool view_trend_worse(const struct trend_result *is,
	const struct change_point *p)
{
	return !view_trend_other_work(is, p) &&
	       trend_worse(is->f->metric, is->t, p->before, p->after);
}

static json_t *view_trend_changes(const struct trend_result *is);

#define ROWS "trends.def"
#include "row_functions.h"

static json_t *view_trend_changes(const struct trend_result *is)
{
	json_t *changes = json_array();
	for (uint32_t i = 0; i < is->changes_n; i++)
		view_append(changes, view_trend_change(is, &is->changes[i]));
	return changes;
}

json_t *view_workload(const struct workload_row *w)
{
	return row_workload(w);
}

json_t *view_trend_change(const struct trend_result *is,
	const struct change_point *p)
{
	return row_trend_change(is, is->t, p);
}

json_t *view_trend(const struct trend_result *is)
{
	return row_trend(is, is->f);
}

#define VIEW_TREND_COLUMNS(value)                                         \
	{                                                                 \
		{ "Run", true }, { "Stored At", false }, { value, true }, \
			{ "Group", false }, { "Change (%)", true },       \
	}
static const struct column in_ns[] = VIEW_TREND_COLUMNS("Value (ns)");
static const struct column in_shares[] = VIEW_TREND_COLUMNS("Share");
static const struct column in_gb_s[] = VIEW_TREND_COLUMNS("Value (GB/s)");
static const struct column in_own_unit[] = VIEW_TREND_COLUMNS("Value");

const struct table *view_trend_table(struct arena *a,
	const struct trend_result *is)
{
	const struct trend *t = is->t;
	bool ns = view_trend_in_ns(is);
	uint32_t c = 0;
	const char **at;
	struct table *table = table_new(a, TABLE_COLUMNS(in_ns), t->n, &at);
	if (!ns)
		table->columns = is->f->metric == TREND_METRIC_measure
					 ? in_own_unit
				 : is->f->stat == TREND_SHARE ? in_shares
							      : in_gb_s;
	for (uint32_t i = 0; i < t->n; i++) {
		char moment[UTC_TIME_TEXT];
		bool changed = c < is->changes_n && is->changes[c].at == i;
		utc_time_format(t->at[i], moment);
		*at++ = table_whole(a, t->run[i]);
		*at++ = arena_strdup(a, moment);
		*at++ = ns ? table_real(a, t->value[i])
			   : table_figure(a, t->value[i]);
		*at++ = t->group[i] ? t->group[i] : "";
		*at++ = changed ? table_figure(a,
					  view_trend_pct(is->changes[c].ratio))
				: "";
		c += changed;
	}
	return table;
}
