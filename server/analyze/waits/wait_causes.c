/* wait_causes.c - lists the idle intervals between GPU records, and divides
 * each between its causes. */
#include "wait_causes.h"
#include "callpath.h"
#include "correlation.h"
#include "profile.h"
#include "sync_call.h"
#include "trace.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum wait_causes_rows_kind { KERNEL, GRAPH, COPY, KINDS };

/* The records of one kind. `stream` and so on are by row of the trace. */
struct wait_causes_rows {
	const int64_t *start_ns, *dur_ns, *stream, *correlation;
	const int32_t *device;
	const uint32_t *call_of; /* index 0: the first row of the slice */
	uint32_t from, at, to;
};

struct wait_causes_record {
	int64_t start_ns, end_ns, stream, correlation;
	uint32_t call; /* CORRELATION_NONE */
	int32_t device;
	enum wait_causes_rows_kind kind;
	uint32_t row;
};

/* An interval in which nothing runs. It has no record before it at the start of
 * a trace, and none after it at the end. */
struct wait_causes_gap {
	int64_t from_ns, to_ns;
	const struct wait_causes_record *before, *after;
};

/* What a thread of the host does. Intervals are read in the order of time, so
 * that positions only increase. */
struct wait_causes_lane {
	uint32_t call, call_to; /* indices in `waiting` */
	uint32_t span, span_to; /* indices in spans.spans */
	uint32_t open; /* the innermost open span; 0 none */
};

/* An open span, in the list of its lane from the innermost outwards. Spans that
 * ended are removed when they become the innermost. Element 0 is not used. */
struct wait_causes_open {
	int64_t end_ns;
	uint32_t out; /* the next one outwards; 0 none */
	uint32_t name;
	enum frame_kind kind;
};

/* The key of a name's time. Hashed as bytes, so it must contain no padding. */
struct wait_causes_key {
	uint32_t cause, kind;
	uint32_t name; /* WAIT_KIND_CALL: in trace.names; else a node of
		`frames` */
};

/* An interval with its time in kept iterations. */
struct wait_causes_long {
	int64_t start_ns, idle_ns, cause_ns[WAIT_CAUSES];
	struct wait_causes_record before, after;
	bool any_before, any_after;
	uint32_t iteration;
	struct wait_causes_named {
		struct wait_causes_key key;
		int64_t ns;
	} host[WAIT_CAUSES]; /* the longest named part of each cause */
};

/* The longest intervals, if they are wanted. */
struct wait_causes_longest {
	struct wait_causes_long *rows; /* longest first */
	uint32_t n, most;
	int64_t all, all_ns;
	struct wait_causes_long now; /* the interval that is divided */
};

enum wait_causes_call { NOT_SEEN, NO_WAIT, SYNC_WAIT, COPY_WAIT };

struct wait_causes_maker {
	const struct trace *t;
	const struct process *proc;
	struct profile *p;
	struct arena a; /* for temporary data */
	struct wait_causes_rows rows[KINDS];
	uint8_t *wait_of; /* by id of an API call's name: wait_causes_call */
	uint8_t *blocking; /* by API call of the process: copies to pageable
		memory */
	struct callpath_spans spans;
	struct wait_causes_lane *lanes; /* 0: API calls of an unknown thread */
	uint32_t *waiting; /* API calls in which the host waits, by lane */
	struct wait_causes_open *open;
	uint32_t open_n, open_cap, spare; /* spare: free elements, by `out` */
	struct frame_tree frames;
	struct names keys; /* of struct wait_causes_key; id = its sum + 1 */
	int64_t *sum_ns;
	uint32_t sums_cap;
	uint32_t first, iteration; /* iterations that may contain the gap, and
		the one that is filled */
	uint32_t last_call; /* of the last launch whose API call is known */
	int64_t first_ns; /* iterations count from here */
	struct wait_causes_longest longest;
	/* wait_causes_parts(): the parts, and where the next one begins. */
	struct arena *listing; /* NULL: parts are not listed */
	struct wait_part *parts;
	uint32_t parts_n, parts_cap;
	int64_t at_ns;
};

static bool wait_causes_name(struct wait_causes_maker *m, enum wait_cause cause,
	enum wait_kind kind, uint32_t name, int64_t ns)
{
	struct wait_causes_key k = { cause, kind, name };
	struct wait_causes_named *longest = &m->longest.now.host[cause];
	if (ns > longest->ns)
		*longest = (struct wait_causes_named){ k, ns };
	uint32_t id = names_put(&m->keys, (const char *)&k, sizeof k);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->sums_cap) {
		uint32_t cap = (id + 1) * 2;
		int64_t *grown = arena_grow(&m->a, m->sum_ns,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		memset(grown + m->sums_cap, 0,
			(size_t)(cap - m->sums_cap) * sizeof *grown);
		m->sum_ns = grown;
		m->sums_cap = cap;
	}
	m->sum_ns[id] += ns;
	return true;
}

