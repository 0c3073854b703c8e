/* layer_kinds.c - finds the kinds of layer in a line. */
#include "layer_kinds.h"
#include "layer_anchor.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Phase: finds where in a period a layer begins.
 *
 * A layer begins at the norm before attention. This is the first norm after the
 * feed-forward part; of two norms without a product between them it is the
 * later one. If no feed-forward part is known, it is the last norm with a
 * product between the norm and attention.
 *
 * If no such norm is found, the beginning of the first layer of each part
 * decides: the earliest place from which the names continue as in the period.
 * Most parts of the line must agree. */

enum { NOWHERE = UINT32_MAX, LONGEST = 1024, MATCH = 1, DIFFERS = -1 };

/* A period as a ring: after its last act the first one follows. */
struct layer_phase_ring {
	const struct layer_line *line;
	uint32_t from, n;
	bool softmax; /* softmax is taken as attention */
};

static enum layer_act layer_kinds_phase_act(const struct layer_phase_ring *r,
	uint32_t at)
{
	return r->line->act[r->from + at % r->n];
}

static bool layer_kinds_phase_mixes(const struct layer_phase_ring *r,
	uint32_t at)
{
	return r->softmax ? layer_kinds_phase_act(r, at) == ACT_SOFTMAX
			  : layer_act_mixes(layer_kinds_phase_act(r, at));
}

static bool layer_kinds_phase_feeds(const struct layer_phase_ring *r,
	uint32_t at)
{
	return layer_kinds_phase_act(r, at) == ACT_ACTIVATION ||
	       layer_kinds_phase_act(r, at) == ACT_EXPERTS;
}

static bool layer_kinds_phase_norm(const struct layer_phase_ring *r,
	uint32_t at)
{
	return layer_kinds_phase_act(r, at) == ACT_NORM ||
	       layer_kinds_phase_act(r, at) == ACT_ROOT;
}

static bool layer_kinds_phase_product(const struct layer_phase_ring *r,
	uint32_t at)
{
	return layer_kinds_phase_act(r, at) == ACT_PRODUCT ||
	       layer_kinds_phase_act(r, at) == ACT_EXPERTS;
}

static uint32_t layer_kinds_phase_call(const struct layer_phase_ring *r,
	uint32_t at)
{
	const struct layer_seq *s = r->line->s;
	const struct layer_item *i =
		&s->items[r->line->item[r->from + at % r->n]];

	return i->is ? i->is->call : LAUNCH_NO_CALL;
}

/* Finds the beginning of a norm from a launch in it. A norm may be several
 * launches of one operator call, or several steps: convert, square, mean, sum,
 * root. */
static uint32_t layer_kinds_phase_norm_from(const struct layer_phase_ring *r,
	uint32_t at)
{
	uint32_t back = 0;

	at += r->n;
	if (layer_kinds_phase_act(r, at) == ACT_NORM) {
		while (back < r->n &&
			layer_kinds_phase_act(r, at - back - 1) == ACT_NORM &&
			layer_kinds_phase_call(r, at) != LAUNCH_NO_CALL &&
			layer_kinds_phase_call(r, at - back - 1) ==
				layer_kinds_phase_call(r, at))
			back++;
		return (at - back) % r->n;
	}
	while (back < 4 &&
		(layer_kinds_phase_act(r, at - back - 1) == ACT_ADD ||
			layer_kinds_phase_act(r, at - back - 1) == ACT_MEAN))
		back++;
	back += layer_kinds_phase_act(r, at - back - 1) == ACT_POWER;
	back += layer_kinds_phase_act(r, at - back - 1) == ACT_CONVERT;
	return (at - back) % r->n;
}

/* Returns the last launch of a feed-forward part that attention follows;
 * NOWHERE if there is none. */
static uint32_t layer_kinds_phase_fed_before(const struct layer_phase_ring *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t k = i + 1;
		if (!layer_kinds_phase_feeds(r, i))
			continue;
		while (k < i + r->n && !layer_kinds_phase_feeds(r, k) &&
			!layer_kinds_phase_mixes(r, k))
			k++;
		if (k < i + r->n && layer_kinds_phase_mixes(r, k))
			return i;
	}
	return NOWHERE;
}

