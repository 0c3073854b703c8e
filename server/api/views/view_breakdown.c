/* view_breakdown.c - layers and launch groups of a run, and layers of several runs, as
 * JSON and as tables. */
#include "view_breakdown.h"
#include "breakdown_word.h"
#include "comparison_word.h"
#include "exact.h"
#include "layer_table.h"
#include "run_breakdown.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- layers as JSON */

static json_t *view_breakdown_kernel(const struct breakdown_kernel *k);

/* The mean T_SOL of a launch from the sum of T_SOL. The next function is the
 * ratio of T_SOL and time. Both use only the launches with a known bound, and
 * return NaN if there are none. */
static double view_breakdown_sol_ns(const struct breakdown_row *r,
	int64_t sol_ps)
{
	return r->bound_launches > 0
		       ? (double)sol_ps / 1e3 / (double)r->bound_launches
		       : (double)NAN;
}

static double view_breakdown_s(const struct breakdown_row *r, int64_t sol_ps)
{
	return r->bound_ns > 0 ? (double)sol_ps / 1e3 / (double)r->bound_ns
			       : (double)NAN;
}

static int64_t view_breakdown_index(uint32_t v)
{
	return v == UINT32_MAX ? -1 : (int64_t)v;
}

/* Roles as words, as in layer_role.def. */
static json_t *view_breakdown_roles(layer_roles roles)
{
	json_t *v = json_array();
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			view_append(v, json_string(breakdown_word_role[i]));
	return v;
}

/* The durations of a row; the mean per instance is rounded to tenths. */
static double view_breakdown_section_sum(const struct breakdown *d, uint32_t i)
{
	int64_t total = 0, n = d->sections[i].instances;
	for (uint32_t r = 0; r < d->rows_n; r++)
		if (d->blocks[d->rows[r].block].section == i)
			total += d->rows[r].time.total_ns;
	return n > 0 ? (double)exact_tenths((wide_t)total, (wide_t)n) / 10
		     : (double)NAN;
}

/* The name of a row's kernel, or the operation of a row without a kernel.
 * `whole` selects the full name. */
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

/* -1 for a section that is not a layer. */
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
			view_breakdown_kernel(&is->kernels[g->kernels[k]]));
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

static json_t *view_breakdown_kernel(const struct breakdown_kernel *k)
{
	return row_layer_kernel(k);
}

static void view_breakdown_set_lists(json_t *v,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array(), *bars = json_array();
	for (uint32_t i = 0; i < d->sections_n; i++) {
		struct utilization use = run_breakdown_utilization(d, i);
		view_append(sections,
			row_layer_section(d, &d->sections[i], i, &use));
	}
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

/* The layout for one run, built line by line. */
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

/* Sorts by start. */
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

/* Shows a block that runs in parallel with another one, and the rows of the
 * other block that it overlaps. The time of these rows is shown above. */
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

/* ---- layers of several runs as JSON */

static const char *const match_word[] = {
	[COMPARE_BY_ROLE] = "role",
	[COMPARE_BY_MODULE] = "module",
	[COMPARE_BY_KERNEL] = "kernel",
	[COMPARE_ALONE] = "alone",
};

static json_t *view_breakdown_compare_reals(const double *v, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, view_real(v[i]));
	return list;
}

static json_t *view_breakdown_compare_run(const struct run_breakdown *r)
{
	const struct breakdown *d = &r->is.breakdown;
	json_t *v = json_object();
	view_set_whole(v, "run", r->row.id);
	view_set_text(v, "name", r->row.name);
	view_set_text(v, "platform", r->platform);
	view_set_text(v, "device_name", r->device_name);
	view_set_text(v, "detector", breakdown_word_layers[d->detector]);
	view_set_real(v, "confidence", d->confidence);
	view_set_text(v, "reason", d->why);
	json_object_set_new(v, "realigned", json_boolean(d->realigned));
	json_object_set_new(v, "names_lag", json_boolean(r->names_lag));
	view_set_whole(v, "layers", d->layers);
	view_set_real(v, "end_to_end_ns", d->pass.avg_ns);
	view_set_real(v, "layered_ns", d->layered.avg_ns);
	view_set_whole(v, "iterations", d->passes);
	return v;
}

