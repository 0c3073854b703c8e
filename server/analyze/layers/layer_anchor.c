/* layer_anchor.c - finds kernel names, or runs of names, that occur once per
 * layer. */
#include "layer_anchor.h"
#include "layer_line.h"
#include <stdlib.h>
#include <string.h>

/* Grams: runs of 1, 2 or 4 names whose distances are even. */

enum { LAYER_GRAMS_MAX = 96 };

struct layer_gram {
	uint32_t length, count;
	uint32_t first; /* index in the line of its first occurrence */
	const uint32_t *next; /* by occurrence: the next one; LAYER_NONE */
	uint64_t
		rank; /* sum of the distances between its occurrences, minus the sum of their changes */
};

/* Parts of a line, as in layer_anchor.h. */
struct layer_gram_parts {
	const struct layer_line *line;
	const struct slice *at;
	uint32_t n;
};

enum {
	LENGTHS = 3,
	STEPS = 32, /* lengths that differ by at most 3 % share a bucket */
	BUCKETS = 32 * STEPS,
	OF_BUCKET = 4
};

static const uint32_t lengths[LENGTHS] = { 1, 2, 4 };

/* One length: the number of names, and by index in the line where the same
 * names occur next. */
struct layer_gram_length {
	uint32_t names, *next;
};

struct layer_gram_met {
	uint64_t hash; /* 0: free */
	uint64_t span,
		jump; /* of distances: their sum, and the sum of their changes */
	uint32_t count, first, last, gap;
	uint32_t part; /* part of its last occurrence */
};

struct layer_gram_table {
	struct layer_gram_met *slots;
	uint32_t mask, used;
	struct arena *a;
};

static uint64_t layer_anchor_gram_mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 27;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Returns the hash of a gram, which is never 0. */
static uint64_t layer_anchor_gram_hash(const struct layer_line *l,
	uint32_t place, uint32_t length)
{
	uint64_t h = length;

	for (uint32_t i = 0; i < length; i++)
		h = layer_anchor_gram_mix(h * UINT64_C(0x9E3779B97F4A7C15) +
					  l->symbol[place + i] + 1);
	return h ? h : 1;
}

