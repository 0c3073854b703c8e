/* breakdown_work.h - state that the files share which fill in the figures of a
 * breakdown.
 *
 * The rows and blocks are in `out`; at first they have no figures. */
#pragma once
#include "layer_blocks.h"
#include "stats.h"

/* An instance of a section, from the start of its first launch to the last end
 * of its launches. */
struct breakdown_span {
	int64_t start_ns, end_ns;
	uint32_t launches;
};

struct breakdown_work {
	const struct attribution *at;
	const struct layer_seq *s;
	const struct layering *l;
	const struct layer_named *named; /* by place */
	const uint32_t *group_of;
	struct arena *keep, *a; /* a: scratch */
	struct breakdown *out;
	struct breakdown_span *spans; /* by instance */
	uint32_t *row_of_place; /* LAYER_NONE: no launch is at the position */
	uint32_t *order; /* items that are in an instance: by instance, then by
		start */
	uint32_t order_n;
	int64_t *ns, *scratch; /* for stats_from(); room for one value per item,
		and for one per instance */
};

/* The row of an item; LAYER_NONE if the item is in no analyzed pass. */
static inline uint32_t breakdown_row_of(const struct breakdown_work *w,
	uint32_t item)
{
	uint32_t place = w->l->place[item];

	return place == LAYER_NONE ? LAYER_NONE : w->row_of_place[place];
}

/* breakdown_overlap.c: exclusive, overlapped and idle time of rows and blocks.
 * Returns false if the arena is full. */
bool breakdown_overlap_fill(struct breakdown_work *w);
