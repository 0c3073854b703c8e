/* layer_roles.c - what a layer's products, norms and steps do, by the part that
 * they are of. */
#include "layer_doing.h"

/* Where a walk over the doings is in a part. */
struct at {
	uint32_t before, after; /* products so far */
	struct doing *last; /* the product before this; NULL */
	bool inner, up; /* a norm of latent vectors, the product behind it */
	bool acted; /* something stands for the activation */
};

static bool holds(const struct part *p)
{
	return !p->attention && (p->anchored || p->before || p->after);
}

/* Which parts are experts': those whose products are, else the first on the way
 * of tokens to experts, else the only one. */
static void route(struct doings *s)
{
	bool experts = false;
	uint32_t first = s->parts_n, one = s->parts_n, feeds = 0;

	for (uint32_t i = 0; i < s->parts_n; i++) {
		const struct part *p = &s->parts[i];
		if (!holds(p))
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
		struct part *p = &s->parts[i];
		if (experts)
			p->routed = p->experts;
		else if (first < s->parts_n)
			p->routed &= p->lane == s->parts[first].lane;
	}
}

static enum layer_block_kind block_of(const struct doings *s,
	const struct part *p)
{
	if (p->attention)
		return BLOCK_ATTENTION;
	if (!s->moe)
		return BLOCK_MLP;
	return p->routed ? BLOCK_MOE : BLOCK_SHARED;
}

static layer_roles attention_product(const struct part *p, struct at *at,
	bool behind)
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
	/* Without the way back the keys are made whole. */
	return p->after > 1 ? ROLE_BIT(Q_ABSORB) : ROLE_BIT(QKV);
}

/* Products without an activation of its own kernel: in the last but one, or in
 * one product that does all. */
static layer_roles feed_product(const struct part *p, struct at *at,
	struct doing *d)
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

static void soft(const struct part *p, struct at *at, struct doing *d,
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

/* To experts a norm leads by way of their choice; what attention is not before is
 * not between that and them. */
static void post_norm(const struct doings *s, struct doing *d,
	const struct part *p)
{
	if (d->roles & ROLE_BIT(POST_NORM) && s->moe && s->gated &&
		!p->attention)
		d->block = BLOCK_GATE;
	if (s->d + s->attended > d)
		d->roles &= ~ROLE_BIT(POST_NORM);
}

/* Of a part that nobody is sure of. */
static void nothing(struct doing *d)
{
	if (!doing_product(d) && d->act != ACT_NORM && d->act != ACT_ACTIVATION)
		return;
	d->roles = 0;
	d->block = BLOCK_OTHER;
}

static void role(struct doings *s, struct doing *d, struct at *ats)
{
	const struct part *p = &s->parts[d->part - 1];
	struct at *at = &ats[d->part - 1];
	enum layer_block_kind block = block_of(s, p);

	if (!p->sure) {
		nothing(d);
		return;
	}
	if (doing_soft(d)) {
		soft(p, at, d, block);
		return;
	}
	if (doing_product(d)) {
		d->roles |= p->attention ? attention_product(p, at, d->behind)
					 : feed_product(p, at, d);
		if (!p->attention && p->anchored) {
			at->before += !d->behind;
			at->after += d->behind;
		}
		at->last = d;
		d->block = block;
	} else if (d->act == ACT_NORM) {
		at->inner |= at->last || (d->roles & ROLE_BIT(QK_NORM));
		d->block = block;
		post_norm(s, d, p);
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

/* A norm behind all others: of the next layer's attention, where this one's has
 * none, else of what it follows. */
static void trailing(struct doings *s)
{
	bool input = false;

	for (uint32_t i = 0; i < s->n; i++)
		input |= s->d[i].common && s->d[i].roles & ROLE_BIT(INPUT_NORM);
	for (uint32_t i = 0; i < s->n; i++) {
		struct doing *d = &s->d[i];
		if (d->act != ACT_NORM || !d->behind || !d->part ||
			!s->parts[d->part - 1].sure)
			continue;
		if (s->parts[d->part - 1].attention && d->common)
			d->roles |= ROLE_BIT(POST_NORM);
		else if (!input && s->attended < s->n) {
			d->roles |= ROLE_BIT(INPUT_NORM);
			d->block = BLOCK_ATTENTION;
		}
	}
}

bool layer_roles_of(struct doings *s, struct arena *a)
{
	struct at *ats = arena_grow(a, NULL, (s->parts_n + 1) * sizeof *ats);

	if (!ats)
		return false;
	route(s);
	layer_sure(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].part)
			role(s, &s->d[i], ats);
	trailing(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->d[i].act == ACT_COLLECTIVE)
			s->d[i].block = BLOCK_COMMUNICATION;
	arena_drop(a, ats);
	return true;
}
