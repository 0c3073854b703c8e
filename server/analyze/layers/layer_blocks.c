/* layer_blocks.c - finds the block and the roles of each position. */
#include "layer_blocks.h"
#include "layer_role_slot.h"
#include <string.h>

/* Confidence: decides which parts of a layer have enough evidence to get roles.
 * Other parts get no roles. */

enum {
	PLAIN_MAX = 2, /* products before an activation: one, or gate and up */
	FUSED_MIN =
		2, /* products around a fused activation, including the last */
	FUSED_MAX = 3,
};

static const layer_roles attention =
	ROLE_BIT(ATTENTION) | ROLE_BIT(CROSS_ATTENTION) | ROLE_BIT(STATE);

static bool layer_roles_confidence_attends(const struct role_slot *d)
{
	return d->act == ACT_ATTENTION || d->act == ACT_STATE ||
	       d->module_roles & ROLE_BIT(ATTENTION) ||
	       (d->module_block == BLOCK_ATTENTION && d->act != ACT_NORM);
}

/* Returns whether a part is certainly a feed-forward part: an experts' part,
 * products around an activation, or two or three products without one in a
 * layer with attention. */
static bool layer_roles_feed_certain(const struct role_part *p, bool moe,
	bool attended)
{
	if (moe && (p->experts || p->routed))
		return true;
	if (p->anchored)
		return attended ? p->before || p->after
				: p->before && p->before <= PLAIN_MAX &&
					  p->after;
	return attended && p->before >= FUSED_MIN && p->before <= FUSED_MAX;
}

static void layer_roles_confidence_judge(struct role_slots *s)
{
	bool attended = false;

	s->attended = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct role_slot *d = &s->d[i];
		if (s->attended == s->n && d->common &&
			layer_roles_confidence_attends(d))
			s->attended = i;
		if (d->part && (d->module_roles || d->module_block < BLOCKS))
			s->parts[d->part - 1].by_module = true;
	}
	for (uint32_t i = 0; i < s->parts_n; i++)
		attended |= s->parts[i].attention &&
			    (s->parts[i].anchored || s->parts[i].by_module);
	for (uint32_t i = 0; i < s->parts_n; i++) {
		struct role_part *p = &s->parts[i];
		p->certain = p->by_module ||
			     (p->attention ? p->anchored
					   : layer_roles_feed_certain(p, s->moe,
						     attended));
		p->certain &= !s->backward;
	}
}

/* Removes attention roles and blocks from a layer without attention. */
static void layer_roles_withdraw(struct layer_named *named, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (named[i].block == BLOCK_ATTENTION &&
			(named[i].by_module ||
				named[i].roles &
					(attention | ROLE_BIT(CONVOLUTION))))
			return;
	for (uint32_t i = 0; i < n; i++)
		if (named[i].block == BLOCK_ATTENTION) {
			named[i].block = BLOCK_OTHER;
			/* These roles do not depend on the position. */
			named[i].roles &= ROLE_BIT(ROPE) | ROLE_BIT(KV_STORE) |
					  ROLE_BIT(QUANTIZE) |
					  ROLE_BIT(ALL_REDUCE) |
					  ROLE_BIT(COLLECTIVE);
		}
}

static void layer_roles_confidence_unembed(struct layer_named *named,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct layer_named *d = &named[i];
		if (d->roles & ROLE_BIT(EMBED) && !d->by_module)
			d->roles = ROLE_BIT(CONVOLUTION);
		if (d->block == BLOCK_EMBEDDING)
			d->block = BLOCK_OTHER;
	}
}

static bool layer_roles_confidence_looked_up(const struct layer_named *named,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (named[i].roles & ROLE_BIT(EMBED) &&
			(named[i].by_module || !named[i].op ||
				strcmp(named[i].op->name, "convolution") != 0))
			return true;
	return false;
}

/* If layers have convolutions and no attention, a convolution before the layers
 * is not a patch embedding. */
static void layer_roles_stem(const struct layering *l,
	struct layer_named *named)
{
	bool convolves = false;

	for (uint32_t i = 0; i < l->sections_n; i++) {
		const struct layer_section *s = &l->sections[i];
		for (uint32_t k = 0;
			s->place == SECTION_LAYER && k < s->places_n; k++) {
			layer_roles roles = named[s->places_from + k].roles;
			if (roles & attention)
				return;
			convolves |= (roles & ROLE_BIT(CONVOLUTION)) != 0;
		}
	}
	for (uint32_t i = 0; convolves && i < l->sections_n; i++) {
		const struct layer_section *s = &l->sections[i];
		if (s->place == SECTION_BEFORE &&
			!layer_roles_confidence_looked_up(
				named + s->places_from, s->places_n))
			layer_roles_confidence_unembed(named + s->places_from,
				s->places_n);
	}
}

/* Roles of a layer's products, norms and steps, by the part to which they
 * belong. */