static bool wait_causes_kept(const struct wait_causes_maker *m)
{
	return m->p->iterations.iterations[m->iteration].use == ITERATION_KEPT;
}

/* Lists a part that follows the part before it, or continues it. If the arena is
 * full, the part is left out, and the arena says so. */
static void wait_causes_append(struct wait_causes_maker *m,
	enum wait_cause cause, int64_t ns)
{
	struct wait_part *last = m->parts_n ? &m->parts[m->parts_n - 1] : NULL;
	int64_t at_ns = m->at_ns;

	m->at_ns += ns;
	if (last && last->cause == cause &&
		last->start_ns + last->dur_ns == at_ns) {
		last->dur_ns += ns;
		return;
	}
	if (m->parts_n == m->parts_cap) {
		uint32_t cap = m->parts_cap ? m->parts_cap * 2 : 1024;
		struct wait_part *grown = arena_grow(m->listing, m->parts,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return;
		m->parts = grown;
		m->parts_cap = cap;
	}
	assert(m->parts && m->parts_n < m->parts_cap);
	m->parts[m->parts_n++] = (struct wait_part){ at_ns, ns, cause };
}

/* Adds the time of one cause in one interval. */
static void wait_causes_add(struct wait_causes_maker *m, enum wait_cause cause,
	int64_t ns)
{
	struct wait_times *w = &m->p->waits;

	if (ns <= 0)
		return;
	if (m->listing)
		wait_causes_append(m, cause, ns);
	w->iteration_ns[cause][m->iteration] += ns;
	if (!wait_causes_kept(m))
		return;
	w->time_ns[cause] += ns;
	w->parts[cause]++;
	m->longest.now.cause_ns[cause] += ns;
	m->longest.now.idle_ns += ns;
}

/* ---- What the host does */

static uint32_t wait_causes_open_alloc(struct wait_causes_maker *m)
{
	uint32_t e = m->spare;

	if (e) {
		m->spare = m->open[e].out;
		return e;
	}
	if (m->open_n >= m->open_cap) {
		uint32_t cap = m->open_cap ? m->open_cap * 2 : 256;
		struct wait_causes_open *grown =
			arena_grow(&m->a, m->open, (size_t)cap * sizeof *grown);
		if (!grown)
			return 0;
		m->open = grown;
		m->open_cap = cap;
	}
	return m->open_n++;
}

static void wait_causes_close(struct wait_causes_maker *m,
	struct wait_causes_lane *l, int64_t at_ns)
{
	while (l->open && m->open[l->open].end_ns <= at_ns) {
		uint32_t e = l->open;
		l->open = m->open[e].out;
		m->open[e].out = m->spare;
		m->spare = e;
	}
}

/* Opens the spans of a lane that began by a moment, and closes those that
 * ended. Returns the start of the next span, at most `to_ns`; -1 if the arena is
 * full. */
static int64_t wait_causes_advance(struct wait_causes_maker *m,
	struct wait_causes_lane *l, int64_t at_ns, int64_t to_ns)
{
	int64_t next = to_ns;

