/* shortfall.c - counts what is missing: grids, launches, device names. */
#include "shortfall.h"
#include <stdlib.h>

/* Which correlations the calls have. They count up from a small number, as a
 * rule, and then a bit each does; else a sorted list. */
struct known {
	uint64_t *bits;
	int64_t *list;
	int64_t low;
	uint64_t range;
	uint32_t n;
};

static int by_number(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static bool known_from(const struct trace *t, struct slice rows,
	struct arena *a, struct known *k)
{
	const int64_t *of = t->call.correlation;
	int64_t low = INT64_MAX, high = INT64_MIN;

	*k = (struct known){ .n = rows.to - rows.from };
	for (uint32_t i = rows.from; i < rows.to; i++) {
		low = of[i] < low ? of[i] : low;
		high = of[i] > high ? of[i] : high;
	}
	if (k->n == 0)
		return true;
	k->low = low;
	k->range = (uint64_t)high - (uint64_t)low;
	if (k->range < (uint64_t)k->n * 64 + 65536) {
		k->bits = arena_grow(a, NULL, k->range / 8 + 8);
		for (uint32_t i = rows.from; k->bits && i < rows.to; i++) {
			uint64_t at = (uint64_t)(of[i] - low);
			k->bits[at / 64] |= UINT64_C(1) << at % 64;
		}
		return k->bits != NULL;
	}
	k->list = arena_grow(a, NULL, (size_t)k->n * sizeof *k->list);
	if (!k->list)
		return false;
	for (uint32_t i = 0; i < k->n; i++)
		k->list[i] = of[rows.from + i];
	qsort(k->list, k->n, sizeof *k->list, by_number);
	return true;
}

static bool known_has(const struct known *k, int64_t correlation)
{
	if (k->n == 0 || correlation < k->low)
		return false;
	uint64_t at = (uint64_t)correlation - (uint64_t)k->low;
	if (at > k->range)
		return false;
	if (k->bits)
		return k->bits[at / 64] >> at % 64 & 1;
	return bsearch(&correlation, k->list, k->n, sizeof *k->list, by_number);
}

static bool uncorrelated_add(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	struct known k;
	if (!known_from(t, proc->call, p->arena, &k))
		return false;

	int64_t count = 0;
	for (uint32_t i = proc->kernel.from; i < proc->kernel.to; i++) {
		int64_t c = t->kernel.correlation[i];
		count += c <= 0 || !known_has(&k, c);
	}
	if (count)
		note_add(&p->notes, NOTE_uncorrelated, count, NULL, 0);
	arena_drop(p->arena, k.bits);
	arena_drop(p->arena, k.list);
	return true;
}

static void no_grid_add(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	int64_t count = 0;
	for (uint32_t i = proc->kernel.from; i < proc->kernel.to; i++)
		count +=
			trace_launch_shape_at(t, t->kernel.launch[i])->grid[0] <
			0;
	if (count)
		note_add(&p->notes, NOTE_no_grid, count, NULL, 0);
}

bool shortfall_add(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	int64_t rows = 0, unnamed = 0;

#define KIND(kind, COLUMNS, what) rows += proc->kind.to - proc->kind.from;
	TRACE_KINDS(KIND)
#undef KIND
	if (p->launches == 0)
		note_add(&p->notes, NOTE_no_kernels, rows, NULL, 0);
	for (uint32_t i = 0; i < p->devices_n; i++)
		unnamed += p->devices[i].name == NULL;
	if (unnamed)
		note_add(&p->notes, NOTE_no_device_name, unnamed, NULL, 0);
	no_grid_add(t, proc, p);
	return uncorrelated_add(t, proc, p);
}
