/* pattern_counters.c - weighted sums by function, counter and cycle. */
#include "pattern_counters.h"
#include "pattern_metrics.h"
#include "series.h"
#include <assert.h>
#include <math.h>

/* Of a function, a counter and a cycle: over executions with a value. */
struct cell {
	double weight, mean, variance; /* sums of d, u·d and s²·d */
	uint32_t values, interpolated;
};

/* Which counters a row of p->patterns has, and where their cells are. */
struct share {
	uint32_t series, n; /* from, how many */
	size_t cells;
};

struct maker {
	struct profile *p;
	struct series_set s;
	struct share *share; /* by row */
	struct cell *cells; /* by metric, then cycle */
	size_t metrics; /* planned */
};

/* The counters of a device. */
static void counters_of(const struct series_set *s, int32_t device,
	struct share *of)
{
	of->series = of->n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->list[i].device != device)
			continue;
		if (of->n++ == 0)
			of->series = i;
	}
}

static bool has_counters(const struct pattern *f)
{
	return f->type == FUNCTION_sync || f->type == FUNCTION_oncpu ||
	       f->type == FUNCTION_runq || f->number >= 0;
}

/* Rows in their order get cells as long as there is room. */
static bool plan(struct maker *m, uint32_t *cut, const char **first)
{
	struct patterns *to = &m->p->patterns;
	struct share last = { 0 };
	int32_t device = INT32_MIN;
	size_t most = pattern_metrics_most(m->p);
	m->share = arena_grow(m->p->arena, NULL,
		((size_t)to->n + 1) * sizeof *m->share);
	for (uint32_t i = 0; m->share && i < to->n; i++) {
		struct pattern *f = &to->rows[i];
		struct share *of = &m->share[i];
		if (f->number != device)
			counters_of(&m->s, device = f->number, &last);
		*of = last;
		if (!has_counters(f))
			of->n = 0;
		size_t room = most - m->metrics;
		if (of->n > room) {
			*first = *first ? *first
					: m->s.list[of->series + room].name;
			*cut += of->n - (uint32_t)room;
			of->n = (uint32_t)room;
		}
		of->cells = m->metrics * to->cycles_n;
		m->metrics += of->n;
	}
	m->cells = arena_grow(m->p->arena, NULL,
		(m->metrics * to->cycles_n + 1) * sizeof *m->cells);
	return m->share && m->cells;
}

/* An execution in a told cycle, and all of its counters, which were what they
 * were from its start for `len` nanoseconds. */
static void weigh(struct maker *m, const struct execution *e, int64_t len,
	const struct share *of, uint32_t at)
{
	struct cell *c = m->cells + of->cells + at;
	double d = (double)e->dur_ns;
	for (uint32_t i = 0; i < of->n; i++, c += m->p->patterns.cycles_n) {
		struct series_value v;
		if (!series_value(&m->s, &m->s.list[of->series + i],
			    e->start_ns, e->start_ns + len, &v))
			continue;
		c->weight += d;
		c->mean += v.mean * d;
		c->variance += v.variance * d;
		c->values++;
		c->interpolated += v.interpolated;
	}
}

static void walk(struct maker *m, const struct executions *x,
	const uint32_t *place, const uint32_t *row_of)
{
	const struct cycles *all = &m->p->cycles;
	uint32_t i = 0;
	for (int kind = 0; kind < EXECUTION_KINDS; kind++) {
		series_set_rewind(&m->s);
		for (; i < x->end[kind]; i++) {
			const struct execution *e = &x->list[i];
			uint32_t row = row_of[e->function];
			int64_t len = kind == EXECUTION_THREADS
					      ? all->cycles[e->cycle].dur_ns
					      : e->dur_ns;
			if (place[e->cycle] != CYCLE_OF_NONE)
				weigh(m, e, len, &m->share[row],
					place[e->cycle]);
		}
	}
}

/* Whether any cycle has a value; executions of no length weigh nothing. */
static bool told(const struct cell *c, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && !(c[i].weight > 0))
		i++;
	return i < n;
}

static void fill(const struct cell *c, uint32_t n, struct pattern_metric *to)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!(c[i].weight > 0))
			continue;
		to->mu[i] = c[i].mean / c[i].weight;
		to->sigma[i] = sqrt(c[i].variance / c[i].weight);
		to->interpolated[i] = c[i].interpolated == 0 ? METRIC_SAMPLED
				      : c[i].interpolated < c[i].values
					      ? METRIC_PARTLY
					      : METRIC_INTERPOLATED;
	}
}

/* The metrics that have a value in some cycle. */
static bool metrics(struct maker *m, uint32_t cut, const char *first)
{
	struct patterns *to = &m->p->patterns;
	uint32_t n = 0, cycles = to->cycles_n;
	for (size_t i = 0; i < m->metrics; i++)
		n += told(m->cells + i * cycles, cycles);
	if (!pattern_metrics_room(m->p, n, cut, first ? first : ""))
		return false;
	struct pattern_metric *metric = to->metrics;
	for (uint32_t row = 0; row < to->n; row++) {
		const struct share *of = &m->share[row];
		const struct cell *c = m->cells + of->cells;
		for (uint32_t i = 0; i < of->n; i++, c += cycles) {
			if (!told(c, cycles))
				continue;
			metric->pattern = row;
			metric->name = m->s.list[of->series + i].name;
			fill(c, cycles, metric++);
		}
	}
	assert(metric == to->metrics + n);
	return true;
}

bool pattern_counters(const struct trace *t, const struct process *proc,
	const struct executions *x, const uint32_t *place,
	const uint32_t *row_of, const struct thread_time *threads,
	struct profile *p)
{
	struct maker m = { .p = p };
	const char *first = NULL;
	uint32_t cut = 0;

	if (proc->counter.from == proc->counter.to)
		return true;
	bool ok = series_set_from(&m.s, t, proc->counter, threads, p->arena,
			  &p->notes) &&
		  plan(&m, &cut, &first);
	if (ok)
		walk(&m, x, place, row_of);
	ok = ok && metrics(&m, cut, first);
	series_set_release(&m.s, p->arena);
	arena_drop(p->arena, m.share);
	arena_drop(p->arena, m.cells);
	return ok;
}
