/* layer_realign.h - moves kernel names back to the launches whose durations
 * they belong to.
 *
 * Used for a sequence in which names lag behind durations (names_lag.h).
 * Durations repeat with a period. Each phase of the period gets the name that
 * it has in the layers before the names began to lag. Only the part of the
 * sequence in which durations repeat is changed. */
#pragma once
#include "layer_seq.h"

/* Changes the symbols of items, and their attribution, which is then by name
 * alone. *changed is the number of changed items: 0 if names do not lag, or if
 * the original names cannot be recovered. Returns false if the arena is
 * full. */
bool layer_realign(struct layer_seq *s, uint32_t *changed);
