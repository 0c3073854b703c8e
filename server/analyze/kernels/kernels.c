/* kernels.c - names first, each looked at once; then a table per split. */
#include "kernels.h"
#include "kernel_list.h"
#include "keys.h"
#include "table_order.h"
#include <string.h>

struct maker {
	const struct trace *t;
	struct profile *p;
	struct slice rows;
	struct kernel_list list;
	uint32_t *kernel_of; /* by row */
};

static bool kernels_name(struct maker *m)
{
	const uint32_t *names = m->t->kernel.name;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++)
		if (!kernel_list_of(&m->list, names[i],
			    &m->kernel_of[i - m->rows.from]))
			return false;
	return true;
}

static void stat_fill(const struct maker *m, const struct group *g,
	enum split split, struct kernel_stat *s)
{
	const struct kernel_rows *k = &m->t->kernel;
	uint32_t row = m->rows.from + g->row;
	bool device = split == SPLIT_DEVICE, grid = split == SPLIT_GRID;
	const struct launch_shape *shape =
		trace_launch_shape_at(m->t, grid ? k->launch[row] : 0);

	*s = (struct kernel_stat){
		.kernel = m->kernel_of[g->row],
		.split = split,
		.device = device ? k->device[row] : -1,
		.time = g->time,
		.time_pct = stats_pct(g->time.total_ns, m->p->kernel_ns),
	};
	memcpy(s->grid, shape->grid, sizeof s->grid);
	memcpy(s->block, shape->block, sizeof s->block);
}

/* A table: kernels, and within them what `minor` tells apart. */
static bool stats_add(struct maker *m, enum split split, struct group_key minor)
{
	struct profile *p = m->p;
	struct group_key major = { m->kernel_of, p->kernels_n };
	struct group *groups;
	uint32_t n;

	if (!groups_from(p->arena, major, minor,
		    m->t->kernel.dur_ns + m->rows.from,
		    m->rows.to - m->rows.from, &groups, &n, NULL))
		return false;
	struct kernel_stat *grown = arena_grow(p->arena, p->stats,
		((size_t)p->stats_n + n + 1) * sizeof *grown);
	if (grown) {
		p->stats = grown;
		for (uint32_t i = 0; i < n; i++)
			stat_fill(m, &groups[i], split, &grown[p->stats_n + i]);
		table_order_kernels(p, grown + p->stats_n, n);
		p->stats_n += n;
	}
	arena_drop(p->arena, groups);
	return grown != NULL;
}

/* With one device only, that table is the first one again. */
static bool stats_repeat(struct maker *m, int32_t device)
{
	struct profile *p = m->p;
	uint32_t n = p->stats_n;
	struct kernel_stat *grown =
		arena_grow(p->arena, p->stats, (size_t)n * 2 * sizeof *grown);

	if (!grown)
		return false;
	p->stats = grown;
	for (uint32_t i = 0; i < n; i++) {
		grown[n + i] = grown[i];
		grown[n + i].split = SPLIT_DEVICE;
		grown[n + i].device = device;
	}
	p->stats_n += n;
	return true;
}

static bool tables(struct maker *m)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct arena *a = m->p->arena;
	uint32_t from = m->rows.from, n = m->rows.to - from;
	struct group_key device = { 0 }, grid = { 0 };

	bool ok = keys_of_devices(a, k->device + from, n, &device) &&
		  keys_of_grids(a, m->t, k->launch + from, n, &grid) &&
		  stats_add(m, SPLIT_NONE, (struct group_key){ 0 }) &&
		  (device.n == 1 ? stats_repeat(m, k->device[from])
				 : stats_add(m, SPLIT_DEVICE, device)) &&
		  stats_add(m, SPLIT_GRID, grid);
	arena_drop(a, (void *)(uintptr_t)device.of);
	arena_drop(a, (void *)(uintptr_t)grid.of);
	return ok;
}

bool kernels_from(const struct trace *t, struct slice rows,
	const struct catalog *f, struct profile *p, uint32_t **kernel_of)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;
	struct maker m = { .t = t, .p = p, .rows = rows };

	*kernel_of = arena_grow(p->arena, NULL, n * sizeof **kernel_of);
	m.kernel_of = *kernel_of;
	if (rows.from == rows.to || !m.kernel_of)
		return m.kernel_of;
	bool ok = kernel_list_init(&m.list, t, f, p) && kernels_name(&m) &&
		  tables(&m);
	kernel_list_release(&m.list);
	return ok;
}
