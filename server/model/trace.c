/* trace.c - adds rows to a trace and sorts them. */
#include "trace.h"
#include <string.h>

bool trace_init(struct trace *t, struct arena *a)
{
	*t = (struct trace){ .arena = a };
	return names_init(&t->names, a) && names_init(&t->launch_shapes, a);
}

/* The capacity of a kind that has its first row. Many kinds have only a few rows,
 * and an array is zeroed, which uses all of its memory. A start at 1024 needs 40
 * pages more (of 476) for a small trace (0.2 MB). */
enum { ROWS_FIRST = 256 };

/* Doubles the capacity of every array of a kind. If one array cannot grow, the
 * kind's capacity does not change. */
#define COLUMN(type, field, what)                                         \
	type *field = arena_grow(t->arena, r->field, cap * sizeof(type)); \
	if (!field)                                                       \
		return false;                                             \
	r->field = field;
#define COLUMN_SET(type, field, what) r->field[i] = row->field;
#define KIND(kind, COLUMNS, what)                                              \
	static bool kind##_grow(struct trace *t)                               \
	{                                                                      \
		struct kind##_rows *r = &t->kind;                              \
		if (r->cap > UINT32_MAX / 2)                                   \
			return false;                                          \
		size_t cap = r->cap ? (size_t)r->cap * 2 : ROWS_FIRST;         \
		COLUMNS(COLUMN)                                                \
		r->cap = (uint32_t)cap;                                        \
		return true;                                                   \
	}                                                                      \
	bool trace_##kind##_add(struct trace *t, const struct kind##_row *row) \
	{                                                                      \
		struct kind##_rows *r = &t->kind;                              \
		if (r->n == r->cap && !kind##_grow(t))                         \
			return false;                                          \
		uint32_t i = r->n++;                                           \
		COLUMNS(COLUMN_SET)                                            \
		return true;                                                   \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN
#undef COLUMN_SET

void *trace_list_room(struct trace *t, void *list, size_t size, uint32_t n,
	uint32_t *cap)
{
	if (n < *cap)
		return list;
	if (*cap > UINT32_MAX / 2)
		return NULL;
	uint32_t to = *cap ? *cap * 2 : ROWS_FIRST;
	void *grown = arena_grow(t->arena, list, to * size);
	*cap = grown ? to : *cap;
	return grown;
}

uint32_t trace_launch_shape(struct trace *t, const struct launch_shape *s)
{
	return names_put(&t->launch_shapes, (const char *)s, sizeof *s);
}

const struct launch_shape *trace_launch_shape_at(const struct trace *t,
	uint32_t id)
{
	static const struct launch_shape none = { { -1, -1, -1 },
		{ -1, -1, -1 }, -1, -1 };
	return id ? (const void *)names_text(&t->launch_shapes, id) : &none;
}

int64_t trace_first_ns(const struct trace *t, const struct process *proc)
{
	int64_t first = INT64_MAX;
#define KIND(kind, COLUMNS, what)                          \
	if (proc->kind.from < proc->kind.to &&             \
		t->kind.start_ns[proc->kind.from] < first) \
		first = t->kind.start_ns[proc->kind.from];
	TRACE_KINDS(KIND)
#undef KIND
	return first;
}

const struct device *trace_device(const struct trace *t, uint32_t process,
	int32_t number)
{
	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->number == number &&
			(d->process < 0 || (uint32_t)d->process == process))
			return d;
	}
	return NULL;
}

/* In this file, a run is a sequence of sorted rows. Insertion sort makes runs
 * at least this long. */
enum { RUN = 16 };

struct trace_order {
	const uint16_t *process;
	const int64_t *start;
	uint32_t *index, *spare;
	uint32_t n;
};

static bool trace_sort_before(const struct trace_order *o, uint32_t a,
	uint32_t b)
{
	if (o->process[a] != o->process[b])
		return o->process[a] < o->process[b];
	return o->start[a] < o->start[b];
}

