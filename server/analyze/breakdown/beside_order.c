/* beside_order.c - a linked list of numbers. */
#include "beside_parts.h"

bool beside_order_init(struct beside_order *o, uint32_t things, struct arena *a)
{
	*o = (struct beside_order){ .first = BESIDE_NONE };
	o->next = arena_grow(a, NULL, (things + 1) * sizeof *o->next);
	if (!o->next)
		return false;
	for (uint32_t i = 0; i < things; i++)
		o->next[i] = i;
	return true;
}

static bool listed(const struct beside_order *o, uint32_t thing)
{
	return o->next[thing] != thing;
}

static uint32_t *end(struct beside_order *o)
{
	uint32_t *link = &o->first;
	while (*link != BESIDE_NONE)
		link = &o->next[*link];
	return link;
}

void beside_order_merge(struct beside_order *o, const uint32_t *things,
	uint32_t n)
{
	uint32_t known = 0;
	while (known < n && !listed(o, things[known]))
		known++;
	uint32_t *link = known < n ? &o->first : end(o);
	for (uint32_t i = 0; i < n; i++) {
		if (!listed(o, things[i])) {
			o->next[things[i]] = *link;
			*link = things[i];
		}
		link = &o->next[things[i]];
	}
}
