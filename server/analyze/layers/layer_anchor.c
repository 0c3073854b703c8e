/* layer_anchor.c - cuts tried, by what their stretches share with neighbours. */
#include "layer_anchor.h"
#include "layer_gram.h"

static const double LIKE = 0.62, FOREIGN = 0.3, BY_TURNS = 0.45;

enum { NEAR = 4 /* launches */ };

/* Names of two stretches, counted. */
struct bag {
	uint32_t *count, *before, *older; /* by symbol: this stretch's, that of
		the one before it, and of the one before that */
};

struct finder {
	struct layer_parts parts;
	struct bag bag;
	bool softmax; /* stands for attention: nothing else is known */
	bool mixes;
};

struct trait {
	double like; /* the stretch behind it */
	bool mixes, whole, plain;
	uint32_t before, older; /* launches that those have, too */
};

static bool mixer(const struct finder *f, enum layer_act act)
{
	return f->softmax ? act == ACT_SOFTMAX : layer_act_mixes(act);
}

static bool feeds(enum layer_act act)
{
	return act == ACT_ACTIVATION || act == ACT_EXPERTS;
}

/* Counts a stretch in. */
static void put_in(struct finder *f, const struct layer_stretch *r,
	struct trait *t)
{
	const struct layer_line *l = f->parts.line;
	bool fed = false;

	*t = (struct trait){ .plain = true };
	for (uint32_t i = r->from; i < r->to; i++) {
		uint32_t x = l->symbol[i];
		t->before += f->bag.count[x] < f->bag.before[x];
		t->older += f->bag.count[x] < f->bag.older[x];
		f->bag.count[x]++;
		t->plain &= x == l->symbol[r->from];
		t->mixes |= mixer(f, l->act[i]);
		fed |= feeds(l->act[i]);
	}
	t->whole = fed && t->mixes;
}

static void take_out(struct finder *f, const struct layer_stretch *r,
	uint32_t *count)
{
	for (uint32_t i = r->from; i < r->to; i++)
		count[f->parts.line->symbol[i]] = 0;
}

static bool alike(const struct trait *a, const struct trait *b)
{
	return a->like >= LIKE || (a->like >= FOREIGN && a->whole && b->whole);
}

/* Share of the launches of two stretches that both have. */
static double share(const struct layer_stretch *a,
	const struct layer_stretch *b, uint32_t both)
{
	return (double)both / (a->to - a->from + b->to - b->from - both);
}

/* The next stretch's counts take the place of the oldest ones. */
static void turn(struct finder *f)
{
	uint32_t *spare = f->bag.older;

	f->bag.older = f->bag.before;
	f->bag.before = f->bag.count;
	f->bag.count = spare;
}

/* Whether a stretch tells nothing, whatever it is alike. */
static bool idle(const struct finder *f, const struct trait *t)
{
	return t->plain || (f->mixes && !t->mixes);
}

/* Of the pairs of neighbours in a stretch, the share that the one behind it has
 * near the same place: few, where not the order but the names are alike. */
static double in_order(const struct finder *f, const struct layer_stretch *a,
	const struct layer_stretch *b)
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

/* Whether, of three, the outer ones are alike and the one between them is less
 * so: two kinds by turns. Where attention is known it tells layers better. */
static bool turns(const struct finder *f, const struct layer_stretch *last,
	const struct trait *t, double before, double now)
{
	return !f->mixes && before >= BY_TURNS && now >= BY_TURNS &&
	       share(&last[-2], last, t->older) >= LIKE &&
	       in_order(f, &last[-1], last) >= FOREIGN;
}

/* Marks stretches of one part that are alike their neighbours. */
static void mark(struct finder *f, struct layer_stretch *r, uint32_t n)
{
	struct trait old = { 0 }, before = { 0 }, now = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		put_in(f, &r[i], &now);
		if (i) {
			before.like = share(&r[i - 1], &r[i], now.before);
			if (alike(&before, &now))
				r[i - 1].alike = r[i].alike = true;
		}
		if (i > 1) {
			if (turns(f, &r[i], &now, old.like, before.like))
				r[i - 2].alike = r[i - 1].alike = r[i].alike =
					true;
			take_out(f, &r[i - 2], f->bag.older);
			r[i - 2].alike &= !idle(f, &old);
		}
		turn(f);
		old = before;
		before = now;
	}
	if (n > 1) {
		take_out(f, &r[n - 2], f->bag.older);
		r[n - 2].alike &= !idle(f, &old);
	}
	if (n) {
		take_out(f, &r[n - 1], f->bag.before);
		r[n - 1].alike &= !idle(f, &before);
	}
}

