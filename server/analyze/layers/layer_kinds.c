/* layer_kinds.c - pieces of the line, the ones that are equal together. */
#include "layer_kinds.h"
#include "layer_pieces.h"

enum { EVERY_MAX = 8 };
enum { SIDE_NONE, SIDE_ODD, SIDE_KIND, SIDES };

static const double LIKE = 0.62;

struct sorter {
	struct layer_pieces p;
	uint32_t parts_n;
	struct layer_kinds *kinds;
	uint32_t made; /* kinds there were before */
	uint32_t count[LAYER_KINDS_MAX]; /* pieces equal to each */
	uint64_t hash[LAYER_KINDS_MAX];
	bool mixes;
	uint32_t *bag; /* by symbol; 0 between uses */
	uint8_t *side; /* by piece */
	struct arena *a;
};

/* Launches that both have, by name. */
static uint32_t shared(struct sorter *s, const uint32_t *x, uint32_t n,
	const uint32_t *y, uint32_t m)
{
	uint32_t both = 0;

	for (uint32_t i = 0; i < n; i++)
		s->bag[x[i]]++;
	for (uint32_t i = 0; i < m; i++)
		if (s->bag[y[i]]) {
			s->bag[y[i]]--;
			both++;
		}
	for (uint32_t i = 0; i < n; i++)
		s->bag[x[i]] = 0;
	return both;
}

static bool add_kind(struct sorter *s, const uint32_t *symbol,
	const uint8_t *act, uint32_t n, uint32_t like)
{
	struct layer_kinds *k = s->kinds;
	uint32_t *names = arena_array(s->a, uint32_t, n);
	uint8_t *acts = arena_array(s->a, uint8_t, n);

	if (!names || !acts)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		names[i] = symbol[i];
		acts[i] = act[i];
	}
	s->hash[k->n] = layer_piece_hash(names, n);
	k->at[k->n] = (struct layer_kind){ names, acts, n,
		like == UINT32_MAX ? k->n : like };
	k->n++;
	return true;
}

static bool add_odd(struct sorter *s, const struct layer_piece *p,
	uint32_t like)
{
	s->count[s->kinds->n] = p->count;
	return add_kind(s, s->p.l->symbol + p->from, s->p.l->act + p->from,
		layer_piece_length(p), like);
}

/* The typical stretch, turned to where layers begin. */
static bool add_turned(struct sorter *s)
{
	uint32_t n = s->p.one.to - s->p.one.from;
	uint32_t *names = arena_array(s->a, uint32_t, n);
	uint8_t *acts = arena_array(s->a, uint8_t, n);

	if (!names || !acts)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = s->p.one.from + (n - s->p.head + i) % n;
		names[i] = s->p.l->symbol[at];
		acts[i] = s->p.l->act[at];
	}
	s->count[s->kinds->n] = 1;
	return add_kind(s, names, acts, layer_piece_once(names, n), UINT32_MAX);
}

/* Share of the launches of a piece and of names that both have. */
static double share(struct sorter *s, const uint32_t *x, uint32_t n,
	const struct layer_piece *p)
{
	uint32_t m = layer_piece_length(p);
	uint32_t both = shared(s, x, n, s->p.l->symbol + p->from, m);

	return (double)both / (n + m - both);
}

/* On which side each piece is, of an odd one or of a kind: what it has more of,
 * if it is alike that; SIDE_NONE too where another kind is nearer. */
static void take_sides(struct sorter *s, const struct layer_piece *odd,
	uint32_t kind)
{
	const struct layer_kind *k = s->kinds->at;
	const uint32_t *symbol = s->p.l->symbol + odd->from;

	for (uint32_t i = 0; i < s->p.pieces; i++) {
		const struct layer_piece *p = &s->p.piece[i];
		double x = share(s, symbol, layer_piece_length(odd), p);
		double y = share(s, k[kind].symbol, k[kind].n, p);
		double most = x > y ? x : y, other = 0;
		for (uint32_t j = s->made; j < s->kinds->n; j++) {
			double z = j == kind ? 0
					     : share(s, k[j].symbol, k[j].n, p);
			other = z > other ? z : other;
		}
		bool tells = most >= LIKE && most > other;
		s->side[i] = !tells || (x <= y && x >= y) ? SIDE_NONE
			     : x > y			  ? SIDE_ODD
							  : SIDE_KIND;
	}
}

/* Whether pieces of two sides come in an order: nine of ten are as the one so
 * many before. */
static bool ordered(const struct sorter *s)
{
	for (uint32_t every = 1; every <= EVERY_MAX; every++) {
		uint32_t as = 0, of = 0;
		for (uint32_t i = every; i < s->p.pieces; i++) {
			uint8_t now = s->side[i], then = s->side[i - every];
			bool known = now != SIDE_NONE && then != SIDE_NONE;
			of += known;
			as += known && now == then;
		}
		if (of >= 3 && as * 10 >= of * 9)
			return true;
	}
	return false;
}

static bool holds_mixer(const struct sorter *s, const struct layer_piece *p)
{
	bool softmax = false;

	for (uint32_t i = p->from; i < p->to; i++) {
		if (layer_act_mixes(s->p.l->act[i]))
			return true;
		softmax |= s->p.l->act[i] == ACT_SOFTMAX;
	}
	return softmax;
}

