/* tables_patterns.c - GPU functions of a pattern file, each cycle's once. */
#include "device_text.h"
#include "kernel_list.h"
#include "operation.h"
#include "table_order.h"
#include "pattern_told.h"
#include "stats.h"
#include "tables.h"
#include "tables_cycles.h"
#include "tally.h"
#include <stdlib.h>
#include <string.h>

enum { ALL = -1 }; /* devices */

struct maker {
	const struct trace *t;
	struct profile *p;
	struct kernel_list list;
	struct names cycles;
	struct names seen; /* cycle, function and device */
	uint32_t *first; /* by id in `seen`: the row */
	uint32_t first_cap;
	struct names operations; /* id = operation + 1 */
	struct tally kernels, copies; /* over all devices and by device */
	struct tally devices; /* launches of kernels */
};

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether a row is the first of its cycle, function and device; a later one
 * should tell the same duration. *ok is false where the arena is full. */
static bool is_first(struct maker *m, uint32_t row, bool *ok)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct arena *a = m->p->arena;
	int64_t key[4] = { r->cycle[row], r->name[row], r->device[row],
		r->func_type[row] };
	uint32_t known = m->seen.n;
	uint32_t id = names_put(&m->seen, (const char *)key, sizeof key);

	*ok = id != NAMES_NONE;
	if (!*ok)
		return false;
	if (id < known) {
		uint32_t first = m->first[id];
		const struct name *n = &m->t->names.list[r->name[row]];
		if (r->dur_ns[first] != r->dur_ns[row] ||
			r->instances[first] != r->instances[row])
			note_add(&m->p->notes, NOTE_pattern_conflict, 1,
				n->text, n->len);
		return false;
	}
	if (id >= m->first_cap) {
		uint32_t cap = m->first_cap ? m->first_cap * 2 : 1024;
		uint32_t *grown =
			arena_grow(a, m->first, (size_t)cap * sizeof *grown);
		if (!(*ok = grown))
			return false;
		m->first = grown;
		m->first_cap = cap;
	}
	m->first[id] = row;
	return true;
}

/* Adds a function's time in a cycle, over all devices and to its own. */
static bool count(struct tally *t, uint32_t what, int32_t device,
	int64_t instances, int64_t total_ns, struct err *e)
{
	struct tally_line add = { what, ALL, instances, total_ns };
	if (instances < 1)
		return err_set(e, ERR_TRACE, "a row counts no instance");
	if (!tally_add(t, &add, e))
		return false;
	/* A device nobody can tell has a line of its own, apart from ALL. */
	add.device = device < 0 ? INT32_MAX : device;
	return tally_add(t, &add, e);
}

static bool kernel_count(struct maker *m, uint32_t row, int32_t device,
	struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct tally_line on = { 0, device, r->instances[row], 0 };
	uint32_t kernel;
	if (!kernel_list_of(&m->list, r->name[row], &kernel))
		return arena_err(m->p->arena, e);
	return tally_sum(&m->p->kernel_ns, r->dur_ns[row], e) &&
	       tally_sum(&m->p->launches, r->instances[row], e) &&
	       tally_add(&m->devices, &on, e) &&
	       count(&m->kernels, kernel, device, r->instances[row],
		       r->dur_ns[row], e);
}

static bool copy_count(struct maker *m, uint32_t row, int32_t device,
	struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	const struct name *n = &m->t->names.list[r->name[row]];
	const char *text =
		operation_of(n->text, n->len, starts(n->text, "Memset"));
	struct tally_line on = { 0, device, 0, 0 };
	uint32_t id = names_put(&m->operations, *text ? text : "(unnamed)",
		strlen(*text ? text : "(unnamed)"));
	if (id == NAMES_NONE)
		return arena_err(m->p->arena, e);
	return tally_sum(&m->p->copy_ns, r->dur_ns[row], e) &&
	       tally_sum(&m->p->copies, r->instances[row], e) &&
	       tally_add(&m->devices, &on, e) &&
	       count(&m->copies, id - 1, device, r->instances[row],
		       r->dur_ns[row], e);
}

/* Cycles of two anchors share out the same time: it counts by the first. */
static bool walk(struct maker *m, struct slice rows, struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		if (r->anchor[i] != r->anchor[rows.from]) {
			const struct name *n = &m->t->names.list[r->anchor[i]];
			note_add(&m->p->notes, NOTE_pattern_anchor, 1, n->text,
				n->len);
			continue;
		}
		const char *type = names_text(&m->t->names, r->func_type[i]);
		bool ok = names_put(&m->cycles, (const char *)&r->cycle[i],
				  sizeof r->cycle[i]) != NAMES_NONE;
		if (ok && starts(type, "gpu_") && is_first(m, i, &ok)) {
			int32_t device = device_text_number(
				names_text(&m->t->names, r->device[i]));
			bool copy = starts(type, "gpu_memcpy") ||
				    starts(type, "gpu_memset");
			if (!(copy ? copy_count(m, i, device, e)
				   : kernel_count(m, i, device, e)))
				return false;
		}
		if (!ok)
			return arena_err(m->p->arena, e);
	}
	return true;
}

