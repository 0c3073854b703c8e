/* pattern.c - sums time and counters by function, device and iteration. */
#include "pattern.h"
#include "catalog.h"
#include "counter_series.h"
#include "pattern_execution.h"
#include "pattern_table.h"
#include "profile.h"
#include "sync_call.h"
#include "thread_time.h"
#include "trace.h"
#include <assert.h>
#include <math.h>

struct pattern_span_rows {
	const int64_t *start_ns, *dur_ns;
	/* Only rows whose of[row - from] has `wanted` in `which`; NULL: all. */
	const uint32_t *of;
	const bool *which;
	bool wanted;
	uint32_t from, at, to;
};

struct pattern_spans {
	struct pattern_span_rows rows[2];
	int64_t start_ns, end_ns; /* of the current span */
};

/* Rows of one or two kinds as spans that do not overlap. Rows are sorted by start;
 * those that overlap or touch become one span. The kinds are merged on the way, so
 * that nothing is copied. */

/* Whether the current row is wanted. */
static bool pattern_spans_wanted(const struct pattern_span_rows *r)
{
	return !r->of || r->which[r->of[r->at - r->from]] == r->wanted;
}

static void pattern_spans_skip(struct pattern_span_rows *r)
{
	while (r->at < r->to && !pattern_spans_wanted(r))
		r->at++;
}

/* Places it before the first span; the caller filled rows. */
static void pattern_spans_start(struct pattern_spans *s)
{
	for (int i = 0; i < 2; i++) {
		s->rows[i].at = s->rows[i].from;
		pattern_spans_skip(&s->rows[i]);
	}
	s->start_ns = s->end_ns = INT64_MIN;
}

/* The rows whose next begins first; NULL if both are through. */
static struct pattern_span_rows *pattern_spans_earliest(struct pattern_spans *s)
{
	struct pattern_span_rows *a = &s->rows[0], *b = &s->rows[1];
	if (a->at == a->to)
		return b->at == b->to ? NULL : b;
	if (b->at == b->to)
		return a;
	return b->start_ns[b->at] < a->start_ns[a->at] ? b : a;
}

/* Moves to the next span; returns false, with a span at INT64_MAX, at the end. */
static bool pattern_spans_next(struct pattern_spans *s)
{
	struct pattern_span_rows *r = pattern_spans_earliest(s);
	if (!r) {
		s->start_ns = s->end_ns = INT64_MAX;
		return false;
	}
	s->start_ns = r->start_ns[r->at];
	s->end_ns = s->start_ns;
	for (; r && r->start_ns[r->at] <= s->end_ns;
		r = pattern_spans_earliest(s)) {
		int64_t end_ns = r->start_ns[r->at] + r->dur_ns[r->at];
		if (end_ns > s->end_ns)
			s->end_ns = end_ns;
		r->at++;
		pattern_spans_skip(r);
	}
	return true;
}

/* The parts of each iteration's time: one sweep over the edges of all spans and
 * iterations. The parts are unions over all devices, clipped to the iteration's
 * window, of the records of any function: compute, collectives outside of it,
 * copies outside of both, and idle, which is the rest. The four add up to the
 * nanosecond. */

/* What a moment counts as: the first of these that is running. */
enum pattern_split_part { COMPUTE, COMM, COPY, PARTS };

struct pattern_split {
	struct pattern_spans part[PARTS], sync;
	int64_t first_ns; /* iterations count from here */
};

/* Adds `len` nanoseconds from `at`, in which no part changes, to the part that
 * has them. */
static void pattern_split_count(const struct pattern_split *s,
	struct iteration *c, int64_t at, int64_t len)
{
	int64_t *const to[] = { &c->compute_ns, &c->comm_ns, &c->copy_ns };
	for (int i = 0; i < PARTS; i++)
		if (s->part[i].start_ns <= at) {
			*to[i] += len;
			return;
		}
	c->idle_ns += len;
}

/* Drops what ended by `at` and returns the first edge after it, at most `end`. */
static int64_t pattern_split_edge(struct pattern_spans *s, int64_t at,
	int64_t end)
{
	while (s->end_ns <= at && pattern_spans_next(s)) {
	}
	int64_t next = s->start_ns > at ? s->start_ns : s->end_ns;
	return next < end ? next : end;
}

static void pattern_split_iteration(struct pattern_split *s,
	struct iteration *c)
{
	int64_t at = s->first_ns + c->start_ns, end = at + c->dur_ns;

