/* attribute_order.c - operators first, then shapes by their new places. */
#include "attribute_order.h"
#include <stdlib.h>
#include <string.h>

/* An operator and where it was. */
struct placed {
	struct operator_stat row;
	uint32_t was;
};

/* What is not told comes last. */
static int text_order(const char *x, const char *y)
{
	if (!x || !y)
		return !x - !y;
	return strcmp(x, y);
}

static int number_order(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int by_time(const void *left, const void *right)
{
	const struct operator_stat *x = &((const struct placed *)left)->row;
	const struct operator_stat *y = &((const struct placed *)right)->row;
	int order = number_order(y->total_ns, x->total_ns);

	order = order ? order : text_order(x->name, y->name);
	order = order ? order : number_order(x->dtype, y->dtype);
	return order ? order : number_order(x->phase, y->phase);
}

static int by_operator(const void *left, const void *right)
{
	const struct shape_stat *x = left, *y = right;
	int order = number_order(x->operator_, y->operator_);

	order = order ? order
		      : number_order(y->call.total_ns, x->call.total_ns);
	order = order ? order : text_order(x->text, y->text);
	order = order ? order : text_order(x->grid, y->grid);
	return order ? order : number_order(x->known, y->known);
}

static int by_kernel(const void *left, const void *right)
{
	const struct unattributed *x = left, *y = right;
	int order = number_order(y->total_ns, x->total_ns);

	return order ? order : number_order(x->kernel, y->kernel);
}

void attribute_order_unattributed(struct operators *o)
{
	qsort(o->unattributed, o->unattributed_n, sizeof *o->unattributed,
		by_kernel);
}

bool attribute_order(struct operators *o, struct arena *a)
{
	struct placed *rows =
		arena_grow(a, NULL, ((size_t)o->n + 1) * sizeof *rows);
	uint32_t *is = arena_grow(a, NULL, ((size_t)o->n + 1) * sizeof *is);

	for (uint32_t i = 0; rows && i < o->n; i++)
		rows[i] = (struct placed){ o->rows[i], i };
	if (rows && is) {
		qsort(rows, o->n, sizeof *rows, by_time);
		for (uint32_t i = 0; i < o->n; i++) {
			o->rows[i] = rows[i].row;
			is[rows[i].was] = i;
		}
		for (uint32_t i = 0; i < o->shapes_n; i++)
			o->shapes[i].operator_ = is[o->shapes[i].operator_];
		qsort(o->shapes, o->shapes_n, sizeof *o->shapes, by_operator);
	}
	arena_drop(a, rows);
	arena_drop(a, is);
	return rows && is;
}