/* The stretches that a gram cuts a part into. */
static uint32_t cut(const struct finder *f, const struct layer_gram *g,
	uint32_t k, struct layer_stretch *r)
{
	struct slice part = f->parts.at[k];
	uint32_t n = 0;

	for (uint32_t i = part.from; i + g->length <= part.to; i++) {
		if (layer_gram_hash(f->parts.line, i, g->length) != g->hash)
			continue;
		if (n)
			r[n - 1].to = i;
		r[n++] = (struct layer_stretch){ .from = i, .part = k };
	}
	if (!n)
		return 0;
	r[n - 1].last = true;
	uint32_t left = part.to - r[n - 1].from;
	uint32_t want = n > 1 ? r[n - 2].to - r[n - 2].from : 0;
	r[n - 1].to = r[n - 1].from + (left < want ? left : want);
	/* Half a layer tells nothing. */
	return n - (left * 2 < want || !want);
}

static void cut_all(struct finder *f, const struct layer_gram *g,
	struct layer_cuts *out)
{
	out->n = out->explained = 0;
	for (uint32_t k = 0; k < f->parts.n; k++) {
		struct layer_stretch *r = out->at + out->n;
		uint32_t n = cut(f, g, k, r);
		mark(f, r, n);
		for (uint32_t i = 0; i < n; i++)
			out->explained += r[i].alike ? r[i].to - r[i].from : 0;
		out->n += n;
	}
}

static uint32_t alike_n(const struct layer_cuts *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += c->at[i].alike;
	return n;
}

/* What stands for attention here. */
static void look(struct finder *f, bool mixes)
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
}

/* What cuts explain, and how many layers that is. */
struct tried {
	uint32_t explained[LAYER_GRAMS_MAX], layers[LAYER_GRAMS_MAX], n;
	uint32_t parts;
};

/* Of the cuts that explain so much, the one with the most layers. A layer of each
 * part is let off: the last one's end is not told. */
static uint32_t finest_of(const struct tried *t, double least)
{
	uint32_t chosen = 0, layers = 0, most = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t n = t->layers[i], of = t->explained[i];
		if (!n || of * (1.0 + (double)t->parts / n) < least)
			continue;
		if (n > layers || (n == layers && of > most)) {
			layers = n;
			most = of;
			chosen = i;
		}
	}
	return chosen;
}

/* Of the cuts that explain nearly all the finest; but a cut that explains nearly
 * half and makes four of each is the layers of what are whole passes. */
static uint32_t best(const struct tried *t, bool mixes)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->n; i++)
		most = t->explained[i] > most ? t->explained[i] : most;
	uint32_t chosen = finest_of(t, most * 0.95);
	if (!mixes)
		return chosen;
	uint32_t finer = finest_of(t, most * 0.4);
	return t->layers[finer] >= t->layers[chosen] * 4 ? finer : chosen;
}

bool layer_anchor_find(const struct layer_line *l, const struct slice *parts,
	uint32_t parts_n, bool mixes, struct arena *a, struct layer_cuts *out)
{
	struct finder f = { .parts = { l, parts, parts_n } };
	struct layer_gram grams[LAYER_GRAMS_MAX];
	struct tried t = { .parts = parts_n };
	uint32_t launches = 1;

	for (uint32_t k = 0; k < parts_n; k++)
		launches += parts[k].to - parts[k].from;
	*out = (struct layer_cuts){ .at = arena_array(a, struct layer_stretch,
					    launches) };
	f.bag.count = arena_array(a, uint32_t, l->s->symbols + 1);
	f.bag.before = arena_array(a, uint32_t, l->s->symbols + 1);
	f.bag.older = arena_array(a, uint32_t, l->s->symbols + 1);
	if (!out->at || !f.bag.count || !f.bag.before || !f.bag.older ||
		!layer_grams(&f.parts, a, grams, &t.n))
		return false;
	look(&f, mixes);
	for (uint32_t i = 0; i < t.n; i++) {
		cut_all(&f, &grams[i], out);
		t.explained[i] = out->explained;
		t.layers[i] = alike_n(out);
	}
	uint32_t chosen = t.n ? best(&t, f.mixes) : 0;
	if (!t.n || !t.layers[chosen])
		out->n = out->explained = 0;
	else
		cut_all(&f, &grams[chosen], out);
	out->mixes = f.mixes && out->n;
	return true;
}
