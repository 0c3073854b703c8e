/* kernels.c - lists the distinct kernels of a run, then fills one table per
 * split. */
#include "kernels.h"
#include "kernel_name.h"
#include "row_groups.h"
#include "table_order.h"
#include <string.h>

static bool kernels_list_kernel_add(struct kernel_list *l, const char *text,
	size_t len, const char *mangled)
{
	struct profile *p = l->profile;
	if (p->kernels_n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 16;
		void *grown = arena_grow(p->arena, p->kernels,
			(size_t)cap * sizeof *p->kernels);
		if (!grown)
			return false;
		p->kernels = grown;
		l->cap = cap;
	}
	struct profile_kernel *k = &p->kernels[p->kernels_n++];
	*k = (struct profile_kernel){
		.name = text,
		.mangled = mangled,
		.short_name = kernel_name_short(p->arena, text, len),
	};
	if (!catalog_kernel(l->catalog, text, len, &k->source))
		note_add(&p->notes, NOTE_rule_gave_up, 1, text, len);
	const struct operator_info *is =
		catalog_kernel_operator(l->catalog, text, len);
	k->op = is ? is->name : NULL;
	return k->short_name != NULL;
}

/* Returns the index of the kernel with this name, plus one, and adds the kernel
 * if it is new. 0 if the arena is full. */
static uint32_t kernels_list_kernel_new(struct kernel_list *l, uint32_t name)
{
	const struct name *raw = &l->trace->names.list[name];
	const char *text;
	size_t len;
	enum kernel_name how = kernel_name_from(l->profile->arena, raw->text,
		raw->len, &text, &len);

	if (how == NAME_FULL)
		return 0;
	if (how == NAME_REFUSED)
		note_add(&l->profile->notes, NOTE_demangle_bound, 1, raw->text,
			raw->len);
	if (len == 0) {
		text = "(unnamed)";
		len = strlen(text);
	}
	uint32_t id = names_put(&l->texts, text, len);
	if (id == NAMES_NONE)
		return 0;
	if (id > l->profile->kernels_n &&
		!kernels_list_kernel_add(l, names_text(&l->texts, id), len,
			how == NAME_DEMANGLED ? raw->text : NULL))
		return 0;
	return id;
}

bool kernels_list_init(struct kernel_list *l, const struct trace *t,
	const struct catalog *f, struct profile *p)
{
	*l = (struct kernel_list){ .trace = t, .catalog = f, .profile = p };
	l->of_name = arena_grow(p->arena, NULL,
		(size_t)t->names.n * sizeof *l->of_name);
	return l->of_name && names_init(&l->texts, p->arena);
}

bool kernels_list_find(struct kernel_list *l, uint32_t name, uint32_t *kernel)
{
	uint32_t *of = &l->of_name[name];
	if (!*of && !(*of = kernels_list_kernel_new(l, name)))
		return false;
	*kernel = *of - 1;
	return true;
}

void kernels_list_release(struct kernel_list *l)
{
	arena_drop(l->profile->arena, l->of_name);
}

struct kernels_maker {
	const struct trace *t;
	struct profile *p;
	struct slice rows;
	struct kernel_list list;
	uint32_t *kernel_of; /* by row */
};

static bool kernels_name(struct kernels_maker *m)
{
	const uint32_t *names = m->t->kernel.name;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++)
		if (!kernels_list_find(&m->list, names[i],
			    &m->kernel_of[i - m->rows.from]))
			return false;
	return true;
}

static void kernels_stat_fill(const struct kernels_maker *m,
	const struct row_group *g, enum split split, struct kernel_stat *s)
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

/* Adds a table with one line for each kernel and value of `minor`. */
static bool kernels_stats_add(struct kernels_maker *m, enum split split,
	struct row_group_key minor)
{
	struct profile *p = m->p;
	struct row_group_key major = { m->kernel_of, p->kernels_n };
	struct row_group *groups;
	uint32_t n;

	if (!row_groups_from(p->arena, major, minor,
		    m->t->kernel.dur_ns + m->rows.from,
		    m->rows.to - m->rows.from, &groups, &n, NULL))
		return false;
	struct kernel_stat *grown = arena_grow(p->arena, p->stats,
		((size_t)p->stats_n + n + 1) * sizeof *grown);
	if (grown) {
		p->stats = grown;
		for (uint32_t i = 0; i < n; i++)
			kernels_stat_fill(m, &groups[i], split,
				&grown[p->stats_n + i]);
		table_order_kernels(p, grown + p->stats_n, n);
		p->stats_n += n;
	}
	arena_drop(p->arena, groups);
	return grown != NULL;
}

/* Copies the table of all kernels as the table by device, if there is only one
 * device. */
static bool kernels_stats_repeat(struct kernels_maker *m, int32_t device)
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

static bool kernels_tables(struct kernels_maker *m)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct arena *a = m->p->arena;
	uint32_t from = m->rows.from, n = m->rows.to - from;
	struct row_group_key device = { 0 }, grid = { 0 };

	bool ok =
		row_groups_device_key(a, k->device + from, n, &device) &&
		row_groups_grid_key(a, m->t, k->launch + from, n, &grid) &&
		kernels_stats_add(m, SPLIT_NONE, (struct row_group_key){ 0 }) &&
		(device.n == 1 ? kernels_stats_repeat(m, k->device[from])
			       : kernels_stats_add(m, SPLIT_DEVICE, device)) &&
		kernels_stats_add(m, SPLIT_GRID, grid);
	arena_drop(a, (void *)(uintptr_t)device.of);
	arena_drop(a, (void *)(uintptr_t)grid.of);
	return ok;
}

bool kernels_from(const struct trace *t, struct slice rows,
	const struct catalog *f, struct profile *p, uint32_t **kernel_of)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;
	struct kernels_maker m = { .t = t, .p = p, .rows = rows };

	*kernel_of = arena_grow(p->arena, NULL, n * sizeof **kernel_of);
	m.kernel_of = *kernel_of;
	if (rows.from == rows.to || !m.kernel_of)
		return m.kernel_of;
	bool ok = kernels_list_init(&m.list, t, f, p) && kernels_name(&m) &&
		  kernels_tables(&m);
	kernels_list_release(&m.list);
	return ok;
}
