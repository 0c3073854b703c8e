/* lanes.h - the ranges and operators of some threads, each thread's in order.
 *
 * A lane is a thread; its spans are the annotations, modules, Python functions
 * and operators of one process that ran on it, by start, the longer first
 * among those that begin together, then ranges before operators, then as the
 * trace has them. Spans without a duration are left out: nothing begins in
 * them. */
#pragma once
#include "profile.h"
#include "trace.h"

struct lanes {
	const struct trace *t;
	uint32_t *lane_of; /* by id of the thread's text; 0: no lane */
	uint32_t n; /* lanes, from 1 on */
	uint32_t *from; /* lane l's spans are from[l]…from[l + 1] */
	uint32_t *spans; /* a range's row; from t->range.n on, an operator's */
};

struct span {
	int64_t start_ns, end_ns;
	uint32_t name;
	enum frame_kind kind;
	uint32_t op; /* the operator's row, UINT32_MAX where it is a range */
};

/* A lane for each thread that is wanted by lanes_want(), then the spans of
 * these. Unknown threads have no lane. False where the arena is full. */
bool lanes_init(struct lanes *l, const struct trace *t, struct arena *a);
void lanes_want(struct lanes *l, uint32_t thread);
bool lanes_fill(struct lanes *l, const struct process *proc, struct arena *a);
void lanes_release(struct lanes *l, struct arena *a);

struct span lanes_span(const struct lanes *l, uint32_t span);
