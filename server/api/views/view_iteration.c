/* view_iteration.c - the iterations of a run, what their time was used for, and
 * the time of functions in each iteration. */
#include "buf.h"
#include "duration_text.h"
#include "iteration_energy.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include "reanalyze.h"
#include "run_diagnosis.h"
#include "run_operators.h"
#include "what_if.h"
#include "serving_rates.h"
#include "table.h"
#include "view.h"
#include <math.h>
#include <string.h>

/* The largest of a stratum's works that are shown. */
enum { WORKS_SHOWN = 20 };

static void view_diagnosis_md_head(const struct run_diagnosis *d,
	const char *site, struct buf *b)
{
	double wall = (double)(d->busy_ns + d->idle_ns);
	char title[32], path[64];

	snprintf(title, sizeof title, "Run %lld", (long long)d->run);
	snprintf(path, sizeof path, "/runs/%lld", (long long)d->run);
	table_md_heading(b, "🔍", title, site, path);
	buf_puts(b, ": ");
	if (d->busy_ns >= 0 && d->idle_ns >= 0 && wall > 0)
		buf_printf(b,
			"GPU busy %.1f %%, idle %.1f %% of %lld iteration%s",
			100 * (double)d->busy_ns / wall,
			100 * (double)d->idle_ns / wall,
			(long long)d->iterations,
			d->iterations == 1 ? "" : "s");
	else
		buf_puts(b, "GPU utilization unknown");
	buf_puts(b, "\n\n");
	if (d->reason) {
		table_md_text(b, d->reason);
		buf_puts(b, "\n\n");
	}
}

static void view_diagnosis_md_sentence(const struct diagnosis_sentence *s,
	uint32_t number, const char *site, struct buf *b)
{
	buf_printf(b, "%u. **", number);
	table_md_text(b, s->text);
	buf_puts(b, "** ");
	table_md_text(b, s->evidence);
	if (site)
		buf_printf(b, " ([page](<%s%s>))", site, s->link);
	buf_puts(b, "\n");
}

static void view_diagnosis_md_causes(struct arena *a,
	const struct run_diagnosis *d, struct buf *b)
{
	static const struct column columns[] = { { "Kind", false },
		{ "Cause", false }, { "Per iteration", true },
		{ "Share (%)", true } };
	const char **at;
	struct table *t =
		table_new(a, TABLE_COLUMNS(columns), d->causes_n, &at);

	for (uint32_t i = 0; i < d->causes_n; i++) {
		const struct diagnosis_cause *c = &d->causes[i];
		*at++ = c->kind;
		*at++ = c->cause;
		*at++ = duration_text(a,
			(double)c->time_ns / (double)d->iterations);
		*at++ = table_real(a, c->share_pct);
	}
	if (d->causes_n) {
		buf_puts(b, "\n### What the time was used for\n\n");
		table_md(t, b);
	}
}

void view_diagnosis_md(struct arena *a, const struct run_diagnosis *d,
	const char *site, struct buf *b)
{
	view_diagnosis_md_head(d, site, b);
	for (uint32_t i = 0; i < d->sentences_n; i++)
		view_diagnosis_md_sentence(&d->sentences[i], i + 1, site, b);
	if (d->changes_n)
		buf_puts(b, "\n### What a single change would save\n\n");
	for (uint32_t i = 0; i < d->changes_n; i++) {
		buf_puts(b, "- ");
		table_md_text(b, d->changes[i].text);
		buf_puts(b, "\n");
	}
	view_diagnosis_md_causes(a, d, b);
}

static json_t *view_iteration_metrics(const struct pattern_mean *m);

static int64_t view_iteration_comm_total(const struct iteration *c)
{
	return c->comm_overlapped_ns < 0 ? -1
					 : c->comm_ns + c->comm_overlapped_ns;
}

