/* view_beside_table.c - layers of several runs in the layout that people make by
 * hand, a column per run. */
#include "beside_layout.h"
#include "breakdown_word.h"
#include "view_breakdown_compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_entry(struct beside_layout *l, const char *block,
	const struct beside_entry *e, bool told)
{
	double ns[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		ns[s] = told ? beside_layout_time(l, e, s) : (double)NAN;
	layer_table_line(&l->table, block, beside_layout_module(l, e),
		beside_layout_kernels(l, e), ns);
}

/* The first line of this block or a later one. */
static uint32_t first_line(const struct breakdown_compare *b, uint32_t block)
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

/* Lines of a block lie together: [*from, *to). */
static void lines_of(const struct breakdown_compare *b, uint32_t block,
	uint32_t *from, uint32_t *to)
{
	*from = first_line(b, block);
	*to = first_line(b, block + 1);
}

/* Entries of the lines of a block, behind those in *list. */
static void entries_of(struct beside_layout *l, uint32_t block,
	struct beside_entry **list, uint32_t *n)
{
	uint32_t from, to;
	size_t most = *n;
	lines_of(l->b, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		most += beside_entries_most(l->b, i);
	struct beside_entry *all =
		arena_array(l->arena, struct beside_entry, most + 1);
	if (*n)
		memcpy(all, *list, *n * sizeof *all);
	for (uint32_t i = from; i < to; i++)
		*n += beside_entries(l->runs, l->b, i, all + *n);
	*list = all;
}

static void put_block(struct beside_layout *l, uint32_t block)
{
	const struct breakdown_compare_block *is = &l->b->blocks[block];
	const char *word = breakdown_word_block[is->kind];
	struct beside_entry *list = NULL;
	uint32_t n = 0;
	entries_of(l, block, &list, &n);
	for (uint32_t i = 0; i < n; i++)
		put_entry(l, word, &list[i], true);
	layer_table_line(&l->table, word, "sum", NULL, is->sum_ns);
}

/* By side, its block whose rows stand in the lines [from, to); UINT32_MAX where
 * it has none, or one that runs beside no other. */
static void blocks_of(const struct beside_layout *l, uint32_t from, uint32_t to,
	uint32_t block[BREAKDOWN_COMPARE_MAX])
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const struct breakdown *d = beside_layout_side(l, s);
		block[s] = UINT32_MAX;
		for (uint32_t i = from; i < to && block[s] == UINT32_MAX; i++)
			if (l->b->lines[i].cells[s].rows_n)
				block[s] =
					d->rows[l->b->lines[i].cells[s].rows[0]]
						.block;
		if (block[s] != UINT32_MAX &&
			d->blocks[block[s]].beside == UINT32_MAX)
			block[s] = UINT32_MAX;
	}
}

/* Whether on some side a row of the entry goes on while one of a block does. */
static bool beside(const struct beside_layout *l, const struct beside_entry *e,
	const uint32_t block[BREAKDOWN_COMPARE_MAX])
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		uint32_t n = beside_layout_rows(l, e, s, &rows);
		for (uint32_t i = 0; block[s] != UINT32_MAX && i < n; i++)
			if (breakdown_cells_overlap(beside_layout_side(l, s),
				    rows[i], block[s]))
				return true;
	}
	return false;
}

/* When an entry begins on the first side that has it. */
static double offset_of(const struct beside_layout *l,
	const struct beside_entry *e)
{
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		if (beside_layout_rows(l, e, s, &rows))
			return beside_layout_side(l, s)
				->rows[rows[0]]
				.offset_ns;
	}
	return 0;
}

static int by_offset(const void *a, const void *b, void *arg)
{
	const struct beside_entry *x = a, *y = b;
	double from = offset_of(arg, x), other = offset_of(arg, y);
	if (from < other || from > other)
		return from < other ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return memcmp(x->row, y->row, sizeof x->row);
}

/* A block that runs beside another, and the rows of that which it overlaps:
 * their time is told above. */