	c->compute_ns = c->comm_ns = c->copy_ns = c->idle_ns = 0;
	while (at < end) {
		int64_t next = end;
		for (int i = 0; i < PARTS; i++)
			next = pattern_split_edge(&s->part[i], at, next);
		pattern_split_count(s, c, at, next - at);
		at = next;
	}
	assert(c->compute_ns + c->comm_ns + c->copy_ns + c->idle_ns ==
		c->dur_ns);
}

static void pattern_split_sync(struct pattern_split *s, struct iteration *c)
{
	int64_t at = s->first_ns + c->start_ns, end = at + c->dur_ns;

	c->sync_ns = 0;
	while (at < end) {
		int64_t next = pattern_split_edge(&s->sync, at, end);
		if (s->sync.start_ns <= at)
			c->sync_ns += next - at;
		at = next;
	}
}

static struct pattern_span_rows pattern_split_rows(const int64_t *start_ns,
	const int64_t *dur_ns, struct slice rows)
{
	return (struct pattern_span_rows){ .start_ns = start_ns,
		.dur_ns = dur_ns,
		.from = rows.from,
		.to = rows.to };
}

/* Returns by kernel of the run whether it is a collective. */
static bool *pattern_split_collectives(const struct profile *p)
{
	bool *is = arena_grow(p->arena, NULL, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; is && i < p->kernels_n; i++)
		is[i] = family_is_collective(p->kernels[i].source.family);
	return is;
}

/* Returns by name id of the trace whether it is a call in which the host waits. */
static bool *pattern_split_sync_calls(const struct trace *t, struct arena *a)
{
	uint32_t *sync = sync_calls_of(t, a);
	bool *is = sync ? arena_grow(a, NULL, t->names.n) : NULL;
	for (uint32_t i = 0; is && i < t->names.n; i++)
		is[i] = sync[i] != NAMES_NONE;
	arena_drop(a, sync);
	return is;
}

static void pattern_split_start(struct pattern_split *s, const struct trace *t,
	const struct process *proc, const uint32_t *kernel_of,
	const bool *collective, const bool *sync)
{
	struct pattern_span_rows kernels =
		pattern_split_rows(t->kernel.start_ns, t->kernel.dur_ns,
			proc->kernel);
	kernels.of = kernel_of;
	kernels.which = collective;
	s->part[COMPUTE].rows[0] = kernels;
	s->part[COMPUTE].rows[1] = pattern_split_rows(t->graph.start_ns,
		t->graph.dur_ns, proc->graph);
	kernels.wanted = true;
	s->part[COMM].rows[0] = kernels;
	s->part[COPY].rows[0] = pattern_split_rows(t->copy.start_ns,
		t->copy.dur_ns, proc->copy);
	s->sync.rows[0] = pattern_split_rows(t->call.start_ns, t->call.dur_ns,
		proc->call);
	s->sync.rows[0].of = t->call.n ? t->call.name + proc->call.from : NULL;
	s->sync.rows[0].which = sync;
	s->sync.rows[0].wanted = true;
	for (int i = 0; i < PARTS; i++)
		pattern_spans_start(&s->part[i]);
	pattern_spans_start(&s->sync);
	s->first_ns = trace_first_ns(t, proc);
}

/* Fills the times of p->iterations. Returns false if the arena is full. */
static bool pattern_split(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, struct profile *p)
{
	struct pattern_split s = { 0 };
	bool *collective = pattern_split_collectives(p),
	     *sync = pattern_split_sync_calls(t, p->arena);
	bool ok = collective && sync;
	bool calls = proc->call.from < proc->call.to;
	int64_t end_ns = INT64_MIN;

	if (ok)
		pattern_split_start(&s, t, proc, kernel_of, collective, sync);
	for (uint32_t i = 0; ok && i < p->iterations.n; i++) {
		struct iteration *c = &p->iterations.iterations[i];
		assert(c->dur_ns >= 0 && c->start_ns >= end_ns);
		end_ns = c->start_ns + c->dur_ns;
		pattern_split_iteration(&s, c);
		if (calls)
			pattern_split_sync(&s, c);
		else
			c->sync_ns = -1;
	}
	arena_drop(p->arena, collective);
	arena_drop(p->arena, sync);
	return ok;
}

/* The counters while each function ran: means weighted by duration, by
 * function, counter and iteration. */

/* Sums of a function, a counter and an iteration over the executions with a
 * value. */
struct pattern_counters_cell {
	double weight, mean, variance; /* sums of d, u·d and s²·d */
	uint32_t values, interpolated;
};

