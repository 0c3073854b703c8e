/* layer_realign.h - puts names back to the durations that they lag behind.
 *
 * Used for a sequence in which names_lag.h sees names drift against durations.
 * At the period at which durations repeat, each phase gets the name that it has
 * in the layers before the drift began. Only the part that repeats is changed. */
#pragma once
#include "layer_seq.h"

/* Changes the symbols of items, and what they are attributed to (then by name
 * alone). *changed: how many; 0 if names do not lag, or if the original names
 * cannot be recovered. Returns false if the arena is full. */
bool layer_realign(struct layer_seq *s, uint32_t *changed);