/* State of a walk over the slots of a part. */
struct layer_roles_at {
	uint32_t before, after; /* products so far */
	struct role_slot *last; /* product before this one; NULL */
	bool inner,
		up; /* seen: a norm of latent vectors, the product after it */
	bool acted; /* seen: a kernel that is used as the activation */
};

static bool layer_roles_holds(const struct role_part *p)
{
	return !p->attention && (p->anchored || p->before || p->after);
}

/* Finds the experts' parts: the parts with products of experts. If there are
 * none, the part between sending tokens to experts and their return. If there
 * is none either, the only feed-forward part. */
static void layer_roles_route(struct role_slots *s)
{
	bool experts = false;
	uint32_t first = s->parts_n, one = s->parts_n, feeds = 0;

	for (uint32_t i = 0; i < s->parts_n; i++) {
		const struct role_part *p = &s->parts[i];
		if (!layer_roles_holds(p))
			continue;
		experts |= p->experts;
		if (p->routed && first == s->parts_n)
			first = i;
		one = i;
		feeds++;
	}
	if (!experts && first == s->parts_n && feeds == 1)
		s->parts[one].routed = true;
	for (uint32_t i = 0; i < s->parts_n; i++) {
		struct role_part *p = &s->parts[i];
		if (experts)
			p->routed = p->experts;
		else if (first < s->parts_n)
			p->routed &= p->lane == s->parts[first].lane;
	}
}

static enum layer_block_kind layer_roles_block_of(const struct role_slots *s,
	const struct role_part *p)
{
	if (p->attention)
		return BLOCK_ATTENTION;
	if (!s->moe)
		return BLOCK_MLP;
	return p->routed ? BLOCK_MOE : BLOCK_SHARED;
}

static layer_roles layer_roles_attention_product(const struct role_part *p,
	struct layer_roles_at *at, bool behind)
{
	if (behind) {
		at->after++;
		if (p->cross)
			return ROLE_BIT(CROSS_O_PROJ);
		return p->latent && p->after > 1 && at->after == 1
			       ? ROLE_BIT(V_ABSORB)
			       : ROLE_BIT(O_PROJ);
	}
	if (p->cross)
		return ROLE_BIT(CROSS_QKV);
	if (!p->latent)
		return ROLE_BIT(QKV);
	if (!at->inner)
		return ROLE_BIT(Q_A_KV_A);
	if (!at->up) {
		at->up = true;
		return ROLE_BIT(Q_B);
	}
	/* With a single product after attention, values are not absorbed: this
	 * product decompresses the keys. */
	return p->after > 1 ? ROLE_BIT(Q_ABSORB) : ROLE_BIT(QKV);
}

/* Returns the role of a feed-forward product. If the part has no activation
 * kernel, the last product but one computes the activation, or a single product
 * of experts computes everything. */
static layer_roles layer_roles_feed_product(const struct role_part *p,
	struct layer_roles_at *at, struct role_slot *d)
{
	if (d->behind)
		return ROLE_BIT(DOWN);
	if (p->anchored)
		return ROLE_BIT(GATE_UP);
	at->before++;
	if (p->before == 1)
		return p->experts ? ROLE_BIT(GATE_UP) | ROLE_BIT(ACTIVATION) |
					    ROLE_BIT(DOWN)
				  : 0;
	if (at->before < p->before)
		return ROLE_BIT(GATE_UP);
	if (!at->acted && at->last)
		at->last->roles |= ROLE_BIT(ACTIVATION);
	return ROLE_BIT(DOWN);
}

static void layer_roles_soft(const struct role_part *p,
	struct layer_roles_at *at, struct role_slot *d,
	enum layer_block_kind block)
{
	bool behind =
		p->anchored ? at->after : p->before && at->before == p->before;

	if (d->act == ACT_ADD && behind) {
		d->roles = ROLE_BIT(RESIDUAL);
		d->block = block;
	} else if (!p->attention && !behind &&
		   (p->anchored ? p->steps && at->before &&
					   d->act == ACT_MULTIPLY
				: at->before + 1 == p->before && !d->moves)) {
		d->roles |= ROLE_BIT(ACTIVATION);
		at->acted = true;
	}
}

/* In a layer with a router, the norm before the experts belongs to the router's
 * block. A norm before attention is not a norm after attention. */
static void layer_roles_post_norm(const struct role_slots *s,
	struct role_slot *d, const struct role_part *p)
{
	if (d->roles & ROLE_BIT(POST_NORM) && s->moe && s->gated &&
		!p->attention)
		d->block = BLOCK_GATE;
	if (s->d + s->attended > d)
		d->roles &= ~ROLE_BIT(POST_NORM);
}

/* Removes the roles of a slot in an uncertain part. Attention is known by its
 * operator. */