	for (; l->span < l->span_to; l->span++) {
		struct callpath_span s =
			callpath_spans_at(&m->spans, m->spans.spans[l->span]);
		if (s.start_ns > at_ns) {
			next = s.start_ns < to_ns ? s.start_ns : to_ns;
			break;
		}
		if (s.end_ns <= at_ns)
			continue;
		wait_causes_close(m, l, s.start_ns);
		uint32_t e = wait_causes_open_alloc(m);
		if (!e)
			return -1;
		m->open[e] = (struct wait_causes_open){ s.end_ns, l->open,
			s.name, s.kind };
		l->open = e;
	}
	wait_causes_close(m, l, at_ns);
	return next;
}

static const enum wait_kind wait_causes_kind_of[] = {
	[FRAME_ANNOTATION] = WAIT_KIND_ANNOTATION,
	[FRAME_MODULE] = WAIT_KIND_MODULE,
	[FRAME_PYTHON] = WAIT_KIND_PYTHON,
	[FRAME_OP] = WAIT_KIND_OP,
};

/* Adds the time of a host gap to the spans that are innermost in it. */
static bool wait_causes_host_names(struct wait_causes_maker *m,
	struct wait_causes_lane *l, int64_t from_ns, int64_t to_ns)
{
	while (from_ns < to_ns) {
		int64_t next = wait_causes_advance(m, l, from_ns, to_ns);
		if (next < 0)
			return false;
		if (l->open) {
			const struct wait_causes_open *o = &m->open[l->open];
			next = o->end_ns < next ? o->end_ns : next;
			uint32_t node = frame_tree_child(&m->frames, 0, o->kind,
				o->name);
			/* 0: the tree is full, so that the name is left out. */
			if (node == NAMES_NONE ||
				(node && !wait_causes_name(m, WAIT_HOST_GAP,
						 wait_causes_kind_of[o->kind],
						 node, next - from_ns)))
				return false;
		}
		from_ns = next;
	}
	return true;
}

static int64_t wait_causes_call_end(const struct wait_causes_maker *m,
	uint32_t call)
{
	return m->t->call.start_ns[call] + m->t->call.dur_ns[call];
}

static enum wait_causes_call wait_causes_wait_of(struct wait_causes_maker *m,
	uint32_t call)
{
	static const char *const copies[] = { "cudaMemcpy", "cuMemcpy",
		"hipMemcpy" };
	uint32_t id = m->t->call.name[call];
	const struct name *n = &m->t->names.list[id];

	if (m->wait_of[id] == NOT_SEEN) {
		m->wait_of[id] = NO_WAIT;
		for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
			if (!strncmp(n->text, copies[i], strlen(copies[i])) &&
				!strstr(n->text, "Async"))
				m->wait_of[id] = COPY_WAIT;
		if (sync_call_find(n->text, n->len) < SYNC_CALLS)
			m->wait_of[id] = SYNC_WAIT;
	}
	return m->blocking[call - m->proc->call.from] ? COPY_WAIT
						      : m->wait_of[id];
}

/* Moves to the first call that ends after a moment. Of nested calls the
 * outermost began first, so it comes first. */
static bool wait_causes_next_call(const struct wait_causes_maker *m,
	struct wait_causes_lane *l, int64_t at_ns, uint32_t *call)
{
	while (l->call < l->call_to &&
		wait_causes_call_end(m, m->waiting[l->call]) <= at_ns)
		l->call++;
	if (l->call < l->call_to)
		*call = m->waiting[l->call];
	return l->call < l->call_to;
}

/* Adds a part of an interval in which the host has not begun the launch. The
 * time outside of calls that wait has the cause `other`. */
static bool wait_causes_host(struct wait_causes_maker *m,
	struct wait_causes_lane *l, int64_t from_ns, int64_t to_ns,
	enum wait_cause other)
{
	while (from_ns < to_ns) {
		enum wait_cause cause = other;
		int64_t next = to_ns;
		uint32_t call;
		if (wait_causes_next_call(m, l, from_ns, &call)) {
			bool inside = m->t->call.start_ns[call] <= from_ns;
			int64_t edge = inside ? wait_causes_call_end(m, call)
					      : m->t->call.start_ns[call];
			next = edge < to_ns ? edge : to_ns;
			if (inside)
				cause = wait_causes_wait_of(m, call) ==
							SYNC_WAIT
						? WAIT_SYNCHRONIZATION
						: WAIT_COPY;
		}
		wait_causes_add(m, cause, next - from_ns);
		bool ok = true;
		if (wait_causes_kept(m) && cause != other)
			ok = wait_causes_name(m, cause, WAIT_KIND_CALL,
				m->t->call.name[call], next - from_ns);
		else if (wait_causes_kept(m) && cause == WAIT_HOST_GAP)
			ok = wait_causes_host_names(m, l, from_ns, next);
		if (!ok)
			return false;
		from_ns = next;
	}
	return true;
}

static struct wait_causes_lane *
wait_causes_lane_of(const struct wait_causes_maker *m, uint32_t call)
{
	uint32_t thread = m->t->call.thread[call];

	return &m->lanes[thread ? m->spans.number_of[thread] : 0];
}

/* ---- Intervals */

/* Whether the records around an interval were launched by one launch of a
 * graph. */
static bool wait_causes_same_graph(const struct wait_causes_maker *m,
	const struct wait_causes_gap *g)
{
	const struct wait_causes_record *a = g->before, *b = g->after;

	if (!a || a->call != b->call)
		return false;
	if (b->call != CORRELATION_NONE)
		return strstr(names_text(&m->t->names,
				      m->t->call.name[b->call]),
			"GraphLaunch");
	/* One call launches several kernels only by a graph. */
	return b->correlation > 0 && a->correlation == b->correlation &&
	       (a->kind == KERNEL || b->kind == KERNEL);
}

/* The cause of time after the launch returned. */
static enum wait_cause wait_causes_device(const struct wait_causes_maker *m,
	const struct wait_causes_gap *g)
{
	const struct wait_causes_record *a = g->before, *b = g->after;

	if (wait_causes_same_graph(m, g))
		return WAIT_GRAPH;
	if (!a || wait_causes_call_end(m, b->call) > g->from_ns ||
		a->stream < 0 || b->stream < 0)
		return WAIT_UNKNOWN;
	return a->device != b->device || a->stream != b->stream ? WAIT_STREAM
								: WAIT_UNKNOWN;
}

/* Divides a part of an interval whose launch is known. */
static bool wait_causes_launched(struct wait_causes_maker *m,
	const struct wait_causes_gap *g, int64_t from_ns, int64_t to_ns)
{
	uint32_t call = g->after->call;
	int64_t begin = m->t->call.start_ns[call];
	int64_t returned = wait_causes_call_end(m, call);

	begin = begin < from_ns ? from_ns : begin > to_ns ? to_ns : begin;
	returned = returned < begin   ? begin
		   : returned > to_ns ? to_ns
				      : returned;
	if (!wait_causes_host(m, wait_causes_lane_of(m, call), from_ns, begin,
		    WAIT_HOST_GAP))
		return false;
	wait_causes_add(m, WAIT_LAUNCH, returned - begin);
	if (wait_causes_kept(m) && begin < returned &&
		!wait_causes_name(m, WAIT_LAUNCH, WAIT_KIND_CALL,
			m->t->call.name[call], returned - begin))
		return false;
	wait_causes_add(m, wait_causes_device(m, g), to_ns - returned);
	return true;
}

/* Longer intervals between two kernels are not the delay of a GPU that starts
 * one kernel after the other: the default of HTA (consecutive_kernel_delay). */
enum { SHORT_NS = 30 };

static void wait_causes_whole(struct wait_causes_maker *m,
	const struct wait_causes_gap *g, int64_t ns)
{
	struct wait_times *w = &m->p->waits;

	if (!wait_causes_kept(m) || !g->before || !g->after ||
		g->after->call == CORRELATION_NONE)
		return;
	if (m->t->call.start_ns[g->after->call] > g->from_ns)
		w->late_launch_ns += ns;
	else if (g->to_ns - g->from_ns <= SHORT_NS)
		w->short_ns += ns;
}

/* Adds the part of an interval that is in one iteration. */
static bool wait_causes_part(struct wait_causes_maker *m,
	const struct wait_causes_gap *g, int64_t from_ns, int64_t to_ns)
{
	m->at_ns = from_ns;
	wait_causes_whole(m, g, to_ns - from_ns);
	if (!g->after && m->last_call != CORRELATION_NONE)
		return wait_causes_host(m, wait_causes_lane_of(m, m->last_call),
			from_ns, to_ns, WAIT_UNKNOWN);
	if (g->after && g->after->call != CORRELATION_NONE)
		return wait_causes_launched(m, g, from_ns, to_ns);
	bool graph = g->after && m->proc->call.from < m->proc->call.to &&
		     wait_causes_same_graph(m, g);
	wait_causes_add(m, graph ? WAIT_GRAPH : WAIT_UNKNOWN, to_ns - from_ns);
	return true;
}

/* Keeps the interval that was divided if it is one of the longest. */
static void wait_causes_longest_add(struct wait_causes_longest *l,
	const struct wait_causes_gap *g)
{
	struct wait_causes_long *now = &l->now;
	uint32_t at = l->n;

	if (!l->most || !now->idle_ns)
		return;
	l->all++;
	l->all_ns += now->idle_ns;
	while (at > 0 && l->rows[at - 1].idle_ns < now->idle_ns)
		at--;
	if (at == l->most)
		return;
	l->n += l->n < l->most;
	memmove(&l->rows[at + 1], &l->rows[at],
		(l->n - 1 - at) * sizeof *l->rows);
	now->any_before = g->before != NULL;
	now->any_after = g->after != NULL;
	if (g->before)
		now->before = *g->before;
	if (g->after)
		now->after = *g->after;
	l->rows[at] = *now;
}

/* Notes where an interval begins in the first kept iteration that has a part of
 * it. */
static void wait_causes_longest_begin(struct wait_causes_maker *m,
	int64_t from_ns)
{
	struct wait_causes_long *now = &m->longest.now;

	if (now->idle_ns || !wait_causes_kept(m))
		return;
	now->start_ns = from_ns - m->first_ns;
	now->iteration = m->iteration;
}

static bool wait_causes_gap(struct wait_causes_maker *m,
	const struct wait_causes_gap *g)
{
	const struct iterations *all = &m->p->iterations;

	m->longest.now = (struct wait_causes_long){ 0 };
	for (; m->first < all->n; m->first++) {
		const struct iteration *c = &all->iterations[m->first];
		if (m->first_ns + c->start_ns + c->dur_ns > g->from_ns)
			break;
	}
	for (uint32_t i = m->first; i < all->n; i++) {
		int64_t from = m->first_ns + all->iterations[i].start_ns;
		int64_t to = from + all->iterations[i].dur_ns;
		if (from >= g->to_ns)
			break;
		m->iteration = i;
		from = from < g->from_ns ? g->from_ns : from;
		to = to > g->to_ns ? g->to_ns : to;
		if (from >= to)
			continue;
		wait_causes_longest_begin(m, from);
		if (!wait_causes_part(m, g, from, to))
			return false;
	}
	wait_causes_longest_add(&m->longest, g);
	return true;
}

/* Reads the next record of all kinds, by start. */
static bool wait_causes_next(struct wait_causes_maker *m,
	struct wait_causes_record *out)
{
	struct wait_causes_rows *r = NULL;