static struct layer_gram_met *
layer_anchor_gram_find(const struct layer_gram_table *t, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & t->mask;

	while (t->slots[i].hash && t->slots[i].hash != hash)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* Makes room for another gram: at most half of the slots are used. Sequences
 * have few grams, so the table begins small. */
static bool layer_anchor_gram_reserve(struct layer_gram_table *t)
{
	struct layer_gram_table wider = { .mask = t->mask * 2 + 1,
		.used = t->used,
		.a = t->a };
	size_t bytes = ((size_t)wider.mask + 1) * sizeof *wider.slots;

	if (t->used * 2 <= t->mask)
		return true;
	wider.slots = arena_grow(t->a, NULL, bytes);
	if (!wider.slots)
		return false;
	memset(wider.slots, 0, bytes);
	for (uint32_t i = 0; i <= t->mask; i++)
		if (t->slots[i].hash)
			*layer_anchor_gram_find(&wider, t->slots[i].hash) =
				t->slots[i];
	arena_drop(t->a, t->slots);
	*t = wider;
	return true;
}

static void layer_anchor_gram_meet(struct layer_gram_met *m, uint64_t hash,
	uint32_t part, uint32_t at, uint32_t *next)
{
	if (!m->hash)
		*m = (struct layer_gram_met){
			.hash = hash,
			.first = at,
			.part = part,
		};
	else if (m->part == part) {
		uint32_t gap = at - m->last;
		m->span += gap;
		if (m->gap)
			m->jump += gap > m->gap ? gap - m->gap : m->gap - gap;
		m->gap = gap;
	} else {
		m->part = part;
		m->gap = 0;
	}
	if (m->count)
		next[m->last] = at;
	next[at] = LAYER_NONE;
	m->last = at;
	m->count++;
}

static uint32_t layer_anchor_gram_bucket(uint32_t count)
{
	uint32_t whole = 31 - (uint32_t)__builtin_clz(count);
	uint64_t rest = ((uint64_t)count * STEPS >> whole) - STEPS;

	return whole * STEPS + (uint32_t)rest;
}

static uint64_t layer_anchor_gram_rank(const struct layer_gram_met *m)
{
	return m->count > 1 && m->span > m->jump ? m->span - m->jump : 0;
}

static void layer_anchor_gram_keep(struct layer_gram *best,
	const struct layer_gram_met *m,
	const struct layer_gram_length *of_length)
{
	struct layer_gram g = { of_length->names, m->count, m->first,
		of_length->next, layer_anchor_gram_rank(m) };
	struct layer_gram *of =
		&best[layer_anchor_gram_bucket(m->count) * OF_BUCKET];

	for (uint32_t i = 0; g.rank && i < OF_BUCKET; i++)
		if (g.rank > of[i].rank ||
			(g.rank == of[i].rank && g.first < of[i].first)) {
			struct layer_gram worse = of[i];
			of[i] = g;
			g = worse;
		}
}

static int layer_anchor_gram_by_rank(const void *left, const void *right)
{
	const struct layer_gram *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? 1 : -1;
	if (a->length != b->length)
		return a->length > b->length ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

static bool layer_anchor_gram_meet_all(const struct layer_gram_parts *p,
	struct layer_gram_table *t, const struct layer_gram_length *g)
{
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t i = p->at[k].from; i + g->names <= p->at[k].to;
			i++) {
			uint64_t h =
				layer_anchor_gram_hash(p->line, i, g->names);
			if (!layer_anchor_gram_reserve(t))
				return false;
			struct layer_gram_met *m = layer_anchor_gram_find(t, h);
			t->used += !m->hash;
			layer_anchor_gram_meet(m, h, k, i, g->next);
		}
	return true;
}

/* Stores the best grams of each length and count in `out`, highest rank first.
 * *n is their number, at most LAYER_GRAMS_MAX. Allocates their occurrences in
 * `a`. Returns false if `a` is full. */
static bool layer_anchor_grams(const struct layer_gram_parts *p,
	struct arena *a, struct layer_gram *out, uint32_t *n)
{
	enum { ALL = LENGTHS * BUCKETS * OF_BUCKET };
	struct layer_gram *best = arena_grow(a, NULL, ALL * sizeof *best);
	struct layer_gram_table t = { .mask = 255, .a = a };
	uint32_t kept = 0;

	*n = 0;
	t.slots = arena_grow(a, NULL, (t.mask + 1) * sizeof *t.slots);
	if (!best || !t.slots)
		return false;
	for (uint32_t i = 0; i < LENGTHS; i++) {
		struct layer_gram_length of = { lengths[i],
			arena_grow(a, NULL, p->line->n * sizeof *of.next) };
		memset(t.slots, 0, ((size_t)t.mask + 1) * sizeof *t.slots);
		t.used = 0;
		if (!of.next || !layer_anchor_gram_meet_all(p, &t, &of))
			return false;
		for (uint32_t k = 0; k <= t.mask; k++)
			if (t.slots[k].count > 1)
				layer_anchor_gram_keep(
					best + i * BUCKETS * OF_BUCKET,
					&t.slots[k], &of);
	}
	for (uint32_t i = 0; i < ALL; i++)
		if (best[i].rank)
			best[kept++] = best[i];
	qsort(best, kept, sizeof *best, layer_anchor_gram_by_rank);
	*n = kept < LAYER_GRAMS_MAX ? kept : LAYER_GRAMS_MAX;
	memcpy(out, best, *n * sizeof *out);
	arena_drop(a, t.slots);
	arena_drop(a, best);
	return true;
}

/* Cuts: each gram is tried as an anchor. A cut is rated by the launches that
 * its stretches have in common with their neighbors. */

static const double LIKE = 0.62, FOREIGN = 0.3, BY_TURNS = 0.45;

enum { NEAR = 4 /* launches */ };

/* Counts of the names in stretches. */
struct layer_anchor_bag {
	uint32_t *count, *before,
		*older; /* by symbol: count in this stretch, in the one before it, and in the one before that */
};

enum { MIXES = 1, FEEDS = 2 };

struct layer_anchor_finder {
	struct layer_gram_parts parts;
	struct layer_anchor_bag bag;
	uint8_t *acts; /* by index in the line: MIXES, FEEDS */
	bool softmax; /* softmax is taken as attention: no attention is known */
	bool mixes;
};

struct layer_anchor_trait {
	double like; /* share in common with the next stretch */
	bool mixes, whole, plain;
	uint32_t before, older; /* launches in common with the stretch before,
		and with the one before that */
};

static bool layer_anchor_mixer(const struct layer_anchor_finder *f,
	enum layer_act act)
{
	return f->softmax ? act == ACT_SOFTMAX : layer_act_mixes(act);
}

static bool layer_anchor_feeds(enum layer_act act)
{
	return act == ACT_ACTIVATION || act == ACT_EXPERTS;
}

/* Counts a stretch's names. */
static void layer_anchor_put_in(struct layer_anchor_finder *f,
	const struct layer_stretch *r, struct layer_anchor_trait *t)
{
	/* Locals: the compiler cannot know that the counts are not these. */
	const uint32_t *symbol = f->parts.line->symbol;
	uint32_t *count = f->bag.count;
	const uint32_t *was = f->bag.before, *old = f->bag.older;
	uint32_t before = 0, older = 0, first = symbol[r->from], others = 0;
	uint8_t acts = 0;

	for (uint32_t i = r->from; i < r->to; i++) {
		uint32_t x = symbol[i], n = count[x]++;
		before += n < was[x];
		older += n < old[x];
		others |= x ^ first;
		acts |= f->acts[i];
	}
	*t = (struct layer_anchor_trait){ .plain = !others,
		.mixes = acts & MIXES,
		.whole = acts == (MIXES | FEEDS),
		.before = before,
		.older = older };
}

static void layer_anchor_take_out(struct layer_anchor_finder *f,
	const struct layer_stretch *r, uint32_t *count)
{
	for (uint32_t i = r->from; i < r->to; i++)
		count[f->parts.line->symbol[i]] = 0;
}

static bool layer_anchor_similar(const struct layer_anchor_trait *a,
	const struct layer_anchor_trait *b)
{
	return a->like >= LIKE || (a->like >= FOREIGN && a->whole && b->whole);
}

/* Returns the share of launches that two stretches have in common. */
static double layer_anchor_share(const struct layer_stretch *a,
	const struct layer_stretch *b, uint32_t both)
{
	return (double)both / (a->to - a->from + b->to - b->from - both);
}

/* Moves to the next stretch: its counts replace the oldest ones. */
static void layer_anchor_turn(struct layer_anchor_finder *f)
{
	uint32_t *spare = f->bag.older;

	f->bag.older = f->bag.before;
	f->bag.before = f->bag.count;
	f->bag.count = spare;
}

/* Returns whether a stretch does not count, even if it is similar to its
 * neighbors: it has only one name, or lacks attention. */
static bool layer_anchor_idle(const struct layer_anchor_finder *f,
	const struct layer_anchor_trait *t)
{
	return t->plain || (f->mixes && !t->mixes);
}

/* Returns the share of pairs of consecutive names in a stretch that the next
 * stretch has near the same position. The share is small if both have the same
 * names in a different order. */
static double layer_anchor_in_order(const struct layer_anchor_finder *f,
	const struct layer_stretch *a, const struct layer_stretch *b)
{
	const uint32_t *x = f->parts.line->symbol;
	uint32_t n = a->to - a->from, same = 0;

	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t k = b->from + (i > NEAR ? i - NEAR : 0), to = k;
		for (to += 2 * NEAR; k <= to && k + 1 < b->to; k++)
			if (x[a->from + i] == x[k] &&
				x[a->from + i + 1] == x[k + 1]) {
				same++;
				break;
			}
	}
	return (double)same / n;
}

