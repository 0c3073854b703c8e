/* cycle_ops.c - operators and calls side by side, a stack for each thread. */
#include "cycle_ops.h"

enum { NONE = UINT32_MAX };

/* Operators lie within one another on a thread, so that a stack of them is
 * known by its top and what each lies in. */
struct stacks {
	const struct op_rows *op;
	uint32_t first; /* row of the slice */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 */
};

static int64_t end_of(const struct op_rows *op, uint32_t row)
{
	return op->start_ns[row] + op->dur_ns[row];
}

static void close(struct stacks *s, uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &s->top[thread];

	while (*top && end_of(s->op, *top - 1) <= at_ns)
		*top = s->below[*top - 1 - s->first];
}

static void open(struct stacks *s, uint32_t row)
{
	uint32_t thread = s->op->thread[row];

	close(s, thread, s->op->start_ns[row]);
	s->below[row - s->first] = s->top[thread];
	s->top[thread] = row + 1;
}

/* The innermost with dims. */
static uint32_t known(const struct stacks *s, uint32_t thread)
{
	for (uint32_t at = s->top[thread]; at; at = s->below[at - 1 - s->first])
		if (s->op->dims[at - 1])
			return at - 1;
	return NONE;
}

static bool any_dims(const struct op_rows *op, struct slice rows)
{
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (op->dims[i])
			return true;
	return false;
}

bool cycle_ops_find(const struct trace *t, const struct process *proc,
	struct arena *a, uint32_t **op_of)
{
	const struct call_rows *c = &t->call;
	struct stacks s = { .op = &t->op, .first = proc->op.from };
	uint32_t row = proc->op.from;
	size_t calls = proc->call.to - proc->call.from;

	*op_of = NULL;
	if (!any_dims(&t->op, proc->op))
		return true;
	s.top = arena_grow(a, NULL, (size_t)t->names.n * sizeof *s.top);
	s.below = arena_grow(a, NULL,
		((size_t)(proc->op.to - row) + 1) * sizeof *s.below);
	uint32_t *of = arena_grow(a, NULL, (calls + 1) * sizeof *of);
	if (!s.top || !s.below || !of)
		return false;
	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		uint32_t thread = c->thread[i];
		while (row < proc->op.to &&
			t->op.start_ns[row] <= c->start_ns[i])
			open(&s, row++);
		close(&s, thread, c->start_ns[i]);
		of[i - proc->call.from] = thread ? known(&s, thread) : NONE;
	}
	arena_drop(a, s.top);
	arena_drop(a, s.below);
	*op_of = of;
	return true;
}
