/* iteration_items.c - numbers the items of rows and distributes them to the
 * iterations. */
#include "iteration_parts.h"
#include "correlation.h"
#include "trace.h"
#include <string.h>

enum { OP_NONE = UINT32_MAX };

/* Operators nest on a thread, so that a stack of them is described by its top
 * and the operator around each. */
struct iteration_items_stacks {
	const struct op_rows *op;
	uint32_t first; /* row of the slice */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 */
};

static int64_t iteration_items_end_of(const struct op_rows *op, uint32_t row)
{
	return op->start_ns[row] + op->dur_ns[row];
}

static void iteration_items_close(struct iteration_items_stacks *s,
	uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &s->top[thread];

	while (*top && iteration_items_end_of(s->op, *top - 1) <= at_ns)
		*top = s->below[*top - 1 - s->first];
}

static void iteration_items_open(struct iteration_items_stacks *s, uint32_t row)
{
	uint32_t thread = s->op->thread[row];

	iteration_items_close(s, thread, s->op->start_ns[row]);
	s->below[row - s->first] = s->top[thread];
	s->top[thread] = row + 1;
}

/* The innermost with dims. */
static uint32_t iteration_items_innermost(const struct iteration_items_stacks
						  *s,
	uint32_t thread)
{
	for (uint32_t at = s->top[thread]; at; at = s->below[at - 1 - s->first])
		if (s->op->dims[at - 1])
			return at - 1;
	return OP_NONE;
}

static bool iteration_items_any_dims(const struct op_rows *op,
	struct slice rows)
{
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (op->dims[i])
			return true;
	return false;
}

/* *op_of gets a row of the operators, or OP_NONE, for each of the process's
 * calls; NULL if no operator has dims. In `a`, for scratch; false if it is
 * full. */
static bool iteration_items_find_ops(const struct trace *t,
	const struct process *proc, struct arena *a, uint32_t **op_of)
{
	const struct call_rows *c = &t->call;
	struct iteration_items_stacks s = { .op = &t->op,
		.first = proc->op.from };
	uint32_t row = proc->op.from;
	size_t calls = proc->call.to - proc->call.from;

	*op_of = NULL;
	if (!iteration_items_any_dims(&t->op, proc->op))
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
			iteration_items_open(&s, row++);
		iteration_items_close(&s, thread, c->start_ns[i]);
		of[i - proc->call.from] =
			thread ? iteration_items_innermost(&s, thread)
			       : OP_NONE;
	}
	arena_drop(a, s.top);
	arena_drop(a, s.below);
	*op_of = of;
	return true;
}

/* The items of rows that belong to iterations, as entries iteration by
 * iteration; of[] is by row, ITERATION_NONE if it belongs to none. */
static bool iteration_items_distribute(struct iteration_items *s,
	const uint32_t *of, const uint32_t *item, uint32_t rows,
	uint32_t iterations_n, struct arena *a)
{
	s->n = s->keys.n - 1;
	s->from = arena_grow(a, NULL,
		((size_t)iterations_n + 2) * sizeof *s->from);
	s->entry = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *s->entry);
	if (!s->from || !s->entry)
		return false;
	/* An iteration is counted two entries further and filled one entry
	 * further, so that from[] is right in the end. */
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != ITERATION_NONE)
			s->from[of[i] + 2]++;
	for (uint32_t c = 0; c < iterations_n; c++)
		s->from[c + 2] += s->from[c + 1];
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != ITERATION_NONE)
			s->entry[s->from[of[i] + 1]++] = item[i];
	return true;
}

static bool iteration_items_put(struct iteration_items *s,
	struct iteration_item key, uint32_t *item)
{
	uint32_t id = names_put(&s->keys, (const char *)&key, sizeof key);

	*item = id - 1;
	return id != NAMES_NONE;
}

