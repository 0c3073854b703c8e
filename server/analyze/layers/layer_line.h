/* layer_line.h - the launches of a device's main stream, pass after pass.
 *
 * Layers are found on one stream: the one with the most launches of kernels that
 * repeat within a pass and are not collectives. (The one with the most time may
 * be the one on which collectives wait for each other.) All is allocated in the
 * arena given. */
#pragma once
#include "layer_seq.h"
#include "layer_words.h"

struct layer_line {
	const struct layer_seq *s;
	uint32_t *item; /* by place: index into s->items */
	uint32_t *symbol; /* beside it */
	uint8_t *act; /* beside it: enum layer_act, ACT_GLUE unknown */
	struct slice *pass; /* places of each pass */
	uint32_t n, lane;
};

/* Returns false if the arena is full. */
bool layer_line_from(struct layer_line *l, const struct layer_seq *s,
	struct arena *a);

/* Returns whether an act has the place of attention. */
static inline bool layer_act_mixes(enum layer_act act)
{
	return act == ACT_ATTENTION || act == ACT_STATE;
}
