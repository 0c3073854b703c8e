/* ids.c - sorts rows by number with a radix sort, and finds them by
 * bisection. */
#include "ids.h"

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static void ids_radix_pass(const struct ids *from, struct ids *to, int shift)
{
	uint32_t at[DIGITS] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < from->n; i++)
		at[from->id[i] >> shift & (DIGITS - 1)]++;
	for (int d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];
		at[d] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t place = at[from->id[i] >> shift & (DIGITS - 1)]++;
		to->id[place] = from->id[i];
		to->row[place] = from->row[i];
	}
}

/* Stable radix sort, least significant digits first. `spare` has room for as
 * many entries as `x`. */
static void ids_sort(struct ids *x, struct ids *spare, uint64_t differing)
{
	for (int shift = 0; shift < 64 && differing >> shift; shift += DIGIT) {
		if (!(differing >> shift & (DIGITS - 1)))
			continue;
		ids_radix_pass(x, spare, shift);
		struct ids sorted = *spare;
		*spare = *x;
		*x = sorted;
	}
}

static bool ids_alloc(struct ids *x, struct arena *a, uint32_t n)
{
	*x = (struct ids){
		.id = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *x->id),
		.row = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *x->row),
		.n = n,
	};
	return x->id && x->row;
}

bool ids_from(struct ids *x, struct arena *a, const int64_t *of,
	struct slice rows)
{
	struct ids spare = { 0 };
	uint64_t differing = 0;
	uint32_t n = 0;

	for (uint32_t i = rows.from; i < rows.to; i++)
		n += of[i] > 0;
	bool ok = ids_alloc(x, a, n) && ids_alloc(&spare, a, n);
	if (ok) {
		n = 0;
		for (uint32_t i = rows.from; i < rows.to; i++) {
			if (of[i] <= 0)
				continue;
			x->id[n] = of[i];
			x->row[n++] = i;
			differing |= (uint64_t)(of[i] ^ x->id[0]);
		}
		ids_sort(x, &spare, differing);
	}
	ids_release(&spare, a);
	return ok;
}

void ids_release(struct ids *x, struct arena *a)
{
	arena_drop(a, x->id);
	arena_drop(a, x->row);
	*x = (struct ids){ 0 };
}

/* The first index whose id is not below this one. */
static uint32_t ids_lower_bound(const struct ids *x, int64_t id)
{
	uint32_t from = 0, to = x->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (x->id[middle] < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct slice ids_find(const struct ids *x, int64_t id)
{
	struct slice found = { 0 };

	if (id <= 0)
		return found;
	found.from = ids_lower_bound(x, id);
	found.to = found.from;
	if (found.from < x->n && x->id[found.from] == id)
		found.to = found.from + 1;
	/* Most ids occur once. */
	if (found.to < x->n && x->id[found.to] == id)
		found.to = id == INT64_MAX ? x->n : ids_lower_bound(x, id + 1);
	return found;
}
