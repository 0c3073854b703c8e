/* layer_realign.h - names put back to the durations they lag behind.
 *
 * For a sequence in which names_lag.h sees names drift against durations: at the
 * period at which durations repeat, each phase gets the name it has in the layers
 * before the drift began. Only what lies in the part that repeats is touched. */
#pragma once
#include "layer_seq.h"

/* Changes the symbols of items, and what they are attributed to: by the name
 * alone then. *changed: how many; 0 where names do not lag, or where it cannot be
 * told what they were. False where the arena is full. */
bool layer_realign(struct layer_seq *s, uint32_t *changed);
