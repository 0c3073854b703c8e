/* pattern_execution.c - lists the executions of each function, and computes the
 * spread of their durations. */
#include "pattern_execution.h"
#include "catalog.h"
#include "copies.h"
#include "pattern_table.h"
#include "profile.h"
#include "sort.h"
#include "sync_call.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum pattern_execution_kind {
	KERNEL,
	GRAPH,
	COPY,
	CALL,
	THREADS = EXECUTION_THREADS
};

/* The key of a function. Hashed as bytes, so it must contain no padding. */
struct pattern_execution_key {
	uint32_t kind, what;
	int32_t device;
};

/* Finds the API calls in which the host waits for the device (sync_call.h).
 * The result is indexed by the id of a name in the trace. Nsight Systems
 * appends `_v3020` and `_ptsz` to names, so one API call may have several
 * names; the value is the id of its first name. It is NAMES_NONE for other
 * names. NULL if the arena is full. */
static uint32_t *pattern_execution_sync_calls(const struct trace *t,
	struct arena *a)
{
	uint32_t first[SYNC_CALLS];
	uint32_t *of = arena_grow(a, NULL, (size_t)t->names.n * sizeof *of);

	memset(first, 0xff, sizeof first);
	for (uint32_t id = 0; of && id < t->names.n; id++) {
		const struct name *n = &t->names.list[id];
		size_t i = sync_call_find(n->text, n->len);
		if (i < SYNC_CALLS && first[i] == NAMES_NONE)
			first[i] = id;
		of[id] = i < SYNC_CALLS ? first[i] : NAMES_NONE;
	}
	return of;
}

/* Per iteration: the time that threads run on CPUs, and the time that they wait
 * for a CPU.
 *
 * kernsift's collector reads how long a process's threads have run and waited
 * so far (`oncpu`, `runq`: collector/counters/counters.def). The time in an
 * iteration is the difference of the totals at its end and its start. These are
 * interpolated linearly between the readings around the moment. If a kept
 * iteration is before the first or after the last reading, no iteration has a
 * value, because that iteration would be treated as zero. A note reports
 * this. */

/* The readings of one total, in order of time. */
struct thread_time_readings {
	const struct counter_rows *rows;
	uint32_t id, at, to; /* the next one to look at; behind the last */
	double before,
		after; /* those around the last moment that was looked up */
	int64_t before_ns, after_ns; /* INT64_MAX: none is left */
};

static bool pattern_threads_is_reading(const struct counter_rows *c, uint32_t i,
	uint32_t id)
{
	return c->name[i] == id && c->device[i] < 0;
}

/* Moves to the next reading; false if there is none. */
static bool pattern_threads_next(struct thread_time_readings *r)
{
	r->before = r->after;
	r->before_ns = r->after_ns;
	while (r->at < r->to &&
		!pattern_threads_is_reading(r->rows, r->at, r->id))
		r->at++;
	if (r->at == r->to)
		return false;
	r->after = r->rows->value[r->at];
	r->after_ns = r->rows->start_ns[r->at++];
	return true;
}

/* The total at a moment, which must not be before the last moment that was
 * requested. NaN outside of the readings. */
static double pattern_threads_total_at(struct thread_time_readings *r,
	int64_t at_ns)
{
	while (r->after_ns < at_ns)
		if (!pattern_threads_next(r))
			return NAN;
	if (at_ns == r->after_ns)
		return r->after;
	if (r->before_ns > at_ns)
		return NAN;
	return r->before +
	       (r->after - r->before) *
		       ((double)(at_ns - r->before_ns) /
			       (double)(r->after_ns - r->before_ns));
}

/* Whether the samples are a total: numbers that never decrease. */
static bool pattern_threads_grows(const struct counter_rows *c,
	struct slice rows, uint32_t id)
{
	double last = -1;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		if (!pattern_threads_is_reading(c, i, id))
			continue;
		if (!(c->value[i] >= fmax(last, 0) && c->value[i] < 1e18))
			return false;
		last = c->value[i];
	}
	return last >= 0;
}

