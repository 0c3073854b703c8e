/* kernels.c - names first, each looked at once; then a table per split. */
#include "kernels.h"
#include "group.h"
#include "kernel_name.h"
#include "order.h"
#include <string.h>

/* A line of a table before it has its numbers. */
struct cell {
	uint32_t kernel;
	int32_t device;
	int32_t grid[3], block[3];
};

struct maker {
	const struct trace *t;
	const struct families *families;
	struct profile *p;
	struct slice rows;
	struct names texts; /* shown names; id = kernel + 1, "" is none */
	uint32_t *kernel_of_name; /* by id in the trace; kernel + 1 */
	uint32_t *kernel_of; /* by row */
	uint32_t *cell_of; /* by row */
	uint32_t kernels_cap;
};

static bool kernel_add(struct maker *m, const char *text, size_t len,
	const char *mangled)
{
	struct profile *p = m->p;
	if (p->kernels_n == m->kernels_cap) {
		uint32_t cap = m->kernels_cap ? m->kernels_cap * 2 : 256;
		void *grown = arena_grow(p->arena, p->kernels,
			(size_t)cap * sizeof *p->kernels);
		if (!grown)
			return false;
		p->kernels = grown;
		m->kernels_cap = cap;
	}
	struct profile_kernel *k = &p->kernels[p->kernels_n++];
	*k = (struct profile_kernel){
		.name = text,
		.mangled = mangled,
		.short_name = kernel_name_short(p->arena, text, len),
	};
	families_find(m->families, text, len, &k->source);
	return k->short_name != NULL;
}

/* The kernel of a name of the trace, plus one; 0 where the arena is full. */
static uint32_t kernel_new(struct maker *m, uint32_t name)
{
	const struct name *raw = &m->t->names.list[name];
	const char *text;
	size_t len;
	enum kernel_name how =
		kernel_name_from(m->p->arena, raw->text, raw->len, &text, &len);

	if (how == NAME_FULL)
		return 0;
	if (how == NAME_REFUSED)
		note_add(&m->p->notes, NOTE_demangle_bound, 1, raw->text,
			raw->len);
	if (len == 0) {
		text = "(unnamed)";
		len = strlen(text);
	}
	uint32_t id = names_put(&m->texts, text, len);
	if (id == NAMES_NONE)
		return 0;
	if (id > m->p->kernels_n &&
		!kernel_add(m, names_text(&m->texts, id), len,
			how == NAME_DEMANGLED ? raw->text : NULL))
		return 0;
	return id;
}

static bool kernels_name(struct maker *m)
{
	const uint32_t *names = m->t->kernel.name;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		uint32_t *of = &m->kernel_of_name[names[i]];
		if (!*of && !(*of = kernel_new(m, names[i])))
			return false;
		m->kernel_of[i - m->rows.from] = *of - 1;
	}
	return true;
}

static struct cell cell_at(const struct maker *m, uint32_t i, enum split split)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct cell c = { m->kernel_of[i], -1, { -1, -1, -1 }, { -1, -1, -1 } };
	uint32_t row = m->rows.from + i;

	if (split == SPLIT_DEVICE)
		c.device = k->device[row];
	if (split == SPLIT_GRID) {
		const struct launch_shape *s =
			trace_launch_shape_at(m->t, k->launch[row]);
		memcpy(c.grid, s->grid, sizeof c.grid);
		memcpy(c.block, s->block, sizeof c.block);
	}
	return c;
}

/* Gives each row its cell; rows alike in what decides it share one. */
static bool cells_find(struct maker *m, enum split split, struct names *cells)
{
	uint32_t n = m->rows.to - m->rows.from;
	struct cell last = { 0 };
	uint32_t id = 0;

	if (!names_init(cells, m->p->arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct cell c = cell_at(m, i, split);
		if (!id || memcmp(&c, &last, sizeof c) != 0)
			id = names_put(cells, (const char *)&c, sizeof c);
		if (id == NAMES_NONE)
			return false;
		last = c;
		m->cell_of[i] = id - 1;
	}
	return true;
}

static bool stats_add(struct maker *m, enum split split)
{
	struct names cells;
	if (m->rows.from == m->rows.to)
		return true;
	if (!cells_find(m, split, &cells))
		return false;

	struct profile *p = m->p;
	uint32_t n = cells.n - 1;
	struct time_stats *times =
		arena_grow(p->arena, NULL, (n + 1) * sizeof *times);
	void *grown = arena_grow(p->arena, p->stats,
		((size_t)p->stats_n + n + 1) * sizeof *p->stats);
	bool ok = times && grown &&
		  group_stats(p->arena, m->cell_of,
			  m->t->kernel.dur_ns + m->rows.from,
			  m->rows.to - m->rows.from, n, times);
	if (grown)
		p->stats = grown;
	for (uint32_t k = 0; ok && k < n; k++) {
		struct cell c;
		memcpy(&c, names_text(&cells, k + 1), sizeof c);
		struct kernel_stat *s = &p->stats[p->stats_n + k];
		*s = (struct kernel_stat){
			.kernel = c.kernel,
			.split = split,
			.device = c.device,
			.time = times[k],
			.time_pct = stats_pct(times[k].total_ns, p->kernel_ns),
		};
		memcpy(s->grid, c.grid, sizeof s->grid);
		memcpy(s->block, c.block, sizeof s->block);
	}
	if (ok) {
		order_kernels(p, p->stats + p->stats_n, n);
		p->stats_n += n;
	}
	arena_drop(p->arena, times);
	return ok;
}

bool kernels_from(const struct trace *t, struct slice rows,
	const struct families *f, struct profile *p)
{
	struct arena *a = p->arena;
	uint32_t n = rows.to - rows.from;
	struct maker m = {
		.t = t,
		.families = f,
		.p = p,
		.rows = rows,
		.kernel_of_name = arena_grow(a, NULL,
			(size_t)t->names.n * sizeof *m.kernel_of_name),
		.kernel_of = arena_grow(a, NULL,
			((size_t)n + 1) * sizeof *m.kernel_of),
		.cell_of = arena_grow(a, NULL,
			((size_t)n + 1) * sizeof *m.cell_of),
	};
	bool ok = m.kernel_of_name && m.kernel_of && m.cell_of &&
		  names_init(&m.texts, a) && kernels_name(&m) &&
		  stats_add(&m, SPLIT_NONE) && stats_add(&m, SPLIT_DEVICE) &&
		  stats_add(&m, SPLIT_GRID);

	arena_drop(a, m.kernel_of_name);
	arena_drop(a, m.kernel_of);
	arena_drop(a, m.cell_of);
	return ok;
}
