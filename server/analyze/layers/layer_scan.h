/* layer_scan.h - where the cutting of a lane into parts is: for layer_parts.c and
 * layer_ways.c alone. */
#pragma once
#include "layer_doing.h"

enum kind { KIND_NONE, KIND_ATTENTION, KIND_FEED, KIND_ROUTE, KIND_BACK };

struct scan {
	struct doings *s;
	const uint32_t *at;
	uint32_t n, lane, i;
	uint32_t ahead, norm; /* of the next anchor, the next norm; n none */
	struct part *p; /* NULL before the first */
	uint32_t from; /* where it began */
	uint32_t since; /* products behind its anchor */
	uint32_t product, multiply; /* the last ones of these there; n none */
	bool inner; /* a norm behind one of its products */
	uint32_t last; /* product of all */
};

static inline struct doing *doing_at(const struct scan *c, uint32_t i)
{
	return &c->s->d[c->at[i]];
}

/* Begins a part at the doing where it is. */
void scan_begin(struct scan *c, bool attention);
/* Experts are chosen, tokens sent to them; they come back; one or the other. */
void scan_route(struct scan *c, const struct doing *d);
void scan_back(struct scan *c, const struct doing *d);
void scan_permute(struct scan *c, struct doing *d);