/* Returns whether two kinds alternate in three stretches: the outer two are
 * similar, and the middle one is less similar to them. Not used if attention is
 * known, because attention identifies layers more reliably. */
static bool layer_anchor_turns(const struct layer_anchor_finder *f,
	const struct layer_stretch *last, const struct layer_anchor_trait *t,
	double before, double now)
{
	return !f->mixes && before >= BY_TURNS && now >= BY_TURNS &&
	       layer_anchor_share(&last[-2], last, t->older) >= LIKE &&
	       layer_anchor_in_order(f, &last[-1], last) >= FOREIGN;
}

/* Marks the stretches of one part that are similar to their neighbors. */
static void layer_anchor_mark(struct layer_anchor_finder *f,
	struct layer_stretch *r, uint32_t n)
{
	struct layer_anchor_trait old = { 0 }, before = { 0 }, now = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		layer_anchor_put_in(f, &r[i], &now);
		if (i) {
			before.like = layer_anchor_share(&r[i - 1], &r[i],
				now.before);
			if (layer_anchor_similar(&before, &now))
				r[i - 1].similar = r[i].similar = true;
		}
		if (i > 1) {
			if (layer_anchor_turns(f, &r[i], &now, old.like,
				    before.like))
				r[i - 2].similar = r[i - 1].similar =
					r[i].similar = true;
			layer_anchor_take_out(f, &r[i - 2], f->bag.older);
			r[i - 2].similar &= !layer_anchor_idle(f, &old);
		}
		layer_anchor_turn(f);
		old = before;
		before = now;
	}
	if (n > 1) {
		layer_anchor_take_out(f, &r[n - 2], f->bag.older);
		r[n - 2].similar &= !layer_anchor_idle(f, &old);
	}
	if (n) {
		layer_anchor_take_out(f, &r[n - 1], f->bag.before);
		r[n - 1].similar &= !layer_anchor_idle(f, &before);
	}
}

