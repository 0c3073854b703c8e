/* view_breakdown.c - layers and launch groups of a run as JSON and as tables. */
#include "view_breakdown.h"
#include "breakdown_word.h"
#include "exact.h"
#include "layer_table.h"
#include "run_breakdown.h"
#include "table.h"
#include <stdlib.h>

/* ---- layers as JSON */

static json_t *view_breakdown_index_or_null(uint32_t v)
{
	return v == UINT32_MAX ? json_null() : view_whole(v);
}

static void view_breakdown_set_times(json_t *v, const struct time_stats *t)
{
	view_set_real(v, "mean_ns", t->avg_ns);
	view_set_real(v, "median_ns", t->med_ns);
	view_set_real(v, "stddev_ns", t->stddev_ns);
	view_set_whole(v, "min_ns", t->min_ns);
	view_set_whole(v, "max_ns", t->max_ns);
}

static json_t *view_breakdown_times(const struct time_stats *t)
{
	json_t *v = json_object();
	view_set_whole(v, "instances", t->instances);
	view_breakdown_set_times(v, t);
	return v;
}

json_t *view_layer_kernel(const struct breakdown_kernel *k)
{
	json_t *v = json_object();
	view_set_whole(v, "id", k->id);
	view_set_text(v, "name", k->name);
	view_set_text(v, "short_name", k->short_name);
	return v;
}

json_t *view_layer_roles(layer_roles roles)
{
	json_t *v = json_array();
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			view_append(v, json_string(breakdown_word_role[i]));
	return v;
}

/* Its rows' durations, the mean per instance in tenths. */
static double view_breakdown_section_sum(const struct breakdown *d, uint32_t i)
{
	int64_t total = 0, n = d->sections[i].instances;
	for (uint32_t r = 0; r < d->rows_n; r++)
		if (d->blocks[d->rows[r].block].section == i)
			total += d->rows[r].time.total_ns;
	return n > 0 ? (double)exact_tenths((wide_t)total, (wide_t)n) / 10
		     : (double)NAN;
}

static json_t *view_breakdown_section(const struct breakdown *d, uint32_t i)
{
	const struct breakdown_section *s = &d->sections[i];
	json_t *v = json_object();
	view_set_text(v, "position", breakdown_word_place[s->place]);
	view_set_text(v, "name", s->name);
	view_set_whole(v, "instances", s->instances);
	view_set_whole(v, "per_iteration", s->per_pass);
	view_set_whole(v, "first", s->first);
	json_object_set_new(v, "time", view_breakdown_times(&s->time));
	view_set_real(v, "sum_ns", view_breakdown_section_sum(d, i));
	view_set_real(v, "similarity", s->alike);
	return v;
}

static json_t *view_breakdown_block(const struct breakdown_block *b)
{
	json_t *v = json_object();
	view_set_whole(v, "section", b->section);
	view_set_text(v, "block", breakdown_word_block[b->kind]);
	json_object_set_new(v, "parallel_to",
		view_breakdown_index_or_null(b->beside));
	view_set_real(v, "sum_ns", b->sum_ns);
	view_set_whole(v, "exclusive_ns", b->exclusive_ns);
	view_set_whole(v, "overlapped_ns", b->overlapped_ns);
	return v;
}

static json_t *view_breakdown_item(const struct breakdown_stored *is,
	const struct breakdown_row *r)
{
	json_t *v = json_object();
	view_set_whole(v, "block", r->block);
	json_object_set_new(v, "kernel",
		r->kernel == ROW_NO_KERNEL
			? json_null()
			: view_layer_kernel(&is->kernels[r->kernel]));
	view_set_text(v, "operation", r->operation);
	view_set_text(v, "operator", r->operator_);
	view_set_text(v, "module", r->module);
	json_object_set_new(v, "roles", view_layer_roles(r->roles));
	view_set_text(v, "role_source",
		!r->roles	    ? NULL
		: r->role_by_module ? "module"
				    : "sequence");
	view_set_whole(v, "stream", r->lane);
	json_object_set_new(v, "group", view_breakdown_index_or_null(r->group));
	view_set_whole(v, "launches", r->time.instances);
	view_set_whole(v, "instances", r->instances);
	json_object_set_new(v, "extra", json_boolean(r->extra));
	view_breakdown_set_times(v, &r->time);
	view_set_real(v, "offset_ns", r->offset_ns);
	view_set_whole(v, "exclusive_ns", r->exclusive_ns);
	view_set_whole(v, "overlapped_ns", r->overlapped_ns);
	view_set_real(v, "sol_ns", view_layer_sol_ns(r));
	view_set_real(v, "s", view_layer_s(r));
	return v;
}