/* Returns the norm between the launch `fed` and the next attention. */
static uint32_t layer_kinds_phase_norm_behind(const struct layer_phase_ring *r,
	uint32_t fed)
{
	uint32_t found = NOWHERE;

	for (uint32_t k = fed + 1;
		k < fed + r->n && !layer_kinds_phase_mixes(r, k); k++) {
		if (found != NOWHERE && layer_kinds_phase_product(r, k))
			break;
		if (layer_kinds_phase_norm(r, k))
			found = k % r->n;
	}
	return found;
}

/* Returns the last norm before attention that is followed by a product. */
static uint32_t layer_kinds_phase_norm_before(const struct layer_phase_ring *r)
{
	uint32_t at = 0, found = NOWHERE;
	bool between = false;

	while (at < r->n && !layer_kinds_phase_mixes(r, at))
		at++;
	if (at == r->n)
		return NOWHERE;
	for (uint32_t k = at + r->n - 1; k > at; k--) {
		between |= layer_kinds_phase_product(r, k);
		if (layer_kinds_phase_mixes(r, k))
			between = false;
		if (!layer_kinds_phase_norm(r, k))
			continue;
		if (between)
			return k % r->n;
		found = found == NOWHERE ? k % r->n : found;
	}
	return found;
}

static uint32_t layer_kinds_phase_by_acts(const struct layer_line *l,
	const struct layer_stretch *one)
{
	struct layer_phase_ring r = { l, one->from, one->to - one->from, true };

	for (uint32_t i = 0; i < r.n; i++)
		if (layer_act_mixes(layer_kinds_phase_act(&r, i)))
			r.softmax = false;
	uint32_t fed = layer_kinds_phase_fed_before(&r);
	uint32_t at = fed == NOWHERE ? NOWHERE
				     : layer_kinds_phase_norm_behind(&r, fed);
	if (at == NOWHERE)
		at = layer_kinds_phase_norm_before(&r);
	return at == NOWHERE ? at : layer_kinds_phase_norm_from(&r, at);
}

/* Finds in *head how far back from `anchor` the names continue as in the
 * period. The line before the anchor and the period are aligned backward from
 * their ends. They need not be equal, because the first layer may differ from
 * the others in one launch. Of equally good alignments the longest is used. The
 * alignment covers the period twice, because the first layer may lack its
 * anchor. */
static bool layer_kinds_phase_reaches_back(const struct layer_line *l,
	uint32_t floor, uint32_t anchor, const struct layer_stretch *one,
	struct arena *a, uint32_t *head)
{
	uint32_t whole = one->to - one->from, most = anchor - floor;
	uint32_t n = whole < LONGEST ? whole : LONGEST;
	int32_t best = 0;

	n = n * 2 < LONGEST ? n * 2 : n;
	most = most < n + n / 4 ? most : n + n / 4;
	int32_t *row = arena_grow(a, NULL, (n + 1) * sizeof *row);
	if (!row)
		return false;
	*head = 0;
	for (uint32_t j = 0; j <= n; j++)
		row[j] = DIFFERS * (int32_t)j;
	for (uint32_t i = 1; i <= most; i++) {
		int32_t corner = row[0];
		row[0] = DIFFERS * (int32_t)i;
		for (uint32_t j = 1; j <= n; j++) {
			bool same = l->symbol[anchor - i] ==
				    l->symbol[one->to - 1 - (j - 1) % whole];
			int32_t to = corner + (same ? MATCH : DIFFERS);
			int32_t skip =
				row[j] > row[j - 1] ? row[j] : row[j - 1];
			corner = row[j];
			row[j] = to > skip + DIFFERS ? to : skip + DIFFERS;
			if (row[j] >= best) {
				best = row[j];
				*head = j;
			}
		}
	}
	arena_drop(a, row);
	return true;
}

/* Returns the most frequent value; of equally frequent ones the largest. */
static uint32_t layer_kinds_phase_majority(const uint32_t *votes_of, uint32_t n)
{
	uint32_t best = 0, votes = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;
		for (uint32_t k = 0; k < n; k++)
			same += votes_of[k] == votes_of[i];
		if (same > votes || (same == votes && votes_of[i] > best)) {
			votes = same;
			best = votes_of[i];
		}
	}
	return best;
}

