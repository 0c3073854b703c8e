/* layer_period.c - finds layers from the repeating sequence of kernels. */
#include "layer_kinds.h"
#include "layering.h"
#include "sort.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Decoding: reads a line as layers of known kinds, with launches between them.
 *
 * The reading with the least cost is chosen. There is a cost for a launch that
 * the kind does not have, for one that the line does not have, and for a launch
 * at the place of another. There is also a cost for a launch in no layer, and
 * for beginning a layer after such launches. A part may begin or end within a
 * layer, also at a cost.
 *
 * A reading is continued only while its cost is within a fixed distance of the
 * least cost (Viterbi's algorithm with a beam). Therefore time is proportional
 * to the line's length. */

enum { LAYER_OUTSIDE = UINT32_MAX };

/* A range of a line that is one layer, or that is in no layer. */
struct layer_reading {
	uint32_t from, to;
	uint32_t kind; /* LAYER_OUTSIDE */
	uint32_t
		lacks; /* launches of the kind that are missing at its beginning or end, if the part begins or ends within it */
};

struct layer_readings {
	struct layer_reading *at; /* in order */
	uint32_t n;
	size_t room;
};

enum {
	FOREIGN = 10, /* cost of a launch that the kind does not have */
	LOST = 10, /* cost of a launch that the line lacks */
	OTHER = 17, /* cost of a launch in the place of another */
	KIN = 7, /* … if both are norms: the first layer's norm may be another kernel */
	OUTSIDE = 6, /* cost of a launch in no layer */
	ENTER = 10, /* cost of a layer after launches in no layer */
	WITHIN = 30, /* cost of a part that begins or ends within a layer */
	BEAM = 90,
	LOST_MAX = 4, /* most lost launches in sequence */
	NONE = UINT32_MAX
};

/* Where a layer or a gap of a reading began, and the node of the one before. */
struct layer_decode_node {
	uint32_t place, kind, skipped, before;
};

/* A state is the cheapest reading whose last launch is at a given place of a
 * kind: its cost in the upper half, its node in the lower half. The smaller of
 * two states is the cheaper one; of two that cost the same, the one whose layer
 * began earlier. */
typedef uint64_t layer_state;
#define LAYER_COST(cost) ((uint64_t)(cost) << 32)
/* The state of a place that no reading has. Costs can be added to it. */
#define LAYER_NOWHERE LAYER_COST(1 << 30)

/* The states of all places after one launch, in blocks: a block without a state
 * takes no time. Each kind has a block without places before its first one, so
 * that the states of the LOST_MAX + 1 places before any place can be read. */
enum { BLOCK = 8 };
struct layer_decode_states {
	layer_state *of; /* by place of the blocks */
	bool *has; /* by block: whether it has a state */
};

struct layer_decode_decoder {
	const struct layer_line *l;
	const struct layer_kinds *k;
	struct arena *a;
	struct layer_decode_node *nodes;
	size_t nodes_n, room;
	struct layer_decode_states now, next;
	uint32_t base[LAYER_KINDS_MAX]; /* place of each kind's first launch */
	uint32_t blocks;
	uint32_t *symbol; /* by place of the blocks; NONE: no launch */
	/* by place: the cost of another launch there; `norm`: of a norm */
	uint64_t *other, *norm;
	uint32_t lowest; /* cost of the cheapest reading in `next` */
	uint32_t outside; /* cost of the reading that is outside of layers */
	uint32_t outside_node; /* and its node */
	bool full;
};

static uint32_t layer_period_decode_node(struct layer_decode_decoder *d,
	uint32_t place, uint32_t kind, uint32_t skipped, uint32_t before)
{
	if (d->nodes_n == d->room) {
		size_t room = d->room ? d->room * 2 : 1024;
		struct layer_decode_node *grown =
			arena_grow(d->a, d->nodes, room * sizeof *grown);
		if (!grown) {
			d->full = true;
			return 0;
		}
		d->nodes = grown;
		d->room = room;
	}
	d->nodes[d->nodes_n] =
		(struct layer_decode_node){ place, kind, skipped, before };
	return (uint32_t)d->nodes_n++;
}

static layer_state layer_period_decode_cheaper(layer_state a, layer_state b)
{
	return a < b ? a : b;
}

static void layer_period_decode_clear(struct layer_decode_states *s,
	uint32_t block)
{
	s->has[block] = false;
	for (uint32_t i = 0; i < BLOCK; i++)
		s->of[block * BLOCK + i] = LAYER_NOWHERE;
}

/* Continues the readings of a block and of the block before it with a launch of
 * this symbol: it is at the next place of the kind or, if that place has the
 * symbol, up to LOST_MAX places later, or it is foreign. `other` is the cost of
 * another launch by place. Returns the cheapest reading. */
static layer_state layer_period_decode_block(const struct layer_decode_decoder
						     *d,
	uint32_t block, uint32_t symbol, const uint64_t *other)
{
	layer_state lowest = LAYER_NOWHERE;

	for (uint32_t p = block * BLOCK; p < (block + 1) * BLOCK; p++) {
		const layer_state *now = d->now.of + p;
		layer_state best = now[0] + LAYER_COST(FOREIGN);
		if (d->symbol[p] == symbol)
			for (int lost = 0; lost <= LOST_MAX; lost++)
				best = layer_period_decode_cheaper(best,
					now[-1 - lost] +
						LAYER_COST(LOST * lost));
		else
			best = layer_period_decode_cheaper(best,
				now[-1] + other[p]);
		d->next.of[p] = best;
		lowest = layer_period_decode_cheaper(lowest, best);
	}
	return lowest;
}

/* Continues all readings with a launch. */
static void layer_period_decode_go_on(struct layer_decode_decoder *d,
	uint32_t place)
{
	const uint64_t *other =
		d->l->act[place] == ACT_NORM ? d->norm : d->other;
	layer_state lowest = LAYER_NOWHERE;

	for (uint32_t b = 1; b < d->blocks; b++)
		if (d->now.has[b] || d->now.has[b - 1]) {
			lowest = layer_period_decode_cheaper(lowest,
				layer_period_decode_block(d, b,
					d->l->symbol[place], other));
			d->next.has[b] = true;
		} else if (d->next.has[b]) {
			layer_period_decode_clear(&d->next, b);
		}
	d->lowest = (uint32_t)(lowest >> 32);
}

/* Adds a reading to the next ones. */
static void layer_period_decode_join(struct layer_decode_decoder *d, uint32_t p,
	uint32_t cost, uint32_t node)
{
	d->next.has[p / BLOCK] = true;
	d->next.of[p] = layer_period_decode_cheaper(d->next.of[p],
		LAYER_COST(cost) | node);
	if (cost < d->lowest)
		d->lowest = cost;
}

/* Finds the cheapest reading whose layer ends before the current launch. */
static layer_state layer_period_decode_ended(
	const struct layer_decode_decoder *d)
{
	layer_state best = LAYER_NOWHERE;

	for (uint32_t k = 0; k < d->k->n; k++)
		for (uint32_t lost = 0;
			lost <= LOST_MAX && lost < d->k->at[k].n; lost++)
			best = layer_period_decode_cheaper(best,
				d->now.of[d->base[k] + d->k->at[k].n - 1 -
					  lost] +
					LAYER_COST(LOST * lost));
	return best;
}

/* Begins layers of all kinds at the current launch. */
static void layer_period_decode_begin(struct layer_decode_decoder *d,
	uint32_t place, uint32_t cost, uint32_t before)
{
	uint32_t symbol = d->l->symbol[place];
	bool norm = d->l->act[place] == ACT_NORM;

	for (uint32_t k = 0; cost <= d->lowest + BEAM && k < d->k->n; k++) {
		uint32_t p = d->base[k], n = d->k->at[k].n, node = NONE;
		uint64_t first = norm ? d->norm[p] : d->other[p];
		for (uint32_t lost = 0; lost <= LOST_MAX && lost < n; lost++)
			if (d->symbol[p + lost] == symbol) {
				if (node == NONE)
					node = layer_period_decode_node(d,
						place, k, 0, before);
				layer_period_decode_join(d, p + lost,
					cost + LOST * lost, node);
			}
		if (d->symbol[p] == symbol ||
			(node == NONE && first != LAYER_COST(KIN)))
			continue;
		if (node == NONE)
			node = layer_period_decode_node(d, place, k, 0, before);
		layer_period_decode_join(d, p, cost + (uint32_t)(first >> 32),
			node);
	}
}

/* Begins readings in which the first launch of a part is within a layer. */
static void layer_period_decode_begin_within(struct layer_decode_decoder *d,
	uint32_t place)
{
	for (uint32_t k = 0; k < d->k->n; k++)
		for (uint32_t at = 1; at < d->k->at[k].n; at++)
			if (d->symbol[d->base[k] + at] == d->l->symbol[place])
				layer_period_decode_join(d, d->base[k] + at,
					WITHIN,
					layer_period_decode_node(d, place, k,
						at, NONE));
}

static void layer_period_decode_step(struct layer_decode_decoder *d,
	uint32_t place, bool first)
{
	layer_state end = layer_period_decode_ended(d);
	uint32_t end_cost = (uint32_t)(end >> 32), end_node = (uint32_t)end;
	uint32_t outside = d->outside, before = d->outside_node;

	layer_period_decode_go_on(d, place);
	/* The reading outside of layers either leaves a layer here or was
	 * outside before. */
	if (end_cost < outside) {
		d->outside = end_cost;
		d->outside_node =
			layer_period_decode_node(d, place, NONE, 0, end_node);
	}
	d->outside += OUTSIDE;
	if (d->outside < d->lowest)
		d->lowest = d->outside;
	if (end_cost <= outside + ENTER)
		layer_period_decode_begin(d, place, end_cost, end_node);
	else
		layer_period_decode_begin(d, place, outside + ENTER, before);
	if (first)
		layer_period_decode_begin_within(d, place);
}

/* Makes the next readings the current ones, and drops those above the beam. */
static void layer_period_decode_turn(struct layer_decode_decoder *d)
{
	struct layer_decode_states spare = d->now;
	layer_state limit = LAYER_COST(d->lowest + BEAM + 1);

	for (uint32_t b = 1; b < d->blocks; b++) {
		layer_state *of = d->next.of + (size_t)b * BLOCK;
		bool has = false;
		if (!d->next.has[b])
			continue;
		for (uint32_t i = 0; i < BLOCK; i++) {
			of[i] = of[i] < limit ? of[i] : LAYER_NOWHERE;
			has |= of[i] < limit;
		}
		d->next.has[b] = has;
	}
	d->now = d->next;
	d->next = spare;
}

/* Returns the last node of the cheapest reading, and how many launches its last
 * layer lacks. */
static uint32_t layer_period_decode_finish(const struct layer_decode_decoder *d,
	uint32_t *lacks)
{
	layer_state best = LAYER_COST(d->outside) | d->outside_node;

	*lacks = 0;
	for (uint32_t k = 0; k < d->k->n; k++)
		for (uint32_t at = 0; at < d->k->at[k].n; at++) {
			uint32_t lost = d->k->at[k].n - 1 - at;
			bool cut = LOST * lost > WITHIN;
			layer_state s = d->now.of[d->base[k] + at] +
					LAYER_COST(cut ? WITHIN : LOST * lost);
			if (s >> 32 < best >> 32) {
				best = s;
				*lacks = cut ? lost : 0;
			}
		}
	return (uint32_t)best;
}

static bool layer_period_decode_write(struct layer_decode_decoder *d,
	struct slice part, uint32_t last, uint32_t lacks,
	struct layer_readings *out)
{
	uint32_t n = 0, to = part.to;
	for (uint32_t i = last; i != NONE; i = d->nodes[i].before)
		n++;
	if (out->n + n > out->room) {
		size_t room = (out->n + (size_t)n) * 2;
		struct layer_reading *grown =
			arena_grow(d->a, out->at, room * sizeof *grown);
		if (!grown)
			return false;
		out->at = grown;
		out->room = room;
	}
	assert(out->at); /* there is at least one reading */
	out->n += n;
	struct layer_reading *r = out->at + out->n;
	for (uint32_t i = last; i != NONE; i = d->nodes[i].before) {
		const struct layer_decode_node *o = &d->nodes[i];
		uint32_t kind = o->kind == NONE ? LAYER_OUTSIDE : o->kind;
		*--r = (struct layer_reading){ o->place, to, kind,
			o->skipped + lacks };
		lacks = 0;
		to = o->place;
	}
	/* A part that begins with a layer has no gap before it. */
	if (r->from == r->to) {
		out->n--;
		memmove(r, r + 1, (n - 1) * sizeof *r);
	}
	return true;
}

/* Lays out the places of the kinds in blocks. */
static void layer_period_decode_place_kinds(struct layer_decode_decoder *d)
{
	uint32_t places = d->blocks * BLOCK;

	for (uint32_t p = 0; p < places; p++) {
		d->symbol[p] = NONE;
		d->other[p] = d->norm[p] = LAYER_NOWHERE;
	}
	for (uint32_t k = 0; k < d->k->n; k++)
		for (uint32_t i = 0; i < d->k->at[k].n; i++) {
			uint32_t p = d->base[k] + i;
			bool norm = d->k->at[k].act[i] == ACT_NORM;
			d->symbol[p] = d->k->at[k].symbol[i];
			d->other[p] = LAYER_COST(OTHER);
			d->norm[p] = LAYER_COST(norm ? KIN : OTHER);
		}
	for (uint32_t b = 0; b < d->blocks; b++) {
		layer_period_decode_clear(&d->now, b);
		layer_period_decode_clear(&d->next, b);
	}
}

static bool layer_period_decode_decoder_init(struct layer_decode_decoder *d)
{
	d->blocks = 1;
	for (uint32_t k = 0; k < d->k->n; k++) {
		d->base[k] = d->blocks * BLOCK;
		d->blocks += (d->k->at[k].n + BLOCK - 1) / BLOCK + 1;
	}
	size_t places = (size_t)d->blocks * BLOCK;
	d->now.of = arena_grow(d->a, NULL, places * sizeof *d->now.of);
	d->next.of = arena_grow(d->a, NULL, places * sizeof *d->next.of);
	d->now.has = arena_grow(d->a, NULL, d->blocks);
	d->next.has = arena_grow(d->a, NULL, d->blocks);
	d->symbol = arena_grow(d->a, NULL, places * sizeof *d->symbol);
	d->other = arena_grow(d->a, NULL, places * sizeof *d->other);
	d->norm = arena_grow(d->a, NULL, places * sizeof *d->norm);
	if (!d->now.of || !d->next.of || !d->now.has || !d->next.has ||
		!d->symbol || !d->other || !d->norm)
		return false;
	layer_period_decode_place_kinds(d);
	return true;
}

static void layer_period_decode_decoder_release(struct layer_decode_decoder *d)
{
	arena_drop(d->a, d->nodes);
	arena_drop(d->a, d->now.of);
	arena_drop(d->a, d->next.of);
	arena_drop(d->a, d->now.has);
	arena_drop(d->a, d->next.has);
	arena_drop(d->a, d->symbol);
	arena_drop(d->a, d->other);
	arena_drop(d->a, d->norm);
}

/* Appends the readings of a part, which cover all of its launches. at[] is
 * grown with arena_grow(). Returns false if the arena is full. */
static bool layer_period_decode(const struct layer_line *l, struct slice part,
	const struct layer_kinds *k, struct arena *a,
	struct layer_readings *out)
{
	struct layer_decode_decoder d = { .l = l, .k = k, .a = a };
	uint32_t lacks;

	if (part.to == part.from)
		return true;
	if (!layer_period_decode_decoder_init(&d))
		return false;
	d.outside_node = layer_period_decode_node(&d, part.from, NONE, 0, NONE);
	for (uint32_t i = part.from; i < part.to && !d.full; i++) {
		layer_period_decode_step(&d, i, i == part.from);
		layer_period_decode_turn(&d);
	}
	uint32_t last = layer_period_decode_finish(&d, &lacks);
	bool ok = !d.full &&
		  layer_period_decode_write(&d, part, last, lacks, out);
	layer_period_decode_decoder_release(&d);
	return ok;
}

/* Repair: corrects the readings pass by pass.
 *
 * Consecutive layers are a stack. One or a few launches between two layers are
 * added to the layer before them. A single layer is removed if the pass has a
 * larger stack: for example, an additional layer that predicts tokens ahead
 * belongs to the section after the layers. A layer is also removed if most of
 * it is cut off. */

struct layer_repair {
	const struct layer_line *l;
	const struct layer_kinds *k;
	struct layer_readings *r; /* corrected in place */
	struct slice *pass; /* readings of each pass */
	uint32_t *layers; /* by pass */
	uint32_t
		typical; /* first pass with the most frequent number of layers */
};

static inline bool layer_period_repair_is_layer(const struct layer_repair *m,
	uint32_t i)
{
	return m->r->at[i].kind != LAYER_OUTSIDE;
}

enum { GAP_ALWAYS = 2, GAP_MAX = 8 };

static uint32_t layer_period_repair_length(const struct layer_repair *m,
	uint32_t i)
{
	return m->r->at[i].to - m->r->at[i].from;
}

/* Removes layers that have less than half of the launches of their kind. */
static void layer_period_repair_drop_parts(struct layer_repair *m)
{
	for (uint32_t i = 0; i < m->r->n; i++) {
		struct layer_reading *o = &m->r->at[i];
		if (layer_period_repair_is_layer(m, i) &&
			o->lacks * 2 > m->k->at[o->kind].n)
			o->kind = LAYER_OUTSIDE;
	}
}

/* Counts the consecutive layers that end with reading i, at most 3. The next
 * function counts those that begin with reading i. */
static uint32_t layer_period_repair_run_before(const struct layer_repair *m,
	struct slice p, uint32_t i)
{
	uint32_t n = 0;

	while (i + 1 > p.from + n && n < 3 &&
		layer_period_repair_is_layer(m, i - n))
		n++;
	return n;
}

static uint32_t layer_period_repair_run_behind(const struct layer_repair *m,
	struct slice p, uint32_t i)
{
	uint32_t n = 0;

	while (i + n < p.to && n < 3 && layer_period_repair_is_layer(m, i + n))
		n++;
	return n;
}

/* Returns whether the launches between two layers are few enough to belong to
 * the layer before them. */
static bool layer_period_repair_small(const struct layer_repair *m,
	struct slice p, uint32_t i)
{
	if (i == p.from || i + 1 == p.to ||
		layer_period_repair_is_layer(m, i) ||
		!layer_period_repair_is_layer(m, i - 1) ||
		!layer_period_repair_is_layer(m, i + 1))
		return false;
	const struct layer_kind *k = &m->k->at[m->r->at[i - 1].kind];
	const struct layer_kind *next = &m->k->at[m->r->at[i + 1].kind];
	if (layer_period_repair_length(m, i) <= GAP_ALWAYS)
		return true;
	return layer_period_repair_length(m, i) <= GAP_MAX &&
	       layer_period_repair_length(m, i) * 4 <= k->n &&
	       k->like == next->like &&
	       layer_period_repair_run_before(m, p, i - 1) > 1 &&
	       layer_period_repair_run_behind(m, p, i + 1) > 1;
}

/* Adds small gaps to the layer before them, and merges consecutive readings
 * outside of layers. */
static struct slice layer_period_repair_pass(struct layer_repair *m,
	struct slice p, uint32_t at)
{
	struct layer_reading *r = m->r->at;
	uint32_t from = at;

	for (uint32_t i = p.from; i < p.to; i++) {
		bool put_in = layer_period_repair_small(m, p, i);
		bool more = at > from && !layer_period_repair_is_layer(m, i) &&
			    r[at - 1].kind == LAYER_OUTSIDE;
		if (put_in || more)
			r[at - 1].to = r[i].to;
		else
			r[at++] = r[i];
	}
	return (struct slice){ from, at };
}

static uint32_t layer_period_repair_longest(const struct layer_repair *m,
	struct slice p)
{
	uint32_t most = 0, run = 0;

	for (uint32_t i = p.from; i < p.to; i++) {
		run = layer_period_repair_is_layer(m, i) ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

/* Removes single layers if there is a larger stack: they join the launches
 * around them. */
static void layer_period_repair_drop_single(struct layer_repair *m,
	struct slice p)
{
	if (layer_period_repair_longest(m, p) < 2)
		return;
	for (uint32_t i = p.from; i < p.to; i++)
		if (layer_period_repair_is_layer(m, i) &&
			(i == p.from ||
				!layer_period_repair_is_layer(m, i - 1)) &&
			layer_period_repair_run_behind(m, p, i) == 1)
			m->r->at[i].kind = LAYER_OUTSIDE;
}

static struct slice layer_period_repair_join_outside(struct layer_repair *m,
	struct slice p)
{
	struct layer_reading *r = m->r->at;
	uint32_t at = p.from;

	for (uint32_t i = p.from; i < p.to; i++)
		if (at > p.from && !layer_period_repair_is_layer(m, i) &&
			r[at - 1].kind == LAYER_OUTSIDE)
			r[at - 1].to = r[i].to;
		else
			r[at++] = r[i];
	return (struct slice){ p.from, at };
}

static uint32_t layer_period_repair_layers_in(const struct layer_repair *m,
	struct slice p)
{
	uint32_t n = 0;

	for (uint32_t i = p.from; i < p.to; i++)
		n += layer_period_repair_is_layer(m, i);
	return n;
}

/* Repairs readings pass by pass. A pass's readings are contiguous, and passes
 * are in order, as they were decoded. */
static bool layer_period_repair_by_pass(struct layer_repair *m, struct arena *a)
{
	uint32_t passes = m->l->s->passes_n, i = 0, at = 0;

	m->pass = arena_array(a, struct slice, passes + 1);
	m->layers = arena_array(a, uint32_t, passes + 1);
	if (!m->pass || !m->layers)
		return false;
	layer_period_repair_drop_parts(m);
	for (uint32_t p = 0; p < passes; p++) {
		struct slice of = { i, i };
		while (i < m->r->n && m->r->at[i].from < m->l->pass[p].to)
			of.to = ++i;
		of = layer_period_repair_pass(m, of, at);
		layer_period_repair_drop_single(m, of);
		of = layer_period_repair_join_outside(m, of);
		m->pass[p] = of;
		m->layers[p] = layer_period_repair_layers_in(m, of);
		at = of.to;
	}
	m->r->n = at;
	return true;
}

/* Finds the first pass with the most frequent number of layers. */
static bool layer_period_repair_choose_typical(struct layer_repair *m,
	struct arena *a)
{
	uint32_t n = m->l->s->passes_n, most = 0, number = 0, run = 0;
	uint32_t *sorted = arena_array(a, uint32_t, n + 1);

	if (!sorted)
		return false;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = m->layers[i];
	sort_uint32(sorted, n);
	for (uint32_t i = 0; i < n; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run >= most) {
			most = run;
			number = sorted[i];
		}
	}
	while (m->typical < n && m->layers[m->typical] != number)
		m->typical++;
	return true;
}

/* Repairs the readings of all passes, in order. The caller sets m->l, m->k and
 * m->r. Allocates in `a`. Returns false if it is full. */
static bool layer_period_repair(struct layer_repair *m, struct arena *a)
{
	return layer_period_repair_by_pass(m, a) &&
	       layer_period_repair_choose_typical(m, a);
}

/* Stacks: converts the readings of all passes to sections and their instances.
 *
 * Each kind of layer is a section. The launches before the first layer of a
 * pass, those after the last layer, and those between two stacks are sections,
 * too. A launch of another stream belongs to the instance in whose time it
 * starts. */

/* The section between layers of two kinds. */
struct layer_stacks_between {
	uint32_t behind, before, section;
};

struct layer_stacks_stacker {
	struct layer_repair m;
	uint32_t kind[LAYER_KINDS_MAX]; /* by kind: its section; LAYER_NONE */
	struct layer_stacks_between *between;
	uint32_t betweens;
	uint32_t before, after;
	struct layer_cut *out;
};

static uint32_t layer_period_stacks_section(struct layer_stacks_stacker *s,
	enum section_place place)
{
	s->out->sections[s->out->sections_n] =
		(struct layer_section){ .place = place };
	return s->out->sections_n++;
}

/* Returns the section between two stacks, by the kinds on both sides. If there
 * are too many such sections, the last one is used for all others. */
static uint32_t layer_period_stacks_between(struct layer_stacks_stacker *s,
	uint32_t i)
{
	const struct layer_reading *r = s->m.r->at;
	uint32_t behind = r[i - 1].kind, before = r[i + 1].kind;
	uint32_t n = s->betweens;

	for (uint32_t k = 0; k < n; k++)
		if (s->between[k].behind == behind &&
			s->between[k].before == before)
			return s->between[k].section;
	if (n == LAYER_KINDS_MAX)
		return s->between[n - 1].section;
	s->between[s->betweens++] = (struct layer_stacks_between){ behind,
		before, layer_period_stacks_section(s, SECTION_BETWEEN) };
	return s->between[n].section;
}

/* Returns the section of a reading, and makes it if it is new. */
static uint32_t layer_period_stacks_section_of(struct layer_stacks_stacker *s,
	struct slice p, uint32_t i)
{
	if (layer_period_repair_is_layer(&s->m, i)) {
		uint32_t *of = &s->kind[s->m.r->at[i].kind];
		if (*of == LAYER_NONE)
			*of = layer_period_stacks_section(s, SECTION_LAYER);
		return *of;
	}
	if (i == p.from)
		return s->before;
	return i + 1 == p.to ? s->after : layer_period_stacks_between(s, i);
}

/* Adds the sections that a pass has and earlier passes do not have, in the
 * order of the pass. */
static void layer_period_stacks_name_sections(struct layer_stacks_stacker *s,
	struct slice p)
{
	for (uint32_t i = p.from; i < p.to; i++)
		layer_period_stacks_section_of(s, p, i);
}

static bool layer_period_stacks_sections(struct layer_stacks_stacker *s)
{
	struct layer_cut *out = s->out;
	uint32_t passes = s->m.l->s->passes_n;

	out->sections = arena_array(s->m.l->s->arena, struct layer_section,
		LAYER_KINDS_MAX * 2 + 2);
	if (!out->sections)
		return false;
	for (uint32_t i = 0; i < LAYER_KINDS_MAX; i++)
		s->kind[i] = LAYER_NONE;
	s->before = layer_period_stacks_section(s, SECTION_BEFORE);
	s->after = LAYER_NONE;
	layer_period_stacks_name_sections(s, s->m.pass[s->m.typical]);
	for (uint32_t p = 0; p < passes; p++)
		layer_period_stacks_name_sections(s, s->m.pass[p]);
	s->after = layer_period_stacks_section(s, SECTION_AFTER);
	return true;
}

/* Assigns the items of a pass, of all streams, to its instances [from, to): to
 * the last one whose first launch on the main stream is no later. */
static void layer_period_stacks_give(struct layer_stacks_stacker *s,
	uint32_t pass, struct slice to, const uint32_t *order,
	struct slice items)
{
	const struct layer_line *l = s->m.l;
	const struct layer_reading *r = s->m.r->at + s->m.pass[pass].from;
	uint32_t at = to.from;

	for (uint32_t i = items.from; i < items.to; i++) {
		uint32_t item = order[i];
		while (at + 1 < to.to &&
			item >= l->item[r[at + 1 - to.from].from])
			at++;
		s->out->instance[item] = at;
	}
}

/* Sorts items by pass; the order within a pass does not change. */
static bool layer_period_stacks_items_by_pass(const struct layer_seq *s,
	uint32_t **order, struct slice **of, struct arena *a)
{
	*order = arena_array(a, uint32_t, s->n + 1);
	*of = arena_array(a, struct slice, s->passes_n + 1);
	if (!*order || !*of)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			(*of)[s->items[i].pass].to++;
	for (uint32_t p = 0, at = 0; p < s->passes_n; p++) {
		uint32_t n = (*of)[p].to;
		(*of)[p] = (struct slice){ at, at };
		at += n;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			(*order)[(*of)[s->items[i].pass].to++] = i;
	return true;
}

/* Makes the instances of a pass. If a pass has no launches on the main stream,
 * all of it belongs to the section before the layers. */
static struct slice layer_period_stacks_instances_of(struct layer_stacks_stacker
							     *s,
	uint32_t pass)
{
	struct layer_cut *out = s->out;
	struct slice p = s->m.pass[pass], made = { out->instances_n, 0 };
	uint32_t number = 0;

	for (uint32_t i = p.from; i < p.to; i++)
		out->instances[out->instances_n++] = (struct layer_instance){
			.section = layer_period_stacks_section_of(s, p, i),
			.pass = pass,
			.number = layer_period_repair_is_layer(&s->m, i)
					  ? number++
					  : 0,
		};
	if (p.from == p.to)
		out->instances[out->instances_n++] = (struct layer_instance){
			.section = s->before,
			.pass = pass,
		};
	made.to = out->instances_n;
	return made;
}

static bool layer_period_stacks_instances(struct layer_stacks_stacker *s,
	struct arena *a)
{
	const struct layer_seq *q = s->m.l->s;
	struct layer_cut *out = s->out;
	struct slice *of;
	uint32_t *order;

	out->instances = arena_array(q->arena, struct layer_instance,
		s->m.r->n + q->passes_n + 1);
	out->instance = arena_array(q->arena, uint32_t, q->n + 1);
	if (!out->instances || !out->instance ||
		!layer_period_stacks_items_by_pass(q, &order, &of, a))
		return false;
	for (uint32_t i = 0; i < q->n; i++)
		out->instance[i] = LAYER_NONE;
	for (uint32_t p = 0; p < q->passes_n; p++)
		if (of[p].from < of[p].to)
			layer_period_stacks_give(s, p,
				layer_period_stacks_instances_of(s, p), order,
				of[p]);
	return true;
}

/* Makes a cut from the readings; changes `r`. out->sections_n is 0 if most
 * passes have fewer than two layers. Allocates the content of *out in s->arena
 * and scratch memory in `a`. Returns false if either is full. */
static bool layer_period_stacks_cut(const struct layer_line *l,
	const struct layer_kinds *k, struct layer_readings *r, struct arena *a,
	struct layer_cut *out, uint32_t *layered)
{
	struct layer_stacks_between betweens[LAYER_KINDS_MAX];
	struct layer_stacks_stacker s = { .m = { .l = l, .k = k, .r = r },
		.between = betweens,
		.out = out };

	*out = (struct layer_cut){ 0 };
	*layered = 0;
	if (!layer_period_repair(&s.m, a))
		return false;
	if (s.m.layers[s.m.typical] < 2)
		return true;
	for (uint32_t i = 0; i < r->n; i++)
		if (layer_period_repair_is_layer(&s.m, i))
			*layered += r->at[i].to - r->at[i].from;
	return layer_period_stacks_sections(&s) &&
	       layer_period_stacks_instances(&s, a);
}

/* Search: finds the kinds of layer in a sample of the main stream, then reads
 * the whole stream as layers of these kinds. */

enum {
	SAMPLE = 1 << 16, /* launches of the sample */
	ROUNDS = 4, /* most stacks that have no names in common */
	PART_MIN = 16, /* least unread launches for another round */
	PARTS_MAX = 1024
};

/* Layers with a lower confidence are rejected. */
static const double CONFIDENCE_MIN = 0.5;

static const char *const none_run = "nothing ran in the passes that count";
static const char *const none_one =
	"all launches of the main stream are of one kernel";
static const char *const none_repeats =
	"no sequence of kernels repeats within a pass, as layers would";
static const char *const none_even = "what repeats is of different length or "
				     "content each time, so it is no layer";
static const char *const none_timed =
	"what repeats takes too different times for layers of a kind";

struct layer_period_search {
	struct layer_line line;
	struct layer_kinds kinds;
	struct slice
		parts[PARTS_MAX]; /* the sample, and the parts not read yet */
	uint32_t parts_n;
	bool mixes;
	/* The sample as layers of the kinds that are known so far. */
	struct layer_readings read;
	struct arena a; /* scratch */
};

/* Takes the sample: passes from the second on, because the first may be cut
 * off. Of a long pass, takes the middle. */
static void layer_period_sample(struct layer_period_search *f)
{
	uint32_t passes = f->line.s->passes_n, left = SAMPLE;

	for (uint32_t i = 0; i < passes && f->parts_n < PARTS_MAX / 2; i++) {
		struct slice p = f->line.pass[(i + 1) % passes];
		uint32_t n = p.to - p.from;
		if (n > left && f->parts_n)
			break;
		if (n > left) {
			p.from += (n - left) / 2;
			p.to = p.from + left;
		}
		left -= p.to - p.from;
		if (p.to > p.from)
			f->parts[f->parts_n++] = p;
	}
}

/* Reads the sample as layers of the known kinds. */
static bool layer_period_read_sample(struct layer_period_search *f,
	const struct slice *of, uint32_t n)
{
	f->read.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!layer_period_decode(&f->line, of[i], &f->kinds, &f->a,
			    &f->read))
			return false;
	return true;
}

/* Sets the parts to the launches of the sample that are in no layer of a known
 * kind, and returns their number. */
static uint32_t layer_period_rest(struct layer_period_search *f)
{
	uint32_t launches = 0;

	f->parts_n = 0;
	for (uint32_t i = 0; i < f->read.n && f->parts_n < PARTS_MAX; i++) {
		const struct layer_reading *r = &f->read.at[i];
		if (r->kind != LAYER_OUTSIDE || r->to - r->from < PART_MIN)
			continue;
		f->parts[f->parts_n++] = (struct slice){ r->from, r->to };
		launches += r->to - r->from;
	}
	return launches;
}

/* Finds the kinds of one stack after another. The launches that are in no layer
 * of a known kind are searched again, if they are at least a tenth of the
 * sample. */
static bool layer_period_learn(struct layer_period_search *f)
{
	struct slice *all = arena_array(&f->a, struct slice, f->parts_n + 1);
	uint32_t n = f->parts_n, launches = 0, left;
	struct layer_cuts cuts;

	if (!all)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		all[i] = f->parts[i];
		launches += all[i].to - all[i].from;
	}
	left = launches;
	for (uint32_t i = 0; i < ROUNDS && f->kinds.n < LAYER_KINDS_MAX; i++) {
		uint32_t known = f->kinds.n;
		if (!layer_anchor_find(&f->line, f->parts, f->parts_n, f->mixes,
			    &f->a, &cuts))
			return false;
		if (cuts.explained * 4 < left)
			break;
		if (!layer_kinds_add(&f->kinds, &f->line, f->parts, f->parts_n,
			    &cuts, &f->a))
			return false;
		if (f->kinds.n == known)
			break;
		if (!layer_period_read_sample(f, all, n))
			return false;
		left = layer_period_rest(f);
		f->mixes |= cuts.mixes;
		if (!f->parts_n || left * 10 < launches)
			break;
	}
	return true;
}

static bool layer_period_one_name(const struct layer_line *l)
{
	for (uint32_t i = 1; i < l->n; i++)
		if (l->symbol[i] != l->symbol[0])
			return false;
	return true;
}

/* Returns the kernel that most layers begin with. */
static const char *layer_period_beginning(const struct layer_line *l,
	const struct layer_readings *r)
{
	const struct profile *p = l->s->profile;
	uint32_t best = LAYER_NONE, votes = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		if (r->at[i].kind == LAYER_OUTSIDE)
			continue;
		uint32_t symbol = l->symbol[r->at[i].from];
		if (!votes)
			best = symbol;
		votes += symbol == best ? 1 : -1u;
	}
	if (!p || best == LAYER_NONE)
		return NULL;
	return best < p->kernels_n ? p->kernels[best].name
				   : l->s->operations[best - p->kernels_n];
}

