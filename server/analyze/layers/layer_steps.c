/* layer_steps.c - finds operators that several kernels compute, and the parts
 * of a layer. */
#include "layer_role_slot.h"
#include <string.h>

/* Steps: finds operators that several kernels compute together, as in eager
 * programs. A step is one of these kernels. */

/* Limit of steps for which the next product is searched; no layer has as
 * many. */
enum { LOOKS_MOST = 1024 };

struct layer_steps_lane {
	struct role_slot *d;
	const uint32_t *at;
	uint32_t n;
};

static struct role_slot *layer_steps_of(const struct layer_steps_lane *l,
	uint32_t i)
{
	return &l->d[l->at[i]];
}

static enum layer_act layer_steps_act(const struct layer_steps_lane *l,
	uint32_t i)
{
	return i < l->n ? layer_steps_of(l, i)->act : ACTS;
}

/* Marks the steps of an RMS norm around its root: x · 1/√(mean of x² + ε) · w,
 * with type conversions. */
static void layer_steps_norm_at(const struct layer_steps_lane *l, uint32_t root)
{
	uint32_t from = root, to = root;
	bool mean = false;

	while (from && root - from < 5) {
		enum layer_act a = layer_steps_act(l, from - 1);
		bool take = mean ? a == ACT_POWER || a == ACT_MULTIPLY ||
					    a == ACT_CONVERT
				 : a == ACT_ADD || a == ACT_MEAN;
		if (!take)
			break;
		mean |= a == ACT_MEAN;
		from--;
		if (mean && a == ACT_CONVERT)
			break;
	}
	while (to - root < 3 &&
		(layer_steps_act(l, to + 1) == ACT_MULTIPLY ||
			layer_steps_act(l, to + 1) == ACT_CONVERT))
		to++;
	for (uint32_t i = from; mean && i <= to; i++) {
		layer_steps_of(l, i)->act = ACT_NORM;
		layer_steps_of(l, i)->step = true;
	}
}

/* Marks the steps of a rotary embedding, from the first factor to the last sum:
 * x · cos + cat(-x₂, x₁) · sin. */
static void layer_steps_rope_in(const struct layer_steps_lane *l, uint32_t from,
	uint32_t to)
{
	uint32_t first = to, last = from;
	bool negate = false, cat = false;

	for (uint32_t i = from; i < to; i++) {
		enum layer_act a = layer_steps_act(l, i);
		negate |= a == ACT_NEGATE;
		cat |= a == ACT_CAT;
		if (first == to && (a == ACT_MULTIPLY || a == ACT_NEGATE))
			first = i;
		if (a == ACT_ADD || a == ACT_CAT || a == ACT_MULTIPLY)
			last = i;
	}
	for (uint32_t i = first; negate && cat && i <= last; i++) {
		layer_steps_of(l, i)->act = ACT_ROPE;
		layer_steps_of(l, i)->roles = ROLE_BIT(ROPE);
		layer_steps_of(l, i)->block = BLOCK_ATTENTION;
	}
}

/* Returns the next slot that is not soft, a helper or a conversion; n if there
 * is none. */
static uint32_t layer_steps_next_solid(const struct layer_steps_lane *l,
	uint32_t i)
{
	do
		i++;
	while (i < l->n && (role_slot_is_soft(layer_steps_of(l, i)) ||
				   layer_steps_act(l, i) == ACT_HELPER ||
				   layer_steps_act(l, i) == ACT_QUANTIZE));
	return i;
}

static bool layer_steps_reduces(const struct layer_steps_lane *l, uint32_t from,
	uint32_t to)
{
	while (from < to && !layer_steps_of(l, from)->reduces)
		from++;
	return from < to;
}

/* Finds the act of a softmax. Between two products it is attention, together
 * with the steps on the scores before and after it. Before a choice of experts
 * it is part of the choice. A softmax in steps has the maximum of each row
 * before the exponentials and their sum after them. */
