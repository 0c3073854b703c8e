/* view_breakdown.c - layers and launch groups of a run as JSON and as tables. */
#include "view_breakdown.h"
#include "breakdown_word.h"
#include "exact.h"
#include "layer_table.h"
#include "run_breakdown.h"
#include "table.h"
#include <stdlib.h>

/* ---- layers as JSON */

static int64_t view_breakdown_index(uint32_t v)
{
	return v == UINT32_MAX ? -1 : (int64_t)v;
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

/* Its kernel's name whole, or what it is instead of one. */
static const char *view_breakdown_row_name(const struct breakdown_stored *is,
	const struct breakdown_row *r, bool whole)
{
	if (r->kernel == ROW_NO_KERNEL)
		return r->operation ? r->operation : "";
	const struct breakdown_kernel *k = &is->kernels[r->kernel];
	return whole ? k->name : k->short_name;
}

static const struct breakdown_section *view_breakdown_section_of(
	const struct breakdown_stored *is, const struct breakdown_row *r)
{
	const struct breakdown *d = &is->breakdown;
	return &d->sections[d->blocks[r->block].section];
}

static const char *view_breakdown_section_name(const struct breakdown_stored
						       *is,
	const struct breakdown_row *r)
{
	const struct breakdown_section *s = view_breakdown_section_of(is, r);
	return s->name ? s->name : breakdown_word_place[s->place];
}

/* -1 for what is no layer. */
static int64_t view_breakdown_section_layers(const struct breakdown_stored *is,
	const struct breakdown_row *r)
{
	const struct breakdown_section *s = view_breakdown_section_of(is, r);
	return s->place == SECTION_LAYER ? (int64_t)s->per_pass : -1;
}

/* The block that the row's block runs in parallel to; NULL if none. */
static const char *view_breakdown_parallel_to(const struct breakdown_stored *is,
	const struct breakdown_row *r)
{
	const struct breakdown *d = &is->breakdown;
	uint32_t other = d->blocks[r->block].parallel_to;
	return other == UINT32_MAX
		       ? NULL
		       : breakdown_word_block[d->blocks[other].kind];
}

static json_t *view_breakdown_group_kernels(const struct groups_stored *is,
	const struct kernel_group *g)
{
	json_t *kernels = json_array();
	for (uint32_t k = 0; k < g->kernels_n; k++)
		view_append(kernels,
			view_layer_kernel(&is->kernels[g->kernels[k]]));
	return kernels;
}

static const char *view_breakdown_group_names(struct arena *a,
	const struct groups_stored *is, const struct kernel_group *g)
{
	const char *names = "";
	for (uint32_t k = 0; k < g->kernels_n; k++)
		names = arena_printf(a, "%s%s%s", names, k ? "; " : "",
			is->kernels[g->kernels[k]].name);
	return names;
}

#define ROWS "breakdown.def"
#include "row_functions.h"

json_t *view_layer_kernel(const struct breakdown_kernel *k)
{
	return row_layer_kernel(k);
}

static void view_breakdown_set_lists(json_t *v,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array(), *bars = json_array();
	for (uint32_t i = 0; i < d->sections_n; i++)
		view_append(sections, row_layer_section(d, &d->sections[i], i));
	for (uint32_t i = 0; i < d->blocks_n; i++)
		view_append(blocks, row_layer_section_block(&d->blocks[i]));
	for (uint32_t i = 0; i < d->rows_n; i++)
		view_append(items,
			row_layer_row(is, &d->rows[i], &d->rows[i].time));
	for (uint32_t i = 0; i < d->bars_n; i++)
		view_append(bars, row_layer_bar(&d->bars[i]));
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
	json_object_set_new(layers, "time", row_layer_times(&d->layered));
	view_set_whole(v, "run", run);
	view_set_text(v, "detector", breakdown_word_layers[d->detector]);
	view_set_real(v, "confidence", d->confidence);
	view_set_text(v, "anchor", d->anchor);
	view_set_text(v, "reason", d->why);
	view_set_whole(v, "device", d->device);
	json_object_set_new(v, "realigned", json_boolean(d->realigned));
	view_set_whole(v, "iterations", d->passes);
	view_set_text(v, "stratum", d->stratum);
	json_object_set_new(v, "end_to_end", row_layer_times(&d->pass));
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

const struct table *view_breakdown_rows(struct arena *a,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	struct row_table *t = row_table_begin(a, "layer_row", NULL);
	row_table_rows(t, d->rows_n);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		row_layer_row_cells(t, is, &d->rows[i], &d->rows[i].time);
		row_table_next(t);
	}
	return &t->table;
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
			view_breakdown_row_name(l->is, r, false)),
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

/* A block that runs parallel to another, and those rows of the other that it overlaps:
 * their time is shown above. */
static void view_breakdown_table_put_overlap(struct view_breakdown_layout *l,
	uint32_t block)
{
	struct breakdown d = l->is->breakdown;
	const struct breakdown_block *b = &d.blocks[block];
	const char *word = layer_table_overlap(l->arena,
		d.blocks[b->parallel_to].kind, b->kind);
	uint32_t from, to, other, end, n = 0;
	run_breakdown_block_rows(&d, block, &from, &to);
	run_breakdown_block_rows(&d, b->parallel_to, &other, &end);
	uint32_t *rows = arena_array(l->arena, uint32_t,
		(size_t)(to - from) + (end - other));
	for (uint32_t i = from; i < to; i++)
		rows[n++] = i;
	for (uint32_t i = other; i < end; i++)
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
		if (d->blocks[b].parallel_to == UINT32_MAX)
			view_breakdown_table_put_block(l, b);
	for (uint32_t b = from; b < to; b++)
		if (d->blocks[b].parallel_to != UINT32_MAX)
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
	return row_kernel_group(is, &is->groups.groups[i]);
}

const struct table *view_groups_table(struct arena *a,
	const struct groups_stored *is)
{
	struct row_table *t = row_table_begin(a, "kernel_group", NULL);
	row_table_rows(t, is->groups.n);
	for (uint32_t i = 0; i < is->groups.n; i++) {
		row_kernel_group_cells(t, is, &is->groups.groups[i]);
		row_table_next(t);
	}
	return &t->table;
}