static json_t *view_breakdown_bar(const struct breakdown_bar *b)
{
	json_t *v = json_object();
	view_set_whole(v, "layer", b->layer);
	view_set_whole(v, "block", b->block);
	view_set_real(v, "mean_ns", b->mean_ns);
	return v;
}

static void view_breakdown_set_lists(json_t *v,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array(), *bars = json_array();
	for (uint32_t i = 0; i < d->sections_n; i++)
		view_append(sections, view_breakdown_section(d, i));
	for (uint32_t i = 0; i < d->blocks_n; i++)
		view_append(blocks, view_breakdown_block(&d->blocks[i]));
	for (uint32_t i = 0; i < d->rows_n; i++)
		view_append(items, view_breakdown_item(is, &d->rows[i]));
	for (uint32_t i = 0; i < d->bars_n; i++)
		view_append(bars, view_breakdown_bar(&d->bars[i]));
	json_object_set_new(v, "sections", sections);
	json_object_set_new(v, "blocks", blocks);
	json_object_set_new(v, "items", items);
	json_object_set_new(v, "bars", bars);
}

static int64_t view_breakdown_exclusive_ns(const struct breakdown *d)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < d->rows_n; i++)
		sum += d->rows[i].exclusive_ns;
	return sum;
}

json_t *view_breakdown(int64_t run, const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *v = json_object(), *layers = json_object();
	view_set_whole(layers, "count", d->layers);
	json_object_set_new(layers, "time", view_breakdown_times(&d->layered));
	view_set_whole(v, "run", run);
	view_set_text(v, "detector", breakdown_word_layers[d->detector]);
	view_set_real(v, "confidence", d->confidence);
	view_set_text(v, "anchor", d->anchor);
	view_set_text(v, "reason", d->why);
	view_set_whole(v, "device", d->device);
	json_object_set_new(v, "realigned", json_boolean(d->realigned));
	view_set_whole(v, "iterations", d->passes);
	view_set_text(v, "stratum", d->stratum);
	json_object_set_new(v, "end_to_end", view_breakdown_times(&d->pass));
	json_object_set_new(v, "layers", layers);
	view_set_whole(v, "wall_ns", d->wall_ns);
	view_set_whole(v, "exclusive_ns", view_breakdown_exclusive_ns(d));
	view_set_whole(v, "overlap_ns", d->overlap_ns);
	view_set_whole(v, "idle_ns", d->idle_ns);
	view_set_whole(v, "other_ns", d->other_ns);
	view_set_whole(v, "exposed_comm_ns", d->exposed_comm_ns);
	view_breakdown_set_lists(v, is);
	return v;
}

/* ---- layers as tables: a line per row, and the layout that people make by hand */

static const struct column columns[] = { { "Section", false },
	{ "Layers", true }, { "Block", false }, { "Beside", false },
	{ "Module", false }, { "Roles", false }, { "Operator", false },
	{ "Lane", true }, { "Group", true }, { "Instances", true },
	{ "Launches", true }, { "Avg (ns)", true }, { "Med (ns)", true },
	{ "Min (ns)", true }, { "Max (ns)", true }, { "StdDev (ns)", true },
	{ "Offset (ns)", true }, { "Exclusive (ns)", true },
	{ "Overlapped (ns)", true }, { "T_SOL (ns)", true }, { "S", true },
	{ "Kernel", false } };

static const char *view_breakdown_table_text(const char *s)
{
	return s ? s : "";
}

static const char *view_breakdown_table_index_cell(struct arena *a, uint32_t v)
{
	return table_whole(a, v == UINT32_MAX ? -1 : (int64_t)v);
}

