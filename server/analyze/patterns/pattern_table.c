/* pattern_table.c - selects iterations, sorts functions and allocates the cells
 * of p->patterns. */
#include "pattern_table.h"
#include "iteration_find.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t pattern_table_limit(uint32_t functions)
{
	uint32_t n = PATTERNS_CELLS_MAX / (functions ? functions : 1);
	n = n ? n : 1;
	return n < PATTERNS_ITERATIONS_MAX ? n : PATTERNS_ITERATIONS_MAX;
}

/* Marks k of m iterations, evenly spaced: of the kept ones, or of the others.
 * If k is at least 2, the first and the last are marked. */
static void pattern_table_mark(const struct iterations *all, bool kept,
	uint32_t m, uint32_t k, uint32_t *place)
{
	uint64_t seen = 0, taken = 0;
	for (uint32_t i = 0; i < all->n && taken < k; i++) {
		if ((all->iterations[i].use == ITERATION_KEPT) != kept)
			continue;
		/* The taken-th is at taken*(m-1)/(k-1). */
		uint64_t at = k > 1 ? taken * (m - 1) / (k - 1) : 0;
		if (seen++ == at) {
			place[i] = 0;
			taken++;
		}
	}
}

bool pattern_table_choose(struct profile *p, uint32_t functions,
	uint32_t **place)
{
	const struct iterations *all = &p->iterations;
	struct patterns *to = &p->patterns;
	uint32_t kept = 0, limit = pattern_table_limit(functions);
	uint32_t *at =
		arena_grow(p->arena, NULL, ((size_t)all->n + 1) * sizeof *at);

	*place = at;
	for (uint32_t i = 0; at && i < all->n; i++) {
		at[i] = ITERATION_NONE;
		kept += all->iterations[i].use == ITERATION_KEPT;
	}
	to->iterations_n = all->n < limit ? all->n : limit;
	to->iteration = arena_array(p->arena, uint32_t, to->iterations_n + 1);
	if (!at || !to->iteration)
		return false;
	uint32_t of_kept = kept < to->iterations_n ? kept : to->iterations_n;
	pattern_table_mark(all, true, kept, of_kept, at);
	pattern_table_mark(all, false, all->n - kept,
		to->iterations_n - of_kept, at);
	for (uint32_t i = 0, n = 0; i < all->n; i++)
		if (at[i] != ITERATION_NONE) {
			at[i] = n;
			to->iteration[n++] = i;
		}
	if (to->iterations_n < all->n)
		note_add(&p->notes, NOTE_patterns_thinned,
			all->n - to->iterations_n, NULL, 0);
	return true;
}

struct pattern_table_ranked {
	const struct pattern_function *f;
	uint32_t function;
};

static int pattern_table_by_time(const void *left, const void *right)
{
	const struct pattern_table_ranked *a = left, *b = right;
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

/* Allocates four arrays for each row. */
static bool pattern_table_cells(struct profile *p)
{
	struct patterns *to = &p->patterns;
	size_t n = to->iterations_n;
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

bool pattern_table_rows(struct profile *p, const struct pattern_function *f,
	uint32_t n, uint32_t **row_of)
{
	struct patterns *to = &p->patterns;
	struct arena *a = p->arena;
	struct pattern_table_ranked *rank =
		arena_grow(a, NULL, ((size_t)n + 1) * sizeof *rank);
	uint32_t *of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *of);

	*row_of = of;
	to->n = 0;
	for (uint32_t i = 0; rank && of && i < n; i++) {
		rank[i] = (struct pattern_table_ranked){ &f[i], i };
		of[i] = PATTERN_NO_ROW;
		to->n += f[i].total_ns >= 0;
	}
	to->rows = arena_array(a, struct pattern, (size_t)to->n + 1);
	bool ok = rank && of && to->rows;
	if (ok && n)
		qsort(rank, n, sizeof *rank, pattern_table_by_time);
	for (uint32_t i = 0; ok && i < to->n; i++) {
		to->rows[i] = rank[i].f->is;
		of[rank[i].function] = i;
	}
	arena_drop(a, rank);
	return ok && pattern_table_cells(p);
}

uint32_t pattern_table_metrics_max(const struct profile *p)
{
	uint32_t n = p->patterns.iterations_n;
	return PATTERNS_VALUES_MAX / (n ? n : 1);
}

bool pattern_table_metrics(struct profile *p, uint32_t n, uint32_t cut,
	const char *name)
{
	struct patterns *to = &p->patterns;
	struct arena *a = p->arena;
	size_t of = to->iterations_n, values = n * of;
	double *v = arena_grow(a, NULL, (values * 2 + 1) * sizeof *v);
	uint8_t *basis = arena_grow(a, NULL, values + 1);

	to->metrics = arena_array(a, struct pattern_metric, (size_t)n + 1);
	if (!v || !basis || !to->metrics)
		return false;
	for (size_t i = 0; i < values * 2; i++)
		v[i] = NAN;
	memset(basis, METRIC_NO_ROW, values);
	for (uint32_t i = 0; i < n; i++)
		to->metrics[i] = (struct pattern_metric){
			.mu = v + i * of * 2,
			.sigma = v + i * of * 2 + of,
			.interpolated = basis + i * of,
		};
	to->metrics_n = n;
	if (cut)
		note_add(&p->notes, NOTE_metrics_cut, cut, name, strlen(name));
	return true;
}