static void put_overlap(struct beside_layout *l, uint32_t block)
{
	const struct breakdown_compare_block *is = &l->b->blocks[block];
	const char *word = layer_table_overlap(l->arena,
		l->b->blocks[is->beside].kind, is->kind);
	uint32_t from, to, own, n = 0, blocks[BREAKDOWN_COMPARE_MAX] = { 0 };
	struct beside_entry *list = NULL;
	lines_of(l->b, block, &from, &to);
	blocks_of(l, from, to, blocks);
	entries_of(l, block, &list, &n);
	uint32_t all = own = n;
	entries_of(l, is->beside, &list, &all);
	for (uint32_t i = own; i < all; i++)
		if (beside(l, &list[i], blocks))
			list[n++] = list[i];
	if (n)
		qsort_r(list, n, sizeof *list, by_offset, l);
	for (uint32_t i = 0; i < n; i++)
		put_entry(l, word, &list[i],
			l->b->lines[list[i].line].block == block);
	layer_table_line(&l->table, word, "sum", NULL, is->sum_ns);
}

/* "58 layers: attention + moe"; "32/30 layers" where sides differ. */
static const char *section_text(const struct beside_layout *l,
	const struct breakdown_compare_section *is)
{
	const char *counts = NULL;
	uint32_t one = 0;
	bool same = true;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		if (is->of[s] == UINT32_MAX)
			continue;
		uint32_t n =
			beside_layout_side(l, s)->sections[is->of[s]].per_pass;
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

static void put_section(struct beside_layout *l, uint32_t section)
{
	const struct breakdown_compare *b = l->b;
	if (b->sections_n > 1)
		layer_table_line(&l->table,
			section_text(l, &b->sections[section]), NULL, NULL,
			b->sections[section].sum_ns);
	for (int beside_too = 0; beside_too < 2; beside_too++)
		for (uint32_t k = 0; k < b->blocks_n; k++)
			if (b->blocks[k].section != section)
				continue;
			else if (!beside_too &&
				 b->blocks[k].beside == UINT32_MAX)
				put_block(l, k);
			else if (beside_too &&
				 b->blocks[k].beside != UINT32_MAX)
				put_overlap(l, k);
}

/* A line for each number of layers that runs have. */
static void put_layers(struct beside_layout *l, uint32_t from)
{
	double layered[BREAKDOWN_COMPARE_MAX];
	uint32_t layers = beside_layout_side(l, from)->layers;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const struct breakdown *d = beside_layout_side(l, s);
		if (s < from && d->layers == layers)
			return;
		layered[s] =
			d->layers == layers ? d->layered.avg_ns : (double)NAN;
	}
	if (layers)
		layer_table_total(&l->table,
			layer_table_count(l->arena, layers), layered);
}

static void put_totals(struct beside_layout *l)
{
	double pass[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		pass[s] = beside_layout_side(l, s)->pass.avg_ns;
	layer_table_total(&l->table, "end to end", pass);
	for (uint32_t s = 0; s < l->b->sides_n; s++)
		put_layers(l, s);
}

/* Its name, with its id where another has the same. */
static const char *name_of(struct arena *a, const struct beside_run *runs,
	uint32_t n, uint32_t s)
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

const struct table *view_beside_table(struct arena *a,
	const struct beside_run *runs, const struct breakdown_compare *b)
{
	struct beside_layout l = { .runs = runs, .b = b, .arena = a };
	const char *heads[BREAKDOWN_COMPARE_MAX];
	for (uint32_t s = 0; s < b->sides_n; s++) {
		heads[s] = layer_table_head(a, name_of(a, runs, b->sides_n, s),
			&runs[s].is.breakdown, runs[s].names_lag);
		l.cells[s] = breakdown_cells_from(a, &runs[s].is.breakdown);
	}
	layer_table_init(&l.table, a, heads, (int)b->sides_n);
	put_totals(&l);
	for (uint32_t k = 0; k < b->sections_n; k++)
		put_section(&l, k);
	return layer_table_end(&l.table);
}