static void layer_steps_softmax_at(const struct layer_steps_lane *l, uint32_t i,
	uint32_t before)
{
	uint32_t next = layer_steps_next_solid(l, i);
	bool whole = layer_steps_act(l, i) == ACT_SOFTMAX ||
		     (layer_steps_reduces(l, before + 1, i) &&
			     layer_steps_reduces(l, i + 1, next));

	if (whole && (layer_steps_act(l, next) == ACT_SORT ||
			     layer_steps_act(l, next) == ACT_ROUTING))
		layer_steps_of(l, i)->act = ACT_ROUTING;
	else if (whole && before < l->n &&
		 layer_steps_act(l, next) == ACT_PRODUCT) {
		for (uint32_t k = before; k <= next; k++)
			if (k == before || k == i || k == next ||
				role_slot_is_soft(layer_steps_of(l, k)))
				layer_steps_of(l, k)->act = ACT_ATTENTION;
	} else
		layer_steps_of(l, i)->act = ACT_GLUE;
}

/* Marks the steps of a GELU, from the first factor to the last: x · ½ · (1 +
 * tanh(…)), or erf instead of tanh. */
static void layer_steps_gelu_at(const struct layer_steps_lane *l, uint32_t i,
	uint32_t before)
{
	uint32_t next = layer_steps_next_solid(l, i), k = i;
	bool begun = false;

	if (before >= l->n || layer_steps_act(l, next) != ACT_PRODUCT)
		return;
	while (k < next && layer_steps_act(l, k) != ACT_ADD)
		k++;
	while (k < next && layer_steps_act(l, k) != ACT_MULTIPLY)
		k++;
	for (uint32_t at = before + 1; k < next && at < next; at++) {
		struct role_slot *d = layer_steps_of(l, at);
		begun |= at == i || d->act == ACT_MULTIPLY ||
			 d->act == ACT_POWER;
		if (!begun || !role_slot_is_soft(d) || d->moves)
			continue;
		d->act = ACT_ACTIVATION;
		d->roles = ROLE_BIT(ACTIVATION);
		d->step = true;
	}
}

static void layer_steps_activation_at(const struct layer_steps_lane *l,
	uint32_t i, uint32_t before)
{
	enum layer_act next = layer_steps_act(l, layer_steps_next_solid(l, i));

	if (next == ACT_SORT || next == ACT_ROUTING)
		layer_steps_of(l, i)->act = ACT_ROUTING;
	else
		layer_steps_gelu_at(l, i, before);
}

static bool layer_steps_experts_act(enum layer_act a)
{
	return a == ACT_EXPERTS || a == ACT_DISPATCH || a == ACT_PERMUTE ||
	       a == ACT_ACTIVATION || a == ACT_COMBINE;
}

/* Finds the act of a top-k: it chooses experts if experts follow before the
 * next attention. */
static void layer_steps_sort_at(const struct layer_steps_lane *l, uint32_t i)
{
	uint32_t next = i;

	while (next < l->n &&
		(next == i ||
			!(layer_steps_experts_act(layer_steps_act(l, next)) ||
				layer_steps_act(l, next) == ACT_ATTENTION)))
		next++;
	layer_steps_of(l, i)->act =
		layer_steps_experts_act(layer_steps_act(l, next)) ? ACT_ROUTING
								  : ACT_GLUE;
}

void layer_steps(struct role_slots *s, const uint32_t *at, uint32_t n,
	bool norms)
{
	const struct layer_steps_lane l = { s->d, at, n };
	uint32_t before = n, sorts = 0, looks = 0;

	for (uint32_t i = 0; i < n; i++)
		if (layer_steps_act(&l, i) == ACT_ROOT)
			layer_steps_norm_at(&l, i);
	if (norms)
		return;
	for (uint32_t i = 0, from = 0; i <= n; i++)
		if (i == n || !role_slot_is_soft(layer_steps_of(&l, i))) {
			layer_steps_rope_in(&l, from, i);
			from = i + 1;
		}
	for (uint32_t i = 0; i < n; i++) {
		enum layer_act a = layer_steps_act(&l, i);
		bool softmax = a == ACT_SOFTMAX || a == ACT_EXPONENT,
		     step = a == ACT_ACTIVATION && layer_steps_of(&l, i)->step;
		if ((softmax || step) && looks++ == LOOKS_MOST)
			break;
		if (softmax)
			layer_steps_softmax_at(&l, i, before);
		if (step)
			layer_steps_activation_at(&l, i, before);
		if (a == ACT_PRODUCT)
			before = i;
		else if (!role_slot_is_soft(layer_steps_of(&l, i)) &&
			 a != ACT_HELPER && a != ACT_QUANTIZE)
			before = n;
	}
	/* Each top-k searches ahead for experts, so their number is limited.
	 * Further ones are assumed not to choose experts. */
	for (uint32_t i = 0; i < n; i++)
		if (layer_steps_act(&l, i) == ACT_SORT) {
			if (sorts++ < 64)
				layer_steps_sort_at(&l, i);
			else
				layer_steps_of(&l, i)->act = ACT_GLUE;
		}
	for (uint32_t i = 0; i < n; i++)
		if (layer_steps_act(&l, i) == ACT_ROUTING) {
			layer_steps_of(&l, i)->roles = ROLE_BIT(TOPK);
			layer_steps_of(&l, i)->block = BLOCK_GATE;
		}
}