static const char **view_breakdown_table_row_times(struct arena *a,
	const struct breakdown_row *r, const char **at)
{
	*at++ = table_whole(a, r->time.instances);
	*at++ = table_real(a, r->time.avg_ns);
	*at++ = table_real(a, r->time.med_ns);
	*at++ = table_whole(a, r->time.min_ns);
	*at++ = table_whole(a, r->time.max_ns);
	*at++ = table_real(a, r->time.stddev_ns);
	*at++ = table_real(a, r->offset_ns);
	*at++ = table_whole(a, r->exclusive_ns);
	*at++ = table_whole(a, r->overlapped_ns);
	*at++ = table_figure(a, view_layer_sol_ns(r));
	*at++ = table_figure(a, view_layer_s(r));
	return at;
}

/* Its kernel's name whole, or what it is instead of one. */
static const char *view_breakdown_table_row_name(const struct breakdown_stored
							 *is,
	const struct breakdown_row *r, bool whole)
{
	if (r->kernel == ROW_NO_KERNEL)
		return view_breakdown_table_text(r->operation);
	const struct breakdown_kernel *k = &is->kernels[r->kernel];
	return whole ? k->name : k->short_name;
}

const struct table *view_breakdown_rows(struct arena *a,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(columns), d->rows_n, &at);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		const struct breakdown_row *r = &d->rows[i];
		const struct breakdown_block *b = &d->blocks[r->block];
		const struct breakdown_section *s = &d->sections[b->section];
		*at++ = s->name ? s->name : breakdown_word_place[s->place];
		*at++ = table_whole(a,
			s->place == SECTION_LAYER ? (int64_t)s->per_pass : -1);
		*at++ = breakdown_word_block[b->kind];
		*at++ = b->beside == UINT32_MAX
				? ""
				: breakdown_word_block[d->blocks[b->beside]
							       .kind];
		*at++ = view_breakdown_table_text(r->module);
		*at++ = view_breakdown_table_text(
			layer_table_roles(a, r->roles));
		*at++ = view_breakdown_table_text(r->operator_);
		*at++ = table_whole(a, r->lane);
		*at++ = view_breakdown_table_index_cell(a, r->group);
		*at++ = table_whole(a, r->instances);
		at = view_breakdown_table_row_times(a, r, at);
		*at++ = view_breakdown_table_row_name(is, r, true);
	}
	return t;
}

/* Of one run, line by line. */
struct view_breakdown_layout {
	struct layer_table table;
	const struct breakdown_stored *is;
	const double *cells; /* by row */
	struct arena *arena;
};

static void view_breakdown_table_put_row(struct view_breakdown_layout *l,
	const char *block, uint32_t row, double ns)
{
	const struct breakdown_row *r = &l->is->breakdown.rows[row];
	layer_table_line(&l->table, block,
		r->module ? r->module : layer_table_roles(l->arena, r->roles),
		layer_table_kernel(l->arena, &l->is->breakdown, row,
			view_breakdown_table_row_name(l->is, r, false)),
		&ns);
}

