/* layer_line.h - lists the launches of a device's main stream, pass after pass.
 *
 * Layers are searched on the main stream: the stream with the most launches of
 * kernels that repeat within a pass and are not collectives. The stream with
 * the most time is not used, because collectives may wait for each other on
 * it. */
#pragma once
#include "layer_seq.h"
#include "layer_words.h"

struct layer_line {
	const struct layer_seq *s;
	uint32_t *item; /* index into s->items */
	uint32_t *symbol; /* parallel to `item` */
	uint8_t *act; /* parallel: enum layer_act, ACT_GLUE unknown */
	struct slice *pass; /* by pass: its range in `item` */
	uint32_t n, lane;
};

/* Allocates in `a`. Returns false if `a` is full. */
bool layer_line_from(struct layer_line *l, const struct layer_seq *s,
	struct arena *a);

/* Returns whether an act is attention, or a state that replaces attention. */
static inline bool layer_act_mixes(enum layer_act act)
{
	return act == ACT_ATTENTION || act == ACT_STATE;
}
