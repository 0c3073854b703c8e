/* kernels.c - names first, each looked at once; then a table per split. */
#include "kernels.h"
#include "kernel_name.h"
#include "keys.h"
#include "order.h"
#include <string.h>

struct maker {
	const struct trace *t;
	const struct families *families;
	struct profile *p;
	struct slice rows;
	struct names texts; /* shown names; id = kernel + 1, "" is none */
	uint32_t *kernel_of_name; /* by id in the trace; kernel + 1 */
	uint32_t *kernel_of; /* by row */
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
		order_kernels(p, grown + p->stats_n, n);
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
	const struct families *f, struct profile *p)
{
	struct arena *a = p->arena;
	uint32_t n = rows.to - rows.from;
	struct maker m = { .t = t, .families = f, .p = p, .rows = rows };

	if (n == 0)
		return true;
	m.kernel_of_name = arena_grow(a, NULL,
		(size_t)t->names.n * sizeof *m.kernel_of_name);
	m.kernel_of = arena_grow(a, NULL, (size_t)n * sizeof *m.kernel_of);
	bool ok = m.kernel_of_name && m.kernel_of && names_init(&m.texts, a) &&
		  kernels_name(&m) && tables(&m);

	arena_drop(a, m.kernel_of_name);
	arena_drop(a, m.kernel_of);
	return ok;
}