/* The lines over all devices, or those by device. */
static bool chosen(const struct tally_line *l, enum split split)
{
	return (l->device == ALL) == (split == SPLIT_NONE);
}

static int32_t shown(const struct tally_line *l)
{
	return l->device == INT32_MAX ? -1 : l->device;
}

static void kernels_fill(struct maker *m, enum split split)
{
	struct profile *p = m->p;
	uint32_t from = p->stats_n;
	for (uint32_t i = 0; i < m->kernels.n; i++) {
		const struct tally_line *l = &m->kernels.lines[i];
		if (!chosen(l, split))
			continue;
		struct kernel_stat *s = &p->stats[p->stats_n++];
		*s = (struct kernel_stat){ .kernel = l->what,
			.split = split,
			.device = shown(l),
			.time = tally_stats(l),
			.time_pct = stats_pct(l->total_ns, p->kernel_ns) };
		memset(s->grid, -1, sizeof s->grid);
		memset(s->block, -1, sizeof s->block);
	}
	table_order_kernels(p, p->stats + from, p->stats_n - from);
}

static void copies_fill(struct maker *m, enum split split)
{
	struct profile *p = m->p;
	uint32_t from = p->copy_stats_n;
	for (uint32_t i = 0; i < m->copies.n; i++) {
		const struct tally_line *l = &m->copies.lines[i];
		if (!chosen(l, split))
			continue;
		p->copy_stats[p->copy_stats_n++] = (struct copy_stat){
			.operation = names_text(&m->operations, l->what + 1),
			.split = split,
			.device = shown(l),
			.time = tally_stats(l),
			.time_pct = stats_pct(l->total_ns, p->copy_ns)
		};
	}
	table_order_copies(p->copy_stats + from, p->copy_stats_n - from);
}

static int by_number(const void *left, const void *right)
{
	const struct profile_device *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

static void devices_fill(struct maker *m)
{
	struct profile *p = m->p;
	for (uint32_t i = 0; i < m->devices.n; i++)
		p->devices[p->devices_n++] = (struct profile_device){
			.number = m->devices.lines[i].device,
			.sm_count = -1,
			.compute_major = -1,
			.compute_minor = -1,
			.memory_bytes = -1,
			.launches = m->devices.lines[i].instances,
			.busy_ns = -1
		};
	if (p->devices_n) {
		qsort(p->devices, p->devices_n, sizeof *p->devices, by_number);
		note_add(&p->notes, NOTE_no_device_name, p->devices_n, NULL, 0);
	}
}

static bool fill(struct maker *m, struct err *e)
{
	struct profile *p = m->p;
	struct arena *a = p->arena;
	p->stats = arena_grow(a, NULL,
		((size_t)m->kernels.n + 1) * sizeof *p->stats);
	p->copy_stats = arena_grow(a, NULL,
		((size_t)m->copies.n + 1) * sizeof *p->copy_stats);
	p->devices = arena_grow(a, NULL,
		((size_t)m->devices.n + 1) * sizeof *p->devices);
	if (!p->stats || !p->copy_stats || !p->devices)
		return arena_err(a, e);
	kernels_fill(m, SPLIT_NONE);
	kernels_fill(m, SPLIT_DEVICE);
	copies_fill(m, SPLIT_NONE);
	copies_fill(m, SPLIT_DEVICE);
	devices_fill(m);
	return true;
}

/* When the first cycle began, where it was before any sample. */
static void started(const struct trace *t, struct slice rows, struct profile *p)
{
	for (uint32_t i = rows.from; t->base_is_utc && i < rows.to; i++) {
		int64_t at = t->pattern.cycle_start_ns[i];
		if (at >= 0 && (p->started_utc_ns < 0 ||
				       t->base_ns + at < p->started_utc_ns))
			p->started_utc_ns = t->base_ns + at;
	}
}

bool tables_patterns(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e)
{
	struct maker m = { .t = t, .p = p };
	struct arena *a = p->arena;
	p->span_ns = p->busy_ns = -1;
	bool ok = kernel_list_init(&m.list, t, f, p) &&
		  names_init(&m.cycles, a) && names_init(&m.seen, a) &&
		  names_init(&m.operations, a) && tally_init(&m.kernels, a) &&
		  tally_init(&m.copies, a) && tally_init(&m.devices, a);
	ok = ok ? walk(&m, proc->pattern, e) && fill(&m, e) : arena_err(a, e);
	kernel_list_release(&m.list);
	arena_drop(a, m.first);
	if (!ok)
		return false;
	if (!tables_cycles(t, proc, p) || !pattern_told(t, proc, p))
		return arena_err(a, e);
	started(t, proc->pattern, p);
	note_add(&p->notes, NOTE_patterns_only, m.cycles.n - 1, NULL, 0);
	if (p->launches == 0)
		note_add(&p->notes, NOTE_no_kernels,
			proc->pattern.to - proc->pattern.from, NULL, 0);
	return true;
}
