/* iteration_items.c - a number per row, then dealt out to the cycles. */
#include "iteration_items.h"
#include "correlation.h"
#include "cycle_ops.h"
#include <string.h>

/* The items of rows that are of cycles, as entries cycle by cycle; of[] is by
 * row, CYCLE_OF_NONE where of none. */
static bool deal(struct cycle_items *s, const uint32_t *of,
	const uint32_t *item, uint32_t rows, uint32_t cycles_n, struct arena *a)
{
	s->n = s->keys.n - 1;
	s->from = arena_grow(a, NULL, ((size_t)cycles_n + 2) * sizeof *s->from);
	s->entry = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *s->entry);
	if (!s->from || !s->entry)
		return false;
	/* A cycle's place stands two further while they are counted and one
	 * while they are filled, so that it is right in the end. */
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != CYCLE_OF_NONE)
			s->from[of[i] + 2]++;
	for (uint32_t c = 0; c < cycles_n; c++)
		s->from[c + 2] += s->from[c + 1];
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != CYCLE_OF_NONE)
			s->entry[s->from[of[i] + 1]++] = item[i];
	return true;
}

static bool number(struct cycle_items *s, struct cycle_item key, uint32_t *item)
{
	uint32_t id = names_put(&s->keys, (const char *)&key, sizeof key);

	*item = id - 1;
	return id != NAMES_NONE;
}

/* Gives operators to the cycles of what they launched. */
static void launched(const struct cycle_gpu *g, const uint32_t *op_of,
	uint32_t *of)
{
	for (int k = 0; k < CYCLE_GPU_KINDS; k++) {
		const struct cycle_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++) {
			if (r->call_of[i] == CORRELATION_NONE ||
				r->cycle[i] == CYCLE_OF_NONE)
				continue;
			uint32_t op = op_of[r->call_of[i] - g->proc->call.from];
			if (op == CYCLE_OPS_NONE)
				continue;
			uint32_t *cycle = &of[op - g->proc->op.from];
			if (*cycle == CYCLE_OF_NONE)
				*cycle = r->cycle[i];
		}
	}
}

bool cycle_items_ops(struct cycle_items *s, const struct cycle_gpu *g,
	uint32_t cycles_n, struct arena *a)
{
	const struct op_rows *op = &g->t->op;
	struct slice rows = g->proc->op;
	uint32_t n = rows.to - rows.from, *op_of;
	bool ok = true;

	*s = (struct cycle_items){ .kind = WORK_OP, .names_n = g->t->names.n };
	if (!names_init(&s->keys, a) ||
		!cycle_ops_find(g->t, g->proc, a, &op_of))
		return false;
	if (!op_of)
		n = 0;
	uint32_t *of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *of);
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!of || !item)
		return false;
	memset(of, 0xFF, (size_t)n * sizeof *of);
	if (op_of)
		launched(g, op_of, of);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t row = rows.from + i;
		struct cycle_item key = { op->name[row], op->dims[row] };
		ok = of[i] == CYCLE_OF_NONE || number(s, key, &item[i]);
	}
	ok = ok && deal(s, of, item, n, cycles_n, a);
	arena_drop(a, op_of);
	arena_drop(a, of);
	arena_drop(a, item);
	return ok;
}

/* By launch shape: the number of its grid, 0 where it tells none. */
static uint32_t *grid_of(struct cycle_items *s, const struct trace *t,
	struct arena *a)
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

bool cycle_items_grids(struct cycle_items *s, const struct cycle_gpu *g,
	const uint32_t *kernel_of, uint32_t kernels_n, uint32_t cycles_n,
	struct arena *a)
{
	const struct cycle_gpu_rows *k = &g->kind[CYCLE_KERNEL];
	uint32_t n = k->rows.to - k->rows.from, *grid = NULL;
	bool ok = true;

	*s = (struct cycle_items){ .kind = WORK_GRID, .names_n = kernels_n };
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!item || !names_init(&s->keys, a) || !names_init(&s->grids, a) ||
		!(grid = grid_of(s, g->t, a)))
		return false;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t launch = g->t->kernel.launch[k->rows.from + i];
		struct cycle_item key = { kernel_of[i], grid[launch] };
		ok = k->cycle[i] == CYCLE_OF_NONE || number(s, key, &item[i]);
	}
	ok = ok && deal(s, k->cycle, item, n, cycles_n, a);
	arena_drop(a, grid);
	arena_drop(a, item);
	return ok;
}

struct cycle_item cycle_items_at(const struct cycle_items *s, uint32_t item)
{
	struct cycle_item key;

	memcpy(&key, names_text(&s->keys, item + 1), sizeof key);
	return key;
}

const char *cycle_items_size(const struct cycle_items *s, const struct trace *t,
	uint32_t item, struct arena *a)
{
	struct cycle_item key = cycle_items_at(s, item);
	int32_t grid[3];

	if (!key.size)
		return "";
	if (s->kind == WORK_OP)
		return names_text(&t->names, key.size);
	memcpy(grid, names_text(&s->grids, key.size), sizeof grid);
	return arena_printf(a, "%dx%dx%d", grid[0], grid[1], grid[2]);
}