static struct thread_time_readings pattern_threads_readings_of(
	const struct trace *t, const struct process *proc, uint32_t id)
{
	struct thread_time_readings r = { .rows = &t->counter,
		.id = id,
		.at = proc->counter.from,
		.to = proc->counter.to,
		.after_ns = INT64_MIN };
	pattern_threads_next(&r);
	r.before_ns = INT64_MAX; /* nothing is before the first */
	return r;
}

/* Fills the times. Returns how many kept iterations are outside of the
 * readings. */
static uint32_t pattern_threads_fill(struct thread_total *x,
	const struct trace *t, const struct process *proc,
	const struct iterations *all)
{
	struct thread_time_readings r =
		pattern_threads_readings_of(t, proc, x->id);
	int64_t first_ns = trace_first_ns(t, proc);
	uint32_t beyond = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct iteration *c = &all->iterations[i];
		int64_t at_ns = first_ns + c->start_ns;
		double begin = pattern_threads_total_at(&r, at_ns);
		double end = pattern_threads_total_at(&r, at_ns + c->dur_ns);
		bool known = !isnan(begin) && !isnan(end);
		x->dur_ns[i] = known ? llround(end - begin) : -1;
		beyond += !known && c->use == ITERATION_KEPT;
	}
	return beyond;
}

/* The id of the name if the process has a total of this name, else 0. */
static uint32_t pattern_threads_total_of(const struct trace *t,
	const struct process *proc, const char *name)
{
	uint32_t id = names_find(&t->names, name, strlen(name));
	if (!t->format || strcmp(t->format, "cupti") || id == NAMES_NONE)
		return 0;
	return pattern_threads_grows(&t->counter, proc->counter, id) ? id : 0;
}

/* Needs p->iterations. False if the arena is full. */
static bool pattern_threads_from(struct thread_time *s, const struct trace *t,
	const struct process *proc, struct profile *p)
{
	uint32_t beyond = 0;

	*s = (struct thread_time){ {
		{ .name = "oncpu", .type = FUNCTION_oncpu },
		{ .name = "runq", .type = FUNCTION_runq },
	} };
	for (int i = 0; i < THREAD_TOTALS; i++) {
		struct thread_total *x = &s->total[i];
		x->id = pattern_threads_total_of(t, proc, x->name);
		if (!x->id)
			continue;
		x->dur_ns = arena_grow(p->arena, NULL,
			((size_t)p->iterations.n + 1) * sizeof *x->dur_ns);
		if (!x->dur_ns)
			return false;
		uint32_t n = pattern_threads_fill(x, t, proc, &p->iterations);
		beyond = n > beyond ? n : beyond;
		if (n) {
			arena_drop(p->arena, x->dur_ns);
			x->dur_ns = NULL;
		}
	}
	if (beyond)
		note_add(&p->notes, NOTE_thread_time_short, beyond, NULL, 0);
	return true;
}

static void pattern_threads_release(struct thread_time *s, struct arena *a)
{
	for (int i = 0; i < THREAD_TOTALS; i++)
		arena_drop(a, s->total[i].dur_ns);
}

struct pattern_execution_maker {
	struct executions *x;
	const struct trace *t;
	const struct process *proc;
	const struct profile *p;
	const struct iteration_rows *rows;
	struct arena *a;
	struct pattern_execution_key last_key;
	uint32_t
		last; /* function of last_key; neighboring rows often have the same */
};

static const char *pattern_execution_name(const char *text)
{
	return *text ? text : "(unnamed)";
}

static const char *pattern_execution_device_text(struct arena *a,
	int32_t number)
{
	return number < 0 ? "GPU" : arena_printf(a, "GPU %d", (int)number);
}

