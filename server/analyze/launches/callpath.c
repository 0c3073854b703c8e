/* callpath.c - sweeps the spans of each thread once, keeps the open ones in a
 * list, and reads the path of each moment from the list. */
#include "callpath.h"
#include "profile.h"
#include "trace.h"
#include <stdlib.h>

bool callpath_spans_init(struct callpath_spans *l, const struct trace *t,
	struct arena *a)
{
	*l = (struct callpath_spans){ .t = t };
	l->number_of =
		arena_grow(a, NULL, (size_t)t->names.n * sizeof *l->number_of);
	return l->number_of;
}

static void callpath_spans_release(struct callpath_spans *l, struct arena *a)
{
	arena_drop(a, l->number_of);
	arena_drop(a, l->from);
	arena_drop(a, l->spans);
	*l = (struct callpath_spans){ 0 };
}

void callpath_spans_want(struct callpath_spans *l, uint32_t thread)
{
	if (thread && !l->number_of[thread])
		l->number_of[thread] = ++l->n;
}

struct callpath_span callpath_spans_at(const struct callpath_spans *l,
	uint32_t span)
{
	static const enum frame_kind kinds[] = {
		[RANGE_ANNOTATION] = FRAME_ANNOTATION,
		[RANGE_MODULE] = FRAME_MODULE,
		[RANGE_PYTHON] = FRAME_PYTHON,
	};
	const struct range_rows *r = &l->t->range;
	const struct op_rows *o = &l->t->op;

	if (span < r->n)
		return (struct callpath_span){ r->start_ns[span],
			r->start_ns[span] + r->dur_ns[span], r->name[span],
			kinds[r->kind[span]], UINT32_MAX };
	span -= r->n;
	return (struct callpath_span){ o->start_ns[span],
		o->start_ns[span] + o->dur_ns[span], o->name[span], FRAME_OP,
		span };
}

/* The thread of a range, 0 if it is in none. */
static uint32_t callpath_spans_thread_of_range(const struct callpath_spans *l,
	uint32_t row)
{
	const struct range_rows *r = &l->t->range;
	enum range_kind kind = r->kind[row];
	bool of_stack = kind == RANGE_ANNOTATION || kind == RANGE_MODULE ||
			kind == RANGE_PYTHON;
	return of_stack && r->dur_ns[row] ? l->number_of[r->thread[row]] : 0;
}

static uint32_t callpath_spans_thread_of_op(const struct callpath_spans *l,
	uint32_t row)
{
	const struct op_rows *o = &l->t->op;
	return o->dur_ns[row] ? l->number_of[o->thread[row]] : 0;
}

/* Counts the spans of each thread; thread l's count is in from[l + 1]. */
static void callpath_spans_count(struct callpath_spans *l,
	const struct process *proc)
{
	for (uint32_t i = proc->range.from; i < proc->range.to; i++)
		l->from[callpath_spans_thread_of_range(l, i) + 1]++;
	for (uint32_t i = proc->op.from; i < proc->op.to; i++)
		l->from[callpath_spans_thread_of_op(l, i) + 1]++;
	l->from[1] = 0; /* of no thread */
	for (uint32_t thread = 1; thread <= l->n; thread++)
		l->from[thread + 1] += l->from[thread];
}

/* Merges ranges and operators by start and appends each to its thread's
 * lane. */
static void callpath_spans_deal(struct callpath_spans *l,
	const struct process *proc, uint32_t *at)
{
	const struct range_rows *r = &l->t->range;
	const struct op_rows *o = &l->t->op;
	uint32_t i = proc->range.from, j = proc->op.from;

	while (i < proc->range.to || j < proc->op.to) {
		bool op = i == proc->range.to ||
			  (j < proc->op.to && o->start_ns[j] < r->start_ns[i]);
		uint32_t thread = op ? callpath_spans_thread_of_op(l, j)
				     : callpath_spans_thread_of_range(l, i);
		if (thread)
			l->spans[at[thread]++] = op ? r->n + j : i;
		if (op)
			j++;
		else
			i++;
	}
}

static int callpath_spans_longer_first(const void *left, const void *right,
	void *threads)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t a_end = callpath_spans_at(threads, a).end_ns;
	int64_t b_end = callpath_spans_at(threads, b).end_ns;

	if (a_end != b_end)
		return a_end > b_end ? -1 : 1;
	return (a > b) - (a < b);
}

