/* copies.c - copies and sets by operation, and by operation and device. */
#include "copies.h"
#include "keys.h"
#include "operation.h"
#include "table_order.h"
#include <string.h>

struct maker {
	const struct trace *t;
	struct slice rows;
	struct profile *p;
	struct names operations; /* id = operation + 1, "" is none */
	uint32_t *operation_of; /* by row */
};

/* The operation of a row, plus one; NAMES_NONE where the arena is full. */
static uint32_t operation_id(struct maker *m, uint32_t row)
{
	const struct copy_rows *c = &m->t->copy;
	const struct name *n = &m->t->names.list[c->name[row]];
	const char *text = operation_of(n->text, n->len, c->is_set[row]);

	if (!*text)
		text = "(unnamed)";
	return names_put(&m->operations, text, strlen(text));
}

static bool operations_name(struct maker *m)
{
	const struct copy_rows *c = &m->t->copy;
	uint32_t id = 0;

	for (uint32_t row = m->rows.from; row < m->rows.to; row++) {
		bool same = row > m->rows.from &&
			    c->name[row] == c->name[row - 1] &&
			    c->is_set[row] == c->is_set[row - 1];
		if (!same)
			id = operation_id(m, row);
		if (id == NAMES_NONE)
			return false;
		m->operation_of[row - m->rows.from] = id - 1;
	}
	return true;
}

/* A size that would pass 64 bits is no size. */
static void bytes_add(const struct maker *m, const uint32_t *group_of,
	struct copy_stat *s)
{
	const int64_t *bytes = m->t->copy.bytes + m->rows.from;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct copy_stat *to = &s[group_of[i]];
		int64_t sum;
		if (bytes[i] < 0 ||
			__builtin_add_overflow(to->bytes, bytes[i], &sum))
			continue;
		to->bytes = sum;
		to->sized++;
	}
}

static void stat_fill(const struct maker *m, const struct group *g,
	enum split split, struct copy_stat *s)
{
	uint32_t operation = m->operation_of[g->row];

	*s = (struct copy_stat){
		.operation = names_text(&m->operations, operation + 1),
		.split = split,
		.device = split == SPLIT_DEVICE
				  ? m->t->copy.device[m->rows.from + g->row]
				  : -1,
		.time = g->time,
		.time_pct = stats_pct(g->time.total_ns, m->p->copy_ns),
	};
}

static bool stats_add(struct maker *m, enum split split, struct group_key minor,
	uint32_t *group_of)
{
	struct profile *p = m->p;
	struct group_key major = { m->operation_of, m->operations.n };
	struct group *groups;
	uint32_t n;

	if (!groups_from(p->arena, major, minor,
		    m->t->copy.dur_ns + m->rows.from, m->rows.to - m->rows.from,
		    &groups, &n, group_of))
		return false;
	struct copy_stat *grown = arena_grow(p->arena, p->copy_stats,
		((size_t)p->copy_stats_n + n + 1) * sizeof *grown);
	if (grown) {
		struct copy_stat *s = grown + p->copy_stats_n;
		p->copy_stats = grown;
		for (uint32_t i = 0; i < n; i++)
			stat_fill(m, &groups[i], split, &s[i]);
		bytes_add(m, group_of, s);
		table_order_copies(s, n);
		p->copy_stats_n += n;
	}
	arena_drop(p->arena, groups);
	return grown != NULL;
}

bool copies_from(const struct trace *t, struct slice rows, struct profile *p)
{
	struct arena *a = p->arena;
	uint32_t n = rows.to - rows.from;
	struct maker m = { .t = t, .rows = rows, .p = p };
	struct group_key device = { 0 };

	if (n == 0)
		return true;
	m.operation_of = arena_grow(a, NULL, (size_t)n * sizeof(uint32_t));
	uint32_t *group_of = arena_grow(a, NULL, (size_t)n * sizeof *group_of);
	bool ok =
		m.operation_of && group_of && names_init(&m.operations, a) &&
		operations_name(&m) &&
		keys_of_devices(a, t->copy.device + rows.from, n, &device) &&
		stats_add(&m, SPLIT_NONE, (struct group_key){ 0 }, group_of) &&
		stats_add(&m, SPLIT_DEVICE, device, group_of);

	arena_drop(a, (void *)(uintptr_t)device.of);
	arena_drop(a, m.operation_of);
	arena_drop(a, group_of);
	return ok;
}