/* Scanning: divides the slots of a lane into the parts of a layer. */

enum layer_scan_kind {
	SCAN_NONE,
	SCAN_ATTENTION,
	SCAN_FEED,
	SCAN_ROUTE,
	SCAN_BACK
};

struct layer_scan {
	struct role_slots *s;
	const uint32_t *at;
	uint32_t n, lane, i;
	uint32_t ahead, norm; /* index of the next anchor and norm; n none */
	struct role_part *p; /* current part; NULL before the first */
	uint32_t from; /* where the part began */
	uint32_t since; /* number of products after the part's anchor */
	uint32_t product, multiply; /* last of each in the part; n none */
	bool inner; /* a norm follows one of the part's products */
	uint32_t last; /* last product of the lane */
};

static inline struct role_slot *layer_steps_scan_at(const struct layer_scan *c,
	uint32_t i)
{
	return &c->s->d[c->at[i]];
}

static void layer_steps_scan_begin(struct layer_scan *c, bool attention);

static void layer_steps_scan_router(struct role_slot *d)
{
	d->roles = ROLE_BIT(ROUTER);
	d->block = BLOCK_GATE;
	d->part = 0;
	d->behind = false;
}

/* Finds the router: the product that scores experts before the choice. If the
 * shared expert's part is before the choice, the router is the product that
 * this part has too many. */
static void layer_steps_scan_routers(struct layer_scan *c)
{
	struct role_part *p = c->p;
	bool whole = !p->anchored;

	if (c->s->backward || p->attention || p->experts ||
		(p->anchored && c->since < 2 && (p->before < 2 || p->steps)))
		return;
	if (p->anchored && c->since >= 2) {
		layer_steps_scan_router(layer_steps_scan_at(c, c->product));
		p->after--;
		return;
	}
	for (uint32_t i = c->from; i < c->i && p->before; i++) {
		struct role_slot *d = layer_steps_scan_at(c, i);
		if (d->lane != c->lane || !role_slot_is_product(d) || d->behind)
			continue;
		layer_steps_scan_router(d);
		p->before--;
		if (!whole)
			break;
	}
}

/* Returns whether a slot of another lane is within a part of this lane: it does
 * not end that part. */
static bool layer_steps_scan_within(const struct layer_scan *c,
	const struct role_slot *d)
{
	return d->lane != c->lane && c->p && !c->p->attention && !c->since &&
	       (c->p->anchored || c->p->before);
}

/* The next functions handle slots that choose experts or send tokens to them,
 * slots through which tokens return, and slots that may be either. */
static void layer_steps_scan_route(struct layer_scan *c,
	const struct role_slot *d)
{
	if (layer_steps_scan_within(c, d))
		return;
	if (c->p && d->lane == c->lane && !c->p->routed)
		layer_steps_scan_routers(c);
	if (!c->p || c->p->attention || c->p->anchored || c->p->before)
		layer_steps_scan_begin(c, false);
	c->p->routed = true;
}

static void layer_steps_scan_back(struct layer_scan *c,
	const struct role_slot *d)
{
	if (layer_steps_scan_within(c, d))
		return;
	if (!c->p || c->p->attention || c->p->anchored || c->p->before)
		layer_steps_scan_begin(c, false);
	c->p->routed = false;
}

static void layer_steps_scan_permute(struct layer_scan *c, struct role_slot *d)
{
	bool behind = c->p && !c->p->attention &&
		      (c->p->anchored || c->p->before) && c->p->routed;

	if (d->lane == c->lane) {
		d->act = behind ? ACT_COMBINE : ACT_DISPATCH;
		d->roles = behind ? ROLE_BIT(COMBINE) : ROLE_BIT(DISPATCH);
	}
	if (behind)
		layer_steps_scan_back(c, d);
	else
		layer_steps_scan_route(c, d);
}

