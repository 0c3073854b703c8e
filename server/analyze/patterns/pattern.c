/* pattern.c - sums time and counters by function, device and iteration. */
#include "pattern.h"
#include "catalog.h"
#include "note.h"
#include "pattern_execution.h"
#include "pattern_table.h"
#include "profile.h"
#include "trace.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Merges the rows of one or two kinds into spans that do not overlap. Rows are
 * sorted by start. Rows that overlap or touch become one span. Both kinds are
 * read in parallel, so that nothing is copied. */

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

/* Moves to before the first span. The caller has filled `rows`. */
static void pattern_spans_start(struct pattern_spans *s)
{
	for (int i = 0; i < 2; i++) {
		s->rows[i].at = s->rows[i].from;
		pattern_spans_skip(&s->rows[i]);
	}
	s->start_ns = s->end_ns = INT64_MIN;
}

/* The kind of rows whose next row begins first; NULL if both are at their
 * ends. */
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

/* The parts of each iteration's time, computed by one sweep over the starts and
 * ends of all spans and iterations. The parts are unions of records over all
 * devices, clipped to the iteration's window: compute; collectives while
 * nothing computes; copies while neither runs; and idle, the rest. The four add
 * up to the iteration's duration, exact to the nanosecond. Collectives while
 * something computes are counted apart, as a part of the compute time. */

/* A moment is counted in the first of these parts that is running. */
enum pattern_split_part { COMPUTE, COMM, COPY, PARTS };

struct pattern_split {
	struct pattern_spans part[PARTS], sync;
	int64_t first_ns; /* iterations count from here */
};

/* Adds `len` nanoseconds from `at`, in which no span starts or ends, to their
 * part. */
static void pattern_split_count(const struct pattern_split *s,
	struct iteration *c, int64_t at, int64_t len)
{
	int64_t *const to[] = { &c->compute_ns, &c->comm_ns, &c->copy_ns };
	if (s->part[COMPUTE].start_ns <= at && s->part[COMM].start_ns <= at)
		c->comm_overlapped_ns += len;
	for (int i = 0; i < PARTS; i++)
		if (s->part[i].start_ns <= at) {
			*to[i] += len;
			return;
		}
	c->idle_ns += len;
}

/* Skips spans that ended at or before `at`. Returns the first start or end
 * after `at`, at most `end`. */
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
	c->comm_overlapped_ns = 0;
	while (at < end) {
		int64_t next = end;
		for (int i = 0; i < PARTS; i++)
			next = pattern_split_edge(&s->part[i], at, next);
		pattern_split_count(s, c, at, next - at);
		at = next;
	}
	assert(c->compute_ns + c->comm_ns + c->copy_ns + c->idle_ns ==
		c->dur_ns);
	assert(c->comm_overlapped_ns <= c->compute_ns);
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

/* Returns for each kernel of the run whether it is a collective. */
static bool *pattern_split_collectives(const struct profile *p)
{
	bool *is = arena_grow(p->arena, NULL, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; is && i < p->kernels_n; i++)
		is[i] = family_is_collective(p->kernels[i].source.family);
	return is;
}

/* Returns for each name id of the trace whether it is an API call in which the
 * host waits. */