static struct pattern
pattern_execution_function_of(const struct pattern_execution_maker *m,
	const struct pattern_execution_key *k)
{
	struct pattern f = { .number = k->device };
	const struct profile_kernel *kernel;
	const struct name *n;

	switch ((enum pattern_execution_kind)k->kind) {
	case KERNEL:
		kernel = &m->p->kernels[k->what];
		f.name = kernel->name;
		f.type = family_is_collective(kernel->source.family)
				 ? FUNCTION_gpu_comm
				 : FUNCTION_gpu_compute;
		break;
	case GRAPH:
		f.name = pattern_execution_name(
			names_text(&m->t->names, k->what));
		f.type = FUNCTION_gpu_graph;
		break;
	case COPY:
		n = &m->t->names.list[k->what >> 1];
		f.name = pattern_execution_name(n->text);
		f.type = copies_operation_type(
			copies_operation(n->text, n->len, k->what & 1));
		break;
	case CALL:
		n = &m->t->names.list[k->what];
		f.name = sync_call_name(sync_call_find(n->text, n->len));
		f.type = FUNCTION_sync;
		break;
	case THREADS:
		f.name = m->x->threads.total[k->what].name;
		f.type = m->x->threads.total[k->what].type;
		break;
	}
	f.device = k->kind >= CALL
			   ? "Host"
			   : pattern_execution_device_text(m->a, k->device);
	return f;
}

static bool pattern_execution_add_function(struct pattern_execution_maker *m,
	const struct pattern_execution_key *k)
{
	struct executions *x = m->x;
	if (x->functions_n == x->functions_cap) {
		uint32_t cap = x->functions_cap ? x->functions_cap * 2 : 64;
		void *grown = arena_grow(m->a, x->functions,
			(size_t)cap * sizeof *x->functions);
		if (!grown)
			return false;
		x->functions = grown;
		x->functions_cap = cap;
	}
	struct pattern_function *f = &x->functions[x->functions_n++];
	*f = (struct pattern_function){ pattern_execution_function_of(m, k),
		-1 };
	return f->is.device;
}

/* Finds the function of a key and adds it if it is new. Returns false if the
 * arena is full. */
static bool pattern_execution_find_function(struct pattern_execution_maker *m,
	const struct pattern_execution_key *k)
{
	struct executions *x = m->x;
	if (x->functions_n && !memcmp(k, &m->last_key, sizeof *k))
		return true;
	uint32_t id = names_put(&x->keys, (const char *)k, sizeof *k);
	if (id == NAMES_NONE ||
		(id > x->functions_n && !pattern_execution_add_function(m, k)))
		return false;
	m->last_key = *k;
	m->last = id - 1;
	return true;
}

static bool pattern_execution_add(struct pattern_execution_maker *m,
	const struct pattern_execution_key *k, int64_t start_ns, int64_t dur_ns,
	uint32_t iteration)
{
	if (iteration == ITERATION_NONE)
		return true;
	if (!pattern_execution_find_function(m, k))
		return false;
	m->x->list[m->x->n++] =
		(struct execution){ start_ns, dur_ns, m->last, iteration };
	return true;
}

static bool pattern_execution_add_kernels(struct pattern_execution_maker *m,
	const uint32_t *kernel_of)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct slice rows = m->proc->kernel;
	for (uint32_t i = 0; i < rows.to - rows.from; i++)
		if (!pattern_execution_add(m,
			    &(struct pattern_execution_key){ KERNEL,
				    kernel_of[i], k->device[rows.from + i] },
			    k->start_ns[rows.from + i],
			    k->dur_ns[rows.from + i], m->rows->kernel[i]))
			return false;
	m->x->end[KERNEL] = m->x->n;
	return true;
}

static bool pattern_execution_add_graphs(struct pattern_execution_maker *m)
{
	const struct graph_rows *g = &m->t->graph;
	struct slice rows = m->proc->graph;
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (!pattern_execution_add(m,
			    &(struct pattern_execution_key){ GRAPH, g->name[i],
				    g->device[i] },
			    g->start_ns[i], g->dur_ns[i],
			    m->rows->graph[i - rows.from]))
			return false;
	m->x->end[GRAPH] = m->x->n;
	return true;
}

