/* pattern_csv.c - rows of the stored patterns, a cycle at a time. */
#include "pattern_csv.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include "table.h"
#include "view_compare.h"
#include <math.h>
#include <string.h>

static const char head[] =
	"cycle,pid,hostname,beta_pct,function_name,metric_name,device,"
	"func_type,mu_pct,sigma_pct,duration,interpolation_status,anchor_name,"
	"anchor_dur_us,cycle_start_ts,instances_count,simple_name\n";

/* A number to four decimals and a comma; the comma alone for none. */
static void real(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "%.4f", v);
	buf_puts(b, ",");
}

/* Nanoseconds as microseconds, exactly; likewise. */
static void us(struct buf *b, int64_t ns)
{
	if (ns >= 0)
		buf_printf(b, "%lld.%03d0", (long long)(ns / 1000),
			(int)(ns % 1000));
	buf_puts(b, ",");
}

static void text(struct buf *b, const char *s, const char *end)
{
	table_csv_cell(b, s ? s : "");
	buf_puts(b, end);
}

/* One row: of metric `m`, or of none. */
static void line(const struct pattern_csv *t, uint32_t row, uint32_t i,
	const struct pattern_metric *m, struct buf *b)
{
	static const char *const marks[] = { " ", "*", "**" };
	const struct patterns *p = &t->run->patterns;
	const struct pattern *r = &p->rows[row];
	const struct cycle *c = &t->run->cycles.cycles[p->cycle[i]];
	buf_printf(b, "%lld,%lld,", (long long)c->number,
		(long long)(t->run->pid < 0 ? 0 : t->run->pid));
	text(b, t->run->host, ",");
	real(b, pattern_beta(&t->run->cycles, p, r, i));
	text(b, r->name, ",");
	text(b, m ? m->name : "N/A", ",");
	text(b, r->device, ",");
	text(b, profile_word_function[r->type], ",");
	real(b, m ? m->mu[i] : (double)NAN);
	real(b, m ? m->sigma[i] : (double)NAN);
	us(b, r->dur_ns[i]);
	text(b, m ? marks[m->interpolated[i] % 3] : " ", ",");
	text(b, t->run->cycles.range, ",");
	us(b, c->dur_ns);
	us(b, c->start_ns < 0 ? -1 : t->started_ns + c->start_ns);
	buf_printf(b, "%lld,", (long long)r->launches[i]);
	text(b, t->short_names[row], "\n");
}

static void lines(const struct pattern_csv *t, uint32_t row, uint32_t i,
	struct buf *b)
{
	const struct patterns *p = &t->run->patterns;
	bool any = false;
	if (!p->rows[row].launches[i] && !p->rows[row].dur_ns[i])
		return;
	for (uint32_t m = t->metrics[row]; m < t->metrics[row + 1]; m++)
		if (!isnan(p->metrics[m].mu[i])) {
			line(t, row, i, &p->metrics[m], b);
			any = true;
		}
	if (!any)
		line(t, row, i, NULL, b);
}

void pattern_csv_head(struct buf *b)
{
	buf_puts(b, head);
}

void pattern_csv_cycle(const struct pattern_csv *t, uint32_t cycle,
	struct buf *b)
{
	for (uint32_t row = 0; row < t->run->patterns.n; row++)
		lines(t, row, cycle, b);
}

void pattern_csv_init(struct pattern_csv *t, const struct compared_run *run,
	int64_t started_ns, struct arena *a)
{
	*t = (struct pattern_csv){ .run = run,
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
