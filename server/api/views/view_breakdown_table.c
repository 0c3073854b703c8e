/* view_breakdown_table.c - the layers of a run as tables: a line per row, and
 * the layout that people make by hand. */
#include "breakdown_word.h"
#include "cell.h"
#include "run_breakdown.h"
#include "layer_table.h"
#include "view_breakdown.h"
#include <stdlib.h>

static const struct column columns[] = { { "Section", false },
	{ "Layers", true }, { "Block", false }, { "Beside", false },
	{ "Module", false }, { "Roles", false }, { "Operator", false },
	{ "Lane", true }, { "Group", true }, { "Instances", true },
	{ "Launches", true }, { "Avg (ns)", true }, { "Med (ns)", true },
	{ "Min (ns)", true }, { "Max (ns)", true }, { "StdDev (ns)", true },
	{ "Offset (ns)", true }, { "Exclusive (ns)", true },
	{ "Overlapped (ns)", true }, { "T_SOL (ns)", true }, { "S", true },
	{ "Kernel", false } };

static const char *text(const char *s)
{
	return s ? s : "";
}

static const char *index_cell(struct arena *a, uint32_t v)
{
	return cell_whole(a, v == UINT32_MAX ? -1 : (int64_t)v);
}

static const char **row_times(struct arena *a, const struct breakdown_row *r,
	const char **at)
{
	*at++ = cell_whole(a, r->time.instances);
	*at++ = cell_real(a, r->time.avg_ns);
	*at++ = cell_real(a, r->time.med_ns);
	*at++ = cell_whole(a, r->time.min_ns);
	*at++ = cell_whole(a, r->time.max_ns);
	*at++ = cell_real(a, r->time.stddev_ns);
	*at++ = cell_real(a, r->offset_ns);
	*at++ = cell_whole(a, r->exclusive_ns);
	*at++ = cell_whole(a, r->overlapped_ns);
	*at++ = cell_figure(a, view_layer_sol_ns(r));
	*at++ = cell_figure(a, view_layer_s(r));
	return at;
}

/* Its kernel's name whole, or what it is instead of one. */
static const char *row_name(const struct breakdown_stored *is,
	const struct breakdown_row *r, bool whole)
{
	if (r->kernel == ROW_NO_KERNEL)
		return text(r->operation);
	const struct breakdown_kernel *k = &is->kernels[r->kernel];
	return whole ? k->name : k->short_name;
}

const struct table *view_breakdown_rows(struct arena *a,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(columns), d->rows_n, &at);
	for (uint32_t i = 0; i < d->rows_n; i++) {
		const struct breakdown_row *r = &d->rows[i];
		const struct breakdown_block *b = &d->blocks[r->block];
		const struct breakdown_section *s = &d->sections[b->section];
		*at++ = s->name ? s->name : breakdown_word_place[s->place];
		*at++ = cell_whole(a,
			s->place == SECTION_LAYER ? (int64_t)s->per_pass : -1);
		*at++ = breakdown_word_block[b->kind];
		*at++ = b->beside == UINT32_MAX
				? ""
				: breakdown_word_block[d->blocks[b->beside]
							       .kind];
		*at++ = text(r->module);
		*at++ = text(layer_table_roles(a, r->roles));
		*at++ = text(r->operator_);
		*at++ = cell_whole(a, r->lane);
		*at++ = index_cell(a, r->group);
		*at++ = cell_whole(a, r->instances);
		at = row_times(a, r, at);
		*at++ = row_name(is, r, true);
	}
	return t;
}

/* Of one run, line by line. */
struct layout {
	struct layer_table table;
	const struct breakdown_stored *is;
	const double *cells; /* by row */
	struct arena *arena;
};

static void put_row(struct layout *l, const char *block, uint32_t row,
	double ns)
{
	const struct breakdown_row *r = &l->is->breakdown.rows[row];
	layer_table_line(&l->table, block,
		r->module ? r->module : layer_table_roles(l->arena, r->roles),
		layer_table_kernel(l->arena, &l->is->breakdown, row,
			row_name(l->is, r, false)),
		&ns);
}

static void put_block(struct layout *l, uint32_t block)
{
	const struct breakdown_block *b = &l->is->breakdown.blocks[block];
	const char *word = breakdown_word_block[b->kind];
	uint32_t from, to;
	breakdown_cells_rows(&l->is->breakdown, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		put_row(l, word, i, l->cells[i]);
	layer_table_line(&l->table, word, "sum", NULL, &b->sum_ns);
}

/* By when they begin. */
static int by_offset(const void *a, const void *b, void *arg)
{
	const struct breakdown *d = arg;
	const uint32_t *x = a, *y = b;
	double from = d->rows[*x].offset_ns, other = d->rows[*y].offset_ns;
	if (from < other || from > other)
		return from < other ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* A block that runs beside another, and the rows of that which it overlaps:
 * their time is told above. */
static void put_overlap(struct layout *l, uint32_t block)
{
	struct breakdown d = l->is->breakdown;
	const struct breakdown_block *b = &d.blocks[block];
	const char *word = layer_table_overlap(l->arena,
		d.blocks[b->beside].kind, b->kind);
	uint32_t from, to, beside, end, n = 0;
	breakdown_cells_rows(&d, block, &from, &to);
	breakdown_cells_rows(&d, b->beside, &beside, &end);
	uint32_t *rows = arena_array(l->arena, uint32_t,
		(size_t)(to - from) + (end - beside));
	for (uint32_t i = from; i < to; i++)
		rows[n++] = i;
	for (uint32_t i = beside; i < end; i++)
		if (breakdown_cells_overlap(&d, i, block))
			rows[n++] = i;
	if (n)
		qsort_r(rows, n, sizeof *rows, by_offset, &d);
	for (uint32_t i = 0; i < n; i++)
		put_row(l, word, rows[i],
			d.rows[rows[i]].block == block ? l->cells[rows[i]]
						       : (double)NAN);
	layer_table_line(&l->table, word, "sum", NULL, &b->sum_ns);
}

/* Blocks of a section lie together. */
static void put_section(struct layout *l, uint32_t from, uint32_t to)
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
			put_block(l, b);
	for (uint32_t b = from; b < to; b++)
		if (d->blocks[b].beside != UINT32_MAX)
			put_overlap(l, b);
}

const struct table *view_breakdown_table(struct arena *a,
	const struct run_row *run, bool names_lag,
	const struct breakdown_stored *is)
{
	const struct breakdown *d = &is->breakdown;
	const char *head = layer_table_head(a,
		layer_table_name(a, run->name, run->id), d, names_lag);
	struct layout l = { .is = is,
		.cells = breakdown_cells_from(a, d),
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
		put_section(&l, from, to);
	}
	return layer_table_end(&l.table);
}
