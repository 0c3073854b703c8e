/* beside_layout.c - kernels, modules and times of a table row. */
#include "beside_layout.h"
#include <math.h>
#include <string.h>

enum { KERNELS_TOLD = 6 }; /* of a run in a row */

static const char *kernel_of(const struct beside_layout *l, uint32_t s,
	uint32_t row)
{
	const struct breakdown_stored *is = &l->runs[s].is;
	const struct breakdown_row *r = &is->breakdown.rows[row];
	return layer_table_kernel(l->arena, &is->breakdown, row,
		r->kernel == ROW_NO_KERNEL ? r->operation
					   : is->kernels[r->kernel].short_name);
}

uint32_t beside_layout_rows(const struct beside_layout *l,
	const struct beside_entry *e, uint32_t s, const uint32_t **rows)
{
	const struct breakdown_compare_cell *c = &l->b->lines[e->line].cells[s];
	*rows = e->whole ? c->rows : &e->row[s];
	return e->whole ? c->rows_n : e->row[s] != UINT32_MAX;
}

/* "gemm + splitKreduce", what a side has of an entry; NULL nothing. */
static const char *texts_of(const struct beside_layout *l,
	const struct beside_entry *e, uint32_t s)
{
	const uint32_t *rows;
	uint32_t n = beside_layout_rows(l, e, s, &rows);
	const char *text = NULL;
	for (uint32_t i = 0; i < n && i < KERNELS_TOLD; i++) {
		const char *name = kernel_of(l, s, rows[i]);
		text = text ? arena_printf(l->arena, "%s + %s", text, name)
			    : name;
	}
	if (n > KERNELS_TOLD)
		text = arena_printf(l->arena, "%s + %u more", text,
			n - KERNELS_TOLD);
	return text;
}

const char *beside_layout_kernels(const struct beside_layout *l,
	const struct beside_entry *e)
{
	const char *one = NULL, *all = NULL;
	bool same = true;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const char *is = texts_of(l, e, s);
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

double beside_layout_time(const struct beside_layout *l,
	const struct beside_entry *e, uint32_t s)
{
	const uint32_t *rows;
	uint32_t n = beside_layout_rows(l, e, s, &rows);
	double sum = NAN;
	for (uint32_t i = 0; i < n; i++) {
		double is = l->cells[s][rows[i]];
		if (isfinite(is))
			sum = isfinite(sum) ? sum + is : is;
	}
	return sum;
}

const char *beside_layout_module(const struct beside_layout *l,
	const struct beside_entry *e)
{
	layer_roles roles = 0;
	for (uint32_t s = 0; s < l->b->sides_n; s++) {
		const uint32_t *rows;
		uint32_t n = beside_layout_rows(l, e, s, &rows);
		for (uint32_t i = 0; i < n; i++) {
			const struct breakdown_row *r =
				&beside_layout_side(l, s)->rows[rows[i]];
			if (r->module)
				return r->module;
			roles |= r->roles;
		}
	}
	return layer_table_roles(l->arena, roles);
}