static json_t *view_breakdown_compare_section(const struct run_breakdown *runs,
	const struct breakdown_compare *b,
	const struct breakdown_compare_section *s)
{
	json_t *v = json_object(), *per_pass = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		json_array_append_new(per_pass,
			s->of[i] == UINT32_MAX
				? json_null()
				: view_whole(runs[i].is.breakdown
						     .sections[s->of[i]]
						     .per_pass));
	view_set_text(v, "position", breakdown_word_place[s->place]);
	view_set_text(v, "name", s->name);
	json_object_set_new(v, "per_iteration", per_pass);
	json_object_set_new(v, "sum_ns",
		view_breakdown_compare_reals(s->sum_ns, b->sides_n));
	return v;
}

static json_t *view_breakdown_compare_block(const struct breakdown_compare *b,
	const struct breakdown_compare_block *k)
{
	json_t *v = json_object();
	view_set_whole(v, "section", k->section);
	view_set_text(v, "block", breakdown_word_block[k->kind]);
	json_object_set_new(v, "parallel_to",
		view_whole(view_breakdown_index(k->parallel_to)));
	json_object_set_new(v, "sum_ns",
		view_breakdown_compare_reals(k->sum_ns, b->sides_n));
	return v;
}

/* The time per instance of the section, so that the rows of a cell add up to
 * the cell. */
static double view_breakdown_compare_mean_ns(const struct breakdown *d,
	const struct breakdown_row *r)
{
	int64_t n = d->sections[d->blocks[r->block].section].instances;
	return n > 0 ? (double)exact_tenths((wide_t)r->time.total_ns,
			       (wide_t)n) /
			       10
		     : (double)NAN;
}

static json_t *view_breakdown_compare_row(const struct breakdown_stored *is,
	uint32_t i)
{
	const struct breakdown_row *r = &is->breakdown.rows[i];
	json_t *v = json_object();
	json_object_set_new(v, "kernel",
		r->kernel == ROW_NO_KERNEL
			? json_null()
			: view_breakdown_kernel(&is->kernels[r->kernel]));
	view_set_text(v, "operation", r->operation);
	view_set_text(v, "operator", r->operator_);
	view_set_text(v, "module", r->module);
	view_set_real(v, "mean_ns",
		view_breakdown_compare_mean_ns(&is->breakdown, r));
	json_object_set_new(v, "group",
		view_whole(view_breakdown_index(r->group)));
	json_object_set_new(v, "extra", json_boolean(r->extra));
	view_set_whole(v, "stream", r->lane);
	view_set_whole(v, "overlapped_ns", r->overlapped_ns);
	return v;
}

static json_t *view_breakdown_compare_cell(const struct breakdown_stored *is,
	const struct breakdown_compare_cell *c)
{
	json_t *v = json_object(), *rows = json_array();
	for (uint32_t i = 0; i < c->rows_n; i++)
		view_append(rows, view_breakdown_compare_row(is, c->rows[i]));
	view_set_real(v, "mean_ns", c->sum_ns);
	view_set_real(v, "diff_ns", c->diff_ns);
	view_set_real(v, "diff_pct", c->diff_pct);
	view_set_real(v, "s", c->s);
	json_object_set_new(v, "rows", rows);
	return v;
}