static void layer_roles_nothing(const struct role_slots *s, struct role_slot *d)
{
	if (s->backward && d->act == ACT_ATTENTION) {
		d->roles = ROLE_BIT(ATTENTION);
		d->block = BLOCK_ATTENTION;
	}
	if (!role_slot_is_product(d) && d->act != ACT_NORM &&
		d->act != ACT_ACTIVATION)
		return;
	d->roles = 0;
	d->block = BLOCK_OTHER;
}

static void layer_roles_role(struct role_slots *s, struct role_slot *d,
	struct layer_roles_at *ats)
{
	const struct role_part *p = &s->parts[d->part - 1];
	struct layer_roles_at *at = &ats[d->part - 1];
	enum layer_block_kind block = layer_roles_block_of(s, p);

	if (!p->certain) {
		layer_roles_nothing(s, d);
		return;
	}
	if (role_slot_is_soft(d)) {
		layer_roles_soft(p, at, d, block);
		return;
	}
	if (role_slot_is_product(d)) {
		d->roles |= p->attention ? layer_roles_attention_product(p, at,
						   d->behind)
					 : layer_roles_feed_product(p, at, d);
		if (!p->attention && p->anchored) {
			at->before += !d->behind;
			at->after += d->behind;
		}
		at->last = d;
		d->block = block;
	} else if (d->act == ACT_NORM) {
		at->inner |= at->last || (d->roles & ROLE_BIT(QK_NORM));
		d->block = block;
		layer_roles_post_norm(s, d, p);
	} else if (d->act == ACT_ATTENTION && p->cross)
		d->roles = ROLE_BIT(CROSS_ATTENTION);
	else if (d->act == ACT_ATTENTION)
		d->roles = ROLE_BIT(ATTENTION);
	else if (d->act == ACT_ACTIVATION)
		d->roles = ROLE_BIT(ACTIVATION);
	if (d->act == ACT_ATTENTION || d->act == ACT_STATE ||
		d->act == ACT_ACTIVATION)
		d->block = block;
}

/* A norm after the attention of its part is the norm after attention. A norm at
 * the end of another part is the input norm of the next layer's attention, if
 * this layer has no input norm. */
static void layer_roles_trailing(struct role_slots *s)
{
	bool input = false;

	for (uint32_t i = 0; i < s->n; i++)
		input |= s->d[i].common && s->d[i].roles & ROLE_BIT(INPUT_NORM);
	for (uint32_t i = 0; i < s->n; i++) {
		struct role_slot *d = &s->d[i];
		if (d->act != ACT_NORM || !d->behind || !d->part ||
			!s->parts[d->part - 1].certain)
			continue;
		if (s->parts[d->part - 1].attention && d->common)
			d->roles |= ROLE_BIT(POST_NORM);
		else if (!input && s->attended < s->n) {
			d->roles |= ROLE_BIT(INPUT_NORM);
			d->block = BLOCK_ATTENTION;
		}
	}
}

/* Sets blocks and roles of a layer's slots from its parts. Returns false if `a`
 * is full. */
static bool layer_roles_of(struct role_slots *s, struct arena *a)
{
	struct layer_roles_at *ats =
		arena_grow(a, NULL, (s->parts_n + 1) * sizeof *ats);

	if (!ats)
		return false;
	layer_roles_route(s);
	layer_roles_confidence_judge(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].part)
			layer_roles_role(s, &s->d[i], ats);
	layer_roles_trailing(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].act == ACT_COLLECTIVE)
			s->d[i].block = BLOCK_COMMUNICATION;
	arena_drop(a, ats);
	return true;
}

/* Role slots: finds the act of each position in its section's sequence. */

static const layer_roles norm_roles = ROLE_BIT(INPUT_NORM) |
				      ROLE_BIT(POST_NORM) | ROLE_BIT(QK_NORM) |
				      ROLE_BIT(FINAL_NORM);

/* Returns whether the act of a kernel's name is used instead of the act of its
 * operator: a call of an experts' operator also launches their activation. */
static bool layer_blocks_role_slot_name_first(enum layer_act name,
	enum layer_act op)
{
	switch (name) {
	case ACT_PRODUCT:
	case ACT_EXPERTS:
	case ACT_SOFTMAX:
	case ACT_NORM:
	case ACT_SORT:
	case ACT_EMBEDDING:
	case ACT_CONVOLUTION:
		return op == ACT_GLUE;
	default:
		return name != ACT_GLUE && (name < ACT_ADD || op == ACT_GLUE);
	}
}

static void layer_blocks_role_slot_take(struct role_slot *d,
	const struct layer_word *w)
{
	d->act = w->act;
	d->roles = w->roles;
	d->also = w->also;
	d->block = w->block;
}

static void layer_blocks_role_slot_look_up(const struct layer_seq *s,
	const struct profile_kernel *k, struct role_kernel_words *w)
{
	const struct operator_info *op =
		k->op ? catalog_operator(s->catalog, k->op) : NULL;

	w->known = true;
	w->moves = op && strcmp(op->group, "memory") == 0;
	w->reduces = op && strcmp(op->name, "reduce") == 0;
	w->by_operator =
		catalog_operator_word(s->catalog, k->op, &w->operator_word);
	w->by_name = catalog_kernel_word(s->catalog, k->name, strlen(k->name),
		&w->name_word);
}