/* Returns whether there are few kinds of layer, or whether most layers are of
 * kinds that occur four times per pass. Otherwise the pieces differ too much to
 * be layers. */
static bool layer_period_few_kinds(const struct layer_period_search *f,
	const struct layer_readings *r)
{
	uint32_t n[LAYER_KINDS_MAX] = { 0 }, all = 0, often = 0, kinds = 0;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->at[i].kind != LAYER_OUTSIDE) {
			n[r->at[i].kind]++;
			all++;
		}
	for (uint32_t k = 0; k < LAYER_KINDS_MAX; k++) {
		kinds += n[k] > 0;
		often += n[k] / 4 >= f->line.s->passes_n ? n[k] : 0;
	}
	return kinds <= 4 || often >= all / 2;
}

/* Reads all passes as layers of the known kinds, in order. A sample that is the
 * whole line was read already, with its first pass at the end. */
static bool layer_period_read(struct layer_period_search *f,
	struct layer_readings *out)
{
	const struct layer_line *l = &f->line;
	const struct layer_readings *read = &f->read;
	uint32_t sampled = 0, first = 0;

	for (uint32_t i = 0; i < read->n; i++)
		sampled += read->at[i].to - read->at[i].from;
	if (sampled < l->n) {
		for (uint32_t i = 0; i < l->s->passes_n; i++)
			if (!layer_period_decode(l, l->pass[i], &f->kinds,
				    &f->a, out))
				return false;
		return true;
	}
	*out = (struct layer_readings){ arena_array(&f->a, struct layer_reading,
						read->n + 1),
		read->n, read->n };
	if (!out->at)
		return false;
	while (read->at[first].from != 0)
		first++;
	for (uint32_t i = 0; i < read->n; i++)
		out->at[i] = read->at[(first + i) % read->n];
	return true;
}