	for (int k = 0; k < KINDS; k++) {
		struct wait_causes_rows *of = &m->rows[k];
		if (of->at < of->to &&
			(!r || of->start_ns[of->at] < r->start_ns[r->at]))
			r = of;
	}
	if (!r)
		return false;
	uint32_t i = r->at++;
	*out = (struct wait_causes_record){ .start_ns = r->start_ns[i],
		.end_ns = r->start_ns[i] + r->dur_ns[i],
		.stream = r->stream[i],
		.correlation = r->correlation[i],
		.call = r->call_of[i - r->from],
		.device = r->device[i],
		.kind = (enum wait_causes_rows_kind)(r - m->rows),
		.row = i };
	return true;
}

static bool wait_causes_sweep(struct wait_causes_maker *m)
{
	struct wait_causes_record before = { .end_ns = INT64_MIN }, next;
	bool any = false;

	while (wait_causes_next(m, &next)) {
		struct wait_causes_gap g = { before.end_ns, next.start_ns,
			any ? &before : NULL, &next };
		if (next.start_ns > before.end_ns && !wait_causes_gap(m, &g))
			return false;
		if (next.call != CORRELATION_NONE)
			m->last_call = next.call;
		if (!any || next.end_ns >= before.end_ns)
			before = next;
		any = true;
	}
	struct wait_causes_gap last = { before.end_ns, INT64_MAX,
		any ? &before : NULL, NULL };
	return wait_causes_gap(m, &last);
}

/* ---- What is read before the sweep */

static bool wait_causes_rows(struct wait_causes_maker *m,
	const uint32_t *call_of)
{
	const struct trace *t = m->t;
	const struct process *proc = m->proc;
	uint32_t *graph, *copy;

	if (!correlation_join_rows(t, proc, t->graph.correlation,
		    t->graph.start_ns, proc->graph, &m->a, &graph) ||
		!correlation_join_rows(t, proc, t->copy.correlation,
			t->copy.start_ns, proc->copy, &m->a, &copy))
		return false;
#define ROWS(kind, calls)                                                   \
	(struct wait_causes_rows){ t->kind.start_ns, t->kind.dur_ns,        \
		t->kind.stream, t->kind.correlation, t->kind.device, calls, \
		proc->kind.from, proc->kind.from, proc->kind.to }
	m->rows[KERNEL] = ROWS(kernel, call_of);
	m->rows[GRAPH] = ROWS(graph, graph);
	m->rows[COPY] = ROWS(copy, copy);
#undef ROWS
	return true;
}

/* Marks the API calls that copied to pageable memory. */
static bool wait_causes_blocking(struct wait_causes_maker *m)
{
	const struct wait_causes_rows *r = &m->rows[COPY];

	m->blocking = arena_grow(&m->a, NULL,
		(size_t)(m->proc->call.to - m->proc->call.from) + 1);
	for (uint32_t i = r->from; m->blocking && i < r->to; i++) {
		uint32_t call = r->call_of[i - r->from];
		if (call != CORRELATION_NONE &&
			strstr(names_text(&m->t->names, m->t->copy.name[i]),
				"-> Pageable"))
			m->blocking[call - m->proc->call.from] = 1;
	}
	return m->blocking;
}

/* Lists the calls in which a launching thread waits, lane by lane. */
static bool wait_causes_waiting(struct wait_causes_maker *m)
{
	struct slice calls = m->proc->call;
	uint32_t n = 0;

	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = calls.from; i < calls.to; i++) {
			uint32_t thread = m->t->call.thread[i];
			struct wait_causes_lane *l = wait_causes_lane_of(m, i);
			if ((thread && l == m->lanes) ||
				wait_causes_wait_of(m, i) == NO_WAIT)
				continue;
			if (fill)
				m->waiting[l->call_to] = i;
			l->call_to++;
		}
		for (uint32_t l = 0; !fill && l <= m->spans.n; l++) {
			uint32_t count = m->lanes[l].call_to;
			m->lanes[l].call = m->lanes[l].call_to = n;
			n += count;
		}
		if (!fill)
			m->waiting = arena_grow(&m->a, NULL,
				((size_t)n + 1) * sizeof *m->waiting);
		if (!m->waiting)
			return false;
	}
	return true;
}