static bool pattern_execution_add_copies(struct pattern_execution_maker *m)
{
	const struct copy_rows *c = &m->t->copy;
	struct slice rows = m->proc->copy;
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (!pattern_execution_add(m,
			    &(struct pattern_execution_key){ COPY,
				    c->name[i] << 1 | (c->is_set[i] != 0),
				    c->device[i] },
			    c->start_ns[i], c->dur_ns[i],
			    m->rows->copy[i - rows.from]))
			return false;
	m->x->end[COPY] = m->x->n;
	return true;
}

/* Names of one call with and without a suffix are one function, which has the
 * id of the first name. */
static bool pattern_execution_add_calls(struct pattern_execution_maker *m,
	const uint32_t *sync, int64_t first_ns)
{
	const struct call_rows *c = &m->t->call;
	const struct iterations *all = &m->p->iterations;
	struct slice rows = m->proc->call;
	uint32_t at = 0;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		int64_t start_ns = c->start_ns[i] - first_ns;
		if (sync[c->name[i]] == NAMES_NONE)
			continue;
		while (at < all->n &&
			all->iterations[at].start_ns +
					all->iterations[at].dur_ns <=
				start_ns)
			at++;
		if (at == all->n)
			break;
		if (start_ns >= all->iterations[at].start_ns &&
			!pattern_execution_add(m,
				&(struct pattern_execution_key){ CALL,
					sync[c->name[i]], -1 },
				c->start_ns[i], c->dur_ns[i], at))
			return false;
	}
	m->x->end[CALL] = m->x->n;
	return true;
}

/* By iteration, so that starts are in order. */
static bool pattern_execution_add_threads(struct pattern_execution_maker *m,
	int64_t first_ns)
{
	const struct iterations *all = &m->p->iterations;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < THREAD_TOTALS; k++) {
			const int64_t *dur_ns = m->x->threads.total[k].dur_ns;
			if (dur_ns && dur_ns[i] >= 0 &&
				!pattern_execution_add(m,
					&(struct pattern_execution_key){
						THREADS, k, -1 },
					first_ns + all->iterations[i].start_ns,
					dur_ns[i], i))
				return false;
		}
	m->x->end[THREADS] = m->x->n;
	return true;
}

bool pattern_executions_from(struct executions *x, const struct trace *t,
	uint32_t process, const uint32_t *kernel_of,
	const struct iteration_rows *rows, struct profile *p)
{
	const struct process *proc = &t->processes[process];
	struct pattern_execution_maker m = { .x = x,
		.t = t,
		.proc = proc,
		.p = p,
		.rows = rows,
		.a = p->arena };
	*x = (struct executions){ 0 };
	x->sync = pattern_execution_sync_calls(t, m.a);
	size_t most = (size_t)(proc->kernel.to - proc->kernel.from) +
		      (proc->graph.to - proc->graph.from) +
		      (proc->copy.to - proc->copy.from) +
		      (size_t)p->iterations.n * THREAD_TOTALS;
	for (uint32_t i = proc->call.from; x->sync && i < proc->call.to; i++)
		most += x->sync[t->call.name[i]] != NAMES_NONE;
	x->list = arena_grow(m.a, NULL, (most + 1) * sizeof *x->list);
	bool ok = x->sync && x->list && names_init(&x->keys, m.a) &&
		  pattern_threads_from(&x->threads, t, proc, p) &&
		  pattern_execution_add_kernels(&m, kernel_of) &&
		  pattern_execution_add_graphs(&m) &&
		  pattern_execution_add_copies(&m) &&
		  pattern_execution_add_calls(&m, x->sync,
			  trace_first_ns(t, proc)) &&
		  pattern_execution_add_threads(&m, trace_first_ns(t, proc));
	return ok;
}

