/* breakdown_work.h - what the files that fill in a breakdown's figures share.
 *
 * Rows and blocks are those of `out`, which begin without figures. */
#pragma once
#include "layer_blocks.h"
#include "stats.h"

/* An instance of a section: its first start, its last end. */
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
	uint32_t *row_of_place; /* LAYER_NONE: nothing is at it */
	uint32_t *order; /* items that are in an instance: by instance, then by
		start */
	uint32_t order_n;
	int64_t *ns, *scratch; /* room for as many as there are items or
		instances, for stats_from() */
};

/* The row of an item; LAYER_NONE: it is in no pass that counts. */
static inline uint32_t breakdown_row_of(const struct breakdown_work *w,
	uint32_t item)
{
	uint32_t place = w->l->place[item];

	return place == LAYER_NONE ? LAYER_NONE : w->row_of_place[place];
}

/* breakdown_overlap.c: exclusive, overlapped and idle time of rows and blocks.
 * Returns false if the arena is full. */
bool breakdown_overlap_fill(struct breakdown_work *w);