static json_t *view_breakdown_compare_line(const struct run_breakdown *runs,
	const struct breakdown_compare *b,
	const struct breakdown_compare_line *l)
{
	json_t *v = json_object(), *cells = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		json_array_append_new(cells,
			l->cells[i].rows_n
				? view_breakdown_compare_cell(&runs[i].is,
					  &l->cells[i])
				: json_null());
	view_set_whole(v, "block", l->block);
	view_set_text(v, "match", match_word[l->match]);
	view_set_text(v, "identity", comparison_word_identity[l->identity]);
	view_set_text(v, "identity_reason", l->reason);
	json_object_set_new(v, "roles", view_breakdown_roles(l->roles));
	view_set_text(v, "module", l->module);
	json_object_set_new(v, "cells", cells);
	return v;
}

json_t *view_breakdown_compare(const struct run_breakdown *runs,
	const struct breakdown_compare *b)
{
	json_t *v = json_object(), *heads = json_array();
	json_t *sections = json_array(), *blocks = json_array();
	json_t *items = json_array();
	for (uint32_t i = 0; i < b->sides_n; i++)
		view_append(heads, view_breakdown_compare_run(&runs[i]));
	for (uint32_t i = 0; i < b->sections_n; i++)
		view_append(sections, view_breakdown_compare_section(runs, b,
					      &b->sections[i]));
	for (uint32_t i = 0; i < b->blocks_n; i++)
		view_append(blocks,
			view_breakdown_compare_block(b, &b->blocks[i]));
	for (uint32_t i = 0; i < b->lines_n; i++)
		view_append(items,
			view_breakdown_compare_line(runs, b, &b->lines[i]));
	json_object_set_new(v, "runs", heads);
	json_object_set_new(v, "sections", sections);
	json_object_set_new(v, "blocks", blocks);
	json_object_set_new(v, "items", items);
	return v;
}

/* ---- layers of several runs as a table: kernels, modules and times of its rows */

struct view_breakdown_compare_layout {
	struct layer_table table;
	const struct run_breakdown *runs;
	const struct breakdown_compare *b;
	const double *cells
		[BREAKDOWN_COMPARE_MAX]; /* by run and row: run_breakdown_cells() */
	struct arena *arena;
};

static const struct breakdown *view_breakdown_compare_side(
	const struct view_breakdown_compare_layout *l, uint32_t s)
{
	return &l->runs[s].is.breakdown;
}

/* maximum number of kernels shown for a run in a row */
enum { KERNELS_SHOWN = 6 };

static const char *view_breakdown_compare_row_kernel_of(
	const struct view_breakdown_compare_layout *l, uint32_t s, uint32_t row)
{
	const struct breakdown_stored *is = &l->runs[s].is;
	const struct breakdown_row *r = &is->breakdown.rows[row];
	return layer_table_kernel(l->arena, &is->breakdown, row,
		r->kernel == ROW_NO_KERNEL ? r->operation
					   : is->kernels[r->kernel].short_name);
}

/* The rows of a run in an entry; returns their number. */
static uint32_t
view_breakdown_compare_rows(const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e, uint32_t s, const uint32_t **rows)
{
	const struct breakdown_compare_cell *c = &l->b->lines[e->line].cells[s];
	*rows = e->whole ? c->rows : &e->row[s];
	return e->whole ? c->rows_n : e->row[s] != UINT32_MAX;
}

/* The kernels that a side has in an entry, for example "gemm + splitKreduce";
 * NULL if it has none. */
static const char *view_breakdown_compare_row_texts_of(
	const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e, uint32_t s)
{
	const uint32_t *rows;
	uint32_t n = view_breakdown_compare_rows(l, e, s, &rows);
	const char *text = NULL;
	for (uint32_t i = 0; i < n && i < KERNELS_SHOWN; i++) {
		const char *name =
			view_breakdown_compare_row_kernel_of(l, s, rows[i]);
		text = text ? arena_printf(l->arena, "%s + %s", text, name)
			    : name;
	}
	if (n > KERNELS_SHOWN)
		text = arena_printf(l->arena, "%s + %u more", text,
			n - KERNELS_SHOWN);
	return text;
}

/* The kernels of an entry, such as "gemm + splitKreduce". If they are equal in
 * all runs that have the entry, they are written once. Otherwise the text
 * contains the kernels of each run, in the order of the runs, with "-" for a
 * run without the entry. */