static bool *pattern_split_sync_calls(const struct trace *t,
	const uint32_t *sync, struct arena *a)
{
	bool *is = arena_grow(a, NULL, t->names.n);
	for (uint32_t i = 0; is && i < t->names.n; i++)
		is[i] = sync[i] != NAMES_NONE;
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
	const uint32_t *kernel_of, const struct executions *x,
	struct profile *p)
{
	struct pattern_split s = { 0 };
	bool *collective = pattern_split_collectives(p),
	     *sync = pattern_split_sync_calls(t, x->sync, p->arena);
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

/* The samples of each counter, in order of time.
 *
 * A counter's value during an execution is computed from the samples inside the
 * execution, or interpolated between the two samples around each end. It is
 * never extrapolated. Samples that are not a number, or beyond 1e150, are
 * ignored. Executions are in the order of their starts, so that a cursor finds
 * the first sample. Sums over blocks of samples make the time for a long
 * execution as short as for a short one. */

enum { SERIES_BLOCK = 64 };

struct series {
	const char *name;
	int32_t device; /* -1 the host's */
	uint32_t from, to; /* its samples in counter_series_set */
	uint32_t at; /* the cursor */
	double middle; /* mean; sums of squares are around it */
};

struct counter_series_set {
	int64_t *at_ns; /* by series, then time */
	double *value;
	struct series_sum {
		long double value, square;
	} * before; /* at every SERIES_BLOCKth sample: sums over earlier samples
		of its series */
	struct series *list; /* by device, name */
	uint32_t n;
};

struct counter_series_value {
	double mean, variance; /* variance of the samples inside; 0 of < 2 */
	bool interpolated; /* fewer than three are inside */
};

/* The key of a counter. Hashed as bytes, so it must contain no padding. */
struct counter_series_key {
	uint32_t name;
	int32_t device;
};

struct counter_series_maker {
	const struct trace *t;
	struct slice rows;
	const struct thread_time *threads;
	struct counter_series_set *s;
	struct arena *a;
	uint32_t *of; /* by row: its series, numbered by first appearance */
	uint32_t *place; /* by this number: the position in the list */
	uint32_t cap;
};

/* Whether a value is a number whose square is a number, too. */
static bool pattern_series_usable(double value)
{
	return fabs(value) < 1e150;
}

static bool pattern_series_new(struct counter_series_maker *m,
	const struct counter_series_key *k)
{
	struct counter_series_set *s = m->s;
	if (s->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 64;
		void *grown = arena_grow(m->a, s->list,
			(size_t)cap * sizeof *s->list);
		if (!grown)
			return false;
		s->list = grown;
		m->cap = cap;
	}
	/* `at` is its number until the list is sorted. */
	s->list[s->n] =
		(struct series){ .name = names_text(&m->t->names, k->name),
			.device = k->device,
			.at = s->n };
	s->n++;
	return true;
}

/* Whether a sample is a total of threads, which is not a counter of a
 * resource. */
static bool pattern_series_is_thread_total(const struct thread_time *s,
	uint32_t name, int32_t device)
{
	for (int i = 0; i < THREAD_TOTALS; i++)
		if (device < 0 && s->total[i].id && s->total[i].id == name)
			return true;
	return false;
}

/* Whether a sample belongs to a series: it is a number and no total of
 * threads. */
static bool pattern_series_counts(const struct counter_series_maker *m,
	uint32_t i)
{
	const struct counter_rows *c = &m->t->counter;
	return pattern_series_usable(c->value[i]) &&
	       !pattern_series_is_thread_total(m->threads, c->name[i],
		       c->device[i]);
}

/* Finds the series of each sample; `to` counts the samples that are numbers. */
static bool pattern_series_assign(struct counter_series_maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	struct names keys;
	bool ok = names_init(&keys, m->a);
	for (uint32_t i = m->rows.from; ok && i < m->rows.to; i++) {
		struct counter_series_key k = { c->name[i], c->device[i] };
		if (pattern_series_is_thread_total(m->threads, k.name,
			    k.device))
			continue;
		uint32_t id = names_put(&keys, (const char *)&k, sizeof k);
		ok = id != NAMES_NONE &&
		     (id <= m->s->n || pattern_series_new(m, &k));
		m->of[i - m->rows.from] = id - 1;
		if (!ok)
			break;
		assert(m->s->list);
		m->s->list[id - 1].to += pattern_series_usable(c->value[i]);
	}
	return ok;
}

static int pattern_series_by_device(const void *left, const void *right)
{
	const struct series *a = left, *b = right;
	if ((a->to == 0) != (b->to == 0))
		return a->to == 0 ? 1 : -1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Sorts the list of series and sets where the samples of each series begin. */
static bool pattern_series_sort(struct counter_series_maker *m,
	struct notes *ns)
{
	struct counter_series_set *s = m->s;
	uint32_t n = s->n, from = 0;
	m->place = arena_grow(m->a, NULL, ((size_t)n + 1) * sizeof(uint32_t));
	if (!m->place)
		return false;
	if (n)
		qsort(s->list, n, sizeof *s->list, pattern_series_by_device);
	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct series *one = &s->list[i];
		m->place[one->at] = i;
		if (one->to == 0) {
			note_add(ns, NOTE_counters_nan, 1, one->name,
				strlen(one->name));
			continue;
		}
		one->from = from;
		from += one->to;
		one->to = one->at = one->from;
		s->n++;
	}
	return true;
}

static void pattern_series_place_samples(struct counter_series_maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		if (!pattern_series_counts(m, i))
			continue;
		struct series *one =
			&m->s->list[m->place[m->of[i - m->rows.from]]];
		m->s->at_ns[one->to] = c->start_ns[i];
		m->s->value[one->to++] = c->value[i];
		one->middle += c->value[i];
	}
}

