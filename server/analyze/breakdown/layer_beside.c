/* layer_beside.c - what goes by its neighbours on its lane: another kernel in the
 * place of one that most instances have, conversions for a product, helpers of
 * one, what only moves numbers. */
#include "layer_doing.h"

/* The last doing of some kind on each lane so far; LAYER_NONE. */
struct walk {
	struct doings *s;
	uint32_t *seen;
	uint32_t lanes;
};

static void start(struct walk *w)
{
	for (uint32_t i = 0; i < w->lanes; i++)
		w->seen[i] = LAYER_NONE;
}

static struct doing *seen(const struct walk *w, const struct doing *d)
{
	uint32_t i = w->seen[d->lane];
	return i == LAYER_NONE ? NULL : &w->s->d[i];
}

/* One that few instances have does what its neighbour of the same kind does. */
static void stand_in(struct doing *d, const struct doing *beside)
{
	if (!d->common && beside && beside->act == d->act && !d->part &&
		!doing_soft(d)) {
		d->roles |= beside->roles;
		d->block = beside->block;
		d->part = beside->part;
	}
}

static void from_behind(struct walk *w)
{
	start(w);
	for (uint32_t i = w->s->n; i--;) {
		struct doing *d = &w->s->d[i];
		stand_in(d, seen(w, d));
		if (d->common && !doing_soft(d))
			w->seen[d->lane] = i;
	}
}

static void from_before(struct walk *w)
{
	start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct doing *d = &w->s->d[i];
		stand_in(d, seen(w, d));
		if (d->common && !doing_soft(d) && d->act != ACT_HELPER)
			w->seen[d->lane] = i;
	}
}

/* A conversion belongs to what it is for. */
static void quantize(struct walk *w)
{
	start(w);
	for (uint32_t i = w->s->n; i--;) {
		struct doing *d = &w->s->d[i];
		const struct doing *next = seen(w, d);
		if (d->act == ACT_QUANTIZE && next) {
			if (doing_product(next))
				d->roles |= next->roles;
			if (d->block == BLOCKS)
				d->block = next->block;
		} else if (!doing_soft(d) && d->act != ACT_QUANTIZE)
			w->seen[d->lane] = i;
	}
}

static void helpers(struct walk *w)
{
	start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct doing *d = &w->s->d[i];
		const struct doing *before = seen(w, d);
		if (d->act == ACT_HELPER && before) {
			d->roles |= before->roles;
			d->block = before->block;
		} else if (doing_product(d) || d->act == ACT_ATTENTION)
			w->seen[d->lane] = i;
		else if (!doing_soft(d) && d->act != ACT_HELPER)
			/* Nothing is finished behind the next. */
			w->seen[d->lane] = LAYER_NONE;
	}
}

/* Copies beside a collective may be of anything. */
static bool leads(const struct doing *d)
{
	return d->block < BLOCKS && d->block != BLOCK_COMMUNICATION;
}

/* Nobody knows these: they are of the block around them, else of the one to which
 * they lead. Own lane first. */
static void around(struct walk *w, uint32_t *next)
{
	enum layer_block_kind any = BLOCKS;

	start(w);
	for (uint32_t i = w->s->n; i--;) {
		next[i] = w->seen[w->s->d[i].lane];
		if (leads(&w->s->d[i]))
			w->seen[w->s->d[i].lane] = i;
	}
	start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct doing *d = &w->s->d[i];
		const struct doing *before = seen(w, d);
		if (d->block < BLOCKS) {
			if (leads(d)) {
				w->seen[d->lane] = i;
				any = d->block;
			}
		} else if (d->lane && !d->common && !d->roles)
			/* It only ran meanwhile. */
			d->block = BLOCK_OTHER;
		else if (next[i] != LAYER_NONE)
			d->block = w->s->d[next[i]].block;
		else if (before)
			d->block = before->block;
		else
			d->block = any < BLOCKS ? any : BLOCK_OTHER;
	}
}

bool layer_beside(struct doings *s, uint32_t lanes, struct arena *a)
{
	size_t bytes = ((size_t)lanes + s->n) * sizeof(uint32_t);
	uint32_t *room = arena_grow(a, NULL, bytes);
	struct walk w = { s, room, lanes };

	if (!room)
		return false;
	from_behind(&w);
	from_before(&w);
	helpers(&w);
	quantize(&w);
	around(&w, room + lanes);
	arena_drop(a, room);
	return true;
}
