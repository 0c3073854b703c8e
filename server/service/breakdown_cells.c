/* breakdown_cells.c - means per instance; launch groups and overlaps, the same for
 * one run and for several. */
#include "breakdown_cells.h"
#include "exact.h"
#include <math.h>
#include <stdlib.h>

/* Of a total of rows like this one; in tenths, as all means are. */
static double per_instance(const struct breakdown *b, uint32_t row,
	double total_ns)
{
	int64_t n =
		b->sections[b->blocks[b->rows[row].block].section].instances;
	return n > 0 && isfinite(total_ns)
		       ? (double)exact_tenths((wide_t)total_ns, (wide_t)n) / 10
		       : (double)NAN;
}

/* A row that is of a launch group. */
struct member {
	uint32_t block, group, row;
};

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Of members of one group in one block. */
static void group_told(const struct member *m, uint32_t n, double *ns)
{
	uint32_t longest = m->row;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		double is = ns[m[i].row];
		sum += is;
		if (is > ns[longest])
			longest = m[i].row;
	}
	for (uint32_t i = 0; i < n; i++)
		ns[m[i].row] = m[i].row == longest ? sum : (double)NAN;
}

const double *breakdown_cells_from(struct arena *a, const struct breakdown *b)
{
	double *ns = arena_array(a, double, b->rows_n);
	struct member *m = arena_array(a, struct member, b->rows_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->rows_n; i++) {
		const struct breakdown_row *r = &b->rows[i];
		ns[i] = (double)r->time.total_ns;
		if (r->group != ROW_NO_GROUP)
			m[n++] = (struct member){ r->block, r->group, i };
	}
	if (n)
		qsort(m, n, sizeof *m, by_group);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && m[k].block == m[i].block &&
				m[k].group == m[i].group;
			k++)
			;
		group_told(m + i, k - i, ns);
	}
	for (uint32_t i = 0; i < b->rows_n; i++)
		ns[i] = per_instance(b, i, ns[i]);
	return ns;
}

/* The first row of this block or a later one. */
static uint32_t first_row(const struct breakdown *b, uint32_t block)
{
	uint32_t from = 0, n = b->rows_n;
	while (n) {
		uint32_t half = n / 2;
		if (b->rows[from + half].block < block) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

void breakdown_cells_rows(const struct breakdown *b, uint32_t block,
	uint32_t *from, uint32_t *to)
{
	*from = first_row(b, block);
	*to = first_row(b, block + 1);
}

static bool together(const struct breakdown_row *x,
	const struct breakdown_row *y)
{
	return x->lane != y->lane &&
	       x->offset_ns < y->offset_ns + y->time.avg_ns &&
	       y->offset_ns < x->offset_ns + x->time.avg_ns;
}

bool breakdown_cells_overlap(const struct breakdown *b, uint32_t row,
	uint32_t block)
{
	const struct breakdown_row *x = &b->rows[row];
	if (x->overlapped_ns <= 0 || x->block != b->blocks[block].beside)
		return false;
	uint32_t from, to;
	breakdown_cells_rows(b, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		if (together(x, &b->rows[i]))
			return true;
	return false;
}