static const char *
view_breakdown_compare_kernels(const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e)
{
	const char *one = NULL, *all = NULL;
	bool same = true;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const char *is = view_breakdown_compare_row_texts_of(l, e, s);
		if (is && one)
			same = same && strcmp(is, one) == 0;
		else if (is)
			one = is;
		all = all ? arena_printf(l->arena, "%s / %s", all,
				    is ? is : "-")
			  : (is ? is : "-");
	}
	return same ? one : all;
}

/* The time of an entry in a run. The time of a group is stored at one of its
 * rows. NaN if there is none. */
static double
view_breakdown_compare_time(const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e, uint32_t s)
{
	const uint32_t *rows;
	uint32_t n = view_breakdown_compare_rows(l, e, s, &rows);
	double sum = NAN;
	for (uint32_t i = 0; i < n; i++) {
		double is = l->cells[s][rows[i]];
		if (isfinite(is))
			sum = isfinite(sum) ? sum + is : is;
	}
	return sum;
}

/* The module of the first run that has one; otherwise the roles of the entry's
 * rows. */
static const char *
view_breakdown_compare_module(const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e)
{
	layer_roles roles = 0;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		uint32_t n = view_breakdown_compare_rows(l, e, s, &rows);
		for (uint32_t i = 0; i < n; i++) {
			const struct breakdown_row *r =
				&view_breakdown_compare_side(l, s)
					 ->rows[rows[i]];
			if (r->module)
				return r->module;
			roles |= r->roles;
		}
	}
	return layer_table_roles(l->arena, roles);
}

static void
view_breakdown_compare_table_put_entry(struct view_breakdown_compare_layout *l,
	const char *block, const struct run_breakdown_pair *e, bool has_times)
{
	double ns[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		ns[s] = has_times ? view_breakdown_compare_time(l, e, s)
				  : (double)NAN;
	layer_table_line(&l->table, block, view_breakdown_compare_module(l, e),
		view_breakdown_compare_kernels(l, e), ns);
}

/* The first line of this block or of a later one. */
static uint32_t view_breakdown_compare_table_first_line(
	const struct breakdown_compare *b, uint32_t block)
{
	uint32_t from = 0, n = b->lines_n;
	while (n) {
		uint32_t half = n / 2;
		if (b->lines[from + half].block < block) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

/* The lines of a block, which are contiguous: [*from, *to). */
static void view_breakdown_compare_table_lines_of(const struct breakdown_compare
							  *b,
	uint32_t block, uint32_t *from, uint32_t *to)
{
	*from = view_breakdown_compare_table_first_line(b, block);
	*to = view_breakdown_compare_table_first_line(b, block + 1);
}

/* Appends the entries of the lines of a block to *list. */
static void
view_breakdown_compare_table_entries_of(struct view_breakdown_compare_layout *l,
	uint32_t block, struct run_breakdown_pair **list, uint32_t *n)
{
	uint32_t from, to;
	view_breakdown_compare_table_lines_of(l->b, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		run_breakdown_pairs(l->arena, l->runs, l->b, i, list, n);
}

static void view_breakdown_compare_table_put_block(
	struct view_breakdown_compare_layout *l, uint32_t block)
{
	const struct breakdown_compare_block *is = &l->b->blocks[block];
	const char *word = breakdown_word_block[is->kind];
	struct run_breakdown_pair *list = NULL;
	uint32_t n = 0;
	view_breakdown_compare_table_entries_of(l, block, &list, &n);
	for (uint32_t i = 0; i < n; i++)
		view_breakdown_compare_table_put_entry(l, word, &list[i], true);
	layer_table_line(&l->table, word, "sum", NULL, is->sum_ns);
}

/* For each side, finds the block whose rows are in the lines [from, to).
 * UINT32_MAX if there is none, or if that block runs in parallel with no other.
 */
static void view_breakdown_compare_table_blocks_of(
	const struct view_breakdown_compare_layout *l, uint32_t from,
	uint32_t to, uint32_t block[BREAKDOWN_COMPARE_MAX])
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const struct breakdown *d = view_breakdown_compare_side(l, s);
		block[s] = UINT32_MAX;
		for (uint32_t i = from; i < to && block[s] == UINT32_MAX; i++)
			if (l->b->lines[i].cells[s].rows_n)
				block[s] =
					d->rows[l->b->lines[i].cells[s].rows[0]]
						.block;
		if (block[s] != UINT32_MAX &&
			d->blocks[block[s]].parallel_to == UINT32_MAX)
			block[s] = UINT32_MAX;
	}
}

/* Whether, on some side, a row of the entry overlaps a row of the block. */
static bool view_breakdown_compare_table_parallel(
	const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e,
	const uint32_t block[BREAKDOWN_COMPARE_MAX])
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		uint32_t n = view_breakdown_compare_rows(l, e, s, &rows);
		for (uint32_t i = 0; block[s] != UINT32_MAX && i < n; i++)
			if (run_breakdown_overlaps(
				    view_breakdown_compare_side(l, s), rows[i],
				    block[s]))
				return true;
	}
	return false;
}

