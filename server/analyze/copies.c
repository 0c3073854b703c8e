/* copies.c - copies and sets by operation, and by operation and device. */
#include "copies.h"
#include "group.h"
#include "operation.h"
#include "order.h"
#include <string.h>

/* A line of a table before it has its numbers. */
struct cell {
	const char *operation;
	int64_t device; /* wide, so that the struct has no holes to compare */
};

/* Operations are few: one pointer per distinct name of the trace. */
static const char **operations_of(const struct trace *t, struct slice rows,
	struct names *texts)
{
	const char **of = arena_grow(texts->arena, NULL,
		(size_t)t->names.n * 2 * sizeof *of);
	for (uint32_t i = rows.from; of && i < rows.to; i++) {
		const struct name *n = &t->names.list[t->copy.name[i]];
		bool set = t->copy.is_set[i];
		const char **op = &of[(size_t)t->copy.name[i] * 2 + set];
		if (*op)
			continue;
		const char *text = operation_of(n->text, n->len, set);
		if (!*text)
			text = "(unnamed)";
		uint32_t id = names_put(texts, text, strlen(text));
		if (id == NAMES_NONE) {
			arena_drop(texts->arena, of);
			return NULL;
		}
		*op = names_text(texts, id);
	}
	return of;
}

static bool cells_find(const struct trace *t, struct slice rows,
	const char **op_of, enum split split, struct names *cells,
	uint32_t *cell_of)
{
	for (uint32_t i = rows.from; i < rows.to; i++) {
		struct cell c = {
			op_of[(size_t)t->copy.name[i] * 2 + t->copy.is_set[i]],
			split == SPLIT_DEVICE ? t->copy.device[i] : -1,
		};
		uint32_t id = names_put(cells, (const char *)&c, sizeof c);
		if (id == NAMES_NONE)
			return false;
		cell_of[i - rows.from] = id - 1;
	}
	return true;
}

/* A size that would pass 64 bits is no size. */
static void bytes_add(const struct trace *t, struct slice rows,
	const uint32_t *cell_of, struct copy_stat *s)
{
	for (uint32_t i = rows.from; i < rows.to; i++) {
		struct copy_stat *to = &s[cell_of[i - rows.from]];
		int64_t sum;
		if (t->copy.bytes[i] < 0 || __builtin_add_overflow(to->bytes,
						    t->copy.bytes[i], &sum))
			continue;
		to->bytes = sum;
		to->sized++;
	}
}

static bool stats_add(const struct trace *t, struct slice rows,
	const char **op_of, uint32_t *cell_of, enum split split,
	struct profile *p)
{
	struct names cells;
	if (rows.from == rows.to)
		return true;
	if (!names_init(&cells, p->arena) ||
		!cells_find(t, rows, op_of, split, &cells, cell_of))
		return false;

	uint32_t n = cells.n - 1;
	struct time_stats *times =
		arena_grow(p->arena, NULL, (n + 1) * sizeof *times);
	struct copy_stat *grown = arena_grow(p->arena, p->copy_stats,
		((size_t)p->copy_stats_n + n + 1) * sizeof *grown);
	bool ok = times && grown &&
		  group_stats(p->arena, cell_of, t->copy.dur_ns + rows.from,
			  rows.to - rows.from, n, times);
	if (grown)
		p->copy_stats = grown;
	if (ok) {
		struct copy_stat *s = grown + p->copy_stats_n;
		for (uint32_t k = 0; k < n; k++) {
			struct cell c;
			memcpy(&c, names_text(&cells, k + 1), sizeof c);
			s[k] = (struct copy_stat){
				.operation = c.operation,
				.split = split,
				.device = (int32_t)c.device,
				.time = times[k],
				.time_pct = stats_pct(times[k].total_ns,
					p->copy_ns),
			};
		}
		bytes_add(t, rows, cell_of, s);
		order_copies(s, n);
		p->copy_stats_n += n;
	}
	arena_drop(p->arena, times);
	return ok;
}

bool copies_from(const struct trace *t, struct slice rows, struct profile *p)
{
	struct arena *a = p->arena;
	struct names texts;
	uint32_t *cell_of = arena_grow(a, NULL,
		((size_t)rows.to - rows.from + 1) * sizeof *cell_of);
	const char **op_of = NULL;
	bool ok = cell_of && names_init(&texts, a) &&
		  (op_of = operations_of(t, rows, &texts)) &&
		  stats_add(t, rows, op_of, cell_of, SPLIT_NONE, p) &&
		  stats_add(t, rows, op_of, cell_of, SPLIT_DEVICE, p);

	arena_drop(a, op_of);
	arena_drop(a, cell_of);
	return ok;
}
