/* nsys_half.c - pushes find their pops, starts their ends. */
#include "nsys_nvtx.h"
#include <stdlib.h>

bool nsys_half_add(struct nsys_nvtx *x, const struct nsys_half *h)
{
	if (x->halves_n == x->halves_cap) {
		if (x->halves_cap > UINT32_MAX / 4)
			return false;
		uint32_t cap = x->halves_cap ? x->halves_cap * 2 : 256;
		struct nsys_half *p = arena_grow(x->nsys->trace->arena,
			x->halves, cap * sizeof *p);
		if (!p)
			return false;
		x->halves = p;
		x->halves_cap = cap;
	}
	x->halves[x->halves_n] = *h;
	x->halves[x->halves_n].place = x->halves_n;
	x->halves_n++;
	return true;
}

/* Whether both may belong to one range. */
static bool related(const struct nsys_half *a, const struct nsys_half *b)
{
	return a->loose == b->loose && a->owner == b->owner &&
	       a->domain == b->domain && a->range == b->range;
}

#define ORDER(field)              \
	if (x->field != y->field) \
		return x->field < y->field ? -1 : 1;
static int by_owner(const void *a, const void *b)
{
	const struct nsys_half *x = a, *y = b;
	ORDER(loose)
	ORDER(owner)
	ORDER(domain)
	ORDER(range)
	ORDER(at_ns)
	ORDER(place)
	return 0;
}
#undef ORDER

static bool add(struct nsys_nvtx *x, const struct nsys_half *from,
	const struct nsys_half *to, struct err *e)
{
	struct nsys *n = x->nsys;
	struct range_row row = { .process = from->process,
		.start_ns = from->at_ns,
		.name = from->name,
		.payload = from->payload,
		.domain = (uint32_t)from->domain,
		.kind = from->loose ? RANGE_LOOSE : RANGE_ANNOTATION,
		.id = from->loose ? from->range : -1,
		.parent = -1,
		.thread = from->thread };
	if (__builtin_sub_overflow(to->at_ns, from->at_ns, &row.dur_ns) ||
		row.dur_ns > TRACE_TIME_MAX_NS - n->total_ns[NSYS_RANGE]) {
		note_add(&n->trace->notes, NOTE_huge_time, 1, NULL, 0);
		return true;
	}
	n->total_ns[NSYS_RANGE] += row.dur_ns;
	return nsys_range(x, &row, e);
}

/* Pairs up the halves [from, to), which are of one thread and domain, or of
 * one range; `open` has room for as many. */
static bool pair(struct nsys_nvtx *x, uint32_t from, uint32_t to,
	uint32_t *open, struct err *e)
{
	uint32_t depth = 0;
	int64_t alone = 0;
	for (uint32_t i = from; i < to; i++) {
		const struct nsys_half *h = &x->halves[i];
		if (!h->end)
			open[depth++] = i;
		else if (depth == 0)
			alone++;
		else if (!add(x, &x->halves[open[--depth]], h, e))
			return false;
	}
	if (alone + depth)
		note_add(&x->nsys->trace->notes, NOTE_nvtx_open, alone + depth,
			NULL, 0);
	return true;
}

bool nsys_halves(struct nsys_nvtx *x, struct err *e)
{
	struct arena *a = x->nsys->trace->arena;
	uint32_t from = 0;
	bool ok = true;
	if (x->halves_n == 0)
		return true;
	uint32_t *open = arena_grow(a, NULL, x->halves_n * sizeof *open);
	if (!open)
		return arena_err(a, e);
	qsort(x->halves, x->halves_n, sizeof *x->halves, by_owner);
	for (uint32_t i = 1; ok && i <= x->halves_n; i++) {
		if (i < x->halves_n && related(&x->halves[i], &x->halves[from]))
			continue;
		ok = pair(x, from, i, open, e);
		from = i;
	}
	arena_drop(a, open);
	return ok;
}