static bool layer_kinds_phase_by_rims(const struct layer_line *l,
	const struct slice *parts, const struct layer_cuts *c,
	const struct layer_stretch *one, struct arena *a, uint32_t *head)
{
	enum { PARTS = 16 };
	uint32_t votes_of[PARTS], n = 0, done = NOWHERE;
	uint32_t whole = one->to - one->from;

	assert(whole);
	for (uint32_t i = 0; i < c->n && n < PARTS; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (!r->similar || r->part == done)
			continue;
		done = r->part;
		if (!layer_kinds_phase_reaches_back(l, parts[r->part].from,
			    r->from, one, a, &votes_of[n]))
			return false;
		votes_of[n++] %= whole;
	}
	*head = layer_kinds_phase_majority(votes_of, n);
	return true;
}

/* Finds *head from the acts of a single stretch. Returns false if they contain
 * no norm before attention. */
static bool layer_kinds_phase_of(const struct layer_line *l,
	const struct layer_stretch *one, uint32_t *head)
{
	uint32_t at = layer_kinds_phase_by_acts(l, one),
		 n = one->to - one->from;

	if (at != NOWHERE)
		*head = (n - at) % n;
	return at != NOWHERE;
}

/* Stores in *head the number of launches from the beginning of a layer to its
 * anchor: 0 to the period's length minus one. `one` is a typical stretch.
 * Allocates scratch memory in `a`. Returns false if `a` is full. */
static bool layer_kinds_phase_find(const struct layer_line *l,
	const struct slice *parts, const struct layer_cuts *c,
	const struct layer_stretch *one, struct arena *a, uint32_t *head)
{
	return layer_kinds_phase_of(l, one, head) ||
	       layer_kinds_phase_by_rims(l, parts, c, one, a, head);
}

/* Segments: the line is cut where layers begin, and equal segments are
 * counted. */

enum { LAYER_ODDS_MAX = 128, LAYER_SHORTEST = 4 /* launches */ };

struct layer_segment {
	uint64_t hash;
	uint32_t from, to; /* indices in the line */
	uint32_t count; /* in `odd`: number of equal segments */
	bool first; /* first of its part, or equal to such a segment */
};

struct layer_segments {
	const struct layer_line *l;
	const struct slice *parts;
	struct layer_stretch
		one; /* the stretch to which most are equal; empty: none */
	uint32_t head; /* from layer_kinds_phase_find() */
	struct layer_segment *segment; /* in order */
	struct layer_segment *
		odd; /* one of each group of equal segments, most launches first */
	uint32_t segments_n, odds;
	uint32_t spare; /* room for more segments than anchors give */
};

static inline uint32_t layer_kinds_segment_length(const struct layer_segment *p)
{
	return p->to - p->from;
}

/* Returns the length of one repetition if a segment of n launches is an exact
 * repetition, otherwise n. A repetition is several layers without anchors
 * between them. */
static uint32_t layer_kinds_segment_once(const uint32_t *symbol, uint32_t n)
{
	for (uint32_t of = LAYER_SHORTEST; of * 2 <= n; of++)
		if (n % of == 0 &&
			!memcmp(symbol, symbol + of, (n - of) * sizeof *symbol))
			return of;
	return n;
}

static uint64_t layer_kinds_segment_hash(const uint32_t *symbol, uint32_t n)
{
	uint64_t h = n + 1;

	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ symbol[i]) * UINT64_C(0x9E3779B97F4A7C15);
		h ^= h >> 29;
	}
	return h;
}

