/* layer_parts.c - a lane cut into parts around attention and activations.
 *
 * What is between two of these belongs partly to the one before and partly to the
 * one behind: they part at the first norm that has a product before it, and where
 * there is none behind the one product that such a thing ends with. */
#include "layer_scan.h"
#include <string.h>

static const layer_roles before_attention = ROLE_BIT(QKV) | ROLE_BIT(Q_A_KV_A) |
					    ROLE_BIT(Q_B) | ROLE_BIT(Q_ABSORB) |
					    ROLE_BIT(CROSS_QKV),
			 before_activation = ROLE_BIT(GATE_UP);

static enum kind kind_of(const struct scan *c, uint32_t i)
{
	if (i >= c->n)
		return KIND_NONE;
	switch (doing_at(c, i)->act) {
	case ACT_ATTENTION:
	case ACT_STATE:
		return KIND_ATTENTION;
	case ACT_ACTIVATION:
	case ACT_EXPERTS:
		return KIND_FEED;
	case ACT_ROUTING:
	case ACT_DISPATCH:
		return KIND_ROUTE;
	case ACT_COMBINE:
		return KIND_BACK;
	default:
		return KIND_NONE;
	}
}

static void look_ahead(struct scan *c)
{
	if (c->ahead <= c->i)
		for (c->ahead = c->i + 1;
			c->ahead < c->n && kind_of(c, c->ahead) == KIND_NONE;)
			c->ahead++;
	if (c->norm <= c->i)
		for (c->norm = c->i + 1; c->norm < c->n &&
					 doing_at(c, c->norm)->act != ACT_NORM;)
			c->norm++;
}

void scan_begin(struct scan *c, bool attention)
{
	bool cross = c->p && c->p->attention && attention && c->p->after;

	c->p = &c->s->parts[c->s->parts_n++];
	*c->p = (struct part){ .attention = attention,
		.cross = cross,
		.lane = c->lane };
	c->from = c->i;
	c->since = 0;
	c->product = c->multiply = c->n;
	c->inner = false;
}

/* A part of what comes next, unless one is open for that. */
static void open_for_next(struct scan *c)
{
	bool attention = kind_of(c, c->ahead) == KIND_ATTENTION;

	if (!c->p)
		scan_begin(c, attention);
	else if (!c->p->anchored && !c->p->before &&
		 kind_of(c, c->ahead) != KIND_NONE &&
		 c->p->attention != attention)
		scan_begin(c, attention);
}

/* A norm that stays with what is behind attention or an activation. */
static bool norm_within(const struct scan *c)
{
	enum kind next = kind_of(c, c->ahead);

	if (!c->since)
		/* Of attention, with another behind the projection. */
		return !c->p->attention ||
		       (c->norm < c->n && c->norm <= c->ahead);
	return next == KIND_BACK || (next == KIND_NONE && c->last <= c->i);
}

static void norm(struct scan *c, struct doing *d)
{
	bool attention = kind_of(c, c->ahead) == KIND_ATTENTION;

	open_for_next(c);
	if (c->p->anchored) {
		if (norm_within(c)) {
			d->behind = c->since;
			return;
		}
		scan_begin(c, attention);
	} else if (c->p->before) {
		if (c->p->attention) {
			c->inner = true;
			d->roles |= ROLE_BIT(QK_NORM);
			return;
		}
		scan_begin(c, attention);
	}
	d->roles |= c->p->attention && !c->p->cross ? ROLE_BIT(INPUT_NORM)
						    : ROLE_BIT(POST_NORM);
}

/* Activation and second factor apart: what was taken for the last product comes
 * before that factor. */
static void unfused(struct scan *c)
{
	struct doing *up = doing_at(c, c->product);

	up->behind = false;
	c->p->before++;
	c->p->after--;
	c->since--;
	doing_at(c, c->multiply)->roles = ROLE_BIT(ACTIVATION);
	c->multiply = c->n;
}

static void product_behind(struct scan *c, struct doing *d)
{
	enum kind next =
		d->act == ACT_EXPERTS ? KIND_FEED : kind_of(c, c->ahead);
	uint32_t own = c->p->attention && c->p->latent ? 2 : 1;
	bool parted = c->norm < c->n && c->norm <= c->ahead;

	if (!c->p->attention && c->p->steps && c->since == 1 &&
		c->multiply < c->n)
		unfused(c);
	bool other = c->since >= own && !parted && next != KIND_NONE &&
		     next != KIND_BACK;
	if (other || (d->act == ACT_EXPERTS && c->p->attention)) {
		scan_begin(c, next == KIND_ATTENTION);
		c->p->before++;
		return;
	}
	d->behind = true;
	c->since++;
	c->p->after++;
	c->product = c->i;
	c->multiply = c->n;
}

static void product(struct scan *c, struct doing *d)
{
	open_for_next(c);
	if (d->told & before_attention && !c->p->attention)
		scan_begin(c, true);
	else if ((d->told & before_activation || d->act == ACT_EXPERTS) &&
		 c->p->attention)
		scan_begin(c, false);
	else if (d->told & ROLE_BIT(ROUTER)) {
		d->block = BLOCK_GATE;
		return;
	}
	if (c->p->anchored) {
		product_behind(c, d);
	} else {
		c->p->before++;
		c->p->latent |= c->inner && c->p->attention;
	}
	c->p->experts |= d->act == ACT_EXPERTS;
}

static void anchor(struct scan *c, struct doing *d, bool attention)
{
	bool same = c->p && c->p->attention == attention &&
		    (!c->p->anchored || !c->since);

	if (!same)
		scan_begin(c, attention);
	c->p->anchored = true;
	c->p->steps |= d->step;
	if (attention && d->operator&& strcmp(d->operator->name,
				 "mla_decode_attention") == 0)
		c->p->latent = true;
}

static void step(struct scan *c, struct doing *d)
{
	switch (d->act) {
	case ACT_NORM:
		norm(c, d);
		break;
	case ACT_PRODUCT:
	case ACT_EXPERTS:
		product(c, d);
		break;
	case ACT_ATTENTION:
	case ACT_STATE:
		anchor(c, d, true);
		break;
	case ACT_ACTIVATION:
		anchor(c, d, false);
		break;
	case ACT_ROUTING:
	case ACT_DISPATCH:
		scan_route(c, d);
		break;
	case ACT_COMBINE:
		scan_back(c, d);
		break;
	case ACT_PERMUTE:
		scan_permute(c, d);
		break;
	case ACT_MULTIPLY:
		c->multiply = c->i;
		break;
	default:
		break;
	}
}

void layer_parts(struct doings *s, const uint32_t *at, uint32_t n,
	uint32_t lane)
{
	struct scan c = { .s = s, .at = at, .n = n, .lane = lane };

	c.product = c.multiply = n;
	for (uint32_t i = 0; i < n; i++)
		if (doing_product(doing_at(&c, i)))
			c.last = i;
	for (c.i = 0; c.i < n; c.i++) {
		struct doing *d = doing_at(&c, c.i);
		look_ahead(&c);
		step(&c, d);
		if (d->lane == lane && c.p && d->block != BLOCK_GATE)
			d->part = (uint32_t)(c.p - s->parts) + 1;
	}
}
