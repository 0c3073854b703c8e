/* layer_decode.c - readings side by side, each with the cost so far. */
#include "layer_decode.h"
#include <string.h>

enum {
	FOREIGN = 10, /* a launch that the kind does not have */
	LOST = 10, /* one that the line does not have */
	OTHER = 17, /* one in the place of another */
	KIN = 7, /* … where both are norms: a first layer's may be another */
	OUTSIDE = 6, /* a launch in no layer */
	ENTER = 10, /* a layer behind such */
	WITHIN = 30, /* the part begins or ends within a layer */
	BEAM = 90,
	LOST_MAX = 4, /* in a row */
	NONE = UINT32_MAX
};

/* Where a reading began something, and where before that. */
struct node {
	uint32_t place, kind, skipped, before;
};

/* A reading that has its last launch at a place of a kind. */
struct state {
	uint32_t kind, at, node;
	int32_t cost;
};

struct states {
	struct state *of;
	uint32_t n;
};
struct decoder {
	const struct layer_line *l;
	const struct layer_kinds *k;
	struct arena *a;
	struct node *nodes;
	size_t nodes_n, room;
	struct states now, next;
	uint32_t base[LAYER_KINDS_MAX]; /* number of a kind's first state */
	uint32_t *slot; /* by state: where it is in `next`, + 1 */
	int32_t outside; /* cost of being in no layer, and its node */
	uint32_t outside_node;
	int32_t limit; /* what costs more is not followed */
	bool full;
};

static uint32_t node(struct decoder *d, uint32_t place, uint32_t kind,
	uint32_t skipped, uint32_t before)
{
	if (d->nodes_n == d->room) {
		size_t room = d->room ? d->room * 2 : 1024;
		struct node *grown =
			arena_grow(d->a, d->nodes, room * sizeof *grown);
		if (!grown) {
			d->full = true;
			return 0;
		}
		d->nodes = grown;
		d->room = room;
	}
	d->nodes[d->nodes_n] = (struct node){ place, kind, skipped, before };
	return (uint32_t)d->nodes_n++;
}

/* A reading joins the next ones, unless a cheaper one is there already. */
static void join(struct decoder *d, struct state s)
{
	uint32_t id = d->base[s.kind] + s.at;

	if (s.cost > d->limit)
		return;
	if (!d->slot[id]) {
		d->next.of[d->next.n] = s;
		d->slot[id] = ++d->next.n;
	} else if (d->next.of[d->slot[id] - 1].cost > s.cost) {
		d->next.of[d->slot[id] - 1] = s;
	}
	if (s.cost + BEAM < d->limit)
		d->limit = s.cost + BEAM;
}

/* What it costs that a launch stands at a place of a kind. */
static int32_t stands(const struct decoder *d, uint32_t place,
	const struct layer_kind *k, uint32_t at)
{
	if (d->l->symbol[place] == k->symbol[at])
		return 0;
	return d->l->act[place] == ACT_NORM && k->act[at] == ACT_NORM ? KIN
								      : OTHER;
}

/* On to the next places of a kind, from behind `at`; some may be lost. `lead`
 * has the cost and node so far. */
static void go_on(struct decoder *d, uint32_t place, struct state lead,
	uint32_t at)
{
	const struct layer_kind *k = &d->k->at[lead.kind];
	int32_t so_far = lead.cost;

	for (uint32_t lost = 0; lost <= LOST_MAX && at + lost < k->n; lost++) {
		int32_t cost = stands(d, place, k, at + lost);
		if (lost && cost)
			continue;
		lead.at = at + lost;
		lead.cost = so_far + cost + LOST * (int32_t)lost;
		join(d, lead);
	}
}

/* The cheapest way to have ended a layer before this place. */
static struct state ended(const struct decoder *d)
{
	struct state best = { .kind = NONE, .cost = INT32_MAX };

	for (uint32_t i = 0; i < d->now.n; i++) {
		const struct state *s = &d->now.of[i];
		uint32_t lost = d->k->at[s->kind].n - 1 - s->at;
		if (lost > LOST_MAX)
			continue;
		int32_t cost = s->cost + LOST * (int32_t)lost;
		if (cost < best.cost) {
			best = *s;
			best.cost = cost;
		}
	}
	return best;
}

/* Layers that begin at a place. */
static void begin(struct decoder *d, uint32_t place, int32_t cost,
	uint32_t before)
{
	for (uint32_t k = 0; cost <= d->limit && k < d->k->n; k++) {
		struct state s = { .kind = k, .cost = cost };
		uint32_t most = d->k->at[k].n;
		bool may = false;
		for (uint32_t i = 0; i <= LOST_MAX && i < most; i++)
			may |= d->l->symbol[place] == d->k->at[k].symbol[i];
		if (!may && stands(d, place, &d->k->at[k], 0) != KIN)
			continue;
		s.node = node(d, place, k, 0, before);
		go_on(d, place, s, 0);
	}
}

