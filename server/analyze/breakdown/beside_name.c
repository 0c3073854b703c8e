/* beside_name.c - rows that only a name tells: of a module, or of a kernel. */
#include "beside_parts.h"
#include "names.h"
#include <stdlib.h>
#include <string.h>

/* A row; rows of one block, name and place among those of the name on their side
 * belong together. */
struct entry {
	uint32_t block, name, nth, side, row;
};
struct entries {
	struct beside_work *w;
	struct names names;
	struct entry *list;
	uint32_t n;
};

static int by(const uint32_t *x, const uint32_t *y, int n)
{
	for (int i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int by_side(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return by((uint32_t[]){ x->block, x->name, x->side, x->row },
		(uint32_t[]){ y->block, y->name, y->side, y->row }, 4);
}

static int by_nth(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return by((uint32_t[]){ x->block, x->name, x->nth, x->side, x->row },
		(uint32_t[]){ y->block, y->name, y->nth, y->side, y->row }, 5);
}

static const char *name_of(const struct beside_side *side,
	const struct breakdown_row *row, enum beside_match match)
{
	if (match == BESIDE_MODULE)
		return row->module;
	return row->kernel == ROW_NO_KERNEL ? row->operation
					    : side->kernels[row->kernel];
}

static bool collect(struct entries *e, enum beside_match match)
{
	const struct beside_work *w = e->w;
	e->n = 0;
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0; i < b->rows_n; i++) {
			const char *text =
				name_of(&w->sides[s], &b->rows[i], match);
			if (w->line[s][i] != BESIDE_NONE || !text)
				continue;
			uint32_t name =
				names_put(&e->names, text, strlen(text));
			if (name == NAMES_NONE)
				return false;
			e->list[e->n++] =
				(struct entry){ w->block[s][b->rows[i].block],
					name, 0, s, i };
		}
	}
	return true;
}

/* All rows of a module are one line; of a kernel, the first of a side and the
 * first of another, and so on. */
static void number(struct entries *e)
{
	if (e->n)
		qsort(e->list, e->n, sizeof *e->list, by_side);
	for (uint32_t i = 1; i < e->n; i++) {
		const struct entry *x = &e->list[i - 1];
		struct entry *y = &e->list[i];
		bool same = x->block == y->block && x->name == y->name &&
			    x->side == y->side;
		y->nth = same ? x->nth + 1 : 0;
	}
}

static bool together(const struct entry *x, const struct entry *y)
{
	return x->block == y->block && x->name == y->name && x->nth == y->nth;
}

static void join(struct entries *e, enum beside_match match,
	struct beside_things *t)
{
	if (e->n)
		qsort(e->list, e->n, sizeof *e->list, by_nth);
	for (uint32_t i = 0, k; i < e->n; i = k) {
		const struct entry *x = &e->list[i];
		for (k = i + 1; k < e->n && together(x, &e->list[k]);)
			k++;
		if (x->side == e->list[k - 1].side)
			continue;
		for (uint32_t j = i; j < k; j++)
			e->w->line[e->list[j].side][e->list[j].row] = t->n;
		t->list[t->n++] = (struct beside_thing){ x->block, match };
	}
}

static void leave_alone(struct beside_work *w, struct beside_things *t)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0; i < b->rows_n; i++)
			if (w->line[s][i] == BESIDE_NONE) {
				w->line[s][i] = t->n;
				t->list[t->n++] = (struct beside_thing){
					w->block[s][b->rows[i].block],
					BESIDE_ALONE
				};
			}
	}
}

bool beside_names(struct beside_work *w, struct beside_things *t)
{
	struct entries e = { .w = w };
	size_t rows = 1;
	for (uint32_t s = 0; s < w->sides_n; s++)
		rows += w->sides[s].breakdown->rows_n;
	e.list = arena_grow(w->a, NULL, rows * sizeof *e.list);
	bool ok = e.list && names_init(&e.names, w->a) &&
		  collect(&e, BESIDE_MODULE);
	if (ok) {
		join(&e, BESIDE_MODULE, t);
		ok = collect(&e, BESIDE_KERNEL);
	}
	if (ok) {
		number(&e);
		join(&e, BESIDE_KERNEL, t);
		leave_alone(w, t);
	}
	arena_drop(w->a, e.list);
	return ok;
}
