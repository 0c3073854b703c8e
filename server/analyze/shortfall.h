/* shortfall.h - in which ways one run of a trace falls short: its notes. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Adds the analysis' notes to p->notes, once p is otherwise complete. False
 * where the arena is full. */
bool shortfall_add(const struct trace *t, const struct process *proc,
	struct profile *p);