static double view_iteration_comm_overlapped_pct(const struct iteration *c)
{
	int64_t total = view_iteration_comm_total(c);

	return total > 0 ? 100 * (double)c->comm_overlapped_ns / (double)total
			 : (double)NAN;
}

/* The energy per iteration in J. */
static double view_energy_per_iteration(double energy_j, uint32_t iterations)
{
	return iterations ? energy_j / iterations : (double)NAN;
}

/* The mean power in W. */
static double view_energy_power(double energy_j, int64_t span_ns)
{
	return span_ns > 0 ? energy_j / ((double)span_ns / 1e9) : (double)NAN;
}

/* Why no operator on the device has an energy; NULL if some may. */
static const char *view_energy_operators_why(const struct device_energy *d)
{
	if (d->operators_n || d->operators_why)
		return d->operators_why;
	return "the run was stored before the energy of operators was "
	       "computed; 'kernsiftd rebuild' computes it";
}

static const char *view_gap_record_word(const struct wait_gap_end *r)
{
	static const char *const words[WAIT_RECORDS] = {
		[WAIT_RECORD_KERNEL] = "kernel",
		[WAIT_RECORD_GRAPH] = "graph",
		[WAIT_RECORD_COPY] = "copy",
	};

	return words[r->kind];
}

#define ROWS "iteration.def"
#include "row_functions.h"

static json_t *view_iteration_stratum(const struct iterations *c, uint32_t i)
{
	json_t *works = json_array();
	uint32_t n = 0;
	for (uint32_t w = 0; w < c->works_n; w++)
		if (c->works[w].stratum == i && n++ < WORKS_SHOWN)
			view_append(works, row_work(&c->works[w]));
	return row_stratum(&c->strata[i], works, n);
}

json_t *view_iterations(const struct iterations *c,
	const struct iterations_short *s, const struct utilization *use)
{
	json_t *v = view_iterations_short(s);
	json_t *strata = json_array(), *items = json_array();
	for (uint32_t i = 0; i < c->strata_n; i++)
		view_append(strata, view_iteration_stratum(c, i));
	for (uint32_t i = 0; i < c->n; i++)
		view_append(items, row_iteration(&c->iterations[i], &use[i]));
	json_object_set_new(v, "strata", strata);
	json_object_update_new(v, view_list(items, NULL));
	return v;
}

const struct table *view_iteration_table(struct arena *a,
	const struct iterations *c, const struct utilization *use)
{
	struct row_table *t = row_table_begin(a, "iteration", NULL);
	row_table_rows(t, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		row_iteration_cells(t, &c->iterations[i], &use[i]);
		row_table_next(t);
	}
	return &t->table;
}

json_t *view_serving(const struct serving_rate *rates, uint32_t n, int64_t gpus,
	const char *reason, double price, const struct energy_sum *energy)
{
	json_t *phases = json_array();
	for (uint32_t i = 0; i < n; i++) {
		double per_gpu = reason ? (double)NAN
					: rates[i].tokens_per_s / (double)gpus;
		double cost = per_gpu > 0 ? price / (per_gpu * 3600) * 1e6
					  : (double)NAN;
		view_append(phases,
			row_serving_phase(&rates[i], per_gpu, cost));
	}
	return row_serving(gpus, reason, phases, energy);
}

/* The energy of single iterations; only those that are known of all
 * devices. */
static json_t *view_energy_iterations(const struct energy_use *use,
	const struct iterations *c)
{
	json_t *items = json_array();

	for (uint32_t i = 0; i < c->n && use->n; i++) {
		double energy_j = 0, low_j = 0, high_j = 0;
		for (uint32_t d = 0; d < use->n; d++) {
			const struct device_energy *of = &use->devices[d];
			bool is = of->iteration_j;
			energy_j += is ? of->iteration_j[i] : (double)NAN;
			low_j += is ? of->iteration_low_j[i] : (double)NAN;
			high_j += is ? of->iteration_high_j[i] : (double)NAN;
		}
		if (!isnan(energy_j))
			view_append(items,
				row_energy_iteration(&c->iterations[i],
					energy_j, low_j, high_j));
	}
	return items;
}