/* Makes the lanes of the threads that launched records. */
static bool wait_causes_lanes(struct wait_causes_maker *m)
{
	if (!callpath_spans_init(&m->spans, m->t, &m->a))
		return false;
	for (int k = 0; k < KINDS; k++) {
		const struct wait_causes_rows *r = &m->rows[k];
		for (uint32_t i = 0; i < r->to - r->from; i++)
			if (r->call_of[i] != CORRELATION_NONE)
				callpath_spans_want(&m->spans,
					m->t->call.thread[r->call_of[i]]);
	}
	m->lanes = arena_grow(&m->a, NULL,
		((size_t)m->spans.n + 1) * sizeof *m->lanes);
	m->wait_of = arena_grow(&m->a, NULL, (size_t)m->t->names.n + 1);
	if (!m->lanes || !m->wait_of ||
		!callpath_spans_fill(&m->spans, m->proc, &m->a))
		return false;
	for (uint32_t l = 1; l <= m->spans.n; l++) {
		m->lanes[l].span = m->spans.from[l];
		m->lanes[l].span_to = m->spans.from[l + 1];
	}
	return wait_causes_waiting(m);
}

/* ---- The result */

static int wait_causes_by_name(const void *left, const void *right)
{
	const struct wait_name *a = left, *b = right;

	if (a->cause != b->cause)
		return a->cause < b->cause ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int wait_causes_by_time(const void *left, const void *right)
{
	const struct wait_name *a = left, *b = right;

	if (a->cause != b->cause || a->time_ns == b->time_ns)
		return wait_causes_by_name(left, right);
	return a->time_ns > b->time_ns ? -1 : 1;
}

/* Keeps the names with the most time of each cause. Returns how many. */
static uint32_t wait_causes_rank(struct wait_name *list, uint32_t n)
{
	uint32_t merged = 0, kept = 0, of_cause = 0;

	qsort(list, n, sizeof *list, wait_causes_by_name);
	for (uint32_t i = 0; i < n; i++)
		if (merged && !wait_causes_by_name(&list[merged - 1], &list[i]))
			list[merged - 1].time_ns += list[i].time_ns;
		else
			list[merged++] = list[i];
	qsort(list, merged, sizeof *list, wait_causes_by_time);
	for (uint32_t i = 0; i < merged; i++) {
		bool same = kept && list[kept - 1].cause == list[i].cause;
		of_cause = same ? of_cause + 1 : 1;
		if (of_cause <= WAIT_NAMES_MAX)
			list[kept++] = list[i];
	}
	return kept;
}

/* The names with their times. NULL if the arena is full. */
static struct wait_name *wait_causes_list(struct wait_causes_maker *m)
{
	struct frame *frames;
	uint32_t n = m->keys.n - 1, frames_n;
	struct wait_name *list = arena_array(&m->a, struct wait_name, n + 1);

	if (!list || !frame_tree_frames(&m->frames, &frames, &frames_n))
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		struct wait_causes_key k;
		memcpy(&k, names_text(&m->keys, i + 1), sizeof k);
		const char *text;
		if (k.kind == WAIT_KIND_CALL) {
			const struct name *call = &m->t->names.list[k.name];
			text = arena_strndup(&m->a, call->text,
				sync_call_bare_len(call->text, call->len));
		} else {
			assert(k.name < frames_n);
			text = frames[k.name].name;
		}
		if (!text)
			return NULL;
		list[i] = (struct wait_name){ (enum wait_cause)k.cause,
			(enum wait_kind)k.kind, text, m->sum_ns[i + 1] };
	}
	return list;
}

