/* layer_look.h - layers where they are asked for, or as they are found.
 *
 * A trace of nothing but layers, as of a stage of a pipeline, has cycles by period
 * that are layers themselves. So where cycles were found by period, and no layers
 * in them (of given boundaries: at most one in each, or none in most), the whole
 * recording is taken for one pass and looked at again. Layers found there count,
 * and `why` says so. Those that nobody asked for count where each kind of them
 * has attention, a state, a rotary embedding, or the norm before attention or
 * feed-forward, and none holds what a step does: embedding, head or sampling,
 * loss or optimizer, an opaque graph, a copy or set. */
#pragma once
#include "layering.h"

/* *out stays LAYERS_NONE, with a sentence, where there are none. The passes of `s`
 * become one where it was found so. False where the arena is full. */
bool layer_look(struct layer_seq *s, const struct breakdown_asked *asked,
	struct layering *out);
