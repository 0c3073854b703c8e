/* layer_ways.c - parts of a lane that begin where tokens are sent to experts, or
 * come back. */
#include "layer_scan.h"

static void router(struct doing *d)
{
	d->roles = ROLE_BIT(ROUTER);
	d->block = BLOCK_GATE;
	d->part = 0;
	d->behind = false;
}

/* Products that score experts stand before the choice; where another expert's
 * part is between, it is the one that this part has too many. */
static void routers(struct scan *c)
{
	struct part *p = c->p;
	bool whole = !p->anchored;

	if (p->attention || p->experts ||
		(p->anchored && c->since < 2 && (p->before < 2 || p->steps)))
		return;
	if (p->anchored && c->since >= 2) {
		router(doing_at(c, c->product));
		p->after--;
		return;
	}
	for (uint32_t i = c->from; i < c->i && p->before; i++) {
		struct doing *d = doing_at(c, i);
		if (d->lane != c->lane || !doing_product(d) || d->behind)
			continue;
		router(d);
		p->before--;
		if (!whole)
			break;
	}
}

/* What other lanes do does not part what belongs together on this one. */
static bool within(const struct scan *c, const struct doing *d)
{
	return d->lane != c->lane && c->p && !c->p->attention && !c->since &&
	       (c->p->anchored || c->p->before);
}

void scan_route(struct scan *c, const struct doing *d)
{
	if (within(c, d))
		return;
	if (c->p && d->lane == c->lane && !c->p->routed)
		routers(c);
	if (!c->p || c->p->attention || c->p->anchored || c->p->before)
		scan_begin(c, false);
	c->p->routed = true;
}

void scan_back(struct scan *c, const struct doing *d)
{
	if (within(c, d))
		return;
	if (!c->p || c->p->attention || c->p->anchored || c->p->before)
		scan_begin(c, false);
	c->p->routed = false;
}

void scan_permute(struct scan *c, struct doing *d)
{
	bool behind = c->p && !c->p->attention &&
		      (c->p->anchored || c->p->before) && c->p->routed;

	if (d->lane == c->lane) {
		d->act = behind ? ACT_COMBINE : ACT_DISPATCH;
		d->roles = behind ? ROLE_BIT(COMBINE) : ROLE_BIT(DISPATCH);
	}
	if (behind)
		scan_back(c, d);
	else
		scan_route(c, d);
}