static int layer_kinds_segments_by_hash(const void *left, const void *right)
{
	const struct layer_segment *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int layer_kinds_segments_by_launches(const void *left, const void *right)
{
	const struct layer_segment *a = left, *b = right;
	uint64_t of_a = (uint64_t)a->count * (a->to - a->from);
	uint64_t of_b = (uint64_t)b->count * (b->to - b->from);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	return (a->from > b->from) - (a->from < b->from);
}

/* Merges equal segments and sorts them by number of launches, most first. */
static uint32_t layer_kinds_segments_tally(struct layer_segment *p, uint32_t n)
{
	uint32_t kept = 0;

	qsort(p, n, sizeof *p, layer_kinds_segments_by_hash);
	for (uint32_t i = 0; i < n; i++) {
		if (kept && p[kept - 1].hash == p[i].hash) {
			p[kept - 1].count++;
			p[kept - 1].first |= p[i].first;
			continue;
		}
		p[kept] = p[i];
		p[kept++].count = 1;
	}
	qsort(p, kept, sizeof *p, layer_kinds_segments_by_launches);
	return kept;
}

static int layer_kinds_segments_by_length(const void *left, const void *right)
{
	const struct layer_segment *a = left, *b = right;

	return (layer_kinds_segment_length(a) > layer_kinds_segment_length(b)) -
	       (layer_kinds_segment_length(a) < layer_kinds_segment_length(b));
}

/* Finds the stretch to which most are equal. If no stretches are equal, finds
 * one of median length. */
static bool layer_kinds_segments_typical(struct layer_segments *s,
	const struct layer_cuts *c, struct arena *a)
{
	struct layer_segment *p =
		arena_array(a, struct layer_segment, c->n + 1);
	uint32_t n = 0;

	if (!p)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (r->similar && !r->last)
			p[n++] = (struct layer_segment){ .from = r->from,
				.to = r->to,
				.hash = layer_kinds_segment_hash(
					s->l->symbol + r->from,
					r->to - r->from) };
	}
	if (!n)
		return true;
	uint32_t all = n;
	n = layer_kinds_segments_tally(p, n);
	if (p[0].count == 1 && all > 1) {
		qsort(p, n, sizeof *p, layer_kinds_segments_by_length);
		p[0] = p[n / 2];
	}
	s->one = (struct layer_stretch){ .from = p[0].from, .to = p[0].to };
	return true;
}

static bool layer_kinds_segments_same(const struct layer_segments *s,
	uint32_t place, uint32_t at)
{
	uint32_t n = s->one.to - s->one.from;

	return place < s->l->n &&
	       s->l->symbol[place] == s->l->symbol[s->one.from + at % n];
}

/* Finds where a layer begins near `want`: at the name that begins a typical
 * layer, best between the same neighbors. *certain: at least one neighbor is
 * the same. Returns false if the name is not near. */
static bool layer_kinds_segments_begin_near(const struct layer_segments *s,
	struct slice part, int64_t want, uint32_t *begin, bool *certain)
{
	uint32_t n = s->one.to - s->one.from, at = n - s->head;
	int64_t slack = n / 4 + 1, lowest = INT64_MAX;

	for (int64_t to = want - slack; to <= want + slack; to++) {
		if (to < part.from || to >= part.to)
			continue;
		uint32_t t = (uint32_t)to;
		if (!layer_kinds_segments_same(s, t, at))
			continue;
		int64_t cost = to > want ? to - want : want - to;
		bool behind = layer_kinds_segments_same(s, t + 1, at + 1);
		bool before =
			!t || layer_kinds_segments_same(s, t - 1, at + n - 1);
		cost += 3 * !behind + 3 * !before;
		if (cost < lowest) {
			lowest = cost;
			*begin = t;
			*certain = behind || before;
		}
	}
	return lowest < INT64_MAX;
}

/* Returns where the layer with the given anchor begins. `r` is a stretch that
 * begins or ends at the anchor. */
static uint32_t layer_kinds_segments_begin_of(const struct layer_segments *s,
	const struct layer_stretch *r, uint32_t anchor)
{
	struct slice part = s->parts[r->part];
	uint32_t head = s->head, begin;
	bool certain = false;
	bool near = layer_kinds_segments_begin_near(s, part,
		(int64_t)anchor - head, &begin, &certain);

	if (certain)
		return begin;
	/* In a layer of another kind, the distance from the beginning to the
	 * anchor may differ. Its first names may differ, too. */
	for (uint32_t at = anchor; at-- > part.from && anchor - at <= head;)
		if (layer_kinds_segments_same(s, at,
			    s->one.to - s->one.from - s->head) &&
			layer_kinds_segments_same(s, at + 1,
				s->one.to - s->one.from - s->head + 1))
			return at;
	if (near)
		return begin;
	layer_kinds_phase_of(s->l, r, &head);
	return anchor - part.from > head ? anchor - head : part.from;
}

