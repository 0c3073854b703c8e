/* layer_align.c - aligns the instances of a section with each other. */
#include "arena.h"
#include "layering.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A strand: the launches of one lane in one instance of a section.
 *
 * The strands of a section and lane are stored together. Strands with equal
 * sequences of symbols are stored next to each other, so that each sequence is
 * aligned only once. */

struct layer_strand {
	uint32_t section, lane, instance;
	uint32_t from, to; /* in layer_strands.items */
	uint64_t hash; /* of its symbols */
};

/* Strands with equal sequences of symbols. */
struct layer_variant {
	uint32_t from, to; /* in layer_strands.list */
};

struct layer_strands {
	const struct layer_seq *seq;
	uint32_t *items; /* indices in the sequence, by strand, in order */
	struct layer_strand *list; /* by section, lane, variant, instance */
	uint32_t n;
	struct arena *arena;
};

static inline uint32_t layer_align_strand_symbol(const struct layer_strands *s,
	const struct layer_strand *of, uint32_t i)
{
	return s->seq->items[s->items[of->from + i]].symbol;
}

/* Sorts `order` stably by key into `out`; keys are below `keys`. Leaves out
 * entries with the key LAYER_NONE. Returns how many remain, or LAYER_NONE if
 * the arena is full. */
static uint32_t layer_align_strand_sorted(const uint32_t *order, uint32_t n,
	const uint32_t *key, uint32_t keys, uint32_t *out, struct arena *a)
{
	size_t room = (size_t)keys + 1;
	uint32_t *at = arena_grow(a, NULL, room * sizeof *at);

	if (!at)
		return LAYER_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (key[order[i]] != LAYER_NONE)
			at[key[order[i]] + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		at[k + 1] += at[k];
	uint32_t left = at[keys];
	for (uint32_t i = 0; i < n; i++)
		if (key[order[i]] != LAYER_NONE)
			out[at[key[order[i]]]++] = order[i];
	arena_drop(a, at);
	return left;
}

/* Sorts items by instance, then lane, then time. */
static bool layer_align_strand_by_instance(struct layer_strands *s,
	const struct layer_cut *cut, uint32_t *left)
{
	const struct layer_seq *seq = s->seq;
	size_t bytes = ((size_t)seq->n + 1) * sizeof *s->items;
	uint32_t *key = arena_grow(s->arena, NULL, bytes);
	uint32_t *order = arena_grow(s->arena, NULL, bytes);

	s->items = arena_grow(s->arena, NULL, bytes);
	if (!key || !order || !s->items)
		return false;
	for (uint32_t i = 0; i < seq->n; i++) {
		s->items[i] = i;
		key[i] = seq->items[i].lane;
	}
	*left = layer_align_strand_sorted(s->items, seq->n, key, seq->lanes,
		order, s->arena);
	if (*left != LAYER_NONE)
		*left = layer_align_strand_sorted(order, seq->n, cut->instance,
			cut->instances_n, s->items, s->arena);
	arena_drop(s->arena, key);
	arena_drop(s->arena, order);
	return *left != LAYER_NONE;
}

static uint64_t layer_align_strand_mixed(uint64_t hash, uint32_t symbol)
{
	hash = (hash ^ symbol) * 0x9e3779b97f4a7c15u;
	return hash ^ (hash >> 29);
}

static bool layer_align_strand_cut_strands(struct layer_strands *s,
	const struct layer_cut *cut, uint32_t left)
{
	uint32_t strands = 0, lane, instance;

	for (uint32_t i = 0; i < left; i++)
		strands += !i ||
			   cut->instance[s->items[i]] !=
				   cut->instance[s->items[i - 1]] ||
			   s->seq->items[s->items[i]].lane !=
				   s->seq->items[s->items[i - 1]].lane;
	s->list = arena_grow(s->arena, NULL,
		((size_t)strands + 1) * sizeof *s->list);
	for (uint32_t i = 0; s->list && i < left; i++) {
		const struct layer_item *it = &s->seq->items[s->items[i]];
		lane = it->lane;
		instance = cut->instance[s->items[i]];
		struct layer_strand *last = s->n ? &s->list[s->n - 1] : NULL;
		if (!last || last->instance != instance || last->lane != lane) {
			last = &s->list[s->n++];
			*last = (struct layer_strand){
				.section = cut->instances[instance].section,
				.lane = lane,
				.instance = instance,
				.from = i,
				.hash = 1
			};
		}
		last->to = i + 1;
		last->hash = layer_align_strand_mixed(last->hash, it->symbol);
	}
	return s->list;
}

static int layer_align_strand_by_content(const void *left, const void *right)
{
	const struct layer_strand *a = left, *b = right;
	const uint64_t x[] = { a->section, a->lane, a->to - a->from, a->hash,
		a->instance };
	const uint64_t y[] = { b->section, b->lane, b->to - b->from, b->hash,
		b->instance };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Makes the strands; items without an instance are in none. Allocates in
 * `scratch`. Returns false if it is full. */
static bool layer_align_strands_from(struct layer_strands *s,
	const struct layer_seq *seq, const struct layer_cut *cut,
	struct arena *scratch)
{
	uint32_t left;

	*s = (struct layer_strands){ .seq = seq, .arena = scratch };
	if (!layer_align_strand_by_instance(s, cut, &left) ||
		!layer_align_strand_cut_strands(s, cut, left))
		return false;
	qsort(s->list, s->n, sizeof *s->list, layer_align_strand_by_content);
	return true;
}

/* Returns the end of the group of strands of one section and lane that begins
 * at `from`. */
static uint32_t layer_align_strands_group(const struct layer_strands *s,
	uint32_t from)
{
	uint32_t to = from;

	while (to < s->n && s->list[to].section == s->list[from].section &&
		s->list[to].lane == s->list[from].lane)
		to++;
	return to;
}

static bool layer_align_strand_equal(const struct layer_strands *s,
	const struct layer_strand *a, const struct layer_strand *b)
{
	if (a->hash != b->hash || a->to - a->from != b->to - b->from)
		return false;
	for (uint32_t i = 0; i < a->to - a->from; i++)
		if (layer_align_strand_symbol(s, a, i) !=
			layer_align_strand_symbol(s, b, i))
			return false;
	return true;
}

static int layer_align_strand_by_count(const void *left, const void *right,
	void *with)
{
	const struct layer_variant *a = left, *b = right;
	const struct layer_strand *list = with, *x = &list[a->from],
				  *y = &list[b->from];
	uint32_t many = a->to - a->from, other = b->to - b->from;

	if (many != other)
		return many > other ? -1 : 1;
	if (x->to - x->from != y->to - y->from)
		return x->to - x->from > y->to - y->from ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

/* Stores the variants of strands [from, to) in `out`: the most frequent first,
 * then the longest, then the first to occur. `out` has room for one per strand.
 * Returns the number of variants. */
static uint32_t layer_align_strands_variants(const struct layer_strands *s,
	uint32_t from, uint32_t to, struct layer_variant *out)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		if (i == from || !layer_align_strand_equal(s, &s->list[i],
					 &s->list[i - 1]))
			out[n++].from = i;
		out[n - 1].to = i + 1;
	}
	qsort_r(out, n, sizeof *out, layer_align_strand_by_count, s->list);
	return n;
}

/* Fitting: sequences of symbols are aligned to a template of positions, one
 * after the other.
 *
 * A position's weight is the number of sequences that have it. A sequence is
 * aligned at the least cost. Skipping a position has a high cost if most
 * sequences have it, and a low cost if few have it. Using a position has a cost
 * if few sequences have it. Differences of durations have a small cost. A
 * symbol that fits no position gets a new one between its neighbors.
 *
 * Time is bounded: a sequence is aligned within a band around the diagonal of
 * the table. When `cells_left` is used up, sequences are aligned by looking a
 * few positions ahead. Memory is bounded: a template grows by at most
 * FIT_EXTRAS positions over its first sequence; further symbols get
 * FIT_NONE. */

enum { FIT_NONE = UINT32_MAX, FIT_EXTRAS = 1000 };
enum { FIT_CELLS = 1 << 27 }; /* limit for all alignments of a breakdown */

struct layer_fit_place {
	uint32_t symbol, weight;
	double log_ns; /* sum of log2(1 + duration) over its launches */
};

/* `log_ns` is log2(1 + duration), or its mean if the sequence occurs several
 * times. */
struct layer_fit_symbol {
	uint32_t symbol;
	float log_ns;
};

struct layer_fit {
	struct arena *arena; /* for scratch */
	uint64_t *cells_left;
	struct layer_fit_place *places; /* by id, from 0 */
	uint32_t *order; /* ids in the order of the template */
	uint32_t places_n, cap, most, weight;
	/* memory of the table: costs of the current row and the one before,
	 * steps, results */
	uint32_t *cost;
	uint8_t *way;
	uint32_t *to;
	size_t cost_cap, way_cap, to_cap;
};

enum {
	UNIT = 4096, /* cost of skipping a position that half of the sequences have */
	INSERT = UNIT + UNIT / 4, /* cost of a new position */
	SLOWER =
		64, /* cost of a duration that differs by a factor of two or more */
	SLOWER_MAX = 4 * SLOWER,
	BAND_MIN =
		16, /* width of the band on each side of the diagonal: this, … */
	BAND_SHARE = 8, /* … plus the sequence's length divided by this, … */
	BAND_MAX = 128, /* … but at most this */
	AHEAD = 16, /* positions to look ahead when no cells are left */
	UNREACHED = UINT32_MAX / 2,
	TABLE_MOST =
		100000, /* limit of symbols and positions, so that costs fit */
};

/* A flag for a symbol without a position; the other bits are the number of
 * positions before the symbol. */
static const uint32_t none_behind = UINT32_C(1) << 31;

enum layer_fit_way { WAY_MATCH, WAY_PASS, WAY_INSERT };

/* The table has a row for each symbol, and one before the first. A row has
 * `width` positions, from the symbol's index plus `low` on. */
struct layer_fit_band {
	const struct layer_fit_symbol *symbols;
	uint32_t n, m; /* symbols, places */
	int64_t low;
	uint32_t width;
};

/* Makes an empty template. layer_fit_release() frees its memory. */
static void layer_align_fit_init(struct layer_fit *f, struct arena *a,
	uint64_t *cells_left)
{
	*f = (struct layer_fit){ .arena = a, .cells_left = cells_left };
}

static void layer_align_fit_release(struct layer_fit *f)
{
	arena_drop(f->arena, f->places);
	arena_drop(f->arena, f->order);
	arena_drop(f->arena, f->cost);
	arena_drop(f->arena, f->way);
	arena_drop(f->arena, f->to);
	*f = (struct layer_fit){ .arena = f->arena };
}

static bool layer_align_fit_room(struct arena *a, void **p, size_t *cap,
	size_t n, size_t size)
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

/* Returns the cost of skipping a position. It is UNIT if at least half of the
 * sequences have the position, so that single lost launches make no
 * difference. */
static uint32_t layer_align_fit_share(const struct layer_fit *f,
	const struct layer_fit_place *p)
{
	uint64_t part = (uint64_t)p->weight * 2 * UNIT / f->weight;

	return part < UNIT ? (uint32_t)part : UNIT;
}

/* Returns the cost of a symbol at a position with the same symbol. */
static uint32_t layer_align_fit_match_cost(const struct layer_fit *f,
	const struct layer_fit_place *p, const struct layer_fit_symbol *s)
{
	double apart = fabs(p->log_ns / p->weight - (double)s->log_ns) * SLOWER;

	return UNIT - layer_align_fit_share(f, p) +
	       (apart < SLOWER_MAX ? (uint32_t)apart : SLOWER_MAX);
}

static struct layer_fit_band layer_align_fit_band_of(const struct layer_fit *f,
	const struct layer_fit_symbol *symbols, uint32_t n)
{
	uint32_t aside = BAND_MIN + n / BAND_SHARE;
	int64_t apart = (int64_t)f->places_n - n;

	if (aside > BAND_MAX)
		aside = BAND_MAX;
	return (struct layer_fit_band){ .symbols = symbols,
		.n = n,
		.m = f->places_n,
		.low = (apart < 0 ? apart : 0) - aside,
		.width = (uint32_t)((apart < 0 ? -apart : apart) + 2 * aside +
				    1) };
}

/* Finds the cheapest step to cell j of a row, from the row before and from the
 * cell to the left. Of equal steps, one that puts a new position after the
 * existing one is used. */
static uint32_t layer_align_fit_cell(const struct layer_fit *f,
	const struct layer_fit_band *b, uint32_t i, int64_t j,
	const uint32_t *before, const uint32_t *row, uint32_t o, uint8_t *way)
{
	const struct layer_fit_place *p =
		j > 0 ? &f->places[f->order[j - 1]] : NULL;
	const struct layer_fit_symbol *s = i ? &b->symbols[i - 1] : NULL;
	uint32_t best = UNREACHED;

	if (!i && !j)
		return 0;
	if (s && p && p->symbol == s->symbol && before[o] < UNREACHED) {
		best = before[o] + layer_align_fit_match_cost(f, p, s);
		*way = WAY_MATCH;
	}
	if (s && o + 1 < b->width && before[o + 1] + INSERT < best) {
		best = before[o + 1] + INSERT;
		*way = WAY_INSERT;
	}
	if (p && o > 0 && row[o - 1] + layer_align_fit_share(f, p) < best) {
		best = row[o - 1] + layer_align_fit_share(f, p);
		*way = WAY_PASS;
	}
	return best;
}

static void layer_align_fit_fill(struct layer_fit *f,
	const struct layer_fit_band *b)
{
	uint32_t *before = f->cost, *row = f->cost + b->width;

	for (uint32_t i = 0; i <= b->n; i++) {
		for (uint32_t o = 0; o < b->width; o++) {
			int64_t j = (int64_t)i + b->low + o;
			row[o] = UNREACHED;
			if (j >= 0 && j <= b->m)
				row[o] = layer_align_fit_cell(f, b, i, j,
					before, row, o,
					&f->way[(size_t)i * b->width + o]);
		}
		uint32_t *swap = before;
		before = row;
		row = swap;
	}
}

/* Sets to[i] to the index of symbol i in the template, or to none_behind with
 * the number of positions before it. */
static void layer_align_fit_back(const struct layer_fit *f,
	const struct layer_fit_band *b, uint32_t *to)
{
	uint32_t i = b->n, j = b->m;

	while (i || j) {
		int64_t o = (int64_t)j - i - b->low;
		switch ((enum layer_fit_way)
				f->way[(size_t)i * b->width + (size_t)o]) {
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

static bool layer_align_fit_table(struct layer_fit *f,
	const struct layer_fit_band *b, uint32_t *to)
{
	size_t cells = ((size_t)b->n + 1) * b->width;
	void *cost = f->cost, *way = f->way;
	bool ok = layer_align_fit_room(f->arena, &cost, &f->cost_cap,
			  (size_t)b->width * 2, sizeof *f->cost) &&
		  layer_align_fit_room(f->arena, &way, &f->way_cap, cells, 1);

	f->cost = cost;
	f->way = way;
	if (!ok)
		return false;
	*f->cells_left -= cells;
	layer_align_fit_fill(f, b);
	layer_align_fit_back(f, b, to);
	return true;
}

/* Finds for each symbol the next position with the same symbol, at most AHEAD
 * positions away. */
static void layer_align_fit_look_ahead(const struct layer_fit *f,
	const struct layer_fit_symbol *symbols, uint32_t n, uint32_t *to)
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

static bool layer_align_fit_places_room(struct layer_fit *f, uint32_t more)
{
	size_t n = (size_t)f->places_n + more, cap = f->cap;
	void *places = f->places, *order = f->order;
	bool ok = layer_align_fit_room(f->arena, &places, &cap, n,
		sizeof *f->places);

	f->places = places;
	cap = f->cap;
	ok = ok &&
	     layer_align_fit_room(f->arena, &order, &cap, n, sizeof *f->order);
	f->order = order;
	if (ok)
		f->cap = (uint32_t)cap;
	return ok;
}

/* Makes new positions for symbols without one, and converts indices in the
 * template to ids. */
static void layer_align_fit_take_up(struct layer_fit *f,
	const struct layer_fit_symbol *symbols, uint32_t n, uint32_t *to,
	uint32_t *order)
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
			f->places[made] = (struct layer_fit_place){
				.symbol = symbols[i].symbol
			};
			to[i] = order[out++] = made++;
		}
	}
	while (taken < f->places_n)
		order[out++] = f->order[taken++];
	f->places_n = made;
	memcpy(f->order, order, made * sizeof *order);
}

/* Aligns `n` symbols and adds them to the template. to[i] is the id of the
 * position of symbol i, or FIT_NONE; positions ascend in the template. Returns
 * false if the arena is full. */
static bool layer_align_fit_add(struct layer_fit *f,
	const struct layer_fit_symbol *symbols, uint32_t n, uint32_t weight,
	uint32_t *to)
{
	struct layer_fit_band b = layer_align_fit_band_of(f, symbols, n);
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
		full = !layer_align_fit_table(f, &b, to);
	else
		layer_align_fit_look_ahead(f, symbols, n, to);
	if (full || !layer_align_fit_places_room(f, n) ||
		!layer_align_fit_room(f->arena, &order, &f->to_cap, f->cap,
			sizeof *f->to))
		return false;
	f->to = order;
	layer_align_fit_take_up(f, symbols, n, to, f->to);
	for (uint32_t i = 0; i < n; i++) {
		if (to[i] == FIT_NONE)
			continue;
		struct layer_fit_place *p = &f->places[to[i]];
		p->weight += weight;
		p->log_ns += (double)symbols[i].log_ns * weight;
	}
	f->weight += weight;
	return true;
}

/* Positions under construction: the instances that have them, and their
 * times. */

/* A position, by lane and symbol or from a template. */
struct layer_position {
	uint32_t section, lane, symbol;
	uint32_t instances; /* number of instances that have it */
	uint32_t last; /* last instance that has it */
	uint32_t launches;
	double offset_ns; /* sum, from the instance's start */
	double at_ns; /* when it occurs in its section */
};

struct layer_positions {
	const struct layer_seq *seq;
	const uint32_t *instance; /* by item */
	int64_t *begin_ns; /* by instance */
	uint32_t *place; /* by item */
	struct layer_position *list;
	uint32_t n;
	size_t cap;
	struct names by_symbol;
	uint32_t *of_name; /* by id of by_symbol */
	size_t names_cap;
	struct arena *arena;
};

/* It is hashed as bytes, so it has no padding. */
struct layer_position_key {
	uint32_t section, lane, symbol;
};

/* Allocates everything except `place` in `scratch`. Returns false if an arena
 * is full. */
static bool layer_align_positions_init(struct layer_positions *p,
	const struct layer_seq *seq, const struct layer_cut *cut,
	uint32_t *place, struct arena *scratch)
{
	*p = (struct layer_positions){ .seq = seq,
		.instance = cut->instance,
		.place = place,
		.arena = scratch };
	p->begin_ns = arena_grow(scratch, NULL,
		((size_t)cut->instances_n + 1) * sizeof *p->begin_ns);
	if (!p->begin_ns || !names_init(&p->by_symbol, scratch))
		return false;
	for (uint32_t i = 0; i < cut->instances_n; i++)
		p->begin_ns[i] = INT64_MAX;
	for (uint32_t i = 0; i < seq->n; i++)
		if (cut->instance[i] != LAYER_NONE &&
			seq->items[i].start_ns < p->begin_ns[cut->instance[i]])
			p->begin_ns[cut->instance[i]] = seq->items[i].start_ns;
	return true;
}

static bool layer_align_positions_room(struct arena *a, void **p, size_t *cap,
	size_t n, size_t size)
{
	if (*cap > n)
		return true;
	size_t grown = n * 2 + 64;
	void *to = arena_grow(a, *p, grown * size);
	if (!to)
		return false;
	*p = to;
	*cap = grown;
	return true;
}

/* Adds a position; returns LAYER_NONE if the arena is full. */
static uint32_t layer_align_positions_add(struct layer_positions *p,
	uint32_t section, uint32_t lane, uint32_t symbol)
{
	void *list = p->list;

	if (!layer_align_positions_room(p->arena, &list, &p->cap, p->n,
		    sizeof *p->list))
		return LAYER_NONE;
	p->list = list;
	p->list[p->n] = (struct layer_position){ .section = section,
		.lane = lane,
		.symbol = symbol,
		.last = LAYER_NONE,
		.at_ns = NAN };
	return p->n++;
}

/* Returns the position of a lane and symbol; LAYER_NONE if the arena is
 * full. */
static uint32_t layer_align_positions_symbol(struct layer_positions *p,
	uint32_t section, uint32_t lane, uint32_t symbol)
{
	struct layer_position_key key = { section, lane, symbol };
	uint32_t known = p->by_symbol.n;
	uint32_t id = names_put(&p->by_symbol, (const char *)&key, sizeof key);
	void *of_name = p->of_name;

	if (id == NAMES_NONE)
		return LAYER_NONE;
	if (id < known)
		return p->of_name[id];
	if (!layer_align_positions_room(p->arena, &of_name, &p->names_cap, id,
		    sizeof *p->of_name))
		return LAYER_NONE;
	p->of_name = of_name;
	return p->of_name[id] =
		       layer_align_positions_add(p, section, lane, symbol);
}

/* Puts an item at a position. */
static void layer_align_positions_put(struct layer_positions *p, uint32_t item,
	uint32_t place)
{
	struct layer_position *to = &p->list[place];
	uint32_t instance = p->instance[item];

	p->place[item] = place;
	to->instances += to->last != instance;
	to->last = instance;
	to->launches++;
	to->offset_ns +=
		(double)(p->seq->items[item].start_ns - p->begin_ns[instance]);
}

static double layer_align_positions_mean(const struct layer_position *p)
{
	return p->offset_ns / (p->launches ? p->launches : 1);
}

static bool layer_align_positions_most_have(const struct layer_position *p,
	uint32_t strands)
{
	return (uint64_t)p->instances * 2 >= strands;
}

/* Computes the times of positions [from, to) of a lane, which `strands`
 * instances have. The time of a position is the mean of its starts. The order
 * of positions that most instances have does not change. The time of another
 * position is limited to the times of its neighbors that most instances
 * have. */
static void layer_align_positions_line(struct layer_positions *p, uint32_t from,
	uint32_t to, uint32_t strands)
{
	double last = -INFINITY, following = INFINITY;

	for (uint32_t i = from; i < to; i++) {
		struct layer_position *m = &p->list[i];
		if (layer_align_positions_most_have(m, strands))
			last = fmax(last, layer_align_positions_mean(m));
		m->at_ns = last;
	}
	for (uint32_t i = to; i-- > from;) {
		struct layer_position *m = &p->list[i];
		if (layer_align_positions_most_have(m, strands))
			following = m->at_ns;
		else
			m->at_ns = fmin(fmax(layer_align_positions_mean(m),
						m->at_ns),
				following);
	}
}

static int layer_align_positions_as_they_come(const void *left,
	const void *right, void *with)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct layer_position *x = (struct layer_position *)with + a,
				    *y = (struct layer_position *)with + b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (a > b) - (a < b);
}