static void layer_blocks_role_slot_named(const struct role_kernel_words *w,
	struct role_slot *d)
{
	enum layer_act act = w->name_word.act;

	d->moves |= w->moves;
	d->reduces |= w->reduces;
	if (w->by_operator &&
		layer_blocks_role_slot_name_first(w->operator_word.act, d->act))
		layer_blocks_role_slot_take(d, &w->operator_word);
	if (!w->by_name ||
		!(layer_blocks_role_slot_name_first(act, d->act) ||
			/* … fused with the next norm. */
			(act == ACT_NORM && d->act == ACT_COLLECTIVE)))
		return;
	layer_blocks_role_slot_take(d, &w->name_word);
	/* An activation that also multiplies one half of each row by the other
	 * is a single kernel, not a step. */
	d->step = act >= ACT_ADD || act == ACT_ACTIVATION;
}

static struct role_slot layer_blocks_role_slot_from(const struct layer_seq *s,
	struct role_kernel_words *words, const struct layer_place *p,
	const struct operator_info *op, uint32_t instances)
{
	struct role_slot d = {
		.block = BLOCKS,
		.module_roles = p->roles,
		.module_block = p->block,
		.op = op,
		.lane = p->lane,
		.instances = p->instances,
		.common = 2 * (uint64_t)p->instances >= instances,
	};
	struct layer_word w;

	if (op && catalog_operator_word(s->catalog, op->name, &w))
		layer_blocks_role_slot_take(&d, &w);
	d.moves = op && strcmp(op->group, "memory") == 0;
	d.reduces = op && strcmp(op->name, "reduce") == 0;
	if (p->symbol < s->profile->kernels_n) {
		struct role_kernel_words *k = &words[p->symbol];
		if (!k->known)
			layer_blocks_role_slot_look_up(s,
				&s->profile->kernels[p->symbol], k);
		layer_blocks_role_slot_named(k, &d);
	} else
		/* A copy, a fill or a graph, not a kernel. */
		d.moves = true;
	if (role_slot_is_soft(&d) && d.module_roles & norm_roles)
		d.act = ACT_NORM;
	return d;
}

/* The ends of a pass: the sections before the first layer, between stacks of
 * layers and after the last layer; and passes without layers. */

static void layer_blocks_ends_first(struct role_slots *s)
{
	bool embedded = false;

	for (uint32_t i = 0; i < s->n; i++) {
		struct role_slot *d = &s->d[i];
		if (d->act == ACT_EMBEDDING || d->act == ACT_CONVOLUTION) {
			embedded = true;
			d->roles = ROLE_BIT(EMBED);
		}
		if (d->act == ACT_COLLECTIVE)
			d->block = BLOCK_COMMUNICATION;
		else if (d->block == BLOCKS || embedded)
			d->block = embedded ? BLOCK_EMBEDDING : BLOCK_OTHER;
	}
}

/* Without layers, a position may occur anywhere. Its block is that of its own
 * act. */
static void layer_blocks_ends_alone(struct role_slots *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct role_slot *d = &s->d[i];
		if (d->act == ACT_COLLECTIVE)
			d->block = BLOCK_COMMUNICATION;
		else if (d->act == ACT_NORM && d->block == BLOCKS)
			d->block = BLOCK_NORM;
		else if (d->block == BLOCKS)
			d->block = BLOCK_OTHER;
	}
}

/* State of the walk over the section after the last layer. */
struct layer_ends_last {
	uint32_t products; /* before the first sampling kernel */
	uint32_t
		drawn; /* index of the first kernel that samples or sorts; n none */
	bool tokens; /* a single product, then sampling: the output layer of a language model */
	uint32_t embedding; /* index of the next stack's embedding; n none */
	bool headed, drawing, embedded;
	bool trained; /* a loss was computed: now the backward pass */
};

/* Finds the embedding. A kernel that looks up rows need not be an embedding: it
 * may select the last tokens. It is an embedding if its operator is one, or if
 * it is the last look-up before another stack. */
static uint32_t layer_blocks_ends_embedding_of(const struct role_slots *s,
	bool between)
{
	uint32_t last = s->n;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->d[i].act != ACT_EMBEDDING)
			continue;
		if (s->d[i].roles & ROLE_BIT(EMBED))
			return i;
		last = between ? i : last;
	}
	return last;
}

