/* layer_pieces.c - begins found near where they should be; pieces by hash. */
#include "layer_pieces.h"
#include <stdlib.h>
#include <string.h>

uint32_t layer_piece_once(const uint32_t *symbol, uint32_t n)
{
	for (uint32_t of = LAYER_SHORTEST; of * 2 <= n; of++)
		if (n % of == 0 &&
			!memcmp(symbol, symbol + of, (n - of) * sizeof *symbol))
			return of;
	return n;
}

uint64_t layer_piece_hash(const uint32_t *symbol, uint32_t n)
{
	uint64_t h = n + 1;

	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ symbol[i]) * UINT64_C(0x9E3779B97F4A7C15);
		h ^= h >> 29;
	}
	return h;
}

static int by_hash(const void *left, const void *right)
{
	const struct layer_piece *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int by_launches(const void *left, const void *right)
{
	const struct layer_piece *a = left, *b = right;
	uint64_t of_a = (uint64_t)a->count * (a->to - a->from);
	uint64_t of_b = (uint64_t)b->count * (b->to - b->from);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	return (a->from > b->from) - (a->from < b->from);
}

/* Equal pieces become one, most launches first. */
static uint32_t tally(struct layer_piece *p, uint32_t n)
{
	uint32_t kept = 0;

	qsort(p, n, sizeof *p, by_hash);
	for (uint32_t i = 0; i < n; i++) {
		if (kept && p[kept - 1].hash == p[i].hash) {
			p[kept - 1].count++;
			p[kept - 1].first |= p[i].first;
			continue;
		}
		p[kept] = p[i];
		p[kept++].count = 1;
	}
	qsort(p, kept, sizeof *p, by_launches);
	return kept;
}

static int by_length(const void *left, const void *right)
{
	const struct layer_piece *a = left, *b = right;

	return (layer_piece_length(a) > layer_piece_length(b)) -
	       (layer_piece_length(a) < layer_piece_length(b));
}

/* The stretch that most are equal to; where none are, one of median length. */
static bool typical(struct layer_pieces *s, const struct layer_cuts *c,
	struct arena *a)
{
	struct layer_piece *p = arena_array(a, struct layer_piece, c->n + 1);
	uint32_t n = 0;

	if (!p)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (r->alike && !r->last)
			p[n++] = (struct layer_piece){ .from = r->from,
				.to = r->to,
				.hash = layer_piece_hash(s->l->symbol + r->from,
					r->to - r->from) };
	}
	if (!n)
		return true;
	uint32_t all = n;
	n = tally(p, n);
	if (p[0].count == 1 && all > 1) {
		qsort(p, n, sizeof *p, by_length);
		p[0] = p[n / 2];
	}
	s->one = (struct layer_stretch){ .from = p[0].from, .to = p[0].to };
	return true;
}

static bool same(const struct layer_pieces *s, uint32_t place, uint32_t at)
{
	uint32_t n = s->one.to - s->one.from;

	return place < s->l->n &&
	       s->l->symbol[place] == s->l->symbol[s->one.from + at % n];
}

/* Where near `want` a layer begins: the name that begins one, and those around
 * it, one of which makes it `sure`; false where it is not there. */
static bool begin_near(const struct layer_pieces *s, struct slice part,
	int64_t want, uint32_t *begin, bool *sure)
{
	uint32_t n = s->one.to - s->one.from, at = n - s->head;
	int64_t slack = n / 4 + 1, least = INT64_MAX;

	for (int64_t to = want - slack; to <= want + slack; to++) {
		if (to < part.from || to >= part.to)
			continue;
		uint32_t t = (uint32_t)to;
		if (!same(s, t, at))
			continue;
		int64_t cost = to > want ? to - want : want - to;
		bool behind = same(s, t + 1, at + 1);
		bool before = !t || same(s, t - 1, at + n - 1);
		cost += 3 * !behind + 3 * !before;
		if (cost < least) {
			least = cost;
			*begin = t;
			*sure = behind || before;
		}
	}
	return least < INT64_MAX;
}

