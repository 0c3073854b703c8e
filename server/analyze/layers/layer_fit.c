/* layer_fit.c - alignment of a sequence to a profile, in a band: after Needleman
 * and Wunsch (1970), with costs by how many have a place. */
#include "layer_fit.h"
#include <math.h>
#include <string.h>

enum {
	UNIT = 4096, /* what it costs to pass a place that half of them have */
	INSERT = UNIT + UNIT / 4, /* a place of one's own */
	SLOWER = 64, /* by a factor of two, or faster */
	SLOWER_MOST = 4 * SLOWER,
	BAND_LEAST = 16, /* places off the diagonal, either side, … */
	BAND_SHARE = 8, /* … and this part of the sequence, … */
	BAND_MOST = 128, /* … up to so many */
	AHEAD = 16, /* places looked at once no cells are left */
	UNREACHED = UINT32_MAX / 2,
	TABLE_MOST = 100000, /* symbols and places, so that costs fit */
};

/* Of a symbol that is at no place of the template: how many places come before. */
static const uint32_t none_behind = UINT32_C(1) << 31;

enum way { WAY_MATCH, WAY_PASS, WAY_INSERT };

/* The table: a row for each symbol and one before; in a row the places whose
 * index is the symbol's plus `low` and on. */
struct band {
	const struct fit_symbol *symbols;
	uint32_t n, m; /* symbols, places */
	int64_t low;
	uint32_t width;
};

void layer_fit_init(struct layer_fit *f, struct arena *a, uint64_t *cells_left)
{
	*f = (struct layer_fit){ .arena = a, .cells_left = cells_left };
}

void layer_fit_release(struct layer_fit *f)
{
	arena_drop(f->arena, f->places);
	arena_drop(f->arena, f->order);
	arena_drop(f->arena, f->cost);
	arena_drop(f->arena, f->way);
	arena_drop(f->arena, f->to);
	*f = (struct layer_fit){ .arena = f->arena };
}

static bool room(struct arena *a, void **p, size_t *cap, size_t n, size_t size)
{
	if (*cap >= n)
		return true;
	size_t grown = n + n / 2;
	void *to = arena_grow(a, *p, grown * size);
	if (!to)
		return false;
	*p = to;
	*cap = grown;
	return true;
}

/* How much of a place a place is: all of one if half of the sequences have it, so
 * that what was lost here and there makes no difference. */
static uint32_t share(const struct layer_fit *f, const struct fit_place *p)
{
	uint64_t part = (uint64_t)p->weight * 2 * UNIT / f->weight;

	return part < UNIT ? (uint32_t)part : UNIT;
}

/* Of a symbol at a place of the same symbol. */
static uint32_t match_cost(const struct layer_fit *f, const struct fit_place *p,
	const struct fit_symbol *s)
{
	double apart = fabs(p->log_ns / p->weight - (double)s->log_ns) * SLOWER;

	return UNIT - share(f, p) +
	       (apart < SLOWER_MOST ? (uint32_t)apart : SLOWER_MOST);
}

static struct band band_of(const struct layer_fit *f,
	const struct fit_symbol *symbols, uint32_t n)
{
	uint32_t aside = BAND_LEAST + n / BAND_SHARE;
	int64_t apart = (int64_t)f->places_n - n;

	if (aside > BAND_MOST)
		aside = BAND_MOST;
	return (struct band){ .symbols = symbols,
		.n = n,
		.m = f->places_n,
		.low = (apart < 0 ? apart : 0) - aside,
		.width = (uint32_t)((apart < 0 ? -apart : apart) + 2 * aside +
				    1) };
}

/* The cheapest way to the cell of a row at place j, of those in the row before
 * and of the one to the left; of equal ones what is new comes behind. */
static uint32_t cell(const struct layer_fit *f, const struct band *b,
	uint32_t i, int64_t j, const uint32_t *before, const uint32_t *row,
	uint32_t o, uint8_t *way)
{
	const struct fit_place *p = j > 0 ? &f->places[f->order[j - 1]] : NULL;
	const struct fit_symbol *s = i ? &b->symbols[i - 1] : NULL;
	uint32_t best = UNREACHED;

	if (!i && !j)
		return 0;
	if (s && p && p->symbol == s->symbol && before[o] < UNREACHED) {
		best = before[o] + match_cost(f, p, s);
		*way = WAY_MATCH;
	}
	if (s && o + 1 < b->width && before[o + 1] + INSERT < best) {
		best = before[o + 1] + INSERT;
		*way = WAY_INSERT;
	}
	if (p && o > 0 && row[o - 1] + share(f, p) < best) {
		best = row[o - 1] + share(f, p);
		*way = WAY_PASS;
	}
	return best;
}