json_t *view_energy(int64_t run, const struct energy_use *use,
	const struct energy_sum *sum, const struct iterations *c)
{
	json_t *devices = json_array(), *operators = json_array();

	for (uint32_t i = 0; i < use->n; i++) {
		const struct device_energy *d = &use->devices[i];
		view_append(devices, row_energy_device(d));
		for (uint32_t k = 0; k < d->operators_n; k++)
			view_append(operators,
				row_energy_operator(d, &d->operators[k]));
	}
	return row_energy(run, sum, c, devices, operators,
		view_energy_iterations(use, c));
}

json_t *view_diagnosis(const struct run_diagnosis *d)
{
	json_t *causes = json_array(), *sentences = json_array();
	json_t *changes = json_array();
	for (uint32_t i = 0; i < d->causes_n; i++) {
		const struct diagnosis_cause *c = &d->causes[i];
		json_t *names = json_array();
		for (uint32_t n = 0; n < c->names_n; n++)
			view_append(names, row_diagnosis_name(&c->names[n]));
		view_append(causes, row_diagnosis_cause(c, names));
	}
	for (uint32_t i = 0; i < d->sentences_n; i++)
		view_append(sentences,
			row_diagnosis_sentence(&d->sentences[i]));
	for (uint32_t i = 0; i < d->changes_n; i++)
		view_append(changes, row_diagnosis_change(&d->changes[i]));
	return row_diagnosis(d, causes, sentences, changes);
}

/* The causes of a gap that have time, most time first. */
static json_t *view_gap_causes(const struct wait_gap *g)
{
	json_t *causes = json_array();
	int64_t below = INT64_MAX;
	int last = -1;

	for (int n = 0; n < WAIT_CAUSES; n++) {
		int most = -1;
		for (int c = 0; c < WAIT_CAUSES; c++) {
			int64_t ns = g->cause_ns[c];
			bool later = ns < below || (ns == below && c > last);
			if (ns > 0 && later &&
				(most < 0 || ns > g->cause_ns[most]))
				most = c;
		}
		if (most < 0)
			break;
		view_append(causes, row_gap_cause(profile_word_wait[most],
					    g->cause_ns[most]));
		below = g->cause_ns[most];
		last = most;
	}
	return causes;
}

json_t *view_gaps(int64_t run, const struct run_gaps *of)
{
	json_t *items = json_array();

	for (uint32_t i = 0; i < of->is.n; i++) {
		const struct wait_gap *g = &of->is.rows[i];
		double share = (double)g->idle_ns / (double)of->is.all_ns;
		view_append(items, row_gap(g, &of->ends[2 * i],
					   view_gap_causes(g), 100 * share));
	}
	return row_gap_list(run, of, items);
}

static json_t *view_iteration_metrics(const struct pattern_mean *m)
{
	json_t *metrics = json_array();
	for (uint32_t i = 0; i < m->metrics_n; i++)
		view_append(metrics, row_metric(&m->metrics[i]));
	return metrics;
}

json_t *view_pattern(struct arena *a, const struct pattern_mean *m,
	const char *distinct)
{
	return row_pattern(a, m, distinct);
}

/* ---- functions by iteration, as CSV */

static const char head[] =
	"cycle,pid,hostname,beta_pct,function_name,metric_name,device,"
	"func_type,mu_pct,sigma_pct,duration,interpolation_status,anchor_name,"
	"anchor_dur_us,cycle_start_ts,instances_count,simple_name\n";

/* A number with four decimals and a comma after it; only the comma if there is
 * no number. */
static void view_iteration_csv_real(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "%.4f", v);
	buf_puts(b, ",");
}

/* Nanoseconds as microseconds, without rounding, and a comma after them; only
 * the comma if there is no number. */
