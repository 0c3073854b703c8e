/* layer_roles.c - reads the roles of products, norms and steps in a layer. */
#include "layer_role_slot.h"
#include <string.h>

/* Confidence: which parts of a layer are what they look like. The others get no
 * roles. */

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

/* Products around an activation are a feed-forward part. Without an activation
 * they are one only next to attention. */
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
	}
}

void layer_roles_withdraw(struct layer_named *named, uint32_t n)
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
			/* These acts are what they are at any position. */
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

void layer_roles_stem(const struct layering *l, struct layer_named *named)
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

/* Roles of a layer's products, norms and steps, by the part that they belong
 * to. */

/* Position of a walk over the slots of a part. */
struct layer_roles_at {
	uint32_t before, after; /* products so far */
	struct role_slot *last; /* product before this one; NULL */
	bool inner, up; /* a norm of latent vectors, the product after it */
	bool acted; /* something takes the place of the activation */
};

static bool layer_roles_holds(const struct role_part *p)
{
	return !p->attention && (p->anchored || p->before || p->after);
}

/* Finds the experts' parts: those with experts' products, else the first part
 * between sending tokens to experts and back, else the only one. */
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
	/* Without the return of tokens the keys are decompressed here. */
	return p->after > 1 ? ROLE_BIT(Q_ABSORB) : ROLE_BIT(QKV);
}

/* Finds the activation of products that have no activation kernel: it is in the
 * last but one, or in a single product that does everything. */
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

/* A norm leads to experts through the router. What does not precede attention
 * is not between the norm and the experts. */
static void layer_roles_post_norm(const struct role_slots *s,
	struct role_slot *d, const struct role_part *p)
{
	if (d->roles & ROLE_BIT(POST_NORM) && s->moe && s->gated &&
		!p->attention)
		d->block = BLOCK_GATE;
	if (s->d + s->attended > d)
		d->roles &= ~ROLE_BIT(POST_NORM);
}

/* Takes the roles from a part that is uncertain. */
static void layer_roles_nothing(struct role_slot *d)
{
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
		layer_roles_nothing(d);
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

/* A norm after all others belongs to the next layer's attention if this layer's
 * has none, otherwise to what it follows. */
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

bool layer_roles_of(struct role_slots *s, struct arena *a)
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