/* Makes the stretches into which a gram cuts a part; *at is its next occurrence,
 * in this part or in a later one. Returns their number. */
static uint32_t layer_anchor_cut(const struct layer_anchor_finder *f,
	const struct layer_gram *g, uint32_t k, uint32_t *at,
	struct layer_stretch *r)
{
	struct slice part = f->parts.at[k];
	uint32_t n = 0;

	for (; *at >= part.from && *at < part.to; *at = g->next[*at]) {
		if (n)
			r[n - 1].to = *at;
		r[n++] = (struct layer_stretch){ .from = *at, .part = k };
	}
	if (!n)
		return 0;
	r[n - 1].last = true;
	uint32_t left = part.to - r[n - 1].from;
	uint32_t want = n > 1 ? r[n - 2].to - r[n - 2].from : 0;
	r[n - 1].to = r[n - 1].from + (left < want ? left : want);
	/* A last stretch shorter than half a layer is left out. */
	return n - (left * 2 < want || !want);
}

static void layer_anchor_cut_all(struct layer_anchor_finder *f,
	const struct layer_gram *g, struct layer_cuts *out)
{
	uint32_t at = g->first;

	out->n = out->explained = 0;
	for (uint32_t k = 0; k < f->parts.n; k++) {
		struct layer_stretch *r = out->at + out->n;
		uint32_t n = layer_anchor_cut(f, g, k, &at, r);
		layer_anchor_mark(f, r, n);
		for (uint32_t i = 0; i < n; i++)
			out->explained +=
				r[i].similar ? r[i].to - r[i].from : 0;
		out->n += n;
	}
}

static uint32_t layer_anchor_layers_n(const struct layer_cuts *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += c->at[i].similar;
	return n;
}