static void layer_align_positions_write_out(const struct layer_positions *p,
	const uint32_t *order, uint32_t *number, struct layering *out)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct layer_position *m = &p->list[order[i]];
		struct layer_section *s = &out->sections[m->section];
		number[order[i]] = i;
		if (!s->places_n)
			s->places_from = i;
		s->places_n++;
		out->places[i] = (struct layer_place){ .section = m->section,
			.symbol = m->symbol,
			.lane = m->lane,
			.instances = m->instances,
			.block = BLOCKS };
	}
	out->places_n = p->n;
	for (uint32_t i = 0; i < p->seq->n; i++)
		if (p->place[i] != LAYER_NONE)
			p->place[i] = number[p->place[i]];
}

/* Writes all positions in order to out->places and its sections, and renumbers
 * items' positions. Returns false if the arena is full. */
static bool layer_align_positions_out(struct layer_positions *p,
	struct layering *out)
{
	size_t n = (size_t)p->n + 1;
	uint32_t *order = arena_grow(p->arena, NULL, n * sizeof *order);
	uint32_t *number = arena_grow(p->arena, NULL, n * sizeof *number);

	out->places = arena_array(p->seq->arena, struct layer_place, n);
	if (!order || !number || !out->places)
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		order[i] = i;
		if (isnan(p->list[i].at_ns))
			p->list[i].at_ns =
				layer_align_positions_mean(&p->list[i]);
	}
	if (p->n)
		qsort_r(order, p->n, sizeof *order,
			layer_align_positions_as_they_come, p->list);
	layer_align_positions_write_out(p, order, number, out);
	return true;
}