static bool wait_causes_names(struct wait_causes_maker *m)
{
	struct wait_times *w = &m->p->waits;
	struct wait_name *list = wait_causes_list(m);
	uint32_t n = list ? wait_causes_rank(list, m->keys.n - 1) : 0;

	w->names = arena_array(m->p->arena, struct wait_name, (size_t)n + 1);
	if (!list || !w->names)
		return false;
	for (w->names_n = 0; w->names_n < n; w->names_n++) {
		struct wait_name *to = &w->names[w->names_n];
		*to = list[w->names_n];
		to->name = arena_strdup(m->p->arena, to->name);
		if (!to->name)
			return false;
	}
	return true;
}

static bool wait_causes_result(struct profile *p)
{
	for (int c = 0; c < WAIT_CAUSES; c++) {
		p->waits.iteration_ns[c] =
			arena_array(p->arena, int64_t, p->iterations.n);
		if (!p->waits.iteration_ns[c])
			return false;
	}
	return true;
}

/* Whether the causes of each iteration add up to its idle time. */
static bool wait_causes_complete(const struct profile *p)
{
	for (uint32_t i = 0; i < p->iterations.n; i++) {
		int64_t sum = 0;
		for (int c = 0; c < WAIT_CAUSES; c++)
			sum += p->waits.iteration_ns[c][i];
		if (sum != p->iterations.iterations[i].idle_ns)
			return false;
	}
	return true;
}

