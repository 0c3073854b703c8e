/* lanes.c - counted, dealt out in order, and what begins together sorted. */
#include "lanes.h"
#include <stdlib.h>

bool lanes_init(struct lanes *l, const struct trace *t, struct arena *a)
{
	*l = (struct lanes){ .t = t };
	l->lane_of =
		arena_grow(a, NULL, (size_t)t->names.n * sizeof *l->lane_of);
	return l->lane_of;
}

void lanes_release(struct lanes *l, struct arena *a)
{
	arena_drop(a, l->lane_of);
	arena_drop(a, l->from);
	arena_drop(a, l->spans);
	*l = (struct lanes){ 0 };
}

void lanes_want(struct lanes *l, uint32_t thread)
{
	if (thread && !l->lane_of[thread])
		l->lane_of[thread] = ++l->n;
}

struct span lanes_span(const struct lanes *l, uint32_t span)
{
	static const enum frame_kind kinds[] = {
		[RANGE_ANNOTATION] = FRAME_ANNOTATION,
		[RANGE_MODULE] = FRAME_MODULE,
		[RANGE_PYTHON] = FRAME_PYTHON,
	};
	const struct range_rows *r = &l->t->range;
	const struct op_rows *o = &l->t->op;

	if (span < r->n)
		return (struct span){ r->start_ns[span],
			r->start_ns[span] + r->dur_ns[span], r->name[span],
			kinds[r->kind[span]], UINT32_MAX };
	span -= r->n;
	return (struct span){ o->start_ns[span],
		o->start_ns[span] + o->dur_ns[span], o->name[span], FRAME_OP,
		span };
}

/* The lane of a range, 0 where it is in none. */
static uint32_t lane_of_range(const struct lanes *l, uint32_t row)
{
	const struct range_rows *r = &l->t->range;
	enum range_kind kind = r->kind[row];
	bool of_stack = kind == RANGE_ANNOTATION || kind == RANGE_MODULE ||
			kind == RANGE_PYTHON;
	return of_stack && r->dur_ns[row] ? l->lane_of[r->thread[row]] : 0;
}

static uint32_t lane_of_op(const struct lanes *l, uint32_t row)
{
	const struct op_rows *o = &l->t->op;
	return o->dur_ns[row] ? l->lane_of[o->thread[row]] : 0;
}

/* How many spans each lane has; lane l's count stands at from[l + 1]. */
static void count(struct lanes *l, const struct process *proc)
{
	for (uint32_t i = proc->range.from; i < proc->range.to; i++)
		l->from[lane_of_range(l, i) + 1]++;
	for (uint32_t i = proc->op.from; i < proc->op.to; i++)
		l->from[lane_of_op(l, i) + 1]++;
	l->from[1] = 0; /* of no lane */
	for (uint32_t lane = 1; lane <= l->n; lane++)
		l->from[lane + 1] += l->from[lane];
}

/* Ranges and operators, in one order by start, to the ends of their lanes. */
static void deal(struct lanes *l, const struct process *proc, uint32_t *at)
{
	const struct range_rows *r = &l->t->range;
	const struct op_rows *o = &l->t->op;
	uint32_t i = proc->range.from, j = proc->op.from;

	while (i < proc->range.to || j < proc->op.to) {
		bool op = i == proc->range.to ||
			  (j < proc->op.to && o->start_ns[j] < r->start_ns[i]);
		uint32_t lane = op ? lane_of_op(l, j) : lane_of_range(l, i);
		if (lane)
			l->spans[at[lane]++] = op ? r->n + j : i;
		if (op)
			j++;
		else
			i++;
	}
}

static int longer_first(const void *left, const void *right, void *lanes)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t a_end = lanes_span(lanes, a).end_ns;
	int64_t b_end = lanes_span(lanes, b).end_ns;

	if (a_end != b_end)
		return a_end > b_end ? -1 : 1;
	return (a > b) - (a < b);
}

static void sort_equal_starts(struct lanes *l, uint32_t from, uint32_t to)
{
	while (from < to) {
		int64_t start_ns = lanes_span(l, l->spans[from]).start_ns;
		uint32_t end = from + 1;
		while (end < to &&
			lanes_span(l, l->spans[end]).start_ns == start_ns)
			end++;
		if (end - from > 1)
			qsort_r(l->spans + from, end - from, sizeof *l->spans,
				longer_first, l);
		from = end;
	}
}

bool lanes_fill(struct lanes *l, const struct process *proc, struct arena *a)
{
	size_t lanes = (size_t)l->n + 2;

	l->from = arena_grow(a, NULL, lanes * sizeof *l->from);
	if (!l->from)
		return false;
	count(l, proc);
	uint32_t n = l->from[l->n + 1];
	uint32_t *at = arena_grow(a, NULL, lanes * sizeof *at);
	l->spans = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *l->spans);
	if (at && l->spans) {
		memcpy(at, l->from, lanes * sizeof *at);
		deal(l, proc, at);
		for (uint32_t lane = 1; lane <= l->n; lane++)
			sort_equal_starts(l, l->from[lane], l->from[lane + 1]);
	}
	arena_drop(a, at);
	return at && l->spans;
}