/* Gives operators to the iterations of what they launched. */
static void iteration_items_assign_ops(const struct iteration_gpu *g,
	const uint32_t *op_of, uint32_t *of)
{
	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		const struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++) {
			if (r->call_of[i] == CORRELATION_NONE ||
				r->iteration[i] == ITERATION_NONE)
				continue;
			uint32_t op = op_of[r->call_of[i] - g->proc->call.from];
			if (op == OP_NONE)
				continue;
			uint32_t *iteration = &of[op - g->proc->op.from];
			if (*iteration == ITERATION_NONE)
				*iteration = r->iteration[i];
		}
	}
}

bool iteration_items_ops(struct iteration_items *s,
	const struct iteration_gpu *g, uint32_t iterations_n, struct arena *a)
{
	const struct op_rows *op = &g->t->op;
	struct slice rows = g->proc->op;
	uint32_t n = rows.to - rows.from, *op_of;
	bool ok = true;

	*s = (struct iteration_items){ .kind = WORK_OP,
		.names_n = g->t->names.n };
	if (!names_init(&s->keys, a) ||
		!iteration_items_find_ops(g->t, g->proc, a, &op_of))
		return false;
	if (!op_of)
		n = 0;
	uint32_t *of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *of);
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!of || !item)
		return false;
	memset(of, 0xFF, (size_t)n * sizeof *of);
	if (op_of)
		iteration_items_assign_ops(g, op_of, of);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t row = rows.from + i;
		struct iteration_item key = { op->name[row], op->dims[row] };
		ok = of[i] == ITERATION_NONE ||
		     iteration_items_put(s, key, &item[i]);
	}
	ok = ok && iteration_items_distribute(s, of, item, n, iterations_n, a);
	arena_drop(a, op_of);
	arena_drop(a, of);
	arena_drop(a, item);
	return ok;
}

/* By launch shape: the number of its grid, 0 if it has none. */
static uint32_t *iteration_items_grid_of(struct iteration_items *s,
	const struct trace *t, struct arena *a)
{
	uint32_t n = t->launch_shapes.n;
	uint32_t *grid = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *grid);

	for (uint32_t i = 1; grid && i < n; i++) {
		const struct launch_shape *l = trace_launch_shape_at(t, i);
		if (l->grid[0] < 0)
			continue;
		grid[i] = names_put(&s->grids, (const char *)l->grid,
			sizeof l->grid);
		if (grid[i] == NAMES_NONE)
			return NULL;
	}
	return grid;
}

bool iteration_items_grids(struct iteration_items *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, uint32_t iterations_n, struct arena *a)
{
	const struct iteration_gpu_rows *k = &g->kind[ITERATION_KERNEL];
	uint32_t n = k->rows.to - k->rows.from, *grid = NULL;
	bool ok = true;

	*s = (struct iteration_items){ .kind = WORK_GRID,
		.names_n = kernels_n };
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!item || !names_init(&s->keys, a) || !names_init(&s->grids, a) ||
		!(grid = iteration_items_grid_of(s, g->t, a)))
		return false;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t launch = g->t->kernel.launch[k->rows.from + i];
		struct iteration_item key = { kernel_of[i], grid[launch] };
		ok = k->iteration[i] == ITERATION_NONE ||
		     iteration_items_put(s, key, &item[i]);
	}
	ok = ok && iteration_items_distribute(s, k->iteration, item, n,
			   iterations_n, a);
	arena_drop(a, grid);
	arena_drop(a, item);
	return ok;
}

struct iteration_item iteration_items_at(const struct iteration_items *s,
	uint32_t item)
{
	struct iteration_item key;

	memcpy(&key, names_text(&s->keys, item + 1), sizeof key);
	return key;
}

const char *iteration_items_size(const struct iteration_items *s,
	const struct trace *t, uint32_t item, struct arena *a)
{
	struct iteration_item key = iteration_items_at(s, item);
	int32_t grid[3];

	if (!key.size)
		return "";
	if (s->kind == WORK_OP)
		return names_text(&t->names, key.size);
	memcpy(grid, names_text(&s->grids, key.size), sizeof grid);
	return arena_printf(a, "%dx%dx%d", grid[0], grid[1], grid[2]);
}
