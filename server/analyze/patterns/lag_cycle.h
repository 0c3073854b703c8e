/* lag_cycle.h - the cycle of names in a stretch of durations that repeat.
 *
 * Names keep their order while they drift: each launch's lag is the one at which
 * most names around it are those of the first period, and a phase's name is the
 * one that most launches have there, lag taken off. */
#pragma once
#include "lag_stretch.h"

/* Fills `name`, by phase. *told false where names are in no such order, or where
 * the stretch begins with no launch before it: then nothing tells that the first
 * period has the names of its own. False where the arena is full. */
bool lag_cycle_from(const struct lag_sequence *s, uint32_t period,
	const struct lag_stretch *st, struct arena *a, uint32_t *name,
	bool *told);
