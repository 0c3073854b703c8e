/* pattern_metrics.h - room for what counters say beside functions. */
#pragma once
#include "profile.h"

/* How many metrics there is room for, with p->patterns.cycles_n cycles each. */
uint32_t pattern_metrics_most(const struct profile *p);

/* Gives p->patterns.metrics room for `n` (at most that many): no value and
 * METRIC_NO_ROW in every cycle; pattern and name are the caller's to fill, who
 * left `cut` out of them for want of room, the first for a counter of the name
 * given, which is noted. False where the arena is full. */
bool pattern_metrics_room(struct profile *p, uint32_t n, uint32_t cut,
	const char *name);