/* Decides which acts are taken as attention, and notes the acts of the parts. */
static void layer_anchor_look(struct layer_anchor_finder *f, bool mixes)
{
	uint32_t known = 0, softmax = 0;

	for (uint32_t k = 0; k < f->parts.n; k++)
		for (uint32_t i = f->parts.at[k].from; i < f->parts.at[k].to;
			i++) {
			known += layer_act_mixes(f->parts.line->act[i]);
			softmax += f->parts.line->act[i] == ACT_SOFTMAX;
		}
	f->softmax = known < 2;
	f->mixes = mixes || known > 1 || softmax > 1;
	for (uint32_t k = 0; k < f->parts.n; k++)
		for (uint32_t i = f->parts.at[k].from; i < f->parts.at[k].to;
			i++) {
			enum layer_act act = f->parts.line->act[i];
			f->acts[i] = (layer_anchor_mixer(f, act) ? MIXES : 0) |
				     (layer_anchor_feeds(act) ? FEEDS : 0);
		}
}

/* For each cut that was tried: the launches that it explains, and its
 * layers. */
struct layer_anchor_tried {
	uint32_t explained[LAYER_GRAMS_MAX], layers[LAYER_GRAMS_MAX], n;
	uint32_t parts;
};

/* Returns the cut with the most layers among those that explain at least
 * `min_score` launches. One layer per part may be missing, because the end of
 * the last layer is unknown. */
static uint32_t layer_anchor_finest_of(const struct layer_anchor_tried *t,
	double min_score)
{
	uint32_t chosen = 0, layers = 0, most = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t n = t->layers[i], of = t->explained[i];
		if (!n || of * (1.0 + (double)t->parts / n) < min_score)
			continue;
		if (n > layers || (n == layers && of > most)) {
			layers = n;
			most = of;
			chosen = i;
		}
	}
	return chosen;
}

/* Chooses the finest of the cuts that explain at least 95 % of what the best
 * one explains. Exception: a finer cut that explains 40 % and has four times as
 * many layers is chosen. Then the coarser cut found whole passes, not
 * layers. */
static uint32_t layer_anchor_best(const struct layer_anchor_tried *t,
	bool mixes)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->n; i++)
		most = t->explained[i] > most ? t->explained[i] : most;
	uint32_t chosen = layer_anchor_finest_of(t, most * 0.95);
	if (!mixes)
		return chosen;
	uint32_t finer = layer_anchor_finest_of(t, most * 0.4);
	return t->layers[finer] >= t->layers[chosen] * 4 ? finer : chosen;
}

bool layer_anchor_find(const struct layer_line *l, const struct slice *parts,
	uint32_t parts_n, bool mixes, struct arena *a, struct layer_cuts *out)
{
	struct layer_anchor_finder f = { .parts = { l, parts, parts_n } };
	struct layer_gram grams[LAYER_GRAMS_MAX];
	struct layer_anchor_tried t = { .parts = parts_n };
	uint32_t launches = 1;

	for (uint32_t k = 0; k < parts_n; k++)
		launches += parts[k].to - parts[k].from;
	*out = (struct layer_cuts){ .at = arena_array(a, struct layer_stretch,
					    launches) };
	f.bag.count = arena_array(a, uint32_t, l->s->symbols + 1);
	f.bag.before = arena_array(a, uint32_t, l->s->symbols + 1);
	f.bag.older = arena_array(a, uint32_t, l->s->symbols + 1);
	f.acts = arena_array(a, uint8_t, (size_t)l->n + 1);
	if (!out->at || !f.acts || !f.bag.count || !f.bag.before ||
		!f.bag.older || !layer_anchor_grams(&f.parts, a, grams, &t.n))
		return false;
	layer_anchor_look(&f, mixes);
	for (uint32_t i = 0; i < t.n; i++) {
		layer_anchor_cut_all(&f, &grams[i], out);
		t.explained[i] = out->explained;
		t.layers[i] = layer_anchor_layers_n(out);
	}
	uint32_t chosen = t.n ? layer_anchor_best(&t, f.mixes) : 0;
	if (!t.n || !t.layers[chosen])
		out->n = out->explained = 0;
	else
		layer_anchor_cut_all(&f, &grams[chosen], out);
	out->mixes = f.mixes && out->n;
	return true;
}
