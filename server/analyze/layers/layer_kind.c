/* layer_kind.c - symbols sorted and counted off against each other. */
#include "layer_kind.h"
#include <math.h>
#include <stdlib.h>

static const double alike_least = 0.6;

void layer_kinds_init(struct layer_kinds *k, struct arena *a)
{
	*k = (struct layer_kinds){ .arena = a };
}

static int ascending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static double alike(const uint32_t *a, uint32_t a_n, const uint32_t *b,
	uint32_t b_n)
{
	uint32_t both = 0, i = 0, j = 0;

	while (i < a_n && j < b_n) {
		bool same = a[i] == b[j], first = a[i] <= b[j];
		both += same;
		j += same || !first;
		i += first;
	}
	uint32_t most = a_n > b_n ? a_n : b_n;
	return most ? (double)both / most : 1;
}

static bool add(struct layer_kinds *k, uint32_t n)
{
	uint32_t *symbols = arena_array(k->arena, uint32_t, (size_t)n + 1);

	if (!symbols)
		return false;
	memcpy(symbols, k->symbols, n * sizeof *symbols);
	k->list[k->n].symbols = symbols;
	k->list[k->n++].n = n;
	return true;
}

/* The symbols of the items on the lane, ascending, in k->symbols. */
static bool read_symbols(struct layer_kinds *k, const struct layer_seq *s,
	uint32_t lane, const uint32_t *items, uint32_t n, uint32_t *on)
{
	*on = 0;
	if (n >= k->cap) {
		size_t cap = (size_t)n * 2 + 64;
		uint32_t *grown =
			arena_grow(k->arena, k->symbols, cap * sizeof *grown);
		if (!grown)
			return false;
		k->symbols = grown;
		k->cap = cap;
	}
	for (uint32_t i = 0; i < n; i++)
		if (s->items[items[i]].lane == lane)
			k->symbols[(*on)++] = s->items[items[i]].symbol;
	qsort(k->symbols, *on, sizeof *k->symbols, ascending);
	return true;
}

double layer_kinds_alike(struct layer_kinds *k, uint32_t kind,
	const struct layer_seq *s, uint32_t lane, const uint32_t *items,
	uint32_t n)
{
	uint32_t on;

	if (!read_symbols(k, s, lane, items, n, &on))
		return NAN;
	return alike(k->symbols, on, k->list[kind].symbols, k->list[kind].n);
}

bool layer_kinds_put(struct layer_kinds *k, const struct layer_seq *s,
	uint32_t lane, const uint32_t *items, uint32_t n, uint32_t *kind)
{
	uint32_t on;
	double best = -1;

	if (!read_symbols(k, s, lane, items, n, &on))
		return false;
	for (uint32_t i = 0; i < k->n; i++) {
		double is =
			alike(k->symbols, on, k->list[i].symbols, k->list[i].n);
		if (is > best) {
			best = is;
			*kind = i;
		}
	}
	if (best >= alike_least || k->n == LAYER_KINDS)
		return true;
	*kind = k->n;
	return add(k, on);
}