static void layer_kinds_segments_add(struct layer_segments *s, uint32_t from,
	uint32_t to, bool first)
{
	const uint32_t *symbol = s->l->symbol;
	uint32_t n =
		to > from ? layer_kinds_segment_once(symbol + from, to - from)
			  : 1;
	uint32_t more = to > from ? (to - from) / n - 1 : 0;

	if (more > s->spare)
		n = to - from;
	else
		s->spare -= more;
	for (; from < to; from += n, first = false)
		s->segment[s->segments_n++] =
			(struct layer_segment){ .from = from,
				.to = from + n,
				.first = first,
				.hash = layer_kinds_segment_hash(symbol + from,
					n) };
}

/* Adds a layer of another kind before the first anchor of a part, if the names
 * at which layers begin occur there. */
static void layer_kinds_segments_add_leading(struct layer_segments *s,
	struct slice part, uint32_t begin)
{
	uint32_t n = s->one.to - s->one.from, at = n - s->head;

	for (uint32_t back = n / 4 + 1; back <= n * 2; back++) {
		if (begin < part.from + back)
			return;
		uint32_t t = begin - back;
		if (layer_kinds_segments_same(s, t, at) &&
			layer_kinds_segments_same(s, t + 1, at + 1)) {
			layer_kinds_segments_add(s, t, begin, true);
			return;
		}
	}
}

/* Makes the segments from the beginning of one layer to the next. */
static bool layer_kinds_segments_cut_at_begins(struct layer_segments *s,
	const struct layer_cuts *c, struct arena *a)
{
	uint32_t begin = 0, part = UINT32_MAX;
	uint32_t room = c->n * 2 + 1;
	bool first = false;

	for (uint32_t i = 0; i < c->n; i++)
		s->spare += (c->at[i].to - c->at[i].from) / LAYER_SHORTEST;
	room += s->spare;
	s->segment = arena_array(a, struct layer_segment, room);
	s->odd = arena_array(a, struct layer_segment, room);
	if (!s->segment || !s->odd)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (r->part != part) {
			part = r->part;
			begin = layer_kinds_segments_begin_of(s, r, r->from);
			layer_kinds_segments_add_leading(s, s->parts[part],
				begin);
			first = true;
		}
		if (r->last)
			continue;
		uint32_t next = layer_kinds_segments_begin_of(s, r, r->to);
		layer_kinds_segments_add(s, begin, next, first);
		begin = next;
		first = false;
	}
	for (uint32_t i = 0; i < s->segments_n; i++)
		s->odd[i] = s->segment[i];
	s->odds = layer_kinds_segments_tally(s->odd, s->segments_n);
	s->odds = s->odds < LAYER_ODDS_MAX ? s->odds : LAYER_ODDS_MAX;
	return true;
}

/* Cuts the line where layers begin instead of at anchors. Allocates in `a`.
 * Returns false if it is full. */
static bool layer_kinds_segments_from(struct layer_segments *p,
	const struct layer_line *l, const struct slice *parts,
	const struct layer_cuts *c, struct arena *a)
{
	*p = (struct layer_segments){ .l = l, .parts = parts };
	if (!layer_kinds_segments_typical(p, c, a))
		return false;
	return p->one.to == p->one.from ||
	       (layer_kinds_phase_find(l, parts, c, &p->one, a, &p->head) &&
		       layer_kinds_segments_cut_at_begins(p, c, a));
}

/* Kinds: decides which groups of equal segments are kinds of layer. */

enum { EVERY_MAX = 8 };
enum { SIDE_NONE, SIDE_ODD, SIDE_KIND, SIDES };

static const double LIKE = 0.62;

struct layer_kinds_sorter {
	struct layer_segments p;
	uint32_t parts_n;
	struct layer_kinds *kinds;
	uint32_t made; /* number of kinds that existed before */
	uint32_t count[LAYER_KINDS_MAX]; /* by kind: number of equal segments */
	uint64_t hash[LAYER_KINDS_MAX];
	bool mixes;
	uint32_t *bag; /* by symbol; 0 between uses */
	uint8_t *side; /* by segment */
	struct arena *a;
};

