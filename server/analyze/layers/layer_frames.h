/* layer_frames.h - the ranges around each launch of a sequence.
 *
 * Those around its call, as callers.h found them; of a graph's node that the
 * collector saw the ranges that were open when it was made, the outermost first. */
#pragma once
#include "layer_seq.h"

/* Fills s->frames and the items' `frame`. False where the arena is full. */
bool layer_frames(struct layer_seq *s, const struct attribution *at);
