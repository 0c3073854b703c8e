/* trace_sort.c - rows by process and start: a natural merge sort, so that rows
 * that are nearly in order, as traces are, cost little more than a look.
 *
 * Sorted is an index of the rows; the columns then follow, one at a time, so
 * that little more memory is needed than for the largest of them. */
#include "trace.h"
#include <string.h>

enum { RUN = 16 }; /* shorter runs are made this long by insertion */

struct order {
	const uint16_t *process;
	const int64_t *start;
	uint32_t *index, *spare;
	uint32_t n;
};

static bool before(const struct order *o, uint32_t a, uint32_t b)
{
	if (o->process[a] != o->process[b])
		return o->process[a] < o->process[b];
	return o->start[a] < o->start[b];
}

static bool in_order(const struct order *o)
{
	for (uint32_t i = 1; i < o->n; i++)
		if (before(o, i, i - 1))
			return false;
	return true;
}

/* Where the sorted run from `from` on ends, after short ones were made
 * longer. */
static uint32_t run_end(struct order *o, uint32_t from)
{
	uint32_t *x = o->index, end = from + 1;
	while (end < o->n && !before(o, x[end], x[end - 1]))
		end++;
	uint32_t least = o->n - from < RUN ? o->n : from + RUN;
	for (; end < least; end++) {
		uint32_t row = x[end], i = end;
		for (; i > from && before(o, row, x[i - 1]); i--)
			x[i] = x[i - 1];
		x[i] = row;
	}
	return end;
}

/* Merges [a, b) and [b, c) of the index into the same places of the spare. */
static void merge(struct order *o, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t *x = o->index;
	uint32_t left = a, right = b, to = a;
	while (left < b && right < c)
		o->spare[to++] =
			before(o, x[right], x[left]) ? x[right++] : x[left++];
	memcpy(o->spare + to, x + left, (b - left) * sizeof *x);
	to += b - left;
	memcpy(o->spare + to, x + right, (c - right) * sizeof *x);
}

/* One pass: each two neighbouring runs become one. Whether one is left. */
static bool pass(struct order *o)
{
	uint32_t at = 0, runs = 0;
	while (at < o->n) {
		uint32_t b = run_end(o, at);
		uint32_t c = b < o->n ? run_end(o, b) : b;
		merge(o, at, b, c);
		at = c;
		runs++;
	}
	uint32_t *sorted = o->spare;
	o->spare = o->index;
	o->index = sorted;
	return runs <= 1;
}

/* The index that sorts these rows; NULL where they are in order already or
 * the arena is full. */
static uint32_t *sorted(struct trace *t, uint32_t n, const uint16_t *process,
	const int64_t *start)
{
	struct order o = { .process = process, .start = start, .n = n };
	if (n < 2 || in_order(&o))
		return NULL;
	o.index = arena_grow(t->arena, NULL, n * sizeof *o.index);
	o.spare = arena_grow(t->arena, NULL, n * sizeof *o.spare);
	if (o.index && o.spare) {
		for (uint32_t i = 0; i < n; i++)
			o.index[i] = i;
		while (!pass(&o))
			;
	} else {
		arena_drop(t->arena, o.index);
		o.index = NULL;
	}
	arena_drop(t->arena, o.spare);
	return o.index;
}

/* Puts the rows of a kind in order, column by column. */
#define COLUMN(type, field, what)                                         \
	if (ok) {                                                         \
		type *to = arena_grow(t->arena, NULL, r->n * sizeof *to); \
		for (uint32_t i = 0; to && i < r->n; i++)                 \
			to[i] = r->field[index[i]];                       \
		ok = to;                                                  \
		if (to) {                                                 \
			arena_drop(t->arena, r->field);                   \
			r->field = to;                                    \
		}                                                         \
	}
#define SORT(kind, COLUMNS, key)                                       \
	static bool kind##_sort(struct trace *t)                       \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t *index = sorted(t, r->n, r->process, r->key); \
		bool ok = true;                                        \
		if (!index)                                            \
			return !t->arena->full;                        \
		COLUMNS(COLUMN)                                        \
		r->cap = r->n;                                         \
		arena_drop(t->arena, index);                           \
		return ok;                                             \
	}                                                              \
	static void kind##_slices(struct trace *t)                     \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t at = 0;                                       \
		for (uint32_t p = 0; p < t->processes_n; p++) {        \
			t->processes[p].kind.from = at;                \
			while (at < r->n && r->process[at] == p)       \
				at++;                                  \
			t->processes[p].kind.to = at;                  \
		}                                                      \
	}
#define KIND(kind, COLUMNS, what) SORT(kind, COLUMNS, start_ns)
TRACE_KINDS(KIND)
#undef KIND
#define KEY_stat row
#define KEY_pattern row
#define KEY_fact row
#define KEY_node node
#define SORT_BY(kind, COLUMNS, key) SORT(kind, COLUMNS, key)
#define KIND(kind, COLUMNS, what) SORT_BY(kind, COLUMNS, KEY_##kind)
TRACE_TABLES(KIND)
#undef KIND
#undef SORT_BY
#undef SORT
#undef COLUMN

bool trace_sort(struct trace *t)
{
#define KIND(kind, COLUMNS, what) \
	if (!kind##_sort(t))      \
		return false;     \
	kind##_slices(t);
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	return true;
}