static bool alike(struct sorter *s, const uint32_t *x, uint32_t n,
	const uint32_t *y, uint32_t m)
{
	return shared(s, x, n, y, m) * (1 + LIKE) >= LIKE * (n + m);
}

/* Pieces that are alike an odd one, itself and equals included, and unlike a
 * kind. */
static uint32_t company(struct sorter *s, const struct layer_piece *p,
	const struct layer_kind *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->p.odds; i++) {
		const struct layer_piece *o = &s->p.odd[i];
		const uint32_t *symbol = s->p.l->symbol + o->from;
		uint32_t of = layer_piece_length(o);
		if (alike(s, s->p.l->symbol + p->from, layer_piece_length(p),
			    symbol, of) &&
			!alike(s, k->symbol, k->n, symbol, of))
			n += o->count;
	}
	return n;
}

/* Whether a piece is two layers, between which an anchor was lost. */
static bool doubled(struct sorter *s, const struct layer_piece *p,
	const struct layer_kind *k)
{
	const uint32_t *symbol = s->p.l->symbol;
	uint32_t n = layer_piece_length(p), of = k->n;

	return n * 2 > of * 3 && n > of &&
	       alike(s, k->symbol, of, symbol + p->from, of) &&
	       alike(s, k->symbol, of, symbol + p->from + of, n - of);
}

/* Whether the sides taken make two kinds. */
static bool divided(const struct sorter *s)
{
	uint32_t n[SIDES] = { 0 };

	for (uint32_t i = 0; i < s->p.pieces; i++)
		n[s->side[i]]++;
	return n[SIDE_ODD] > s->parts_n && n[SIDE_ODD] * 7 >= n[SIDE_KIND] &&
	       ordered(s);
}

/* A variant of a kind that comes often enough, and in an order: by pieces that
 * are equal to either, or, of long layers, few of which have all their launches,
 * by what pieces have more of. */
static bool variant(struct sorter *s, const struct layer_piece *p, uint32_t of)
{
	if (p->count < 2)
		return false;
	for (uint32_t i = 0; i < s->p.pieces; i++) {
		uint64_t is = s->p.piece[i].hash;
		s->side[i] = is == p->hash	 ? SIDE_ODD
			     : is == s->hash[of] ? SIDE_KIND
						 : SIDE_NONE;
	}
	if (divided(s))
		return true;
	take_sides(s, p, of);
	return divided(s);
}

/* A kind of its own: not one that all of another is in, which is that and
 * something behind it; comes again, or begins a stack. */
static bool own(struct sorter *s, const struct layer_piece *p, uint32_t nearest,
	uint32_t both)
{
	const struct layer_kind *k = &s->kinds->at[nearest];

	if (s->mixes && !holds_mixer(s, p))
		return false;
	if (both * 10 >= k->n * 9 && p->count * 5 < s->count[nearest])
		return false;
	if (doubled(s, p, k))
		return false;
	uint32_t n = company(s, p, k);
	if (n > s->parts_n && n * 50 >= s->p.pieces)
		return true;
	/* At the begin of a stack, or several there. */
	return (p->first || p->count > s->parts_n) &&
	       s->p.l->symbol[p->from] == k->symbol[0] &&
	       layer_piece_length(p) <= k->n * 2 && both * 10 >= k->n * 3;
}

static bool sort_in(struct sorter *s, const struct layer_piece *p)
{
	uint32_t nearest = s->made, most = 0;
	double like = -1;

	for (uint32_t k = s->made; k < s->kinds->n; k++) {
		const struct layer_kind *of = &s->kinds->at[k];
		uint32_t both = shared(s, of->symbol, of->n,
			s->p.l->symbol + p->from, layer_piece_length(p));
		double now =
			(double)both / (of->n + layer_piece_length(p) - both);
		if (now > like) {
			like = now;
			nearest = k;
			most = both;
		}
	}
	if (s->hash[nearest] == p->hash)
		return true;
	if (like >= LIKE)
		return !variant(s, p, nearest) ||
		       add_odd(s, p, s->kinds->at[nearest].like);
	return !own(s, p, nearest, most) || add_odd(s, p, UINT32_MAX);
}

bool layer_kinds_add(struct layer_kinds *k, const struct layer_line *l,
	const struct slice *parts, uint32_t parts_n, const struct layer_cuts *c,
	struct arena *a)
{
	struct sorter s = { .parts_n = parts_n,
		.kinds = k,
		.made = k->n,
		.mixes = c->mixes,
		.bag = arena_array(a, uint32_t, l->s->symbols + 1),
		.a = a };

	if (!s.bag || !layer_pieces_from(&s.p, l, parts, c, a))
		return false;
	s.side = arena_array(a, uint8_t, s.p.pieces + 1);
	if (!s.side)
		return false;
	if (s.p.one.to - s.p.one.from < LAYER_SHORTEST ||
		k->n == LAYER_KINDS_MAX)
		return true;
	bool ok = s.p.odds && s.p.odd[0].count > 1
			  ? add_odd(&s, &s.p.odd[0], UINT32_MAX)
			  : add_turned(&s);
	for (uint32_t i = 0; ok && i < s.p.odds && k->n < LAYER_KINDS_MAX; i++)
		ok = sort_in(&s, &s.p.odd[i]);
	return ok;
}