static bool trace_sort_in_order(const struct trace_order *o)
{
	for (uint32_t i = 1; i < o->n; i++)
		if (trace_sort_before(o, i, i - 1))
			return false;
	return true;
}

/* Returns the end of the sorted run that begins at `from`. A short run is first
 * made longer by insertion. */
static uint32_t trace_sort_run_end(struct trace_order *o, uint32_t from)
{
	uint32_t *x = o->index, end = from + 1;
	while (end < o->n && !trace_sort_before(o, x[end], x[end - 1]))
		end++;
	uint32_t sorted_end = o->n - from < RUN ? o->n : from + RUN;
	for (; end < sorted_end; end++) {
		uint32_t row = x[end], i = end;
		for (; i > from && trace_sort_before(o, row, x[i - 1]); i--)
			x[i] = x[i - 1];
		x[i] = row;
	}
	return end;
}

/* Merges [a, b) and [b, c) of `index` into [a, c) of `spare`. */
static void trace_sort_merge(struct trace_order *o, uint32_t a, uint32_t b,
	uint32_t c)
{
	const uint32_t *x = o->index;
	uint32_t left = a, right = b, to = a;
	while (left < b && right < c)
		o->spare[to++] = trace_sort_before(o, x[right], x[left])
					 ? x[right++]
					 : x[left++];
	memcpy(o->spare + to, x + left, (b - left) * sizeof *x);
	to += b - left;
	memcpy(o->spare + to, x + right, (c - right) * sizeof *x);
}

/* One pass of the merge sort: merges every two neighboring runs. Returns
 * whether only one run remains. */
static bool trace_sort_pass(struct trace_order *o)
{
	uint32_t at = 0, runs = 0;
	while (at < o->n) {
		uint32_t b = trace_sort_run_end(o, at);
		uint32_t c = b < o->n ? trace_sort_run_end(o, b) : b;
		trace_sort_merge(o, at, b, c);
		at = c;
		runs++;
	}
	uint32_t *sorted = o->spare;
	o->spare = o->index;
	o->index = sorted;
	return runs <= 1;
}

/* Returns an index in whose order the rows are sorted. NULL if they are already
 * sorted or the arena is full. */
static uint32_t *trace_sort_kind(struct trace *t, uint32_t n,
	const uint16_t *process, const int64_t *start)
{
	struct trace_order o = { .process = process, .start = start, .n = n };
	if (n < 2 || trace_sort_in_order(&o))
		return NULL;
	o.index = arena_grow(t->arena, NULL, n * sizeof *o.index);
	o.spare = arena_grow(t->arena, NULL, n * sizeof *o.spare);
	if (o.index && o.spare) {
		for (uint32_t i = 0; i < n; i++)
			o.index[i] = i;
		while (!trace_sort_pass(&o))
			;
	} else {
		arena_drop(t->arena, o.index);
		o.index = NULL;
	}
	arena_drop(t->arena, o.spare);
	return o.index;
}

/* Sorts the rows of a kind, one column after the other. */
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
#define SORT(kind, COLUMNS, key)                                      \
	static bool kind##_sort(struct trace *t)                      \
	{                                                             \
		struct kind##_rows *r = &t->kind;                     \
		uint32_t *index =                                     \
			trace_sort_kind(t, r->n, r->process, r->key); \
		bool ok = true;                                       \
		if (!index)                                           \
			return !t->arena->full;                       \
		COLUMNS(COLUMN)                                       \
		r->cap = r->n;                                        \
		arena_drop(t->arena, index);                          \
		return ok;                                            \
	}                                                             \
	static void kind##_slices(struct trace *t)                    \
	{                                                             \
		struct kind##_rows *r = &t->kind;                     \
		uint32_t at = 0;                                      \
		for (uint32_t p = 0; p < t->processes_n; p++) {       \
			t->processes[p].kind.from = at;               \
			while (at < r->n && r->process[at] == p)      \
				at++;                                 \
			t->processes[p].kind.to = at;                 \
		}                                                     \
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