static void callpath_spans_sort_equal_starts(struct callpath_spans *l,
	uint32_t from, uint32_t to)
{
	while (from < to) {
		int64_t start_ns =
			callpath_spans_at(l, l->spans[from]).start_ns;
		uint32_t end = from + 1;
		while (end < to &&
			callpath_spans_at(l, l->spans[end]).start_ns ==
				start_ns)
			end++;
		if (end - from > 1)
			qsort_r(l->spans + from, end - from, sizeof *l->spans,
				callpath_spans_longer_first, l);
		from = end;
	}
}

bool callpath_spans_fill(struct callpath_spans *l, const struct process *proc,
	struct arena *a)
{
	size_t threads = (size_t)l->n + 2;

	l->from = arena_grow(a, NULL, threads * sizeof *l->from);
	if (!l->from)
		return false;
	callpath_spans_count(l, proc);
	uint32_t n = l->from[l->n + 1];
	uint32_t *at = arena_grow(a, NULL, threads * sizeof *at);
	l->spans = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *l->spans);
	if (at && l->spans) {
		memcpy(at, l->from, threads * sizeof *at);
		callpath_spans_deal(l, proc, at);
		for (uint32_t thread = 1; thread <= l->n; thread++)
			callpath_spans_sort_equal_starts(l, l->from[thread],
				l->from[thread + 1]);
	}
	arena_drop(a, at);
	return at && l->spans;
}

/* An element of the list of open spans. The list runs from the outermost to the
 * innermost span. A span that has ended is removed when the list is next read,
 * so ended spans are visited only once. Element 0 is the sentinel at both ends
 * of the list. */
struct callpath_open {
	int64_t end_ns;
	uint32_t out, in; /* neighbors */
	uint32_t name, op;
	enum frame_kind kind;
	uint32_t under, node; /* `node` is its node below the node `under` */
};

struct callpath_sweep {
	struct frame_tree *ft;
	struct callpath_spans spans;
	struct callpath_open *open;
	uint32_t cap, used, spare; /* spare: free elements, by `in` */
	struct slice *of_thread; /* by lane: its range of indices in `moment` */
	uint32_t *moment; /* indices of paths, lane by lane */
};

static bool callpath_grow(struct callpath_sweep *s)
{
	uint32_t cap = s->cap ? s->cap * 2 : 256;
	struct callpath_open *grown =
		arena_grow(s->ft->arena, s->open, (size_t)cap * sizeof *grown);

	if (!grown)
		return false;
	s->open = grown;
	s->cap = cap;
	return true;
}

/* Returns a free element, 0 if the arena is full. */
static uint32_t callpath_alloc(struct callpath_sweep *s)
{
	uint32_t e = s->spare;

	if (e) {
		s->spare = s->open[e].in;
		return e;
	}
	return s->used < s->cap || callpath_grow(s) ? s->used++ : 0;
}

static void callpath_remove(struct callpath_sweep *s, uint32_t e)
{
	struct callpath_open *o = &s->open[e];

	s->open[o->out].in = o->in;
	s->open[o->in].out = o->out;
	o->in = s->spare;
	s->spare = e;
}

/* Removes the innermost spans that have ended, up to the first one that has
 * not. */
static void callpath_close(struct callpath_sweep *s, int64_t at_ns)
{
	while (s->open[0].out && s->open[s->open[0].out].end_ns <= at_ns)
		callpath_remove(s, s->open[0].out);
}

static bool callpath_push(struct callpath_sweep *s,
	const struct callpath_span *p)
{
	uint32_t e = callpath_alloc(s), innermost = s->open[0].out;

	if (!e)
		return false;
	s->open[e] = (struct callpath_open){ .end_ns = p->end_ns,
		.out = innermost,
		.name = p->name,
		.op = p->op,
		.kind = p->kind };
	s->open[innermost].in = e;
	s->open[0].out = e;
	return true;
}

/* The node of an open span below another node. Returns 0 and NAMES_NONE like
 * frame_tree_child(). */
static uint32_t callpath_node(struct callpath_sweep *s, uint32_t e,
	uint32_t under)
{
	struct callpath_open *o = &s->open[e];

	if (!o->node || o->under != under) {
		o->under = under;
		o->node = frame_tree_child(s->ft, under, o->kind, o->name);
	}
	return o->node;
}

