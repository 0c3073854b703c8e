/* pattern_rows.c - functions sorted by what they took; arrays behind them. */
#include "pattern_rows.h"
#include <stdlib.h>
#include <string.h>

struct ranked {
	const struct pattern_function *f;
	uint32_t function;
};

static int by_time(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	const struct pattern *x = &a->f->is, *y = &b->f->is;
	if (a->f->total_ns != b->f->total_ns)
		return a->f->total_ns > b->f->total_ns ? -1 : 1;
	int names = strcmp(x->name, y->name);
	int texts = names ? names : strcmp(x->device, y->device);
	if (texts)
		return texts;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Four arrays for each row. */
static bool room(struct profile *p)
{
	struct patterns *to = &p->patterns;
	size_t n = to->cycles_n;
	int64_t *cells =
		arena_grow(p->arena, NULL, (to->n * n * 4 + 1) * sizeof *cells);
	for (uint32_t i = 0; cells && i < to->n; i++) {
		struct pattern *f = &to->rows[i];
		f->dur_ns = cells + i * n * 4;
		f->launches = f->dur_ns + n;
		f->min_ns = f->launches + n;
		f->max_ns = f->min_ns + n;
		memset(f->min_ns, 0xff, 2 * n * sizeof *f->min_ns);
	}
	return cells;
}

bool pattern_rows_from(struct profile *p, const struct pattern_function *f,
	uint32_t n, uint32_t **row_of)
{
	struct patterns *to = &p->patterns;
	struct arena *a = p->arena;
	struct ranked *rank =
		arena_grow(a, NULL, ((size_t)n + 1) * sizeof *rank);
	uint32_t *of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *of);

	*row_of = of;
	to->n = 0;
	for (uint32_t i = 0; rank && of && i < n; i++) {
		rank[i] = (struct ranked){ &f[i], i };
		of[i] = PATTERN_NO_ROW;
		to->n += f[i].total_ns >= 0;
	}
	to->rows = arena_array(a, struct pattern, (size_t)to->n + 1);
	bool ok = rank && of && to->rows;
	if (ok && n)
		qsort(rank, n, sizeof *rank, by_time);
	for (uint32_t i = 0; ok && i < to->n; i++) {
		to->rows[i] = rank[i].f->is;
		of[rank[i].function] = i;
	}
	arena_drop(a, rank);
	return ok && room(p);
}
