/* view_iteration.c - a run's iterations, and the time of functions in them. */
#include "view_iteration.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include "table.h"
#include <math.h>
#include <string.h>

/* The largest of a stratum's works that are shown. */
enum { WORKS_SHOWN = 20 };

static json_t *view_iteration_work(const struct work *w)
{
	return json_pack("{s:s, s:s, s:s, s:f}", "kind",
		profile_word_work[w->kind], "name", w->name, "size", w->size,
		"per_iteration", w->per_iteration);
}

static json_t *view_iteration_stratum(const struct iterations *c, uint32_t i)
{
	const struct stratum *s = &c->strata[i];
	json_t *v = json_object(), *works = json_array();
	uint32_t n = 0;
	for (uint32_t w = 0; w < c->works_n; w++)
		if (c->works[w].stratum == i && n++ < WORKS_SHOWN)
			view_append(works, view_iteration_work(&c->works[w]));
	view_set_text(v, "text", s->text);
	view_set_text(v, "phase", profile_word_phase[s->phase]);
	view_set_whole(v, "sequences", s->sequences);
	view_set_whole(v, "tokens", s->tokens);
	view_set_whole(v, "kv_tokens", s->kv_tokens);
	view_set_whole(v, "iterations", s->iterations);
	json_object_set_new(v, "signature", works);
	view_set_whole(v, "signature_total", n);
	return v;
}

json_t *view_strata(const struct iterations *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->strata_n; i++)
		view_append(list, view_iteration_stratum(c, i));
	return list;
}

json_t *view_iteration(const struct iteration *c)
{
	json_t *v = json_object();
	view_set_whole(v, "number", c->number);
	view_set_text(v, "label", c->label);
	view_set_whole(v, "start_ns", c->start_ns);
	view_set_whole(v, "dur_ns", c->dur_ns);
	view_set_text(v, "use", profile_word_use[c->use]);
	json_object_set_new(v, "open", json_boolean(c->open));
	view_set_whole(v, "stratum", c->stratum);
	view_set_whole(v, "compute_ns", c->compute_ns);
	view_set_whole(v, "comm_ns", c->comm_ns);
	view_set_whole(v, "copy_ns", c->copy_ns);
	view_set_whole(v, "idle_ns", c->idle_ns);
	view_set_whole(v, "sync_ns", c->sync_ns);
	view_set_whole(v, "launches", c->launches);
	return v;
}

static const struct column columns[] = { { "Number", true }, { "Use", false },
	{ "Open", false }, { "Stratum", true }, { "Start (ns)", true },
	{ "Duration (ns)", true }, { "Compute (ns)", true },
	{ "Communication (ns)", true }, { "Copies (ns)", true },
	{ "Idle (ns)", true }, { "Sync (ns)", true }, { "Launches", true },
	{ "Label", false } };

const struct table *view_iteration_table(struct arena *a,
	const struct iterations *c)
{
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(columns), c->n, &at);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct iteration *x = &c->iterations[i];
		*at++ = table_whole(a, x->number);
		*at++ = profile_word_use[x->use];
		*at++ = x->open ? "open" : "";
		*at++ = table_whole(a, x->stratum);
		*at++ = table_whole(a, x->start_ns);
		*at++ = table_whole(a, x->dur_ns);
		*at++ = table_whole(a, x->compute_ns);
		*at++ = table_whole(a, x->comm_ns);
		*at++ = table_whole(a, x->copy_ns);
		*at++ = table_whole(a, x->idle_ns);
		*at++ = table_whole(a, x->sync_ns);
		*at++ = table_whole(a, x->launches);
		*at++ = x->label ? x->label : "";
	}
	return t;
}

static json_t *view_iteration_metric(const struct metric_mean *m)
{
	json_t *v = json_object();
	view_set_text(v, "name", m->name);
	view_set_real(v, "mu", m->mu);
	view_set_real(v, "sigma", m->sigma);
	view_set_whole(v, "iterations", m->iterations);
	view_set_whole(v, "interpolated", m->interpolated);
	view_set_whole(v, "partly", m->partly);
	return v;
}

json_t *view_pattern(struct arena *a, const struct pattern_mean *m)
{
	json_t *v = json_object(), *metrics = json_array();
	for (uint32_t i = 0; i < m->metrics_n; i++)
		view_append(metrics, view_iteration_metric(&m->metrics[i]));
	view_set_text(v, "function", m->of->name);
	view_set_text(v, "short_name",
		view_function(a, m->of->type, m->of->name));
	view_set_text(v, "type", profile_word_function[m->of->type]);
	view_set_text(v, "device", m->of->device);
	view_set_whole(v, "device_number", m->of->number);
	view_set_real(v, "ns_per_iteration", m->ns);
	view_set_real(v, "launches_per_iteration", m->launches);
	view_set_whole(v, "min_ns", m->min_ns);
	view_set_whole(v, "max_ns", m->max_ns);
	view_set_real(v, "beta_pct", m->beta_pct);
	view_set_whole(v, "iterations", m->iterations);
	json_object_set_new(v, "metrics", metrics);
	return v;
}

/* ---- functions by iteration, as CSV */

static const char head[] =
	"cycle,pid,hostname,beta_pct,function_name,metric_name,device,"
	"func_type,mu_pct,sigma_pct,duration,interpolation_status,anchor_name,"
	"anchor_dur_us,cycle_start_ts,instances_count,simple_name\n";

/* A number to four decimals and a comma; the comma alone for none. */
static void view_iteration_csv_real(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "%.4f", v);
	buf_puts(b, ",");
}

/* Nanoseconds as microseconds, exactly; likewise. */
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

/* One row: of metric `m`, or of none. */
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

void view_pattern_csv_head(struct buf *b)
{
	buf_puts(b, head);
}

void view_pattern_csv_iteration(const struct view_pattern_csv *t,
	uint32_t iteration, struct buf *b)
{
	for (uint32_t row = 0; row < t->run->patterns.n; row++)
		view_iteration_csv_lines(t, row, iteration, b);
}

void view_pattern_csv_init(struct view_pattern_csv *t,
	const struct compared_run *run, int64_t started_ns, struct arena *a)
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
}
