/* view_suspicion.c - the published score as JSON, as a table and as a report. */
#include "table.h"
#include "view_compare.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- the score as JSON and as the published table */

static json_t *view_suspicion_suspect(const struct suspicion_finding *f)
{
	json_t *metrics = json_array();
	for (uint32_t i = 0; i < f->resources_n; i++)
		view_append(metrics, json_string(f->resources[i]->metric));
	return json_pack("{s:s, s:s, s:o, s:o}", "function", f->row->name,
		"device", f->row->device, "score", view_real(f->row->score),
		"metrics", metrics);
}

static json_t *view_suspicion_item(const struct suspicion_row *r)
{
	json_t *v = json_pack("{s:s, s:s, s:s, s:o}", "function", r->name,
		"metric", r->metric, "device", r->device, "score",
		view_real(r->score));
	const struct {
		const char *key;
		double value;
	} reals[] = {
		{ "base_beta_pct", r->beta.base },
		{ "head_beta_pct", r->beta.head },
		{ "delta_beta_pct", r->beta.delta },
		{ "z_beta", r->beta.z },
		{ "p_beta", r->beta.p },
		{ "u_p_beta", r->beta.u_p },
		{ "base_mu", r->mu.base },
		{ "head_mu", r->mu.head },
		{ "delta_mu", r->mu.delta },
		{ "z_mu", r->mu.z },
		{ "z_log_mu", r->z_log_mu },
		{ "p_mu", r->mu.p },
		{ "u_p_mu", r->mu.u_p },
	};
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
		json_object_set_new(v, reals[i].key, view_real(reals[i].value));
	return v;
}

