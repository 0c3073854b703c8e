/* rebase.c - finds the first record and drops what lies absurdly far off. */
#include "rebase.h"
#include <stdlib.h>

enum { SAMPLES = 1001 };

/* How many kinds of rows there are. */
#define KIND(kind, COLUMNS, what) KIND_##kind,
enum { TRACE_KINDS(KIND) KINDS };
#undef KIND

struct starts {
	int64_t *at;
	uint32_t n;
};

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The middle of an even sample over all rows. */
static int64_t middle(const struct starts kinds[KINDS], uint64_t rows)
{
	int64_t sample[SAMPLES];
	size_t got = 0;
	uint64_t step = rows / SAMPLES + 1, next = 0, seen = 0;
	for (int k = 0; k < KINDS; k++) {
		for (; next < seen + kinds[k].n; next += step)
			sample[got++] = kinds[k].at[next - seen];
		seen += kinds[k].n;
	}
	qsort(sample, got, sizeof *sample, by_value);
	return sample[got / 2];
}

static bool near(int64_t start, int64_t middle_ns)
{
	int64_t far;
	return !__builtin_sub_overflow(start, middle_ns, &far) &&
	       far <= TRACE_TIME_MAX_NS / 2 && far >= -TRACE_TIME_MAX_NS / 2;
}

/* One function per kind that closes the gaps rows far off leave. */
#define COLUMN(type, field, what) r->field[to] = r->field[i];
#define KIND(kind, COLUMNS, what)                                      \
	static void kind##_thin(struct trace *t, int64_t middle_ns)    \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t to = 0;                                       \
		for (uint32_t i = 0; i < r->n; i++) {                  \
			if (!near(r->start_ns[i], middle_ns)) {        \
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

static void starts_of(struct trace *t, struct starts kinds[KINDS])
{
	int k = 0;
#define KIND(kind, COLUMNS, what) \
	kinds[k++] = (struct starts){ t->kind.start_ns, t->kind.n };
	TRACE_KINDS(KIND)
#undef KIND
}

static void thin(struct trace *t, int64_t middle_ns)
{
#define KIND(kind, COLUMNS, what) kind##_thin(t, middle_ns);
	TRACE_KINDS(KIND)
#undef KIND
}

/* Counts the rows; their first and last start. */
static uint64_t bounds(const struct starts kinds[KINDS], int64_t *first,
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

static void shift(struct trace *t, const struct starts kinds[KINDS],
	int64_t first)
{
	t->base_ns = first;
	for (int k = 0; k < KINDS; k++)
		for (uint32_t i = 0; i < kinds[k].n; i++)
			kinds[k].at[i] -= first;
}

void rebase(struct trace *t)
{
	struct starts kinds[KINDS];
	int64_t first, last;
	starts_of(t, kinds);
	uint64_t rows = bounds(kinds, &first, &last);
	if (rows == 0)
		return;
	if (!near(last, first)) {
		thin(t, middle(kinds, rows));
		starts_of(t, kinds);
		bounds(kinds, &first, &last);
	}
	shift(t, kinds, first);
}

void rebase_kept(struct trace *t, int64_t latest)
{
	struct starts kinds[KINDS];
	int64_t first, last, span;
	starts_of(t, kinds);
	if (bounds(kinds, &first, &last) == 0)
		return;
	first = latest < first ? latest : first;
	if (!__builtin_sub_overflow(last, first, &span) &&
		span <= TRACE_TIME_MAX_NS)
		shift(t, kinds, first);
	else
		rebase(t);
}
