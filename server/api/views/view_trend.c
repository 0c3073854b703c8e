/* view_trend.c - workloads and their series as JSON and tables. */
#include "view_trend.h"
#include "table.h"
#include "utc_time.h"
#include "view_compare.h"
#include <math.h>

/* Rounds to a tenth of a nanosecond, or a share to a millionth. More digits are
 * noise, and would make an answer with 50,000 values long. */
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
