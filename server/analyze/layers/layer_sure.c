/* layer_sure.c - which parts of a layer are what they look like: of the others
 * nothing is said. */
#include "layer_doing.h"
#include <string.h>

enum {
	PLAIN_MOST = 2, /* products before an activation: one, or gate and up */
	FUSED_LEAST = 2, /* products that an activation is in: with the last */
	FUSED_MOST = 3,
};

static const layer_roles attention =
	ROLE_BIT(ATTENTION) | ROLE_BIT(CROSS_ATTENTION) | ROLE_BIT(STATE);

static bool attends(const struct doing *d)
{
	return d->act == ACT_ATTENTION || d->act == ACT_STATE ||
	       d->told & ROLE_BIT(ATTENTION) ||
	       (d->told_block == BLOCK_ATTENTION && d->act != ACT_NORM);
}

/* Products around an activation are a feed-forward part; without one they are it
 * only beside attention. */
static bool feed_sure(const struct part *p, bool moe, bool attended)
{
	if (moe && (p->experts || p->routed))
		return true;
	if (p->anchored)
		return attended ? p->before || p->after
				: p->before && p->before <= PLAIN_MOST &&
					  p->after;
	return attended && p->before >= FUSED_LEAST && p->before <= FUSED_MOST;
}

void layer_sure(struct doings *s)
{
	bool attended = false;

	s->attended = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct doing *d = &s->d[i];
		if (s->attended == s->n && d->common && attends(d))
			s->attended = i;
		if (d->part && (d->told || d->told_block < BLOCKS))
			s->parts[d->part - 1].told = true;
	}
	for (uint32_t i = 0; i < s->parts_n; i++)
		attended |= s->parts[i].attention &&
			    (s->parts[i].anchored || s->parts[i].told);
	for (uint32_t i = 0; i < s->parts_n; i++) {
		struct part *p = &s->parts[i];
		p->sure = p->told ||
			  (p->attention ? p->anchored
					: feed_sure(p, s->moe, attended));
	}
}

void layer_unfounded(struct layer_named *named, uint32_t n)
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
			/* These are what they are wherever they stand. */
			named[i].roles &= ROLE_BIT(ROPE) | ROLE_BIT(KV_STORE) |
					  ROLE_BIT(QUANTIZE) |
					  ROLE_BIT(ALL_REDUCE) |
					  ROLE_BIT(COLLECTIVE);
		}
}

static void unembed(struct layer_named *named, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct layer_named *d = &named[i];
		if (d->roles & ROLE_BIT(EMBED) && !d->by_module)
			d->roles = ROLE_BIT(CONVOLUTION);
		if (d->block == BLOCK_EMBEDDING)
			d->block = BLOCK_OTHER;
	}
}

static bool looked_up(const struct layer_named *named, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (named[i].roles & ROLE_BIT(EMBED) &&
			(named[i].by_module ||
				!named[i].operator||
					strcmp(named[i].operator->name,
						"convolution") != 0))
			return true;
	return false;
}

void layer_stem(const struct layering *l, struct layer_named *named)
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
			!looked_up(named + s->places_from, s->places_n))
			unembed(named + s->places_from, s->places_n);
	}
}