static struct layer_ends_last layer_blocks_ends_look(const struct role_slots *s,
	bool between)
{
	struct layer_ends_last at = { .drawn = s->n,
		.embedding = layer_blocks_ends_embedding_of(s, between) };
	bool training = false;

	for (uint32_t i = 0; i < at.embedding; i++) {
		enum layer_act act = s->d[i].act;
		training |= act == ACT_TRAINING;
		if (at.drawn == s->n &&
			(act == ACT_SAMPLING || act == ACT_SORT))
			at.drawn = i;
		if (at.drawn == s->n)
			at.products += role_slot_is_product(&s->d[i]);
	}
	at.tokens = at.products == 1 && at.drawn < s->n && !training;
	return at;
}

static void layer_blocks_ends_behind(struct layer_ends_last *at,
	struct role_slot *d, uint32_t i)
{
	bool draws = d->act == ACT_SAMPLING || d->act == ACT_SORT ||
		     d->act == ACT_SOFTMAX;

	at->embedded |= i == at->embedding;
	/* A product or norm after sampling belongs to another stack or
	 * model. */
	if (at->drawing && i > at->drawn &&
		(role_slot_is_product(d) || d->act == ACT_NORM))
		at->tokens = at->drawing = false;
	at->trained |= d->act == ACT_TRAINING;
	if (d->act == ACT_COLLECTIVE)
		d->block = BLOCK_COMMUNICATION;
	else if (at->trained && !at->embedded) {
		d->roles &= ROLE_BIT(CONVOLUTION);
		d->block = BLOCK_OTHER;
	} else if (at->embedded) {
		/* This position belongs to the next stack. */
		d->block = BLOCK_EMBEDDING;
		d->roles |= i == at->embedding ? ROLE_BIT(EMBED) : 0;
	} else if (d->act == ACT_NORM && !at->headed) {
		d->roles = ROLE_BIT(FINAL_NORM);
		d->block = BLOCK_HEAD;
	} else if (role_slot_is_product(d) && !at->headed) {
		at->headed = true;
		d->roles = at->products == 1 ? ROLE_BIT(LM_HEAD) : 0;
		d->block = BLOCK_HEAD;
	} else if (at->headed && at->tokens && d->act != ACT_HELPER) {
		at->drawing = true;
		d->roles = draws ? ROLE_BIT(SAMPLE) : 0;
		d->block = BLOCK_SAMPLING;
	} else if (at->headed)
		d->block = BLOCK_HEAD;
	else if (d->block == BLOCKS)
		d->block = BLOCK_OTHER;
}

static void layer_blocks_layer_ends(struct role_slots *s,
	enum section_place place)
{
	if (place == SECTION_BEFORE)
		layer_blocks_ends_first(s);
	else if (place == SECTION_FLAT)
		layer_blocks_ends_alone(s);
	else {
		struct layer_ends_last at =
			layer_blocks_ends_look(s, place == SECTION_BETWEEN);
		for (uint32_t i = 0; i < s->n; i++)
			layer_blocks_ends_behind(&at, &s->d[i], i);
	}
}

/* Neighbors on a lane: some positions get their role from the position next to
 * them. These are: a kernel that few instances have, instead of one that most
 * have; conversions for a product; helper kernels of a product; and kernels
 * that only move numbers. */

/* A walk over slots. seen[] is, by lane, the last slot of a kind;
 * LAYER_NONE. */
struct layer_neighbors_walk {
	struct role_slots *s;
	uint32_t *seen;
	uint32_t lanes;
};

static void layer_blocks_neighbors_start(struct layer_neighbors_walk *w)
{
	for (uint32_t i = 0; i < w->lanes; i++)
		w->seen[i] = LAYER_NONE;
}

static struct role_slot *layer_blocks_neighbors_seen(
	const struct layer_neighbors_walk *w, const struct role_slot *d)
{
	uint32_t i = w->seen[d->lane];
	return i == LAYER_NONE ? NULL : &w->s->d[i];
}

/* Gives a slot that few instances have the roles of its neighbor with the same
 * act. */
static void layer_blocks_neighbors_stand_in(struct role_slot *d,
	const struct role_slot *neighbor)
{
	if (!d->common && neighbor && neighbor->act == d->act && !d->part &&
		!role_slot_is_soft(d)) {
		d->roles |= neighbor->roles;
		d->block = neighbor->block;
		d->part = neighbor->part;
	}
}

static void layer_blocks_neighbors_from_behind(struct layer_neighbors_walk *w)
{
	layer_blocks_neighbors_start(w);
	for (uint32_t i = w->s->n; i--;) {
		struct role_slot *d = &w->s->d[i];
		layer_blocks_neighbors_stand_in(d,
			layer_blocks_neighbors_seen(w, d));
		if (d->common && !role_slot_is_soft(d))
			w->seen[d->lane] = i;
	}
}

static void layer_blocks_neighbors_from_before(struct layer_neighbors_walk *w)
{
	layer_blocks_neighbors_start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct role_slot *d = &w->s->d[i];
		layer_blocks_neighbors_stand_in(d,
			layer_blocks_neighbors_seen(w, d));
		if (d->common && !role_slot_is_soft(d) && d->act != ACT_HELPER)
			w->seen[d->lane] = i;
	}
}