/* Counts the launches that two lists of names have in common. */
static uint32_t layer_kinds_shared(struct layer_kinds_sorter *s,
	const uint32_t *x, uint32_t n, const uint32_t *y, uint32_t m)
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

static bool layer_kinds_add_kind(struct layer_kinds_sorter *s,
	const uint32_t *symbol, const uint8_t *act, uint32_t n, uint32_t like)
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
	s->hash[k->n] = layer_kinds_segment_hash(names, n);
	k->at[k->n] = (struct layer_kind){ names, acts, n,
		like == UINT32_MAX ? k->n : like };
	k->n++;
	return true;
}

static bool layer_kinds_add_odd(struct layer_kinds_sorter *s,
	const struct layer_segment *p, uint32_t like)
{
	s->count[s->kinds->n] = p->count;
	return layer_kinds_add_kind(s, s->p.l->symbol + p->from,
		s->p.l->act + p->from, layer_kinds_segment_length(p), like);
}

/* Adds the typical stretch as a kind, rotated to where layers begin. */
static bool layer_kinds_add_turned(struct layer_kinds_sorter *s)
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
	return layer_kinds_add_kind(s, names, acts,
		layer_kinds_segment_once(names, n), UINT32_MAX);
}

/* Returns the weighted Jaccard index of a segment and a list of names. */
static double layer_kinds_share(struct layer_kinds_sorter *s, const uint32_t *x,
	uint32_t n, const struct layer_segment *p)
{
	uint32_t m = layer_kinds_segment_length(p);
	uint32_t both =
		layer_kinds_shared(s, x, n, s->p.l->symbol + p->from, m);

	return (double)both / (n + m - both);
}

/* Decides for each segment whether it is more similar to the segment `odd` or
 * to `kind`. SIDE_NONE: it is similar to neither, or more similar to another
 * kind. */
static void layer_kinds_take_sides(struct layer_kinds_sorter *s,
	const struct layer_segment *odd, uint32_t kind)
{
	const struct layer_kind *k = s->kinds->at;
	const uint32_t *symbol = s->p.l->symbol + odd->from;

	for (uint32_t i = 0; i < s->p.segments_n; i++) {
		const struct layer_segment *p = &s->p.segment[i];
		double x = layer_kinds_share(s, symbol,
			layer_kinds_segment_length(odd), p);
		double y = layer_kinds_share(s, k[kind].symbol, k[kind].n, p);
		double most = x > y ? x : y, other = 0;
		for (uint32_t j = s->made; j < s->kinds->n; j++) {
			double z = j == kind ? 0
					     : layer_kinds_share(s, k[j].symbol,
						       k[j].n, p);
			other = z > other ? z : other;
		}
		bool clear = most >= LIKE && most > other;
		s->side[i] = !clear || (x <= y && x >= y) ? SIDE_NONE
			     : x > y			  ? SIDE_ODD
							  : SIDE_KIND;
	}
}

/* Returns whether the two sides occur in a regular order: 90 % of the segments
 * are on the same side as the segment a fixed number of segments before. */
