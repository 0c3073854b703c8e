/* layer_detect.h - layers where a request says they are, or as they are found.
 *
 * A trace of nothing but layers, as of a pipeline stage, has iterations by period
 * that are layers themselves. So if iterations were found by period and contain no
 * layers (of given boundaries: at most one in each, or none in most), the whole
 * recording is taken for one pass and searched again. Layers found there count,
 * and `why` says so. Without a request they count only if each kind of them has
 * attention, a state, a rotary embedding, or the norm before attention or
 * feed-forward, and none holds what belongs to a step: embedding, head or
 * sampling, loss or optimizer, an opaque graph, a copy or set. */
#pragma once
#include "layering.h"

/* *out stays LAYERS_NONE, with a sentence, if there are no layers. The passes of
 * `s` are joined if that finds them. Returns false if the arena is full. */
bool layer_detect(struct layer_seq *s, const struct breakdown_params *params,
	struct layering *out);