/* Aligns the instances of a section, lane by lane. */

/* If a variant has fewer strands than this, its strands are aligned one by one,
 * each with its own durations. */
enum { FEW = 8 };

struct layer_align_maker {
	const struct layer_seq *seq;
	const struct layer_cut *cut;
	struct layering *out;
	struct arena scratch;
	struct layer_strands strands;
	struct layer_positions places;
	struct layer_variant *variants; /* strands of a section and lane */
	struct layer_fit_symbol *symbols; /* of a strand */
	uint32_t *to; /* of a strand */
	uint32_t *launches; /* by section */
	uint32_t *instances;
	uint64_t cells_left;
};

static bool layer_align_by_symbol(const struct layer_align_maker *m,
	uint32_t section)
{
	return m->cut->sections[section].place == SECTION_FLAT ||
	       m->launches[section] >
		       (uint64_t)m->instances[section] * LAYERING_LONG;
}

/* Stores the symbols of strands [from, to), which are equal, with their mean
 * durations. */
static void layer_align_describe(struct layer_align_maker *m, uint32_t from,
	uint32_t to)
{
	const struct layer_strand *list = m->strands.list;
	uint32_t n = list[from].to - list[from].from;

	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;
		for (uint32_t k = from; k < to; k++) {
			uint32_t item = m->strands.items[list[k].from + i];
			sum += log2(1 + (double)m->seq->items[item].dur_ns);
		}
		m->symbols[i] = (struct layer_fit_symbol){
			layer_align_strand_symbol(&m->strands, &list[from], i),
			(float)(sum / (to - from))
		};
	}
}