static bool layer_period_read_all(struct layer_period_search *f,
	struct layering *out)
{
	const struct layer_seq *s = f->line.s;
	struct layer_readings r = { 0 };
	struct layer_cut cut;
	uint32_t layered;

	if (!layer_period_read(f, &r) ||
		!layer_period_stacks_cut(&f->line, &f->kinds, &r, &f->a, &cut,
			&layered))
		return false;
	if (!cut.sections_n || layered < f->line.n / 4 ||
		!layer_period_few_kinds(f, &r)) {
		out->why = cut.sections_n ? none_even : none_repeats;
		return true;
	}
	if (!layering_align(s, &cut, out))
		return false;
	out->detector = LAYERS_PERIOD;
	out->confidence = layering_confidence(out, s);
	if (out->confidence < CONFIDENCE_MIN) {
		*out = (struct layering){ .why = none_even };
		return true;
	}
	out->confidence *= layering_evenness(out, s);
	if (out->confidence < CONFIDENCE_MIN) {
		*out = (struct layering){ .why = none_timed };
		return true;
	}
	out->anchor = layer_period_beginning(&f->line, &r);
	out->why = NULL;
	return true;
}

static bool layer_period_find(struct layer_period_search *f,
	const struct layer_seq *s, struct layering *out)
{
	if (!layer_line_from(&f->line, s, &f->a))
		return false;
	if (f->line.n < 2 || layer_period_one_name(&f->line)) {
		out->why = f->line.n < 2 ? none_run : none_one;
		return true;
	}
	layer_period_sample(f);
	if (!layer_period_learn(f))
		return false;
	if (!f->kinds.n) {
		out->why = none_repeats;
		return true;
	}
	return layer_period_read_all(f, out);
}

bool layering_by_period(const struct layer_seq *s, struct layering *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct layer_period_search *f =
		arena_new(&scratch, struct layer_period_search);
	bool ok = f;

	*out = (struct layering){ .detector = LAYERS_NONE };
	if (f) {
		f->a = scratch;
		ok = layer_period_find(f, s, out);
		scratch = f->a;
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}
