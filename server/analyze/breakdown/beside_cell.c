/* beside_cell.c - what each side has of a line, and how they differ. */
#include "beside_parts.h"
#include "exact.h"
#include <math.h>

/* Rows of a side by line, in order. */
static bool rows_of(struct beside_work *w, uint32_t side)
{
	struct beside *out = w->out;
	uint32_t n = w->sides[side].breakdown->rows_n, at = 0;
	uint32_t *rows = arena_array(w->a, uint32_t, (size_t)n + 1);
	uint32_t *to =
		arena_grow(w->a, NULL, ((size_t)out->lines_n + 1) * sizeof *to);
	bool ok = rows && to;
	for (uint32_t i = 0; ok && i < n; i++)
		out->lines[w->line[side][i]].cells[side].rows_n++;
	for (uint32_t k = 0; ok && k < out->lines_n; k++) {
		out->lines[k].cells[side].rows = rows + at;
		to[k] = at;
		at += out->lines[k].cells[side].rows_n;
	}
	for (uint32_t i = 0; ok && i < n; i++)
		rows[to[w->line[side][i]]++] = i;
	arena_drop(w->a, to);
	return ok;
}

/* In tenths, as all means are. */
static double mean(int64_t total_ns, int64_t instances)
{
	return instances > 0 ? (double)exact_tenths((wide_t)total_ns,
				       (wide_t)instances) /
				       10
			     : (double)NAN;
}

static int64_t instances_of(const struct breakdown *b, uint32_t row)
{
	return b->sections[b->blocks[b->rows[row].block].section].instances;
}

/* Sums of the sections and blocks of a side, of all their rows. */
static bool sums(struct beside_work *w, uint32_t side)
{
	const struct breakdown *b = w->sides[side].breakdown;
	struct beside *out = w->out;
	int64_t *total = arena_grow(w->a, NULL,
		((size_t)out->sections_n + out->blocks_n + 1) * sizeof *total);
	if (!total)
		return false;
	for (uint32_t i = 0; i < b->rows_n; i++) {
		int64_t ns = b->rows[i].time.total_ns;
		uint32_t block = w->block[side][b->rows[i].block];
		total[out->blocks[block].section] += ns;
		total[out->sections_n + block] += ns;
	}
	for (uint32_t k = 0; k < out->sections_n; k++)
		if (out->sections[k].of[side] != BESIDE_NONE)
			out->sections[k].sum_ns[side] = mean(total[k],
				b->sections[out->sections[k].of[side]]
					.instances);
	for (uint32_t i = 0; i < b->blocks_n; i++) {
		uint32_t to = w->block[side][i];
		out->blocks[to].sum_ns[side] = mean(total[out->sections_n + to],
			b->sections[b->blocks[i].section].instances);
	}
	arena_drop(w->a, total);
	return true;
}

static void fill_cell(const struct breakdown *b, struct beside_line *l,
	struct beside_cell *c)
{
	double bound_ns = 0, sol_ns = 0;
	int64_t total = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct breakdown_row *row = &b->rows[c->rows[i]];
		total += row->time.total_ns;
		bound_ns += (double)row->bound_ns;
		sol_ns += (double)row->sol_ps / 1e3;
		l->roles |= row->roles;
		if (!l->module)
			l->module = row->module;
	}
	c->sum_ns = c->rows_n ? mean(total, instances_of(b, c->rows[0]))
			      : (double)NAN;
	c->s = bound_ns > 0 ? sol_ns / bound_ns : (double)NAN;
}

static void fill_line(const struct beside_work *w, struct beside_line *l)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		struct beside_cell *c = &l->cells[s];
		double first_ns = l->cells[0].sum_ns;
		fill_cell(w->sides[s].breakdown, l, c);
		if (!s)
			first_ns = c->sum_ns;
		c->diff_ns = round((c->sum_ns - first_ns) * 10) / 10;
		c->diff_pct = first_ns > 0 ? 100 * c->diff_ns / first_ns
					   : (double)NAN;
	}
}

bool beside_cells(struct beside_work *w)
{
	for (uint32_t s = 0; s < w->sides_n; s++)
		if (!rows_of(w, s) || !sums(w, s))
			return false;
	for (uint32_t k = 0; k < w->out->lines_n; k++)
		fill_line(w, &w->out->lines[k]);
	return true;
}