/* Aligns strands [from, to), which have equal symbols. Their items get ids of
 * the template's positions. */
static bool layer_align_lay(struct layer_align_maker *m, struct layer_fit *f,
	uint32_t from, uint32_t to)
{
	const struct layer_strand *list = m->strands.list;
	uint32_t n = list[from].to - list[from].from;

	layer_align_describe(m, from, to);
	if (!layer_align_fit_add(f, m->symbols, n, to - from, m->to))
		return false;
	for (uint32_t k = from; k < to; k++)
		for (uint32_t i = 0; i < n; i++)
			m->places.place[m->strands.items[list[k].from + i]] =
				m->to[i];
	return true;
}

static bool layer_align_lay_variants(struct layer_align_maker *m,
	struct layer_fit *f, uint32_t from, uint32_t to)
{
	uint32_t n = layer_align_strands_variants(&m->strands, from, to,
		m->variants);
	bool ok = true;

	for (uint32_t v = 0; ok && v < n; v++) {
		const struct layer_variant *is = &m->variants[v];
		uint32_t step =
			v && is->to - is->from <= FEW ? 1 : is->to - is->from;
		for (uint32_t k = is->from; ok && k < is->to; k += step)
			ok = layer_align_lay(m, f, k, k + step);
	}
	return ok;
}