static bool layer_kinds_ordered(const struct layer_kinds_sorter *s)
{
	for (uint32_t every = 1; every <= EVERY_MAX; every++) {
		uint32_t as = 0, of = 0;
		for (uint32_t i = every; i < s->p.segments_n; i++) {
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

static bool layer_kinds_holds_mixer(const struct layer_kinds_sorter *s,
	const struct layer_segment *p)
{
	bool softmax = false;

	for (uint32_t i = p->from; i < p->to; i++) {
		if (layer_act_mixes(s->p.l->act[i]))
			return true;
		softmax |= s->p.l->act[i] == ACT_SOFTMAX;
	}
	return softmax;
}

static bool layer_kinds_similar(struct layer_kinds_sorter *s, const uint32_t *x,
	uint32_t n, const uint32_t *y, uint32_t m)
{
	return layer_kinds_shared(s, x, n, y, m) * (1 + LIKE) >= LIKE * (n + m);
}

/* Counts the segments that are similar to `p` but not to the kind `k`. `p` and
 * the segments equal to `p` are included. */
static uint32_t layer_kinds_company(struct layer_kinds_sorter *s,
	const struct layer_segment *p, const struct layer_kind *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->p.odds; i++) {
		const struct layer_segment *o = &s->p.odd[i];
		const uint32_t *symbol = s->p.l->symbol + o->from;
		uint32_t of = layer_kinds_segment_length(o);
		if (layer_kinds_similar(s, s->p.l->symbol + p->from,
			    layer_kinds_segment_length(p), symbol, of) &&
			!layer_kinds_similar(s, k->symbol, k->n, symbol, of))
			n += o->count;
	}
	return n;
}

/* Returns whether a segment is two layers of kind `k`, because the anchor
 * between them is missing. */
static bool layer_kinds_doubled(struct layer_kinds_sorter *s,
	const struct layer_segment *p, const struct layer_kind *k)
{
	const uint32_t *symbol = s->p.l->symbol;
	uint32_t n = layer_kinds_segment_length(p), of = k->n;

	return n * 2 > of * 3 && n > of &&
	       layer_kinds_similar(s, k->symbol, of, symbol + p->from, of) &&
	       layer_kinds_similar(s, k->symbol, of, symbol + p->from + of,
		       n - of);
}

/* Returns whether the two sides are two kinds: both are frequent enough and
 * occur in a regular order. */
static bool layer_kinds_divided(const struct layer_kinds_sorter *s)
{
	uint32_t n[SIDES] = { 0 };

	for (uint32_t i = 0; i < s->p.segments_n; i++)
		n[s->side[i]]++;
	return n[SIDE_ODD] > s->parts_n && n[SIDE_ODD] * 7 >= n[SIDE_KIND] &&
	       layer_kinds_ordered(s);
}

/* Returns whether a segment is a variant of a kind: it occurs often enough and
 * in a regular order. First, only segments that are equal to one of the two are
 * assigned to a side. If that does not decide, segments are assigned by
 * similarity: of long layers, few have all their launches. */
static bool layer_kinds_variant(struct layer_kinds_sorter *s,
	const struct layer_segment *p, uint32_t of)
{
	if (p->count < 2)
		return false;
	for (uint32_t i = 0; i < s->p.segments_n; i++) {
		uint64_t is = s->p.segment[i].hash;
		s->side[i] = is == p->hash	 ? SIDE_ODD
			     : is == s->hash[of] ? SIDE_KIND
						 : SIDE_NONE;
	}
	if (layer_kinds_divided(s))
		return true;
	layer_kinds_take_sides(s, p, of);
	return layer_kinds_divided(s);
}

/* Returns whether a segment is a kind of its own. It must occur several times
 * or begin a stack. A rare segment that contains nearly all of another kind is
 * not a kind: it is a layer of that kind and further launches. */
static bool layer_kinds_own(struct layer_kinds_sorter *s,
	const struct layer_segment *p, uint32_t nearest, uint32_t both)
{
	const struct layer_kind *k = &s->kinds->at[nearest];

	if (s->mixes && !layer_kinds_holds_mixer(s, p))
		return false;
	if (both * 10 >= k->n * 9 && p->count * 5 < s->count[nearest])
		return false;
	if (layer_kinds_doubled(s, p, k))
		return false;
	uint32_t n = layer_kinds_company(s, p, k);
	if (n > s->parts_n && n * 50 >= s->p.segments_n)
		return true;
	/* It is the first of its part, or occurs more than once per part. */
	return (p->first || p->count > s->parts_n) &&
	       s->p.l->symbol[p->from] == k->symbol[0] &&
	       layer_kinds_segment_length(p) <= k->n * 2 &&
	       both * 10 >= k->n * 3;
}

/* Finds how many of a segment's launches, from its beginning, are aligned with
 * kind `k`: a launch that both have counts for the alignment, one that only the
 * segment has counts against it, and the kind's other launches do not count.
 * Returns false if the arena is full. */
static bool layer_kinds_align(struct layer_kinds_sorter *s,
	const struct layer_segment *p, const struct layer_kind *k,
	uint32_t *aligned)
{
	const uint32_t *symbol = s->p.l->symbol + p->from;
	int32_t *now = arena_array(s->a, int32_t, k->n + 1), most = 0;
	uint32_t n = layer_kinds_segment_length(p);

	*aligned = 0;
	if (!now)
		return false;
	memset(now, 0, (k->n + 1) * sizeof *now);
	for (uint32_t i = 0; i < n; i++) {
		int32_t before = now[0];
		now[0]--;
		for (uint32_t j = 1; j <= k->n; j++) {
			int32_t best = now[j] - 1;
			best = now[j - 1] > best ? now[j - 1] : best;
			if (symbol[i] == k->symbol[j - 1] && before + 1 > best)
				best = before + 1;
			before = now[j];
			now[j] = best;
		}
		if (now[k->n] > most) {
			most = now[k->n];
			*aligned = i + 1;
		}
	}
	return true;
}

/* Cuts off what follows the last layer of a stack: of a rare segment that is
 * longer than its nearest kind, only the launches that are aligned with that
 * kind are a layer. Models mix kinds of layer too (one in eight is the rarest
 * published mixture), so a rare segment is one in sixteen at most. */
static bool layer_kinds_shorten(struct layer_kinds_sorter *s,
	struct layer_segment *p, const struct layer_kind *k)
{
	uint32_t n = layer_kinds_segment_length(p), aligned;

	if (p->count * 16 > s->p.segments_n || n * 2 <= k->n * 3)
		return true;
	if (!layer_kinds_align(s, p, k, &aligned))
		return false;
	if (aligned >= LAYER_SHORTEST && aligned * 10 >= k->n * 3)
		p->to = p->from + aligned;
	return true;
}

static bool layer_kinds_sort_in(struct layer_kinds_sorter *s,
	const struct layer_segment *p)
{
	uint32_t nearest = s->made, most = 0;
	double like = -1;

	for (uint32_t k = s->made; k < s->kinds->n; k++) {
		const struct layer_kind *of = &s->kinds->at[k];
		uint32_t both = layer_kinds_shared(s, of->symbol, of->n,
			s->p.l->symbol + p->from,
			layer_kinds_segment_length(p));
		double now = (double)both /
			     (of->n + layer_kinds_segment_length(p) - both);
		if (now > like) {
			like = now;
			nearest = k;
			most = both;
		}
	}
	if (s->hash[nearest] == p->hash)
		return true;
	if (like >= LIKE)
		return !layer_kinds_variant(s, p, nearest) ||
		       layer_kinds_add_odd(s, p, s->kinds->at[nearest].like);
	if (!layer_kinds_own(s, p, nearest, most))
		return true;
	struct layer_segment own = *p;
	return layer_kinds_shorten(s, &own, &s->kinds->at[nearest]) &&
	       layer_kinds_add_odd(s, &own, UINT32_MAX);
}

bool layer_kinds_add(struct layer_kinds *k, const struct layer_line *l,
	const struct slice *parts, uint32_t parts_n, const struct layer_cuts *c,
	struct arena *a)
{
	struct layer_kinds_sorter s = { .parts_n = parts_n,
		.kinds = k,
		.made = k->n,
		.mixes = c->mixes,
		.bag = arena_array(a, uint32_t, l->s->symbols + 1),
		.a = a };

	if (!s.bag || !layer_kinds_segments_from(&s.p, l, parts, c, a))
		return false;
	s.side = arena_array(a, uint8_t, s.p.segments_n + 1);
	if (!s.side)
		return false;
	if (s.p.one.to - s.p.one.from < LAYER_SHORTEST ||
		k->n == LAYER_KINDS_MAX)
		return true;
	bool ok = s.p.odds && s.p.odd[0].count > 1
			  ? layer_kinds_add_odd(&s, &s.p.odd[0], UINT32_MAX)
			  : layer_kinds_add_turned(&s);
	for (uint32_t i = 0; ok && i < s.p.odds && k->n < LAYER_KINDS_MAX; i++)
		ok = layer_kinds_sort_in(&s, &s.p.odd[i]);
	return ok;
}