/* The begin of the layer whose anchor is at a place; `r` is a stretch that the
 * anchor begins or ends. */
static uint32_t begin_of(const struct layer_pieces *s,
	const struct layer_stretch *r, uint32_t anchor)
{
	struct slice part = s->parts[r->part];
	uint32_t head = s->head, begin;
	bool sure = false;
	bool near = begin_near(s, part, (int64_t)anchor - head, &begin, &sure);

	if (sure)
		return begin;
	/* A layer of another kind has another head: it begins alike, or not. */
	for (uint32_t at = anchor; at-- > part.from && anchor - at <= head;)
		if (same(s, at, s->one.to - s->one.from - s->head) &&
			same(s, at + 1, s->one.to - s->one.from - s->head + 1))
			return at;
	if (near)
		return begin;
	layer_phase_of(s->l, r, &head);
	return anchor - part.from > head ? anchor - head : part.from;
}

static void add_piece(struct layer_pieces *s, uint32_t from, uint32_t to,
	bool first)
{
	const uint32_t *symbol = s->l->symbol;
	uint32_t n = to > from ? layer_piece_once(symbol + from, to - from) : 1;
	uint32_t more = to > from ? (to - from) / n - 1 : 0;

	if (more > s->spare)
		n = to - from;
	else
		s->spare -= more;
	for (; from < to; from += n, first = false)
		s->piece[s->pieces++] = (struct layer_piece){ .from = from,
			.to = from + n,
			.first = first,
			.hash = layer_piece_hash(symbol + from, n) };
}

/* A layer of another kind before the first anchor of a part, if one begins there
 * as others do. */
static void add_leading(struct layer_pieces *s, struct slice part,
	uint32_t begin)
{
	uint32_t n = s->one.to - s->one.from, at = n - s->head;

	for (uint32_t back = n / 4 + 1; back <= n * 2; back++) {
		if (begin < part.from + back)
			return;
		uint32_t t = begin - back;
		if (same(s, t, at) && same(s, t + 1, at + 1)) {
			add_piece(s, t, begin, true);
			return;
		}
	}
}

/* What lies between one begin of a layer and the next. */
static bool cut_anew(struct layer_pieces *s, const struct layer_cuts *c,
	struct arena *a)
{
	uint32_t begin = 0, part = UINT32_MAX;
	uint32_t room = c->n * 2 + 1;
	bool first = false;

	for (uint32_t i = 0; i < c->n; i++)
		s->spare += (c->at[i].to - c->at[i].from) / LAYER_SHORTEST;
	room += s->spare;
	s->piece = arena_array(a, struct layer_piece, room);
	s->odd = arena_array(a, struct layer_piece, room);
	if (!s->piece || !s->odd)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (r->part != part) {
			part = r->part;
			begin = begin_of(s, r, r->from);
			add_leading(s, s->parts[part], begin);
			first = true;
		}
		if (r->last)
			continue;
		uint32_t next = begin_of(s, r, r->to);
		add_piece(s, begin, next, first);
		begin = next;
		first = false;
	}
	for (uint32_t i = 0; i < s->pieces; i++)
		s->odd[i] = s->piece[i];
	s->odds = tally(s->odd, s->pieces);
	s->odds = s->odds < LAYER_ODDS_MAX ? s->odds : LAYER_ODDS_MAX;
	return true;
}

bool layer_pieces_from(struct layer_pieces *p, const struct layer_line *l,
	const struct slice *parts, const struct layer_cuts *c, struct arena *a)
{
	*p = (struct layer_pieces){ .l = l, .parts = parts };
	if (!typical(p, c, a))
		return false;
	return p->one.to == p->one.from ||
	       (layer_phase_find(l, parts, c, &p->one, a, &p->head) &&
		       cut_anew(p, c, a));
}