/* Puts the items of strands [from, to) at their positions. `first` is the
 * number of the template's first position, made_of the offset of each position
 * from it. Without a template, positions are by lane and symbol. */
static bool layer_align_put(struct layer_align_maker *m, uint32_t from,
	uint32_t to, uint32_t first, const uint32_t *made_of)
{
	const struct layer_strand *list = m->strands.list;

	for (uint32_t k = from; k < to; k++)
		for (uint32_t i = list[k].from; i < list[k].to; i++) {
			uint32_t item = m->strands.items[i], at;
			uint32_t id = m->places.place[item];
			if (made_of && id != FIT_NONE)
				at = first + made_of[id];
			else
				at = layer_align_positions_symbol(&m->places,
					list[k].section, list[k].lane,
					m->seq->items[item].symbol);
			if (at == LAYER_NONE)
				return false;
			layer_align_positions_put(&m->places, item, at);
		}
	return true;
}

/* Makes the positions of a template, in its order. */
static bool layer_align_make_places(struct layer_align_maker *m,
	const struct layer_fit *f, const struct layer_strand *of,
	uint32_t *made_of)
{
	for (uint32_t i = 0; i < f->places_n; i++) {
		uint32_t id = f->order[i];
		made_of[id] = i;
		if (layer_align_positions_add(&m->places, of->section, of->lane,
			    f->places[id].symbol) == LAYER_NONE)
			return false;
	}
	return true;
}