void pattern_executions_release(struct executions *x, struct arena *a)
{
	arena_drop(a, x->list);
	arena_drop(a, x->functions);
	arena_drop(a, x->sync);
	pattern_threads_release(&x->threads, a);
}

/* The spread of durations: gathers them by function, sorts them and keeps a
 * few. */

struct gathered {
	uint32_t seen, all; /* executions in kept iterations */
	uint32_t n; /* number taken */
	int64_t *ns; /* room for those */
};

static bool pattern_execution_spread_kept(const struct profile *p,
	const struct execution *e)
{
	return p->iterations.iterations[e->iteration].use == ITERATION_KEPT;
}

/* Whether the next of `all` executions is in an evenly spaced selection of
 * PATTERN_SPREAD_FROM. */
static bool pattern_execution_spread_taken(const struct gathered *g)
{
	uint64_t most = PATTERN_SPREAD_FROM;
	if (g->all <= most)
		return true;
	return (g->seen + 1) * most / g->all > g->seen * most / g->all;
}

static void pattern_execution_spread_pick(const struct gathered *g,
	int64_t *spread_ns)
{
	const uint32_t last = PATTERN_SPREAD - 1;
	sort_int64(g->ns, g->n);
	for (uint32_t i = 0; i <= last; i++)
		spread_ns[i] =
			g->ns[((uint64_t)i * (g->n - 1) + last / 2) / last];
}

static bool pattern_execution_spread_room(struct gathered *g, uint32_t rows,
	struct arena *a, int64_t **list)
{
	size_t all = 0;
	for (uint32_t i = 0; i < rows; i++)
		all += g[i].all < PATTERN_SPREAD_FROM ? g[i].all
						      : PATTERN_SPREAD_FROM;
	*list = arena_grow(a, NULL, (all + 1) * sizeof **list);
	all = 0;
	for (uint32_t i = 0; *list && i < rows; i++) {
		g[i].ns = *list + all;
		all += g[i].all < PATTERN_SPREAD_FROM ? g[i].all
						      : PATTERN_SPREAD_FROM;
	}
	return *list;
}

static bool pattern_execution_spread_spreads(struct gathered *g,
	struct profile *p)
{
	struct patterns *to = &p->patterns;
	int64_t *cells = arena_grow(p->arena, NULL,
		((size_t)to->n * PATTERN_SPREAD + 1) * sizeof *cells);
	for (uint32_t i = 0; cells && i < to->n; i++) {
		if (!g[i].n)
			continue;
		to->rows[i].spread_ns = cells + (size_t)i * PATTERN_SPREAD;
		pattern_execution_spread_pick(&g[i], to->rows[i].spread_ns);
	}
	return cells;
}

bool pattern_execution_spread(const struct executions *x,
	const uint32_t *row_of, struct profile *p)
{
	uint32_t rows = p->patterns.n;
	struct gathered *g = arena_array(p->arena, struct gathered, rows + 1);
	int64_t *list = NULL;

	for (uint32_t i = 0; g && i < x->n; i++) {
		uint32_t row = row_of[x->list[i].function];
		if (row != PATTERN_NO_ROW)
			g[row].all +=
				pattern_execution_spread_kept(p, &x->list[i]);
	}
	bool ok = g && pattern_execution_spread_room(g, rows, p->arena, &list);
	for (uint32_t i = 0; ok && i < x->n; i++) {
		uint32_t row = row_of[x->list[i].function];
		if (row == PATTERN_NO_ROW ||
			!pattern_execution_spread_kept(p, &x->list[i]))
			continue;
		if (pattern_execution_spread_taken(&g[row]))
			g[row].ns[g[row].n++] = x->list[i].dur_ns;
		g[row].seen++;
	}
	ok = ok && pattern_execution_spread_spreads(g, p);
	arena_drop(p->arena, list);
	return ok;
}