/* Gives a conversion the block and roles of the kernel whose input it
 * converts. */
static void layer_blocks_neighbors_quantize(struct layer_neighbors_walk *w)
{
	layer_blocks_neighbors_start(w);
	for (uint32_t i = w->s->n; i--;) {
		struct role_slot *d = &w->s->d[i];
		const struct role_slot *next =
			layer_blocks_neighbors_seen(w, d);
		if (d->act == ACT_QUANTIZE && next) {
			if (role_slot_is_product(next))
				d->roles |= next->roles;
			if (d->block == BLOCKS)
				d->block = next->block;
		} else if (!role_slot_is_soft(d) && d->act != ACT_QUANTIZE)
			w->seen[d->lane] = i;
	}
}

static void layer_blocks_neighbors_helpers(struct layer_neighbors_walk *w)
{
	layer_blocks_neighbors_start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct role_slot *d = &w->s->d[i];
		const struct role_slot *before =
			layer_blocks_neighbors_seen(w, d);
		if (d->act == ACT_HELPER && before) {
			d->roles |= before->roles;
			d->block = before->block;
		} else if (role_slot_is_product(d) || d->act == ACT_ATTENTION)
			w->seen[d->lane] = i;
		else if (!role_slot_is_soft(d) && d->act != ACT_HELPER)
			/* A helper after this kernel does not finish a
			 * product. */
			w->seen[d->lane] = LAYER_NONE;
	}
}

/* Returns whether a slot gives its block to its neighbors. A collective does
 * not: copies next to it may belong to any block. */
static bool layer_blocks_neighbors_leads(const struct role_slot *d)
{
	return d->block < BLOCKS && d->block != BLOCK_COMMUNICATION;
}

/* Gives slots without a block the block of the next slot on their lane, else of
 * the slot before on their lane, else of any slot before. */
static void layer_blocks_neighbors_around(struct layer_neighbors_walk *w,
	uint32_t *next)
{
	enum layer_block_kind any = BLOCKS;

	layer_blocks_neighbors_start(w);
	for (uint32_t i = w->s->n; i--;) {
		next[i] = w->seen[w->s->d[i].lane];
		if (layer_blocks_neighbors_leads(&w->s->d[i]))
			w->seen[w->s->d[i].lane] = i;
	}
	layer_blocks_neighbors_start(w);
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct role_slot *d = &w->s->d[i];
		const struct role_slot *before =
			layer_blocks_neighbors_seen(w, d);
		if (d->block < BLOCKS) {
			if (layer_blocks_neighbors_leads(d)) {
				w->seen[d->lane] = i;
				any = d->block;
			}
		} else if (d->lane && !d->common && !d->roles)
			/* It may be unrelated work at the same time. */
			d->block = BLOCK_OTHER;
		else if (next[i] != LAYER_NONE)
			d->block = w->s->d[next[i]].block;
		else if (before)
			d->block = before->block;
		else
			d->block = any < BLOCKS ? any : BLOCK_OTHER;
	}
}

static bool layer_blocks_neighbors(struct role_slots *s, uint32_t lanes,
	struct arena *a)
{
	size_t bytes = ((size_t)lanes + s->n) * sizeof(uint32_t);
	uint32_t *room = arena_grow(a, NULL, bytes);
	struct layer_neighbors_walk w = { s, room, lanes };

	if (!room)
		return false;
	layer_blocks_neighbors_from_behind(&w);
	layer_blocks_neighbors_from_before(&w);
	layer_blocks_neighbors_helpers(&w);
	layer_blocks_neighbors_quantize(&w);
	layer_blocks_neighbors_around(&w, room + lanes);
	arena_drop(a, room);
	return true;
}

/* Blocks: finds the block and the roles of each position, section by section.
 * Modules are used before the sequence. */

enum { LANES_MOST = 8 }; /* lanes that are searched for parts of layers */

struct layer_blocks_naming {
	const struct layer_seq *s;
	const struct layering *l;
	struct layer_named *out;
	const struct operator_info **operators; /* by place */
	uint32_t *instances; /* by section */
	struct role_kernel_words *words; /* by kernel */
	struct role_slot *d; /* by place */
	uint32_t *at;
};

/* Finds the operator of most launches at each position by a majority vote:
 * launches of different operators cancel each other, and an operator that more
 * than half have remains. */
static bool layer_blocks_operators_from(struct layer_blocks_naming *w)
{
	const struct layer_seq *s = w->s;
	uint32_t *votes = arena_grow(s->arena, NULL,
		(w->l->places_n + 1) * sizeof *votes);

	if (!votes)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t p = w->l->place[i];
		const struct attributed *is = s->items[i].is;
		if (p == LAYER_NONE || !is || !is->op)
			continue;
		if (!votes[p])
			w->operators[p] = is->op;
		if (w->operators[p] == is->op)
			votes[p]++;
		else
			votes[p]--;
	}
	arena_drop(s->arena, votes);
	return true;
}

