/* correlation.c - sorts API calls by correlation, then looks up the call of
 * each kernel. */
#include "correlation.h"
#include "ids.h"

static int64_t correlation_end_of(const struct call_rows *c, uint32_t row)
{
	return c->start_ns[row] + c->dur_ns[row];
}

/* Finds, for each index of the sorted calls, the outermost call with the same
 * correlation around that call. */
static void correlation_outermost(const struct call_rows *c,
	const struct ids *x, uint32_t *outer)
{
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t row = x->row[i];
		outer[i] = row;
		if (i == 0 || x->id[i] != x->id[i - 1])
			continue;
		uint32_t before = outer[i - 1];
		if (c->thread[row] == c->thread[before] &&
			correlation_end_of(c, row) <=
				correlation_end_of(c, before))
			outer[i] = before;
	}
}

/* The last of these calls that began at or before a time, or the first call if
 * all began later. */
static uint32_t correlation_place_of(const struct call_rows *c,
	const struct ids *x, struct slice same, int64_t start_ns)
{
	uint32_t from = same.from, to = same.to;

	while (to - from > 1) {
		uint32_t middle = from + (to - from) / 2;
		if (c->start_ns[x->row[middle]] <= start_ns)
			from = middle;
		else
			to = middle;
	}
	return from;
}

bool correlation_join_rows(const struct trace *t, const struct process *proc,
	const int64_t *correlation, const int64_t *start_ns, struct slice rows,
	struct arena *a, uint32_t **call_of)
{
	uint32_t from = rows.from, n = rows.to - from;
	struct ids x;

	*call_of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof **call_of);
	bool ok = *call_of && ids_from(&x, a, t->call.correlation, proc->call);
	if (!ok)
		return false;
	uint32_t *outer =
		arena_grow(a, NULL, ((size_t)x.n + 1) * sizeof *outer);
	if (outer)
		correlation_outermost(&t->call, &x, outer);
	for (uint32_t i = 0; outer && i < n; i++) {
		struct slice same = ids_find(&x, correlation[from + i]);
		(*call_of)[i] =
			same.from == same.to
				? CORRELATION_NONE
				: outer[correlation_place_of(&t->call, &x, same,
					  start_ns[from + i])];
	}
	ids_release(&x, a);
	arena_drop(a, outer);
	return outer;
}

bool correlation_join(const struct trace *t, const struct process *proc,
	struct arena *a, uint32_t **call_of)
{
	return correlation_join_rows(t, proc, t->kernel.correlation,
		t->kernel.start_ns, proc->kernel, a, call_of);
}