/* The start of an entry on the first side that has it. */
static double view_breakdown_compare_table_offset_of(
	const struct view_breakdown_compare_layout *l,
	const struct run_breakdown_pair *e)
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		if (view_breakdown_compare_rows(l, e, s, &rows))
			return view_breakdown_compare_side(l, s)
				->rows[rows[0]]
				.offset_ns;
	}
	return 0;
}

static int view_breakdown_compare_table_by_offset(const void *a, const void *b,
	void *arg)
{
	const struct run_breakdown_pair *x = a, *y = b;
	double from = view_breakdown_compare_table_offset_of(arg, x),
	       other = view_breakdown_compare_table_offset_of(arg, y);
	if (from < other || from > other)
		return from < other ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return memcmp(x->row, y->row, sizeof x->row);
}

/* Shows a block that runs in parallel with another one, and the rows of the
 * other block that it overlaps. The time of these rows is shown above. */
static void view_breakdown_compare_table_put_overlap(
	struct view_breakdown_compare_layout *l, uint32_t block)
{
	const struct breakdown_compare_block *is = &l->b->blocks[block];
	const char *word = layer_table_overlap(l->arena,
		l->b->blocks[is->parallel_to].kind, is->kind);
	uint32_t from, to, own, n = 0, blocks[BREAKDOWN_COMPARE_MAX] = { 0 };
	struct run_breakdown_pair *list = NULL;
	view_breakdown_compare_table_lines_of(l->b, block, &from, &to);
	view_breakdown_compare_table_blocks_of(l, from, to, blocks);
	view_breakdown_compare_table_entries_of(l, block, &list, &n);
	uint32_t all = own = n;
	view_breakdown_compare_table_entries_of(l, is->parallel_to, &list,
		&all);
	for (uint32_t i = own; i < all; i++)
		if (view_breakdown_compare_table_parallel(l, &list[i], blocks))
			list[n++] = list[i];
	if (n)
		qsort_r(list, n, sizeof *list,
			view_breakdown_compare_table_by_offset, l);
	for (uint32_t i = 0; i < n; i++)
		view_breakdown_compare_table_put_entry(l, word, &list[i],
			l->b->lines[list[i].line].block == block);
	layer_table_line(&l->table, word, "sum", NULL, is->sum_ns);
}

/* For example "58 layers: attention + moe", or "32/30 layers" if the sides
 * differ. */