/* Marks kernels as common that alternate at one point of the layer. No single
 * one of them occurs in most instances, but together they do. */
static void layer_blocks_turns(struct role_slots *s, uint32_t instances)
{
	for (uint32_t i = 0, to; i < s->n; i = to) {
		const struct role_slot *d = &s->d[i];
		uint64_t sum = 0;
		for (to = i; to < s->n && !s->d[to].common &&
			     s->d[to].act == d->act && s->d[to].lane == d->lane;
			to++)
			sum += s->d[to].instances;
		if (to == i)
			to++;
		else if (to > i + 1 && 2 * sum >= instances &&
			 sum <= instances && !role_slot_is_soft(d))
			s->d[i].common = true;
	}
}

static bool layer_blocks_solid_on(const struct role_slots *s, uint32_t lane)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].lane == lane && s->d[i].common &&
			(role_slot_is_product(&s->d[i]) ||
				s->d[i].act == ACT_ATTENTION ||
				s->d[i].act == ACT_NORM ||
				s->d[i].act == ACT_STATE ||
				s->d[i].act == ACT_ACTIVATION))
			return true;
	return false;
}

static bool layer_blocks_sends(const struct role_slot *d)
{
	return d->act == ACT_DISPATCH || d->act == ACT_COMBINE ||
	       d->act == ACT_ROUTING || d->act == ACT_PERMUTE;
}

/* Collects the common slots of a lane, with those of other lanes that move
 * tokens between experts. */
static uint32_t layer_blocks_lane_of(const struct role_slots *s, uint32_t lane,
	bool others, uint32_t *at)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].common &&
			(s->d[i].lane == lane ||
				(others && layer_blocks_sends(&s->d[i]))))
			at[n++] = i;
	return n;
}

static bool layer_blocks_parts_from(struct layer_blocks_naming *w,
	struct role_slots *s)
{
	for (uint32_t lane = 0; lane < w->s->lanes && lane < LANES_MOST;
		lane++) {
		if (!layer_blocks_solid_on(s, lane))
			continue;
		uint32_t n = layer_blocks_lane_of(s, lane, true, w->at);
		void *more = arena_grow(w->s->arena, s->parts,
			(s->parts_n + 2 * (size_t)n + 2) * sizeof *s->parts);
		if (!more)
			return false;
		s->parts = more;
		layer_parts(s, w->at, n, lane);
	}
	return true;
}

/* Returns whether the layers compute gradients. The order of the operators then
 * shows no roles: a product after attention may belong to the gradients of its
 * inputs. Schedules of pipelines also mix the forward pass of one micro-batch
 * with the backward pass of another. */
static bool layer_blocks_backward(const struct role_slots *s)
{
	static const char after[] = "_backward";

	for (uint32_t i = 0; i < s->n; i++) {
		const struct role_slot *d = &s->d[i];
		size_t len = d->op ? strlen(d->op->name) : 0;
		if (d->common && len >= sizeof after &&
			!strcmp(d->op->name + len + 1 - sizeof after, after))
			return true;
	}
	return false;
}

static bool layer_blocks_layer(struct layer_blocks_naming *w,
	struct role_slots *s)
{
	s->backward = layer_blocks_backward(s);
	for (uint32_t lane = 0; lane < w->s->lanes && lane < LANES_MOST; lane++)
		layer_steps(s, w->at,
			layer_blocks_lane_of(s, lane, false, w->at), false);
	for (uint32_t i = 0; i < s->n; i++)
		s->moe |= s->d[i].common && (layer_blocks_sends(&s->d[i]) ||
						    s->d[i].act == ACT_EXPERTS);
	if (!layer_blocks_parts_from(w, s))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		s->gated |= s->d[i].common && s->d[i].block == BLOCK_GATE;
	bool ok = layer_roles_of(s, w->s->arena) &&
		  layer_blocks_neighbors(s, w->s->lanes, w->s->arena);
	arena_drop(w->s->arena, s->parts);
	return ok;
}

static void layer_blocks_ends(struct layer_blocks_naming *w,
	struct role_slots *s, enum section_place place)
{
	bool behind = place == SECTION_AFTER || place == SECTION_BETWEEN;

	for (uint32_t lane = 0;
		behind && lane < w->s->lanes && lane < LANES_MOST; lane++)
		layer_steps(s, w->at,
			layer_blocks_lane_of(s, lane, false, w->at), true);
	layer_blocks_layer_ends(s, place);
}