static json_t *view_suspicion_side(const struct suspicion_side *s,
	const struct compared_run *runs, uint32_t n)
{
	json_t *durs = json_array();
	for (uint32_t i = 0; i < s->iterations_n; i++)
		view_append(durs, json_real(s->iterations_us[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", s->name, "runs",
		view_compared_runs(runs, n), "iterations",
		view_whole(s->iterations_n), "cycle_mean_us",
		view_real(s->iteration_us), "cycle_durs_us", durs);
}

json_t *view_suspicion(const struct suspicion *s,
	const struct comparison *around, const struct compare_sides *sides)
{
	json_t *items = json_array(), *suspects = json_array();
	for (uint32_t i = 0; i < s->rows_n; i++)
		view_append(items, view_suspicion_item(&s->rows[i]));
	for (uint32_t i = 0; i < s->findings_n; i++)
		view_append(suspects, view_suspicion_suspect(&s->findings[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "score",
		"published", "range", view_text(sides->range), "findings",
		view_findings(around), "suspects", suspects, "base",
		view_suspicion_side(&s->base, sides->base, sides->base_n),
		"head",
		view_suspicion_side(&s->head, sides->head, sides->head_n),
		"items", items);
}

/* The published CSV has "" for a value that is not a number. */
static const char *view_suspicion_six(struct arena *a, double v)
{
	return isnan(v) ? "" : arena_printf(a, "%.6f", v);
}

static const char **view_suspicion_six_of(struct arena *a, const char **at,
	const struct suspicion_value *v, const double *z_log)
{
	*at++ = view_suspicion_six(a, v->base);
	*at++ = view_suspicion_six(a, v->head);
	*at++ = view_suspicion_six(a, v->delta);
	*at++ = view_suspicion_six(a, v->z);
	if (z_log)
		*at++ = view_suspicion_six(a, *z_log);
	*at++ = view_suspicion_six(a, v->p);
	*at++ = view_suspicion_six(a, v->u_p);
	return at;
}

const struct table *view_suspicion_table(struct arena *a,
	const struct suspicion *s)
{
	enum { WIDTH = 17 };
	const char *b = s->base.name, *h = s->head.name, **at;
	const char *heads[WIDTH] = { "Function Name", "Metric Name", "Device",
		"Suspicion Score", arena_printf(a, "β_%s(%%)", b),
		arena_printf(a, "β_%s(%%)", h), "Δβ(%)", "Z-Score(β)",
		"p-value(β)", "U-test p(β)", arena_printf(a, "μ_%s", b),
		arena_printf(a, "μ_%s", h), "Δμ", "Z-Score(μ)",
		"Z-Score(log_μ)", "p-value(μ)", "U-test p(μ)" };
	struct column *columns = arena_array(a, struct column, WIDTH);
	for (int i = 0; i < WIDTH; i++)
		columns[i] = (struct column){ heads[i], i > 2 };
	struct table *t = table_new(a, columns, WIDTH, s->rows_n, &at);
	for (uint32_t i = 0; i < s->rows_n; i++) {
		const struct suspicion_row *r = &s->rows[i];
		*at++ = r->name;
		*at++ = r->metric;
		*at++ = r->device;
		*at++ = view_suspicion_six(a, r->score);
		at = view_suspicion_six_of(a, at, &r->beta, NULL);
		at = view_suspicion_six_of(a, at, &r->mu, &r->z_log_mu);
	}
	return t;
}

/* ---- the published report: summary, iterations by rank, findings, table, legend */

#define COLUMNS(list) list, (int)(sizeof list / sizeof *list)

/* A user's text inside a line. */
static const char *view_suspicion_report_inline_text(struct arena *a,
	const char *s)
{
	char *out = arena_strdup(a, s);
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20)
			*c = ' ';
	return out;
}

static const char *view_suspicion_report_capital(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, view_suspicion_report_inline_text(a, s));
	*out = (char)toupper((unsigned char)*out);
	return out;
}

static void view_suspicion_report_title(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	const struct suspicion_side *x = &s->base, *y = &s->head;
	bool known = x->pid >= 0 && y->pid >= 0;
	const char *about = *s->subject
				    ? s->subject
				    : arena_printf(a, "%s, %s", x->run, y->run);
	buf_printf(b, "# %s Performance Comparison: %s ",
		known && x->pid == y->pid ? "Strict" : "Cross",
		view_suspicion_report_inline_text(a, about));
	if (known && x->pid == y->pid)
		buf_printf(b, "(PID: %lld)", (long long)x->pid);
	else if (known)
		buf_printf(b, "(%s PID:%lld vs %s PID:%lld)",
			view_suspicion_report_capital(a, x->run),
			(long long)x->pid,
			view_suspicion_report_capital(a, y->run),
			(long long)y->pid);
	else
		buf_printf(b, "(%s vs %s)",
			view_suspicion_report_capital(a, x->run),
			view_suspicion_report_capital(a, y->run));
	buf_puts(b, "\n\n");
}

static const char *view_suspicion_report_change(struct arena *a, double base,
	double delta)
{
	return base > 0 ? arena_printf(a, "%+.2f%%", delta / base * 100)
			: "+inf%";
}

static void view_suspicion_report_summary(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	const struct suspicion_side *x = &s->base, *y = &s->head;
	double delta = y->iteration_us - x->iteration_us;
	const char *metric[] = { "Total Cycles", "Avg Cycle Time (us)" };
	const char *base[] = { arena_printf(a, "%u", x->iterations_n),
		table_text_money(a, x->iteration_us) };
	const char *head[] = { arena_printf(a, "%u", y->iterations_n),
		table_text_money(a, y->iteration_us) };
	const char *diff[] = { arena_printf(a, "%lld",
				       (long long)y->iterations_n -
					       x->iterations_n),
		table_text_money(a, delta) };
	const char *pct[] = { "-",
		view_suspicion_report_change(a, x->iteration_us, delta) };
	struct table_text_column columns[] = { { "Metric", metric },
		{ x->name, base }, { y->name, head },
		{ arena_printf(a, "Δ (%s - %s)", y->name, x->name), diff },
		{ "Change (%)", pct } };
	buf_puts(b, "## 1. High-Level Performance Summary\n\n");
	table_text(b, a, COLUMNS(columns), 2, TABLE_TEXT_SHORT);
}

/* Python's repr() of a whole number of nanoseconds in microseconds: 640425.0.
 */
static const char *view_suspicion_report_shortest(struct arena *a, double us)
{
	char *s = arena_printf(a, "%.3f", us);
	size_t n = strlen(s);
	while (s[n - 1] == '0' && s[n - 2] != '.')
		s[--n] = '\0';
	return s;
}

static const char *view_suspicion_report_ranked(struct arena *a,
	const struct suspicion_side *s, uint32_t i)
{
	return i < s->iterations_n
		       ? view_suspicion_report_shortest(a, s->iterations_us[i])
		       : "-";
}

static void view_suspicion_report_iterations(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	const struct suspicion_side *x = &s->base, *y = &s->head;
	uint32_t n = x->iterations_n > y->iterations_n ? x->iterations_n
						       : y->iterations_n;
	const char **cells = arena_array(a, const char *, (size_t)n * 5);
	struct table_text_column columns[] = { { "Time Rank", cells },
		{ arena_printf(a, "%s Time (us)", x->name), cells + n },
		{ arena_printf(a, "%s Time (us)", y->name), cells + 2 * n },
		{ "Δ (us)", cells + 3 * n }, { "Δ (%)", cells + 4 * n } };
	for (uint32_t i = 0; i < n; i++) {
		bool both = i < x->iterations_n && i < y->iterations_n;
		double delta =
			both ? y->iterations_us[i] - x->iterations_us[i] : 0;
		columns[0].cells[i] = arena_printf(a, "%u", i + 1);
		columns[1].cells[i] = view_suspicion_report_ranked(a, x, i);
		columns[2].cells[i] = view_suspicion_report_ranked(a, y, i);
		columns[3].cells[i] = both ? table_text_money(a, delta) : "-";
		columns[4].cells[i] = both ? view_suspicion_report_change(a,
						     x->iterations_us[i], delta)
					   : "-";
	}
	buf_puts(b, "\n## 2. Cycle Duration Distribution Comparison\n\n");
	table_text(b, a, COLUMNS(columns), n, TABLE_TEXT_MONEY);
}

static const char *view_suspicion_report_moved(double delta)
{
	return delta > 0 ? "increased" : "decreased";
}

static void view_suspicion_report_finding(const struct suspicion_finding *f,
	struct arena *a, struct buf *b)
{
	const struct suspicion_value *v = &f->row->beta;
	buf_printf(b, "- **`%s` on device `%s`:**\n",
		view_suspicion_report_inline_text(a, f->row->name),
		view_suspicion_report_inline_text(a, f->row->device));
	buf_printf(b,
		"  - Its share of the cycle's time (β) **%s** from **%.2f%%** "
		"to **%.2f%%** (%+.2f ppt), %s (p-value: %.3f).\n",
		view_suspicion_report_moved(v->delta), v->base, v->head,
		v->delta,
		v->p < 0.05
			? "which is statistically significant"
			: "though this may not be statistically significant",
		v->p);
	if (f->resources_n)
		buf_puts(b, "  - Resource metrics (μ) that changed with it:\n");
	for (uint32_t i = 0; i < f->resources_n; i++) {
		const struct suspicion_row *r = f->resources[i];
		buf_printf(b, "    - **`%s`**: %s from %s to %s.\n",
			view_suspicion_report_inline_text(a, r->metric),
			view_suspicion_report_moved(r->mu.delta),
			table_text_money(a, r->mu.base),
			table_text_money(a, r->mu.head));
	}
}

/* Explains why a score may be lower than the change deserves. */
static void view_suspicion_report_limits(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	if (s->base.iterations_n == 1)
		buf_printf(b,
			"`%s` is of a single cycle: its deviations are "
			"unknown, every Z-Score is 0, and so is every score.\n"
			"\n",
			view_suspicion_report_inline_text(a, s->base.name));
	if (!s->metrics)
		buf_puts(b, "Neither side has a counter: μ is 0 throughout, "
			    "and scores rest on β alone.\n\n");
}

static void view_suspicion_report_findings(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	bool above = false;
	const struct suspicion_finding *f = s->findings;
	buf_puts(b, "\n## 3. In-depth Core Metric Comparison\n\n"
		    "### Overview\n\n");
	view_suspicion_report_limits(s, a, b);
	if (s->findings_n == 0) {
		buf_printf(b,
			"Between `%s` and `%s` no function scores above "
			"%.1f.\n",
			view_suspicion_report_inline_text(a, s->base.name),
			view_suspicion_report_inline_text(a, s->head.name),
			SUSPICION_NOTABLE);
		return;
	}
	buf_printf(b,
		"The difference between `%s` and `%s` is most of all driven "
		"by changes in **`%s`**: a notable %s of its share of the "
		"cycle's time.\n\n### Key Findings:\n",
		view_suspicion_report_inline_text(a, s->base.name),
		view_suspicion_report_inline_text(a, s->head.name),
		view_suspicion_report_inline_text(a, f->row->name),
		f->row->beta.delta > 0 ? "increase" : "decrease");
	for (uint32_t i = 0; i < s->findings_n; i++) {
		view_suspicion_report_finding(&f[i], a, b);
		above = above || f[i].row->beta.base > 100 ||
			f[i].row->beta.head > 100;
	}
	if (above)
		buf_puts(b, "\n*Note: β is a sum over all of a function's "
			    "executions in a cycle; where they overlap, on "
			    "several threads or streams, it passes 100%.*\n");
	buf_puts(b, "\n**Recommendation:** Begin with the function of the "
		    "highest **Suspicion Score**, and read its share of time "
		    "(β) together with the resources (μ) beside it.\n");
}

static const char *view_suspicion_report_real(struct arena *a, double v,
	int decimals)
{
	return isnan(v) ? "nan" : arena_printf(a, "%.*f", decimals, v);
}

/* Writes the columns from `at` on, for row i. Only μ has commas between
 * thousands. */
static void view_suspicion_report_value(struct arena *a,
	struct table_text_column *at, uint32_t i,
	const struct suspicion_value *v, const double *z_log)
{
	at++->cells[i] = z_log ? table_text_money(a, v->base)
			       : view_suspicion_report_real(a, v->base, 2);
	at++->cells[i] = z_log ? table_text_money(a, v->head)
			       : view_suspicion_report_real(a, v->head, 2);
	at++->cells[i] = view_suspicion_report_real(a, v->delta, 2);
	at++->cells[i] = view_suspicion_report_real(a, v->z, 2);
	if (z_log)
		at++->cells[i] = view_suspicion_report_real(a, *z_log, 2);
	at++->cells[i] = view_suspicion_report_real(a, v->p, 3);
	at->cells[i] = view_suspicion_report_real(a, v->u_p, 3);
}

static void view_suspicion_report_detail(const struct suspicion *s,
	struct arena *a, struct buf *b)
{
	const struct table *t = view_suspicion_table(a, s);
	struct table_text_column *c =
		arena_array(a, struct table_text_column, (size_t)t->width);
	for (int i = 0; i < t->width; i++)
		c[i] = (struct table_text_column){ t->columns[i].head,
			arena_array(a, const char *, (size_t)s->rows_n + 1) };
	for (uint32_t i = 0; i < s->rows_n; i++) {
		const struct suspicion_row *r = &s->rows[i];
		c[0].cells[i] = r->name;
		c[1].cells[i] = r->metric;
		c[2].cells[i] = r->device;
		c[3].cells[i] = view_suspicion_report_real(a, r->score, 4);
		view_suspicion_report_value(a, c + 4, i, &r->beta, NULL);
		view_suspicion_report_value(a, c + 10, i, &r->mu, &r->z_log_mu);
	}
	buf_puts(b, "### Detailed comparison table\n"
		    "A row for each function, metric and device of either "
		    "run, highest **Suspicion Score** first.\n\n");
	table_text(b, a, c, t->width, s->rows_n, TABLE_TEXT_SHORT);
}

static void view_suspicion_report_legend(struct buf *b)
{
	buf_puts(b,
		"\n## 5. Legend\n"
		"- **β (Beta)**: how much of the cycle's time the function "
		"took, in percent.\n"
		"- **μ (Mu)**: mean of the resource's counter while the "
		"function ran, weighted by duration.\n"
		"- **Device**: where it ran, or whose counter it is.\n"
		"- **Z-Score(β/log_μ)**: the change in standard deviations of "
		"the first run's cycles; of μ also by its logarithm.\n"
		"- **p-value/U-test p**: how likely so large a difference is "
		"by chance, by Welch's test and by ranks (< 0.05 is called "
		"significant).\n"
		"- **Suspicion Score**: `|Δβ| * (|Z-Score(β)| + "
		"|Z-Score(log_μ)|)`. **The highest is to be looked at "
		"first.**\n\n");
}

void view_suspicion_report(const struct suspicion *s, struct arena *a,
	struct buf *b)
{
	view_suspicion_report_title(s, a, b);
	view_suspicion_report_summary(s, a, b);
	view_suspicion_report_iterations(s, a, b);
	view_suspicion_report_findings(s, a, b);
	view_suspicion_report_detail(s, a, b);
	view_suspicion_report_legend(b);
}