static void view_iteration_csv_us(struct buf *b, int64_t ns)
{
	if (ns >= 0)
		buf_printf(b, "%lld.%03d0", (long long)(ns / 1000),
			(int)(ns % 1000));
	buf_puts(b, ",");
}

static void view_iteration_csv_text(struct buf *b, const char *s,
	const char *end)
{
	table_csv_cell(b, s ? s : "");
	buf_puts(b, end);
}

/* Writes one row: for the metric `m`, or without a metric. */
static void view_iteration_csv_line(const struct view_pattern_csv *t,
	uint32_t row, uint32_t i, const struct pattern_metric *m, struct buf *b)
{
	static const char *const marks[] = { " ", "*", "**" };
	const struct patterns *p = &t->run->patterns;
	const struct pattern *r = &p->rows[row];
	const struct iteration *c =
		&t->run->iterations.iterations[p->iteration[i]];
	buf_printf(b, "%lld,%lld,", (long long)c->number,
		(long long)(t->run->pid < 0 ? 0 : t->run->pid));
	view_iteration_csv_text(b, t->run->host, ",");
	view_iteration_csv_real(b, pattern_beta(&t->run->iterations, p, r, i));
	view_iteration_csv_text(b, r->name, ",");
	view_iteration_csv_text(b, m ? m->name : "N/A", ",");
	view_iteration_csv_text(b, r->device, ",");
	view_iteration_csv_text(b, profile_word_function[r->type], ",");
	view_iteration_csv_real(b, m ? m->mu[i] : (double)NAN);
	view_iteration_csv_real(b, m ? m->sigma[i] : (double)NAN);
	view_iteration_csv_us(b, r->dur_ns[i]);
	view_iteration_csv_text(b, m ? marks[m->interpolated[i] % 3] : " ",
		",");
	view_iteration_csv_text(b, t->run->iterations.range, ",");
	view_iteration_csv_us(b, c->dur_ns);
	view_iteration_csv_us(b,
		c->start_ns < 0 ? -1 : t->started_ns + c->start_ns);
	buf_printf(b, "%lld,", (long long)r->launches[i]);
	view_iteration_csv_text(b, t->short_names[row], "\n");
}

static void view_iteration_csv_lines(const struct view_pattern_csv *t,
	uint32_t row, uint32_t i, struct buf *b)
{
	const struct patterns *p = &t->run->patterns;
	bool any = false;
	if (!p->rows[row].launches[i] && !p->rows[row].dur_ns[i])
		return;
	for (uint32_t m = t->metrics[row]; m < t->metrics[row + 1]; m++)
		if (!isnan(p->metrics[m].mu[i])) {
			view_iteration_csv_line(t, row, i, &p->metrics[m], b);
			any = true;
		}
	if (!any)
		view_iteration_csv_line(t, row, i, NULL, b);
}

void view_pattern_csv_iteration(const struct view_pattern_csv *t,
	uint32_t iteration, struct buf *b)
{
	for (uint32_t row = 0; row < t->run->patterns.n; row++)
		view_iteration_csv_lines(t, row, iteration, b);
}

void view_pattern_csv_init(struct view_pattern_csv *t,
	const struct compared_run *run, int64_t started_ns, struct arena *a,
	struct buf *b)
{
	*t = (struct view_pattern_csv){ .run = run,
		.started_ns = started_ns < 0 ? 0 : started_ns };
	const struct patterns *p = &run->patterns;
	t->short_names = arena_array(a, const char *, p->n);
	t->metrics = arena_array(a, uint32_t, (size_t)p->n + 1);
	for (uint32_t row = 0, m = 0; row < p->n; row++) {
		t->short_names[row] =
			view_function(a, p->rows[row].type, p->rows[row].name);
		while (m < p->metrics_n && p->metrics[m].pattern == row)
			m++;
		t->metrics[row + 1] = m;
	}
	buf_puts(b, head);
}