/* The counters of a row of p->patterns, and where their cells are. */
struct pattern_share {
	uint32_t series, n; /* first, how many */
	size_t cells;
};

struct pattern_counters {
	struct profile *p;
	struct counter_series_set s;
	struct pattern_share *share; /* by row */
	struct pattern_counters_cell *cells; /* by metric, then iteration */
	size_t metrics; /* with cells */
};

/* Sets the counters of a device. */
static void pattern_counters_share(const struct counter_series_set *s,
	int32_t device, struct pattern_share *of)
{
	of->series = of->n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->list[i].device != device)
			continue;
		if (of->n++ == 0)
			of->series = i;
	}
}

static bool pattern_counters_apply(const struct pattern *f)
{
	return f->type == FUNCTION_sync || f->type == FUNCTION_oncpu ||
	       f->type == FUNCTION_runq || f->number >= 0;
}

/* Gives rows their cells, in order, as long as there is room. */
static bool pattern_counters_plan(struct pattern_counters *m, uint32_t *cut,
	const char **first)
{
	struct patterns *to = &m->p->patterns;
	struct pattern_share last = { 0 };
	int32_t device = INT32_MIN;
	size_t most = pattern_table_metrics_max(m->p);
	m->share = arena_grow(m->p->arena, NULL,
		((size_t)to->n + 1) * sizeof *m->share);
	for (uint32_t i = 0; m->share && i < to->n; i++) {
		struct pattern *f = &to->rows[i];
		struct pattern_share *of = &m->share[i];
		if (f->number != device)
			pattern_counters_share(&m->s, device = f->number,
				&last);
		*of = last;
		if (!pattern_counters_apply(f))
			of->n = 0;
		size_t room = most - m->metrics;
		if (of->n > room) {
			*first = *first ? *first
					: m->s.list[of->series + room].name;
			*cut += of->n - (uint32_t)room;
			of->n = (uint32_t)room;
		}
		of->cells = m->metrics * to->iterations_n;
		m->metrics += of->n;
	}
	m->cells = arena_grow(m->p->arena, NULL,
		(m->metrics * to->iterations_n + 1) * sizeof *m->cells);
	return m->share && m->cells;
}

/* Adds all counters of an execution in an iteration of the table. They are
 * taken from its start for `len` nanoseconds. */
static void pattern_counters_weigh(struct pattern_counters *m,
	const struct execution *e, int64_t len, const struct pattern_share *of,
	uint32_t at)
{
	struct pattern_counters_cell *c = m->cells + of->cells + at;
	double d = (double)e->dur_ns;
	for (uint32_t i = 0; i < of->n; i++, c += m->p->patterns.iterations_n) {
		struct counter_series_value v;
		if (!counter_series_value(&m->s, &m->s.list[of->series + i],
			    e->start_ns, e->start_ns + len, &v))
			continue;
		c->weight += d;
		c->mean += v.mean * d;
		c->variance += v.variance * d;
		c->values++;
		c->interpolated += v.interpolated;
	}
}

static void pattern_counters_sum(struct pattern_counters *m,
	const struct executions *x, const uint32_t *place,
	const uint32_t *row_of)
{
	const struct iterations *all = &m->p->iterations;
	uint32_t i = 0;
	for (int kind = 0; kind < EXECUTION_KINDS; kind++) {
		counter_series_rewind(&m->s);
		for (; i < x->end[kind]; i++) {
			const struct execution *e = &x->list[i];
			uint32_t row = row_of[e->function];
			int64_t len =
				kind == EXECUTION_THREADS
					? all->iterations[e->iteration].dur_ns
					: e->dur_ns;
			if (place[e->iteration] != ITERATION_NONE)
				pattern_counters_weigh(m, e, len,
					&m->share[row], place[e->iteration]);
		}
	}
}

/* Returns whether an iteration has a value; executions of length 0 have no
 * weight. */
static bool pattern_counters_has_value(const struct pattern_counters_cell *c,
	uint32_t n)
{
	uint32_t i = 0;
	while (i < n && !(c[i].weight > 0))
		i++;
	return i < n;
}

static void pattern_counters_fill(const struct pattern_counters_cell *c,
	uint32_t n, struct pattern_metric *to)
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

