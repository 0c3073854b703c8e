/* pattern_told.h - patterns that somebody else computed, as they are told.
 *
 * The first row of a cycle, function and device tells its time; each row with a
 * metric tells that. Which cycles count, p->cycles says: those of the first
 * row's anchor. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->patterns; needs p->cycles. False where the arena is full. */
bool pattern_told(const struct trace *t, const struct process *proc,
	struct profile *p);