static const char *view_breakdown_compare_table_section_text(
	const struct view_breakdown_compare_layout *l,
	const struct breakdown_compare_section *is)
{
	const char *counts = NULL;
	uint32_t one = 0;
	bool same = true;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		if (is->of[s] == UINT32_MAX)
			continue;
		uint32_t n = view_breakdown_compare_side(l, s)
				     ->sections[is->of[s]]
				     .per_pass;
		same = same && (!counts || n == one);
		one = n;
		counts = counts ? arena_printf(l->arena, "%s/%u", counts, n)
				: arena_printf(l->arena, "%u", n);
	}
	if (same || is->place != SECTION_LAYER)
		return layer_table_section(l->arena, is->place, is->name, one);
	return arena_printf(l->arena, "%s layers%s%s", counts,
		is->name ? ": " : "", is->name ? is->name : "");
}

static void view_breakdown_compare_table_put_section(
	struct view_breakdown_compare_layout *l, uint32_t section)
{
	const struct breakdown_compare *b = l->b;
	if (b->sections_n > 1)
		layer_table_line(&l->table,
			view_breakdown_compare_table_section_text(l,
				&b->sections[section]),
			NULL, NULL, b->sections[section].sum_ns);
	for (int parallel_too = 0; parallel_too < 2; parallel_too++)
		for (uint32_t k = 0; k < b->blocks_n; k++)
			if (b->blocks[k].section != section)
				continue;
			else if (!parallel_too &&
				 b->blocks[k].parallel_to == UINT32_MAX)
				view_breakdown_compare_table_put_block(l, k);
			else if (parallel_too &&
				 b->blocks[k].parallel_to != UINT32_MAX)
				view_breakdown_compare_table_put_overlap(l, k);
}

/* Adds a line for each number of layers that a run has. */
static void view_breakdown_compare_table_put_layers(
	struct view_breakdown_compare_layout *l, uint32_t from)
{
	double layered[BREAKDOWN_COMPARE_MAX];
	uint32_t layers = view_breakdown_compare_side(l, from)->layers;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const struct breakdown *d = view_breakdown_compare_side(l, s);
		if (s < from && d->layers == layers)
			return;
		layered[s] =
			d->layers == layers ? d->layered.avg_ns : (double)NAN;
	}
	if (layers)
		layer_table_total(&l->table,
			layer_table_count(l->arena, layers), layered);
}

static void view_breakdown_compare_table_put_totals(
	struct view_breakdown_compare_layout *l)
{
	double pass[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		pass[s] = view_breakdown_compare_side(l, s)->pass.avg_ns;
	layer_table_total(&l->table, "end to end", pass);
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		view_breakdown_compare_table_put_layers(l, s);
}

/* The name of a run, with its id if another run has the same name. */
static const char *view_breakdown_compare_table_name_of(struct arena *a,
	const struct run_breakdown *runs, uint32_t n, uint32_t s)
{
	const struct run_row *r = &runs[s].row;
	const char *name = layer_table_name(a, r->name, r->id);
	for (uint32_t i = 0; i < n; i++)
		if (i != s &&
			!strcmp(name, layer_table_name(a, runs[i].row.name,
					      runs[i].row.id)))
			return arena_printf(a, "%s #%lld", name,
				(long long)r->id);
	return name;
}

const struct table *view_breakdown_compare_table(struct arena *a,
	const struct run_breakdown *runs, const struct breakdown_compare *b)
{
	struct view_breakdown_compare_layout l = { .runs = runs,
		.b = b,
		.arena = a };
	const char *heads[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < b->sides_n; s++) {
		heads[s] = layer_table_head(a,
			view_breakdown_compare_table_name_of(a, runs,
				b->sides_n, s),
			&runs[s].is.breakdown, runs[s].names_lag);
		l.cells[s] = run_breakdown_cells(a, &runs[s].is.breakdown);
	}
	layer_table_init(&l.table, a, heads, (int)b->sides_n);
	view_breakdown_compare_table_put_totals(&l);
	for (uint32_t k = 0; k < b->sections_n; k++)
		view_breakdown_compare_table_put_section(&l, k);
	return layer_table_end(&l.table);
}