/* A part's first launch within a layer. */
static void begin_within(struct decoder *d, uint32_t place)
{
	for (uint32_t k = 0; k < d->k->n; k++)
		for (uint32_t at = 1; at < d->k->at[k].n; at++)
			if (d->k->at[k].symbol[at] == d->l->symbol[place])
				join(d, (struct state){ .kind = k,
						.at = at,
						.cost = WITHIN,
						.node = node(d, place, k, at,
							NONE) });
}

static void step(struct decoder *d, uint32_t place, bool first)
{
	struct state end = ended(d);
	int32_t outside = d->outside;
	uint32_t before = d->outside_node;

	d->limit = INT32_MAX - BEAM;
	d->next.n = 0;
	for (uint32_t i = 0; i < d->now.n; i++) {
		struct state s = d->now.of[i];
		go_on(d, place, s, s.at + 1);
		s.cost += FOREIGN;
		join(d, s);
	}
	/* Out of a layer, or still outside. */
	if (end.cost < outside) {
		d->outside = end.cost;
		d->outside_node = node(d, place, NONE, 0, end.node);
	}
	d->outside += OUTSIDE;
	if (d->outside + BEAM < d->limit)
		d->limit = d->outside + BEAM;
	if (end.cost <= outside + ENTER)
		begin(d, place, end.cost, end.node);
	else
		begin(d, place, outside + ENTER, before);
	if (first)
		begin_within(d, place);
}

/* What was joined is where readings go on from; the dear ones are dropped. */
static void turn(struct decoder *d)
{
	struct states spare = d->now;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->next.n; i++) {
		struct state s = d->next.of[i];
		d->slot[d->base[s.kind] + s.at] = 0;
		if (s.cost <= d->limit)
			d->next.of[kept++] = s;
	}
	d->next.n = kept;
	d->now = d->next;
	d->next = spare;
}

/* The node that the cheapest reading ends with; how much of a layer it lacks. */
static uint32_t finish(const struct decoder *d, uint32_t *lacks)
{
	int32_t best = d->outside;
	uint32_t last = d->outside_node;

	*lacks = 0;
	for (uint32_t i = 0; i < d->now.n; i++) {
		const struct state *s = &d->now.of[i];
		uint32_t lost = d->k->at[s->kind].n - 1 - s->at;
		bool cut = LOST * (int32_t)lost > WITHIN;
		int32_t cost = s->cost + (cut ? WITHIN : LOST * (int32_t)lost);
		if (cost < best) {
			best = cost;
			last = s->node;
			*lacks = cut ? lost : 0;
		}
	}
	return last;
}

static bool write(struct decoder *d, struct slice part, uint32_t last,
	uint32_t lacks, struct layer_readings *out)
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
	out->n += n;
	struct layer_reading *r = out->at + out->n;
	for (uint32_t i = last; i != NONE; i = d->nodes[i].before) {
		const struct node *o = &d->nodes[i];
		uint32_t kind = o->kind == NONE ? LAYER_OUTSIDE : o->kind;
		*--r = (struct layer_reading){ o->place, to, kind,
			o->skipped + lacks };
		lacks = 0;
		to = o->place;
	}
	/* A part that begins with a layer has nothing before it. */
	if (r->from == r->to) {
		out->n--;
		memmove(r, r + 1, (n - 1) * sizeof *r);
	}
	return true;
}

static bool decoder_init(struct decoder *d)
{
	uint32_t states = 0;

	for (uint32_t i = 0; i < d->k->n; i++) {
		d->base[i] = states;
		states += d->k->at[i].n;
	}
	size_t bytes = (states + 1) * sizeof(struct state);
	d->now.of = arena_grow(d->a, NULL, bytes);
	d->next.of = arena_grow(d->a, NULL, bytes);
	d->slot = arena_grow(d->a, NULL, (states + 1) * sizeof *d->slot);
	return d->now.of && d->next.of && d->slot;
}

bool layer_decode(const struct layer_line *l, struct slice part,
	const struct layer_kinds *k, struct arena *a,
	struct layer_readings *out)
{
	struct decoder d = { .l = l, .k = k, .a = a };
	uint32_t lacks;

	if (part.to == part.from)
		return true;
	if (!decoder_init(&d))
		return false;
	d.outside_node = node(&d, part.from, NONE, 0, NONE);
	for (uint32_t i = part.from; i < part.to && !d.full; i++) {
		step(&d, i, i == part.from);
		turn(&d);
	}
	uint32_t last = finish(&d, &lacks);
	bool ok = !d.full && write(&d, part, last, lacks, out);
	arena_drop(a, d.nodes);
	arena_drop(a, d.now.of);
	arena_drop(a, d.next.of);
	arena_drop(a, d.slot);
	return ok;
}