/* The operator that a path must end with, if that operator is not an open span
 * because it has no duration or its thread is unknown. */
static uint32_t callpath_last_op(struct callpath_sweep *s,
	const struct callpath *p)
{
	return frame_tree_child(s->ft, p->frame, FRAME_OP,
		s->spans.t->op.name[p->op]);
}

/* Reads a path from the list of open spans, beginning with the outermost. */
static bool callpath_read(struct callpath_sweep *s, struct callpath *p)
{
	bool met = p->op == CALLPATH_NO_OP;
	int depth = 0;

	for (uint32_t e = s->open[0].in, next; e; e = next) {
		next = s->open[e].in;
		if (s->open[e].end_ns <= p->at_ns) {
			callpath_remove(s, e);
			continue;
		}
		uint32_t node = depth++ == CALLPATH_DEPTH
					? 0
					: callpath_node(s, e, p->frame);
		if (node == NAMES_NONE)
			return false;
		p->cut = !node;
		if (p->cut)
			break;
		p->frame = node;
		met |= s->open[e].op == p->op;
		if (met && p->op != CALLPATH_NO_OP)
			break;
	}
	if (!met && !p->cut) {
		uint32_t node = callpath_last_op(s, p);
		p->cut = !node;
		p->frame = node ? node : p->frame;
	}
	if (p->cut && !p->frame)
		p->frame = frame_tree_overflow(s->ft);
	return p->frame != NAMES_NONE;
}

/* Finds the paths of one lane's moments. A span that begins and ends between
 * two moments is in no path. */
static bool callpath_thread(struct callpath_sweep *s, uint32_t number,
	struct callpath *paths)
{
	uint32_t at = s->spans.from[number], end = s->spans.from[number + 1];
	struct slice own = s->of_thread[number];

	s->open[0] = (struct callpath_open){ 0 };
	s->used = 1;
	s->spare = 0;
	for (uint32_t i = own.from; i < own.to; i++) {
		struct callpath *p = &paths[s->moment[i]];
		callpath_close(s, p->at_ns);
		for (; at < end; at++) {
			struct callpath_span span = callpath_spans_at(&s->spans,
				s->spans.spans[at]);
			if (span.start_ns > p->at_ns)
				break;
			if (span.end_ns > p->at_ns && !callpath_push(s, &span))
				return false;
		}
		if (!callpath_read(s, p))
			return false;
	}
	return true;
}

/* Sorts the moments by lane; moments without a lane come first. */
static bool callpath_assign(struct callpath_sweep *s,
	const struct callpath *paths, uint32_t n)
{
	struct arena *a = s->ft->arena;
	uint32_t at = 0;

	s->of_thread = arena_grow(a, NULL,
		((size_t)s->spans.n + 1) * sizeof *s->of_thread);
	s->moment = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *s->moment);
	if (!s->of_thread || !s->moment)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->of_thread[s->spans.number_of[paths[i].thread]].to++;
	for (uint32_t l = 0; l <= s->spans.n; l++) {
		uint32_t count = s->of_thread[l].to;
		s->of_thread[l] = (struct slice){ at, at };
		at += count;
	}
	for (uint32_t i = 0; i < n; i++)
		s->moment[s->of_thread[s->spans.number_of[paths[i].thread]]
				  .to++] = i;
	return true;
}

bool callpath_find(struct frame_tree *ft, const struct process *proc,
	struct callpath *paths, uint32_t n)
{
	struct callpath_sweep s = { .ft = ft };
	bool ok = callpath_spans_init(&s.spans, ft->t, ft->arena);

	for (uint32_t i = 0; ok && i < n; i++) {
		paths[i].frame = 0;
		paths[i].cut = false;
		callpath_spans_want(&s.spans, paths[i].thread);
	}
	ok = ok && callpath_spans_fill(&s.spans, proc, ft->arena) &&
	     callpath_grow(&s) && callpath_assign(&s, paths, n);
	for (uint32_t l = 0; ok && l <= s.spans.n; l++)
		ok = callpath_thread(&s, l, paths);
	arena_drop(ft->arena, s.open);
	arena_drop(ft->arena, s.of_thread);
	arena_drop(ft->arena, s.moment);
	callpath_spans_release(&s.spans, ft->arena);
	return ok;
}