static void fill(struct layer_fit *f, const struct band *b)
{
	uint32_t *before = f->cost, *row = f->cost + b->width;

	for (uint32_t i = 0; i <= b->n; i++) {
		for (uint32_t o = 0; o < b->width; o++) {
			int64_t j = (int64_t)i + b->low + o;
			row[o] = UNREACHED;
			if (j >= 0 && j <= b->m)
				row[o] = cell(f, b, i, j, before, row, o,
					&f->way[(size_t)i * b->width + o]);
		}
		uint32_t *swap = before;
		before = row;
		row = swap;
	}
}

/* to[i]: the index in the template, or none_behind with an index. */
static void back(const struct layer_fit *f, const struct band *b, uint32_t *to)
{
	uint32_t i = b->n, j = b->m;

	while (i || j) {
		int64_t o = (int64_t)j - i - b->low;
		switch ((enum way)f->way[(size_t)i * b->width + (size_t)o]) {
		case WAY_MATCH:
			to[--i] = --j;
			break;
		case WAY_PASS:
			j--;
			break;
		case WAY_INSERT:
			to[--i] = none_behind | j;
			break;
		}
	}
}

static bool table(struct layer_fit *f, const struct band *b, uint32_t *to)
{
	size_t cells = ((size_t)b->n + 1) * b->width;
	void *cost = f->cost, *way = f->way;
	bool ok = room(f->arena, &cost, &f->cost_cap, (size_t)b->width * 2,
			  sizeof *f->cost) &&
		  room(f->arena, &way, &f->way_cap, cells, 1);

	f->cost = cost;
	f->way = way;
	if (!ok)
		return false;
	*f->cells_left -= cells;
	fill(f, b);
	back(f, b, to);
	return true;
}

/* The next place of that symbol, not far ahead; what has none gets none. */
static void look_ahead(const struct layer_fit *f,
	const struct fit_symbol *symbols, uint32_t n, uint32_t *to)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t end =
			f->places_n - from < AHEAD ? f->places_n : from + AHEAD;
		uint32_t j = from;
		while (j < end &&
			f->places[f->order[j]].symbol != symbols[i].symbol)
			j++;
		to[i] = j < end ? j : none_behind | from;
		from = j < end ? j + 1 : from;
	}
}

static bool places_room(struct layer_fit *f, uint32_t more)
{
	size_t n = (size_t)f->places_n + more, cap = f->cap;
	void *places = f->places, *order = f->order;
	bool ok = room(f->arena, &places, &cap, n, sizeof *f->places);

	f->places = places;
	cap = f->cap;
	ok = ok && room(f->arena, &order, &cap, n, sizeof *f->order);
	f->order = order;
	if (ok)
		f->cap = (uint32_t)cap;
	return ok;
}

/* Places of their own for symbols that have none. Indexes of the template become
 * ids. */
static void take_up(struct layer_fit *f, const struct fit_symbol *symbols,
	uint32_t n, uint32_t *to, uint32_t *order)
{
	uint32_t taken = 0, out = 0, made = f->places_n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = to[i] & ~none_behind;
		while (taken < at)
			order[out++] = f->order[taken++];
		if (!(to[i] & none_behind)) {
			to[i] = order[out++] = f->order[taken++];
		} else if (made == f->most) {
			to[i] = FIT_NONE;
		} else {
			f->places[made] =
				(struct fit_place){ .symbol =
							    symbols[i].symbol };
			to[i] = order[out++] = made++;
		}
	}
	while (taken < f->places_n)
		order[out++] = f->order[taken++];
	f->places_n = made;
	memcpy(f->order, order, made * sizeof *order);
}

bool layer_fit_add(struct layer_fit *f, const struct fit_symbol *symbols,
	uint32_t n, uint32_t weight, uint32_t *to)
{
	struct band b = band_of(f, symbols, n);
	void *order = f->to;
	bool first = !f->weight, full = false;

	if (!n)
		return true;
	if (first)
		f->most = n + FIT_EXTRAS;
	if (first)
		for (uint32_t i = 0; i < n; i++)
			to[i] = none_behind;
	else if (n + (uint64_t)b.m <= TABLE_MOST &&
		 ((uint64_t)n + 1) * b.width <= *f->cells_left)
		full = !table(f, &b, to);
	else
		look_ahead(f, symbols, n, to);
	if (full || !places_room(f, n) ||
		!room(f->arena, &order, &f->to_cap, f->cap, sizeof *f->to))
		return false;
	f->to = order;
	take_up(f, symbols, n, to, f->to);
	for (uint32_t i = 0; i < n; i++) {
		if (to[i] == FIT_NONE)
			continue;
		struct fit_place *p = &f->places[to[i]];
		p->weight += weight;
		p->log_ns += (double)symbols[i].log_ns * weight;
	}
	f->weight += weight;
	return true;
}
