/* finish.c - the last step of decoding, for every format */
#include "finish.h"
#include "sort.h"
#include <stdlib.h>

enum { SAMPLES = 1001 };

/* The number of kinds of rows. */
#define KIND(kind, COLUMNS, what) KIND_##kind,
enum { TRACE_KINDS(KIND) KINDS };
#undef KIND

struct starts {
	int64_t *at;
	uint32_t n;
};

/* The median of an even sample of all rows. */
static int64_t finish_middle(const struct starts kinds[KINDS], uint64_t rows)
{
	int64_t sample[SAMPLES];
	size_t got = 0;
	uint64_t step = rows / SAMPLES + 1, next = 0, seen = 0;
	for (int k = 0; k < KINDS; k++) {
		for (; next < seen + kinds[k].n; next += step)
			sample[got++] = kinds[k].at[next - seen];
		seen += kinds[k].n;
	}
	sort_int64(sample, got);
	return sample[got / 2];
}

static bool finish_near(int64_t start, int64_t middle_ns)
{
	int64_t far;
	return !__builtin_sub_overflow(start, middle_ns, &far) &&
	       far <= TRACE_TIME_MAX_NS / 2 && far >= -TRACE_TIME_MAX_NS / 2;
}

/* One function per kind of row. It closes the gaps that removed rows leave. */
#define COLUMN(type, field, what) r->field[to] = r->field[i];
#define KIND(kind, COLUMNS, what)                                      \
	static void kind##_thin(struct trace *t, int64_t middle_ns)    \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t to = 0;                                       \
		for (uint32_t i = 0; i < r->n; i++) {                  \
			if (!finish_near(r->start_ns[i], middle_ns)) { \
				const struct name *n =                 \
					&t->names.list[r->name[i]];    \
				note_add(&t->notes, NOTE_huge_time, 1, \
					n->text, n->len);              \
				continue;                              \
			}                                              \
			COLUMNS(COLUMN)                                \
			to++;                                          \
		}                                                      \
		r->n = to;                                             \
	}
TRACE_KINDS(KIND)
#undef KIND
#undef COLUMN

static void finish_starts_of(struct trace *t, struct starts kinds[KINDS])
{
	int k = 0;
#define KIND(kind, COLUMNS, what) \
	kinds[k++] = (struct starts){ t->kind.start_ns, t->kind.n };
	TRACE_KINDS(KIND)
#undef KIND
}

static void finish_thin(struct trace *t, int64_t middle_ns)
{
#define KIND(kind, COLUMNS, what) kind##_thin(t, middle_ns);
	TRACE_KINDS(KIND)
#undef KIND
}

/* Counts the rows, and finds their first and their last start. */
static uint64_t finish_bounds(const struct starts kinds[KINDS], int64_t *first,
	int64_t *last)
{
	uint64_t rows = 0;
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (int k = 0; k < KINDS; k++) {
		rows += kinds[k].n;
		for (uint32_t i = 0; i < kinds[k].n; i++) {
			int64_t at = kinds[k].at[i];
			*first = at < *first ? at : *first;
			*last = at > *last ? at : *last;
		}
	}
	return rows;
}

static void finish_shift(struct trace *t, const struct starts kinds[KINDS],
	int64_t first)
{
	t->base_ns = first;
	for (int k = 0; k < KINDS; k++)
		for (uint32_t i = 0; i < kinds[k].n; i++)
			kinds[k].at[i] -= first;
}

void finish_rebase(struct trace *t)
{
	struct starts kinds[KINDS];
	int64_t first, last;
	finish_starts_of(t, kinds);
	uint64_t rows = finish_bounds(kinds, &first, &last);
	if (rows == 0)
		return;
	if (!finish_near(last, first)) {
		finish_thin(t, finish_middle(kinds, rows));
		finish_starts_of(t, kinds);
		finish_bounds(kinds, &first, &last);
	}
	finish_shift(t, kinds, first);
}

void finish_rebase_kept(struct trace *t, int64_t latest)
{
	struct starts kinds[KINDS];
	int64_t first, last, span;
	finish_starts_of(t, kinds);
	if (finish_bounds(kinds, &first, &last) == 0)
		return;
	first = latest < first ? latest : first;
	if (!__builtin_sub_overflow(last, first, &span) &&
		span <= TRACE_TIME_MAX_NS)
		finish_shift(t, kinds, first);
	else
		finish_rebase(t);
}

/* Two kinds of rows do not count as records of a process: facts, and what was
 * open around the nodes of graphs. */
#define SURROUNDS(kind)                                      \
	((const void *)&t->kind == (const void *)&t->fact || \
		(const void *)&t->kind == (const void *)&t->node)

/* Drops the rows of dropped processes. */
#define COLUMN(type, field, what) r->field[to] = r->field[i];
#define DROP(kind, COLUMNS)                                            \
	static void kind##s_drop(struct trace *t, const uint16_t *now) \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t to = 0;                                       \
		for (uint32_t i = 0; i < r->n; i++)                    \
			if (now[r->process[i]] != UINT16_MAX) {        \
				COLUMNS(COLUMN)                        \
				to++;                                  \
			}                                              \
		r->n = to;                                             \
	}
DROP(fact, FACT_COLUMNS)
DROP(node, NODE_COLUMNS)
#undef DROP
#undef COLUMN

/* Sets a process's new index; never called for a process without records. */
static void finish_renumber(struct trace *t, const uint16_t *now)
{
#define KIND(kind, COLUMNS, what)                \
	for (uint32_t i = 0; i < t->kind.n; i++) \
		t->kind.process[i] = now[t->kind.process[i]];
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	uint32_t to = 0;
	for (uint32_t i = 0; i < t->devices_n; i++) {
		struct device d = t->devices[i];
		if (d.process >= 0 && now[d.process] == UINT16_MAX)
			continue;
		if (d.process >= 0)
			d.process = now[d.process];
		t->devices[to++] = d;
	}
	t->devices_n = to;
}

bool finish_drop_idle(struct trace *t)
{
	uint32_t to = 0;
	uint16_t *now =
		arena_grow(t->arena, NULL, (t->processes_n + 1) * sizeof *now);
	if (!now)
		return false;
#define KIND(kind, COLUMNS, what)                                    \
	for (uint32_t i = 0; !SURROUNDS(kind) && i < t->kind.n; i++) \
		now[t->kind.process[i]] = 1;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	for (uint32_t i = 0; i < t->processes_n; i++) {
		bool used = now[i];
		now[i] = used ? (uint16_t)to : UINT16_MAX;
		if (used)
			t->processes[to++] = t->processes[i];
	}
	int64_t *fused = &t->notes.count[NOTE_fused];
	if (*fused && to < t->processes_n)
		*fused = to > 1 ? to : 0;
	t->processes_n = to;
	facts_drop(t, now);
	nodes_drop(t, now);
	finish_renumber(t, now);
	arena_drop(t->arena, now);
	return true;
}