/* Aligns the strands of a section and lane. */
static bool layer_align_group(struct layer_align_maker *m, uint32_t from,
	uint32_t to)
{
	const struct layer_strand *of = &m->strands.list[from];
	uint32_t first = m->places.n;
	struct layer_fit f;

	if (layer_align_by_symbol(m, of->section))
		return layer_align_put(m, from, to, 0, NULL);
	layer_align_fit_init(&f, &m->scratch, &m->cells_left);
	bool ok = layer_align_lay_variants(m, &f, from, to);
	uint32_t *made_of = arena_grow(&m->scratch, NULL,
		((size_t)f.places_n + 1) * sizeof *made_of);
	ok = ok && made_of && layer_align_make_places(m, &f, of, made_of) &&
	     layer_align_put(m, from, to, first, made_of);
	if (ok)
		layer_align_positions_line(&m->places, first,
			first + f.places_n, to - from);
	arena_drop(&m->scratch, made_of);
	layer_align_fit_release(&f);
	return ok;
}

static bool layer_align_copy(struct layer_align_maker *m)
{
	const struct layer_cut *cut = m->cut;
	struct layering *out = m->out;
	struct arena *a = m->seq->arena;
	size_t n = (size_t)m->seq->n + 1;

	*out = (struct layering){ .sections_n = cut->sections_n,
		.instances_n = cut->instances_n };
	out->sections = arena_array(a, struct layer_section,
		(size_t)cut->sections_n + 1);
	out->instances = arena_array(a, struct layer_instance,
		(size_t)cut->instances_n + 1);
	out->instance = arena_array(a, uint32_t, n);
	out->place = arena_array(a, uint32_t, n);
	if (!out->sections || !out->instances || !out->instance || !out->place)
		return false;
	for (uint32_t i = 0; i < cut->sections_n; i++)
		out->sections[i] =
			(struct layer_section){ cut->sections[i].place,
				cut->sections[i].name, 0, 0 };
	if (cut->instances_n)
		memcpy(out->instances, cut->instances,
			cut->instances_n * sizeof *out->instances);
	for (uint32_t i = 0; i < m->seq->n; i++) {
		out->instance[i] = cut->instance[i];
		out->place[i] = LAYER_NONE;
	}
	return true;
}

