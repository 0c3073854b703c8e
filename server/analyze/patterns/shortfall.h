/* shortfall.h - in which ways one run of a trace falls short: its notes. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Adds the analysis' notes to p->notes, once p is otherwise complete;
 * `call_of` is by kernel row of the process. */
void shortfall_add(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p);