/* Divides all idle time. The result is in m->p->waits and m->longest. */
static bool wait_causes_divide(struct wait_causes_maker *m,
	const uint32_t *call_of)
{
	return wait_causes_result(m->p) && wait_causes_rows(m, call_of) &&
	       wait_causes_blocking(m) && wait_causes_lanes(m) &&
	       names_init(&m->keys, &m->a) &&
	       frame_tree_init(&m->frames, m->t, &m->a) && wait_causes_sweep(m);
}

static struct wait_causes_maker wait_causes_maker_of(const struct trace *t,
	const struct process *proc, struct profile *p)
{
	return (struct wait_causes_maker){ .t = t,
		.proc = proc,
		.p = p,
		.a = arena_scratch(p->arena),
		.open_n = 1,
		.last_call = CORRELATION_NONE,
		.first_ns = trace_first_ns(t, proc) };
}

bool wait_causes_from(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p)
{
	struct wait_causes_maker m = wait_causes_maker_of(t, proc, p);

	p->waits = (struct wait_times){ 0 };
	if (!p->iterations.n)
		return true;
	bool ok = wait_causes_divide(&m, call_of) && wait_causes_names(&m);
	assert(!ok || wait_causes_complete(p));
	arena_scratch_release(&m.a, p->arena);
	return ok;
}

/* ---- The longest intervals */

static const char *wait_causes_call_name(const struct wait_causes_maker *m,
	uint32_t id, struct arena *to)
{
	const struct name *n = &m->t->names.list[id];

	return arena_strndup(to, n->text, sync_call_bare_len(n->text, n->len));
}

/* False if the arena is full. */
static bool wait_causes_gap_end(const struct wait_causes_maker *m, bool any,
	const struct wait_causes_record *r, struct arena *to,
	struct wait_gap_end *out)
{
	static const enum wait_record kinds[KINDS] = {
		[KERNEL] = WAIT_RECORD_KERNEL,
		[GRAPH] = WAIT_RECORD_GRAPH,
		[COPY] = WAIT_RECORD_COPY,
	};
	const uint32_t *const names[KINDS] = { [KERNEL] = m->t->kernel.name,
		[GRAPH] = m->t->graph.name,
		[COPY] = m->t->copy.name };

	*out = (struct wait_gap_end){ .stream = -1, .device = -1 };
	if (!any)
		return true;
	*out = (struct wait_gap_end){ kinds[r->kind],
		arena_strdup(to,
			names_text(&m->t->names, names[r->kind][r->row])),
		r->stream, r->device };
	return out->name;
}

static bool wait_causes_gap_path(const struct callpath *from,
	const struct frame *frames, struct arena *to, struct wait_gap *g)
{
	for (uint32_t f = from->frame; f; f = frames[f].parent)
		g->path_n++;
	g->path = arena_array(to, struct frame, (size_t)g->path_n + 1);
	if (!g->path)
		return false;
	uint32_t at = g->path_n;
	for (uint32_t f = from->frame; f; f = frames[f].parent) {
		g->path[--at] = frames[f];
		g->path[at].name = arena_strdup(to, frames[f].name);
		if (!g->path[at].name)
			return false;
	}
	g->path_cut = from->cut;
	return true;
}