/* Allocates room for the longest strand and for the variants of any group. */
static bool layer_align_begin(struct layer_align_maker *m)
{
	struct arena *a = &m->scratch;
	size_t longest = 1, sections = (size_t)m->cut->sections_n + 1;

	if (!layer_align_strands_from(&m->strands, m->seq, m->cut, a) ||
		!layer_align_positions_init(&m->places, m->seq, m->cut,
			m->out->place, a))
		return false;
	m->launches = arena_grow(a, NULL, sections * sizeof *m->launches);
	m->instances = arena_grow(a, NULL, sections * sizeof *m->instances);
	m->variants = arena_grow(a, NULL,
		((size_t)m->strands.n + 1) * sizeof *m->variants);
	if (!m->launches || !m->instances || !m->variants)
		return false;
	for (uint32_t i = 0; i < m->cut->instances_n; i++)
		m->instances[m->cut->instances[i].section]++;
	for (uint32_t i = 0; i < m->strands.n; i++) {
		const struct layer_strand *of = &m->strands.list[i];
		m->launches[of->section] += of->to - of->from;
		if (of->to - of->from > longest)
			longest = of->to - of->from;
	}
	m->symbols = arena_grow(a, NULL, longest * sizeof *m->symbols);
	m->to = arena_grow(a, NULL, longest * sizeof *m->to);
	return m->symbols && m->to;
}

bool layering_align(const struct layer_seq *s, const struct layer_cut *cut,
	struct layering *out)
{
	struct layer_align_maker m = { .seq = s,
		.cut = cut,
		.out = out,
		.scratch = arena_scratch(s->arena),
		.cells_left = FIT_CELLS };
	bool ok = layer_align_copy(&m) && layer_align_begin(&m);

	for (uint32_t from = 0, to; ok && from < m.strands.n; from = to) {
		to = layer_align_strands_group(&m.strands, from);
		ok = layer_align_group(&m, from, to);
	}
	ok = ok && layer_align_positions_out(&m.places, out);
	arena_scratch_release(&m.scratch, s->arena);
	return ok;
}