/* The slots between two anchors belong partly to the part before and partly to
 * the part after. The border is the first norm with a product before it.
 * Without such a norm, the border is after the single product that ends a
 * part. */

static const layer_roles before_attention = ROLE_BIT(QKV) | ROLE_BIT(Q_A_KV_A) |
					    ROLE_BIT(Q_B) | ROLE_BIT(Q_ABSORB) |
					    ROLE_BIT(CROSS_QKV),
			 before_activation = ROLE_BIT(GATE_UP);

static enum layer_scan_kind layer_steps_parts_kind_of(const struct layer_scan
							      *c,
	uint32_t i)
{
	if (i >= c->n)
		return SCAN_NONE;
	switch (layer_steps_scan_at(c, i)->act) {
	case ACT_ATTENTION:
	case ACT_STATE:
		return SCAN_ATTENTION;
	case ACT_ACTIVATION:
	case ACT_EXPERTS:
		return SCAN_FEED;
	case ACT_ROUTING:
	case ACT_DISPATCH:
		return SCAN_ROUTE;
	case ACT_COMBINE:
		return SCAN_BACK;
	default:
		return SCAN_NONE;
	}
}

static void layer_steps_parts_look_ahead(struct layer_scan *c)
{
	if (c->ahead <= c->i)
		for (c->ahead = c->i + 1;
			c->ahead < c->n &&
			layer_steps_parts_kind_of(c, c->ahead) == SCAN_NONE;)
			c->ahead++;
	if (c->norm <= c->i)
		for (c->norm = c->i + 1;
			c->norm < c->n &&
			layer_steps_scan_at(c, c->norm)->act != ACT_NORM;)
			c->norm++;
}

/* Begins a part at the current slot. */
static void layer_steps_scan_begin(struct layer_scan *c, bool attention)
{
	bool cross = c->p && c->p->attention && attention && c->p->after;

	c->p = &c->s->parts[c->s->parts_n++];
	*c->p = (struct role_part){ .attention = attention,
		.cross = cross,
		.lane = c->lane };
	c->from = c->i;
	c->since = 0;
	c->product = c->multiply = c->n;
	c->inner = false;
}

/* Begins a part for the next anchor, unless the current part is for that
 * anchor. */
static void layer_steps_parts_open_for_next(struct layer_scan *c)
{
	bool attention =
		layer_steps_parts_kind_of(c, c->ahead) == SCAN_ATTENTION;

	if (!c->p)
		layer_steps_scan_begin(c, attention);
	else if (!c->p->anchored && !c->p->before &&
		 layer_steps_parts_kind_of(c, c->ahead) != SCAN_NONE &&
		 c->p->attention != attention)
		layer_steps_scan_begin(c, attention);
}

/* Returns whether a norm belongs to the attention or activation before it. */
static bool layer_steps_parts_norm_within(const struct layer_scan *c)
{
	enum layer_scan_kind next = layer_steps_parts_kind_of(c, c->ahead);

	if (!c->since)
		/* It belongs to attention if another norm follows the
		 * projection. */
		return !c->p->attention ||
		       (c->norm < c->n && c->norm <= c->ahead);
	return next == SCAN_BACK || (next == SCAN_NONE && c->last <= c->i);
}

static void layer_steps_parts_norm(struct layer_scan *c, struct role_slot *d)
{
	bool attention =
		layer_steps_parts_kind_of(c, c->ahead) == SCAN_ATTENTION;

	layer_steps_parts_open_for_next(c);
	if (c->p->anchored) {
		if (layer_steps_parts_norm_within(c)) {
			d->behind = c->since;
			return;
		}
		layer_steps_scan_begin(c, attention);
	} else if (c->p->before) {
		if (c->p->attention) {
			c->inner = true;
			d->roles |= ROLE_BIT(QK_NORM);
			return;
		}
		layer_steps_scan_begin(c, attention);
	}
	d->roles |= c->p->attention && !c->p->cross ? ROLE_BIT(INPUT_NORM)
						    : ROLE_BIT(POST_NORM);
}

/* Corrects a part in which the activation and the multiplication with the
 * second factor are separate kernels: the last product was computed before that
 * multiplication. */