static int wait_causes_by_moment(const void *left, const void *right)
{
	const struct callpath *a = left, *b = right;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* Finds the path of each launch. callpath_find() needs ascending moments, so
 * `op`, which it does not use here, keeps the row of the result. */
static bool wait_causes_gap_paths(struct wait_causes_maker *m, struct arena *to,
	struct wait_gaps *out)
{
	const struct wait_causes_longest *l = &m->longest;
	struct callpath *paths = arena_array(&m->a, struct callpath, l->n + 1);
	uint32_t *row_of = arena_array(&m->a, uint32_t, l->n + 1);
	struct frame *frames;
	uint32_t n = 0, frames_n;

	if (!paths || !row_of)
		return false;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct wait_causes_record *r = &l->rows[i].after;
		if (l->rows[i].any_after && r->call != CORRELATION_NONE)
			paths[n++] = (struct callpath){
				.at_ns = m->t->call.start_ns[r->call],
				.thread = m->t->call.thread[r->call],
				.op = i
			};
	}
	qsort(paths, n, sizeof *paths, wait_causes_by_moment);
	for (uint32_t i = 0; i < n; i++) {
		row_of[i] = paths[i].op;
		paths[i].op = CALLPATH_NO_OP;
	}
	if (!callpath_find(&m->frames, m->proc, paths, n) ||
		!frame_tree_frames(&m->frames, &frames, &frames_n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!wait_causes_gap_path(&paths[i], frames, to,
			    &out->rows[row_of[i]]))
			return false;
	return true;
}

/* What the host did in the cause with the most time. */
static const struct wait_causes_named *wait_causes_gap_host(
	const struct wait_causes_long *l)
{
	int most = 0;

	for (int c = 1; c < WAIT_CAUSES; c++)
		if (l->cause_ns[c] > l->cause_ns[most])
			most = c;
	return &l->host[most];
}

/* The names of what the host did. Paths are not needed for them, but the frames
 * are. */
static bool wait_causes_gap_hosts(struct wait_causes_maker *m, struct arena *to,
	struct wait_gaps *out)
{
	struct frame *frames;
	uint32_t frames_n;

	if (!frame_tree_frames(&m->frames, &frames, &frames_n))
		return false;
	for (uint32_t i = 0; i < out->n; i++) {
		const struct wait_causes_named *host =
			wait_causes_gap_host(&m->longest.rows[i]);
		const struct wait_causes_key *k = &host->key;
		if (!host->ns)
			continue;
		const char *name =
			k->kind == WAIT_KIND_CALL
				? wait_causes_call_name(m, k->name, to)
				: arena_strdup(to, frames[k->name].name);
		if (!name)
			return false;
		out->rows[i].host =
			(struct wait_name){ (enum wait_cause)k->cause,
				(enum wait_kind)k->kind, name, host->ns };
	}
	return true;
}

static bool wait_causes_gap_rows(struct wait_causes_maker *m, struct arena *to,
	struct wait_gaps *out)
{
	const struct wait_causes_longest *l = &m->longest;

	*out = (struct wait_gaps){ .rows = arena_array(to, struct wait_gap,
					   (size_t)l->n + 1),
		.n = l->n,
		.all = l->all,
		.all_ns = l->all_ns };
	if (!out->rows)
		return false;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct wait_causes_long *from = &l->rows[i];
		struct wait_gap *g = &out->rows[i];
		g->start_ns = from->start_ns;
		g->idle_ns = from->idle_ns;
		memcpy(g->cause_ns, from->cause_ns, sizeof g->cause_ns);
		g->iteration =
			m->p->iterations.iterations[from->iteration].number;
		if (!wait_causes_gap_end(m, from->any_before, &from->before, to,
			    &g->before) ||
			!wait_causes_gap_end(m, from->any_after, &from->after,
				to, &g->after))
			return false;
		if (from->any_after && from->after.call != CORRELATION_NONE) {
			g->call = wait_causes_call_name(m,
				m->t->call.name[from->after.call], to);
			if (!g->call)
				return false;
		}
	}
	return wait_causes_gap_paths(m, to, out) &&
	       wait_causes_gap_hosts(m, to, out);
}

bool wait_causes_gaps(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, const struct profile *p, uint32_t most,
	struct arena *a, struct wait_gaps *out)
{
	struct profile own = { .arena = p->arena, .iterations = p->iterations };
	struct wait_causes_maker m = wait_causes_maker_of(t, proc, &own);

	assert(most > 0);
	*out = (struct wait_gaps){ 0 };
	m.longest.most = most;
	m.longest.rows = arena_array(&m.a, struct wait_causes_long, most);
	bool ok =
		m.longest.rows &&
		(!p->iterations.n || (wait_causes_divide(&m, call_of) &&
					     wait_causes_gap_rows(&m, a, out)));
	arena_scratch_release(&m.a, p->arena);
	return ok;
}

/* ---- The parts of a window */

bool wait_causes_parts(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, int64_t from_ns, int64_t to_ns,
	struct arena *a, struct wait_part **parts, uint32_t *n)
{
	/* One iteration that comparisons do not use: no names are collected. */
	struct iteration window = { .start_ns = from_ns,
		.dur_ns = to_ns - from_ns,
		.use = ITERATION_PARTIAL };
	struct profile p = { .arena = a,
		.iterations = { .iterations = &window, .n = 1 } };
	struct wait_causes_maker m = wait_causes_maker_of(t, proc, &p);

	m.first_ns = 0; /* the window has the trace's time */
	m.listing = a;
	bool ok = wait_causes_divide(&m, call_of);

	*parts = m.parts;
	*n = m.parts_n;
	arena_scratch_release(&m.a, a);
	return ok && !a->full;
}
