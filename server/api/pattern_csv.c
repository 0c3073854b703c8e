/* pattern_csv.c - rows of the stored patterns, a cycle at a time. */
#include "pattern_csv.h"
#include "api_state.h"
#include "log.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include "query_compared.h"
#include "view_compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MAX = 4, CYCLE_BYTES = 256 << 20 };

struct pattern_table {
	struct api *api;
	struct arena arena; /* of the run, and all its arrays */
	struct compared_run run;
	int64_t started_ns; /* UTC; 0 where the clock is another */
	const char **short_names; /* by row */
	uint32_t *metrics; /* by row: its first one; and one past the last */
	uint32_t cycle; /* the next one */
	struct buf out; /* bytes from `at` on are still to be sent */
	size_t at;
};

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
static void line(struct pattern_table *t, uint32_t row, uint32_t i,
	const struct pattern_metric *m)
{
	static const char *const marks[] = { " ", "*", "**" };
	const struct patterns *p = &t->run.patterns;
	const struct pattern *r = &p->rows[row];
	const struct cycle *c = &t->run.cycles.cycles[p->cycle[i]];
	struct buf *b = &t->out;
	buf_printf(b, "%lld,%lld,", (long long)c->number,
		(long long)(t->run.pid < 0 ? 0 : t->run.pid));
	text(b, t->run.host, ",");
	real(b, pattern_beta(&t->run.cycles, p, r, i));
	text(b, r->name, ",");
	text(b, m ? m->name : "N/A", ",");
	text(b, r->device, ",");
	text(b, profile_word_function[r->type], ",");
	real(b, m ? m->mu[i] : (double)NAN);
	real(b, m ? m->sigma[i] : (double)NAN);
	us(b, r->dur_ns[i]);
	text(b, m ? marks[m->interpolated[i] % 3] : " ", ",");
	text(b, t->run.cycles.range, ",");
	us(b, c->dur_ns);
	us(b, c->start_ns < 0 ? -1 : t->started_ns + c->start_ns);
	buf_printf(b, "%lld,", (long long)r->launches[i]);
	text(b, t->short_names[row], "\n");
}

static void lines(struct pattern_table *t, uint32_t row, uint32_t i)
{
	const struct patterns *p = &t->run.patterns;
	bool any = false;
	if (!p->rows[row].launches[i] && !p->rows[row].dur_ns[i])
		return;
	for (uint32_t m = t->metrics[row]; m < t->metrics[row + 1]; m++)
		if (!isnan(p->metrics[m].mu[i])) {
			line(t, row, i, &p->metrics[m]);
			any = true;
		}
	if (!any)
		line(t, row, i, NULL);
}

static int64_t next(void *table, void *to, size_t cap)
{
	struct pattern_table *t = table;
	while (t->at == t->out.len) {
		if (t->cycle == t->run.patterns.cycles_n)
			return 0;
		t->at = t->out.len = 0;
		for (uint32_t row = 0; row < t->run.patterns.n; row++)
			lines(t, row, t->cycle);
		t->cycle++;
		if (t->out.full) {
			log_error("patterns run=%lld a cycle is too large",
				(long long)t->run.id);
			return -1;
		}
	}
	size_t n = t->out.len - t->at < cap ? t->out.len - t->at : cap;
	memcpy(to, t->out.at + t->at, n);
	t->at += n;
	return (int64_t)n;
}

static void table_free(void *table)
{
	struct pattern_table *t = table;
	atomic_fetch_sub(&t->api->tables, 1);
	arena_release(&t->arena);
	buf_release(&t->out);
	free(t);
}

/* What rows need again in every cycle. */
static void prepare(struct pattern_table *t)
{
	const struct patterns *p = &t->run.patterns;
	t->short_names = arena_array(&t->arena, const char *, p->n);
	t->metrics = arena_array(&t->arena, uint32_t, (size_t)p->n + 1);
	for (uint32_t row = 0, m = 0; row < p->n; row++) {
		t->short_names[row] = view_function(&t->arena,
			p->rows[row].type, p->rows[row].name);
		while (m < p->metrics_n && p->metrics[m].pattern == row)
			m++;
		t->metrics[row + 1] = m;
	}
}

static struct pattern_table *table_new(struct call *c,
	const struct run_row *row, struct err *e)
{
	struct pattern_table *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->api = c->api;
	t->started_ns = row->started_utc_ns < 0 ? 0 : row->started_utc_ns;
	buf_init(&t->out, CYCLE_BYTES);
	bool ok = atomic_fetch_add(&c->api->tables, 1) < TABLES_MAX
			  ? query_compared(c->db, &t->arena, &c->id, 1, true,
				    &t->run, e)
			  : err_set(e, ERR_BUSY,
				    "%d tables of patterns are being sent "
				    "already, the most at once; try again in a "
				    "moment",
				    TABLES_MAX);
	if (!ok) {
		table_free(t);
		return NULL;
	}
	prepare(t);
	buf_puts(&t->out, head);
	return t;
}

json_t *pattern_csv(struct call *c, const struct run_row *row, struct err *e)
{
	struct pattern_table *t = table_new(c, row, e);
	if (!t)
		return NULL;
	c->stream = (struct api_stream){ next, table_free, t };
	c->text_type = "text/csv; charset=utf-8";
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"run-%lld-patterns.csv\"",
		(long long)c->id);
	return NULL;
}