static void layer_steps_parts_unfused(struct layer_scan *c)
{
	struct role_slot *up = layer_steps_scan_at(c, c->product);

	up->behind = false;
	c->p->before++;
	c->p->after--;
	c->since--;
	layer_steps_scan_at(c, c->multiply)->roles = ROLE_BIT(ACTIVATION);
	c->multiply = c->n;
}

static void layer_steps_parts_product_behind(struct layer_scan *c,
	struct role_slot *d)
{
	enum layer_scan_kind next =
		d->act == ACT_EXPERTS ? SCAN_FEED
				      : layer_steps_parts_kind_of(c, c->ahead);
	uint32_t own = c->p->attention && c->p->latent ? 2 : 1;
	bool parted = c->norm < c->n && c->norm <= c->ahead;

	if (!c->p->attention && c->p->steps && c->since == 1 &&
		c->multiply < c->n)
		layer_steps_parts_unfused(c);
	bool other = c->since >= own && !parted && next != SCAN_NONE &&
		     next != SCAN_BACK;
	if (other || (d->act == ACT_EXPERTS && c->p->attention)) {
		layer_steps_scan_begin(c, next == SCAN_ATTENTION);
		c->p->before++;
		return;
	}
	d->behind = true;
	c->since++;
	c->p->after++;
	c->product = c->i;
	c->multiply = c->n;
}

static void layer_steps_parts_product(struct layer_scan *c, struct role_slot *d)
{
	layer_steps_parts_open_for_next(c);
	if (d->module_roles & before_attention && !c->p->attention)
		layer_steps_scan_begin(c, true);
	else if ((d->module_roles & before_activation ||
			 d->act == ACT_EXPERTS) &&
		 c->p->attention)
		layer_steps_scan_begin(c, false);
	else if (d->module_roles & ROLE_BIT(ROUTER)) {
		d->block = BLOCK_GATE;
		return;
	}
	if (c->p->anchored) {
		layer_steps_parts_product_behind(c, d);
	} else {
		c->p->before++;
		c->p->latent |= c->inner && c->p->attention;
	}
	c->p->experts |= d->act == ACT_EXPERTS;
}

static void layer_steps_parts_anchor(struct layer_scan *c, struct role_slot *d,
	bool attention)
{
	bool same = c->p && c->p->attention == attention &&
		    (!c->p->anchored || !c->since);

	if (!same)
		layer_steps_scan_begin(c, attention);
	c->p->anchored = true;
	c->p->steps |= d->step;
	if (attention && d->op &&
		strcmp(d->op->name, "mla_decode_attention") == 0)
		c->p->latent = true;
}

static void layer_steps_parts_step(struct layer_scan *c, struct role_slot *d)
{
	switch (d->act) {
	case ACT_NORM:
		layer_steps_parts_norm(c, d);
		break;
	case ACT_PRODUCT:
	case ACT_EXPERTS:
		layer_steps_parts_product(c, d);
		break;
	case ACT_ATTENTION:
	case ACT_STATE:
		layer_steps_parts_anchor(c, d, true);
		break;
	case ACT_ACTIVATION:
		layer_steps_parts_anchor(c, d, false);
		break;
	case ACT_ROUTING:
	case ACT_DISPATCH:
		layer_steps_scan_route(c, d);
		break;
	case ACT_COMBINE:
		layer_steps_scan_back(c, d);
		break;
	case ACT_PERMUTE:
		layer_steps_scan_permute(c, d);
		break;
	case ACT_MULTIPLY:
		c->multiply = c->i;
		break;
	default:
		break;
	}
}

void layer_parts(struct role_slots *s, const uint32_t *at, uint32_t n,
	uint32_t lane)
{
	struct layer_scan c = { .s = s, .at = at, .n = n, .lane = lane };

	c.product = c.multiply = n;
	for (uint32_t i = 0; i < n; i++)
		if (role_slot_is_product(layer_steps_scan_at(&c, i)))
			c.last = i;
	for (c.i = 0; c.i < n; c.i++) {
		struct role_slot *d = layer_steps_scan_at(&c, c.i);
		layer_steps_parts_look_ahead(&c);
		layer_steps_parts_step(&c, d);
		if (d->lane == lane && c.p && d->block != BLOCK_GATE)
			d->part = (uint32_t)(c.p - s->parts) + 1;
	}
}