static void pattern_series_sum_blocks(struct counter_series_set *s,
	struct series *one)
{
	struct series_sum sum = { 0, 0 };
	one->middle /= one->to - one->from;
	for (uint32_t i = one->from; i < one->to; i++) {
		long double v = (long double)s->value[i] - one->middle;
		if (i % SERIES_BLOCK == 0)
			s->before[i / SERIES_BLOCK] = sum;
		sum.value += v;
		sum.square += v * v;
	}
}

/* Reads the series of all counters. A counter without a usable sample is
 * omitted, with a note. Totals of `threads` are not counters. False if the
 * arena is full; release in any case. */
static bool pattern_series_from(struct counter_series_set *s,
	const struct trace *t, struct slice rows,
	const struct thread_time *threads, struct arena *a, struct notes *ns)
{
	struct counter_series_maker m = { .t = t,
		.rows = rows,
		.threads = threads,
		.s = s,
		.a = a };
	size_t n = (size_t)rows.to - rows.from;
	*s = (struct counter_series_set){ 0 };
	s->at_ns = arena_grow(a, NULL, (n + 1) * sizeof *s->at_ns);
	s->value = arena_grow(a, NULL, (n + 1) * sizeof *s->value);
	s->before =
		arena_grow(a, NULL, (n / SERIES_BLOCK + 1) * sizeof *s->before);
	m.of = arena_grow(a, NULL, (n + 1) * sizeof *m.of);
	bool ok = s->at_ns && s->value && s->before && m.of &&
		  pattern_series_assign(&m) && pattern_series_sort(&m, ns);
	if (ok)
		pattern_series_place_samples(&m);
	for (uint32_t i = 0; ok && i < s->n; i++)
		pattern_series_sum_blocks(s, &s->list[i]);
	arena_drop(a, m.of);
	arena_drop(a, m.place);
	return ok;
}

static void pattern_series_release(struct counter_series_set *s,
	struct arena *a)
{
	arena_drop(a, s->at_ns);
	arena_drop(a, s->value);
	arena_drop(a, s->before);
	arena_drop(a, s->list);
}

/* Resets all cursors, for another pass over the executions. */
static void pattern_series_rewind(struct counter_series_set *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->list[i].at = s->list[i].from;
}

enum { DIRECT = 2 * SERIES_BLOCK };

/* The first sample, starting at `from`, that is at `ns` or later; `to` if there
 * is none. The search doubles its steps, because the sample is usually near. */