static void view_breakdown_table_put_block(struct view_breakdown_layout *l,
	uint32_t block)
{
	const struct breakdown_block *b = &l->is->breakdown.blocks[block];
	const char *word = breakdown_word_block[b->kind];
	uint32_t from, to;
	run_breakdown_block_rows(&l->is->breakdown, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		view_breakdown_table_put_row(l, word, i, l->cells[i]);
	layer_table_line(&l->table, word, "sum", NULL, &b->sum_ns);
}

/* By when they begin. */
static int view_breakdown_table_by_offset(const void *a, const void *b,
	void *arg)
{
	const struct breakdown *d = arg;
	const uint32_t *x = a, *y = b;
	double from = d->rows[*x].offset_ns, other = d->rows[*y].offset_ns;
	if (from < other || from > other)
		return from < other ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* A block that runs beside another, and those rows of the other that it overlaps:
 * their time is shown above. */
static void view_breakdown_table_put_overlap(struct view_breakdown_layout *l,
	uint32_t block)
{
	struct breakdown d = l->is->breakdown;
	const struct breakdown_block *b = &d.blocks[block];
	const char *word = layer_table_overlap(l->arena,
		d.blocks[b->beside].kind, b->kind);
	uint32_t from, to, beside, end, n = 0;
	run_breakdown_block_rows(&d, block, &from, &to);
	run_breakdown_block_rows(&d, b->beside, &beside, &end);
	uint32_t *rows = arena_array(l->arena, uint32_t,
		(size_t)(to - from) + (end - beside));
	for (uint32_t i = from; i < to; i++)
		rows[n++] = i;
	for (uint32_t i = beside; i < end; i++)
		if (run_breakdown_overlaps(&d, i, block))
			rows[n++] = i;
	if (n)
		qsort_r(rows, n, sizeof *rows, view_breakdown_table_by_offset,
			&d);
	for (uint32_t i = 0; i < n; i++)
		view_breakdown_table_put_row(l, word, rows[i],
			d.rows[rows[i]].block == block ? l->cells[rows[i]]
						       : (double)NAN);
	layer_table_line(&l->table, word, "sum", NULL, &b->sum_ns);
}

/* Blocks of a section are contiguous. */
static void view_breakdown_table_put_section(struct view_breakdown_layout *l,
	uint32_t from, uint32_t to)
{
	const struct breakdown *d = &l->is->breakdown;
	const struct breakdown_section *s =
		&d->sections[d->blocks[from].section];
	double sum = 0;
	for (uint32_t b = from; b < to; b++)
		sum += d->blocks[b].sum_ns;
	if (d->sections_n > 1)
		layer_table_line(&l->table,
			layer_table_section(l->arena, s->place, s->name,
				s->per_pass),
			NULL, NULL, &sum);
	for (uint32_t b = from; b < to; b++)
		if (d->blocks[b].beside == UINT32_MAX)
			view_breakdown_table_put_block(l, b);
	for (uint32_t b = from; b < to; b++)
		if (d->blocks[b].beside != UINT32_MAX)
			view_breakdown_table_put_overlap(l, b);
}

const struct table *view_breakdown_table(struct arena *a,
	const struct run_row *run, bool names_lag,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	const char *head = layer_table_head(a,
		layer_table_name(a, run->name, run->id), d, names_lag);
	struct view_breakdown_layout l = { .is = is,
		.cells = run_breakdown_cells(a, d),
		.arena = a };
	layer_table_init(&l.table, a, &head, 1);
	layer_table_total(&l.table, "end to end", &d->pass.avg_ns);
	if (d->layers)
		layer_table_total(&l.table, layer_table_count(a, d->layers),
			&d->layered.avg_ns);
	for (uint32_t from = 0, to; from < d->blocks_n; from = to) {
		for (to = from + 1;
			to < d->blocks_n &&
			d->blocks[to].section == d->blocks[from].section;
			to++)
			;
		view_breakdown_table_put_section(&l, from, to);
	}
	return layer_table_end(&l.table);
}

/* ---- kernels that are launched together */

json_t *view_group(const struct groups_stored *is, uint32_t i)
{
	const struct kernel_group *g = &is->groups.groups[i];
	json_t *v = json_object(), *kernels = json_array();
	for (uint32_t k = 0; k < g->kernels_n; k++)
		view_append(kernels,
			view_layer_kernel(&is->kernels[g->kernels[k]]));
	json_object_set_new(v, "kernels", kernels);
	view_set_text(v, "operator", g->operator_);
	view_set_text(v, "evidence", breakdown_word_evidence[g->evidence]);
	view_set_whole(v, "support", g->support);
	view_set_real(v, "confidence", g->confidence);
	view_set_whole(v, "total_ns", g->total_ns);
	view_set_whole(v, "alone", g->alone);
	return v;
}

static const struct column group_columns[] = { { "Total Time (ns)", true },
	{ "Support", true }, { "Confidence", true }, { "Alone", true },
	{ "Evidence", false }, { "Operator", false }, { "Kernels", false } };

const struct table *view_groups_table(struct arena *a,
	const struct groups_stored *is)
{
	const char **at;
	struct table *t =
		table_new(a, TABLE_COLUMNS(group_columns), is->groups.n, &at);
	for (uint32_t i = 0; i < is->groups.n; i++) {
		const struct kernel_group *g = &is->groups.groups[i];
		const char *names = "";
		for (uint32_t k = 0; k < g->kernels_n; k++)
			names = arena_printf(a, "%s%s%s", names, k ? "; " : "",
				is->kernels[g->kernels[k]].name);
		*at++ = table_whole(a, g->total_ns);
		*at++ = table_whole(a, g->support);
		*at++ = table_figure(a, g->confidence);
		*at++ = table_whole(a, g->alone);
		*at++ = breakdown_word_evidence[g->evidence];
		*at++ = g->operator_ ? g->operator_ : "";
		*at++ = names;
	}
	return t;
}