static struct layer_named layer_blocks_named_from(const struct role_slot *d)
{
	static const layer_roles norms =
		ROLE_BIT(INPUT_NORM) | ROLE_BIT(POST_NORM) | ROLE_BIT(QK_NORM);
	struct layer_named n = {
		.block = d->block,
		.roles = d->roles | d->also,
		.op = d->op,
	};
	/* A norm gets its role from the sequence, because it belongs to the
	 * part after it, whatever its name is. A kernel that runs inside the
	 * call of another module keeps its own role. */
	bool sequence = (d->act == ACT_NORM && d->roles & norms) ||
			((d->act == ACT_STORE || d->act == ACT_ROPE ||
				 d->act == ACT_COLLECTIVE) &&
				d->roles);

	if (d->module_roles && !sequence) {
		n.roles = d->module_roles | d->also;
		n.by_module = true;
	} else if (d->module_roles)
		n.by_module = d->module_roles == d->roles;
	if (d->module_block < BLOCKS && !sequence)
		n.block = d->module_block;
	if (n.roles & (ROLE_BIT(ROUTER) | ROLE_BIT(TOPK)))
		n.block = BLOCK_GATE;
	return n;
}

static bool layer_blocks_section(struct layer_blocks_naming *w, uint32_t i)
{
	const struct layer_section *of = &w->l->sections[i];
	struct role_slots s = { .d = w->d, .n = of->places_n };
	bool ok = true;

	for (uint32_t k = 0; k < s.n; k++) {
		uint32_t p = of->places_from + k;
		s.d[k] = layer_blocks_role_slot_from(w->s, w->words,
			&w->l->places[p], w->operators[p], w->instances[i]);
	}
	layer_blocks_turns(&s, w->instances[i]);
	if (of->place == SECTION_LAYER)
		ok = layer_blocks_layer(w, &s);
	else
		layer_blocks_ends(w, &s, of->place);
	for (uint32_t k = 0; ok && k < s.n; k++)
		w->out[of->places_from + k] = layer_blocks_named_from(&s.d[k]);
	if (of->place == SECTION_LAYER)
		layer_roles_withdraw(w->out + of->places_from, s.n);
	return ok;
}

bool layer_blocks(const struct layer_seq *s, const struct layering *l,
	struct layer_named **out)
{
	struct arena *a = s->arena;
	struct layer_blocks_naming w = { .s = s, .l = l };
	size_t n = l->places_n + 1;
	bool ok;

	w.out = *out = arena_array(a, struct layer_named, n);
	w.operators = arena_grow(a, NULL, n * sizeof *w.operators);
	w.instances =
		arena_grow(a, NULL, (l->sections_n + 1) * sizeof *w.instances);
	w.words = arena_grow(a, NULL,
		((size_t)s->profile->kernels_n + 1) * sizeof *w.words);
	w.d = arena_grow(a, NULL, n * sizeof *w.d);
	w.at = arena_grow(a, NULL, n * sizeof *w.at);
	ok = w.out && w.operators && w.instances && w.words && w.d && w.at &&
	     layer_blocks_operators_from(&w);
	for (uint32_t i = 0; ok && i < l->instances_n; i++)
		w.instances[l->instances[i].section]++;
	for (uint32_t i = 0; ok && i < l->sections_n; i++)
		ok = layer_blocks_section(&w, i);
	if (ok)
		layer_roles_stem(l, w.out);
	arena_drop(a, w.at);
	arena_drop(a, w.d);
	arena_drop(a, w.words);
	arena_drop(a, w.instances);
	arena_drop(a, w.operators);
	return ok;
}

const char *layer_section_name(const struct layering *l,
	const struct layer_named *named, uint32_t section_at, struct arena *a)
{
	static const struct {
		layer_roles role;
		enum layer_block_kind block;
		const char *word;
	} words[] = {
		{ ROLE_BIT(ATTENTION), BLOCK_ATTENTION, "attention" },
		{ ROLE_BIT(STATE), BLOCK_ATTENTION, "state" },
		{ ROLE_BIT(CROSS_ATTENTION), BLOCK_ATTENTION,
			"cross attention" },
		{ ROLE_BIT(CONVOLUTION), BLOCK_OTHER, "convolution" },
		{ ~UINT64_C(0), BLOCK_MOE, "moe" },
		{ ~UINT64_C(0), BLOCK_MLP, "mlp" },
	};
	const struct layer_section *s = &l->sections[section_at];
	uint32_t most = 0;
	const char *name = NULL;

	if (s->name || s->place != SECTION_LAYER)
		return s->name;
	for (uint32_t i = 0; i < s->places_n; i++)
		if (l->places[s->places_from + i].instances > most)
			most = l->places[s->places_from + i].instances;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		bool has = false;
		for (uint32_t i = 0; i < s->places_n; i++) {
			const struct layer_named *n =
				&named[s->places_from + i];
			has |= 2 * (uint64_t)l->places[s->places_from + i]
						       .instances >=
				       most &&
			       n->block == words[k].block &&
			       n->roles & words[k].role;
		}
		if (!has)
			continue;
		name = name ? arena_printf(a, "%s + %s", name, words[k].word)
			    : words[k].word;
		if (!name)
			return NULL;
	}
	return name;
}