static uint32_t pattern_series_first_from(const int64_t *at_ns, uint32_t from,
	uint32_t to, int64_t ns)
{
	uint32_t step = 1, low = from;
	if (from == to || at_ns[from] >= ns)
		return from;
	/* at_ns[low] < ns */
	while (step < to - low && at_ns[low + step] < ns) {
		low += step;
		step *= 2;
	}
	uint32_t high = step < to - low ? low + step : to;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (at_ns[middle] < ns)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The value between two samples. At the time of a sample, it is exactly this
 * sample. */
static double pattern_series_interpolate(const struct counter_series_set *s,
	uint32_t before, uint32_t after, int64_t ns)
{
	double whole = (double)(s->at_ns[after] - s->at_ns[before]);
	double part = (double)(ns - s->at_ns[before]);
	return s->value[before] +
	       (s->value[after] - s->value[before]) * (part / whole);
}

/* The value at the start of an execution; `low` is the first sample not before
 * it. */
static bool pattern_series_at_start(const struct counter_series_set *s,
	const struct series *one, uint32_t low, int64_t ns, double *v)
{
	if (low == one->to || (low == one->from && s->at_ns[low] != ns))
		return false;
	*v = s->at_ns[low] == ns
		     ? s->value[low]
		     : pattern_series_interpolate(s, low - 1, low, ns);
	return true;
}

/* The value at the end of an execution; `high` is the first sample after it. */
static bool pattern_series_at_end(const struct counter_series_set *s,
	const struct series *one, uint32_t high, int64_t ns, double *v)
{
	if (high == one->from || (high == one->to && s->at_ns[high - 1] != ns))
		return false;
	*v = s->at_ns[high - 1] == ns
		     ? s->value[high - 1]
		     : pattern_series_interpolate(s, high - 1, high, ns);
	return true;
}

/* The first block whose samples are all at `low` or later. */
static uint32_t pattern_series_first_block(uint32_t low)
{
	return (low + SERIES_BLOCK - 1) / SERIES_BLOCK;
}

static void pattern_series_sum(const struct counter_series_set *s,
	double middle, uint32_t low, uint32_t high, struct series_sum *sum)
{
	for (uint32_t i = low; i < high; i++) {
		long double v = (long double)s->value[i] - middle;
		sum->value += v;
		sum->square += v * v;
	}
}

/* Mean and variance of the samples [low, high), which are at least two. */
static void pattern_series_inside(const struct counter_series_set *s,
	const struct series *one, uint32_t low, uint32_t high,
	struct counter_series_value *v)
{
	struct series_sum sum = { 0, 0 };
	double n = high - low, middle = one->middle;
	if (high - low <= DIRECT) {
		double mean = 0;
		for (uint32_t i = low; i < high; i++)
			mean += s->value[i] / n;
		pattern_series_sum(s, middle = mean, low, high, &sum);
	} else {
		uint32_t first = pattern_series_first_block(low),
			 last = (high - 1) / SERIES_BLOCK;
		sum.value = s->before[last].value - s->before[first].value;
		sum.square = s->before[last].square - s->before[first].square;
		pattern_series_sum(s, middle, low, first * SERIES_BLOCK, &sum);
		pattern_series_sum(s, middle, last * SERIES_BLOCK, high, &sum);
	}
	long double off = sum.value / n, variance = sum.square / n - off * off;
	v->mean = (double)(middle + off);
	v->variance = variance > 0 ? (double)variance : 0;
}

/* The value during [start_ns, end_ns]. False if an end is beyond the samples
 * and fewer than three samples are inside. */
static bool pattern_series_value(const struct counter_series_set *s,
	struct series *one, int64_t start_ns, int64_t end_ns,
	struct counter_series_value *v)
{
	uint32_t low =
		pattern_series_first_from(s->at_ns, one->at, one->to, start_ns);
	uint32_t high =
		pattern_series_first_from(s->at_ns, low, one->to, end_ns + 1);
	double at[2];

	one->at = low;
	*v = (struct counter_series_value){ .interpolated = high - low < 3 };
	if (high - low >= 2)
		pattern_series_inside(s, one, low, high, v);
	if (!v->interpolated)
		return true;
	if (!pattern_series_at_start(s, one, low, start_ns, &at[0]) ||
		!pattern_series_at_end(s, one, high, end_ns, &at[1]))
		return false;
	v->mean = (at[0] + at[1]) / 2;
	return true;
}

/* The counters while each function ran: means weighted by duration, by
 * function, counter and iteration. */

/* Sums of a function, a counter and an iteration over the executions with a
 * value. */
struct pattern_counters_cell {
	double weight, mean, variance; /* sums of d, u·d and s²·d */
	uint32_t values, interpolated;
};

/* The counters of a row of p->patterns, and the position of their cells. */
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

/* Assigns cells to the rows, in order, until the limit is reached. */
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

/* Adds all counters of an execution to the cells of its iteration. Values are
 * computed over `len` nanoseconds from the execution's start. */
static void pattern_counters_weigh(struct pattern_counters *m,
	const struct execution *e, int64_t len, const struct pattern_share *of,
	uint32_t at)
{
	struct pattern_counters_cell *c = m->cells + of->cells + at;
	double d = (double)e->dur_ns;
	for (uint32_t i = 0; i < of->n; i++, c += m->p->patterns.iterations_n) {
		struct counter_series_value v;
		assert(m->s.list);
		if (!pattern_series_value(&m->s, &m->s.list[of->series + i],
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
		pattern_series_rewind(&m->s);
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
	const uint32_t *row_of, struct profile *p)
{
	struct pattern_counters m = { .p = p };
	const char *first = NULL;
	uint32_t cut = 0;

	if (proc->counter.from == proc->counter.to)
		return true;
	bool ok = pattern_series_from(&m.s, t, proc->counter, &x->threads,
			  p->arena, &p->notes) &&
		  pattern_counters_plan(&m, &cut, &first);
	if (ok)
		pattern_counters_sum(&m, x, place, row_of);
	ok = ok && pattern_counters_metrics(&m, cut, first);
	pattern_series_release(&m.s, p->arena);
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

	p->patterns = (struct patterns){ 0 };
	bool ok =
		pattern_executions_from(&m.x, t, process, kernel_of, rows, p) &&
		pattern_split(t, proc, kernel_of, &m.x, p) &&
		pattern_table_choose(p, m.x.functions_n, &m.place) &&
		pattern_sums(&m) &&
		pattern_execution_spread(&m.x, m.row_of, p) &&
		pattern_counters(t, proc, &m.x, m.place, m.row_of, p);
	pattern_executions_release(&m.x, p->arena);
	arena_drop(p->arena, m.place);
	arena_drop(p->arena, m.row_of);
	return ok;
}