/* Stores the metrics that have a value in at least one iteration. */
static bool pattern_counters_metrics(struct pattern_counters *m, uint32_t cut,
	const char *first)
{
	struct patterns *to = &m->p->patterns;
	uint32_t n = 0, iterations = to->iterations_n;
	for (size_t i = 0; i < m->metrics; i++)
		n += pattern_counters_has_value(m->cells + i * iterations,
			iterations);
	if (!pattern_table_metrics(m->p, n, cut, first ? first : ""))
		return false;
	struct pattern_metric *metric = to->metrics;
	for (uint32_t row = 0; row < to->n; row++) {
		const struct pattern_share *of = &m->share[row];
		const struct pattern_counters_cell *c = m->cells + of->cells;
		for (uint32_t i = 0; i < of->n; i++, c += iterations) {
			if (!pattern_counters_has_value(c, iterations))
				continue;
			metric->pattern = row;
			metric->name = m->s.list[of->series + i].name;
			pattern_counters_fill(c, iterations, metric++);
		}
	}
	assert(metric == to->metrics + n);
	return true;
}

/* Fills p->patterns.metrics: functions of a GPU get every counter of their
 * device, those of the host every counter of the host. `place` and `row_of` are
 * those of pattern_table.h. Returns false if the arena is full. */
static bool pattern_counters(const struct trace *t, const struct process *proc,
	const struct executions *x, const uint32_t *place,
	const uint32_t *row_of, const struct thread_time *threads,
	struct profile *p)
{
	struct pattern_counters m = { .p = p };
	const char *first = NULL;
	uint32_t cut = 0;

	if (proc->counter.from == proc->counter.to)
		return true;
	bool ok = counter_series_from(&m.s, t, proc->counter, threads, p->arena,
			  &p->notes) &&
		  pattern_counters_plan(&m, &cut, &first);
	if (ok)
		pattern_counters_sum(&m, x, place, row_of);
	ok = ok && pattern_counters_metrics(&m, cut, first);
	counter_series_release(&m.s, p->arena);
	arena_drop(p->arena, m.share);
	arena_drop(p->arena, m.cells);
	return ok;
}

struct pattern_maker {
	struct profile *p;
	struct executions x;
	uint32_t *place; /* by iteration: its column in the table */
	uint32_t *row_of; /* by function: its row */
};

/* Adds an execution to its function's column. */
static void pattern_count(struct pattern *f, uint32_t at, int64_t dur_ns)
{
	if (f->launches[at]++ == 0)
		f->min_ns[at] = f->max_ns[at] = dur_ns;
	f->dur_ns[at] += dur_ns;
	if (dur_ns < f->min_ns[at])
		f->min_ns[at] = dur_ns;
	if (dur_ns > f->max_ns[at])
		f->max_ns[at] = dur_ns;
}

static bool pattern_sums(struct pattern_maker *m)
{
	struct patterns *to = &m->p->patterns;
	for (uint32_t i = 0; i < m->x.n; i++) {
		const struct execution *e = &m->x.list[i];
		int64_t *total_ns = &m->x.functions[e->function].total_ns;
		if (m->place[e->iteration] != ITERATION_NONE)
			*total_ns = (*total_ns < 0 ? 0 : *total_ns) + e->dur_ns;
	}
	if (!pattern_table_rows(m->p, m->x.functions, m->x.functions_n,
		    &m->row_of))
		return false;
	for (uint32_t i = 0; i < m->x.n; i++) {
		const struct execution *e = &m->x.list[i];
		uint32_t at = m->place[e->iteration];
		if (at != ITERATION_NONE)
			pattern_count(&to->rows[m->row_of[e->function]], at,
				e->dur_ns);
	}
	return true;
}

bool pattern_from(const struct trace *t, uint32_t process,
	const uint32_t *kernel_of, const struct iteration_rows *rows,
	struct profile *p)
{
	const struct process *proc = &t->processes[process];
	struct pattern_maker m = { .p = p };
	struct thread_time threads;

	p->patterns = (struct patterns){ 0 };
	bool ok =
		thread_time_from(&threads, t, proc, p) &&
		pattern_split(t, proc, kernel_of, p) &&
		pattern_executions_from(&m.x, t, process, kernel_of, rows,
			&threads, p) &&
		pattern_table_choose(p, m.x.functions_n, &m.place) &&
		pattern_sums(&m) &&
		pattern_execution_spread(&m.x, m.row_of, p) &&
		pattern_counters(t, proc, &m.x, m.place, m.row_of, &threads, p);
	pattern_executions_release(&m.x, p->arena);
	thread_time_release(&threads, p->arena);
	arena_drop(p->arena, m.place);
	arena_drop(p->arena, m.row_of);
	return ok;
}
