/* tables_cycles.h - the cycles that a table of patterns tells.
 *
 * Those of its first row's anchor, in order of their starts, then of their
 * numbers. What the table does not tell of a cycle's start or duration stays
 * -1. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->cycles from the rows that begin with the slice's first. False where
 * the arena is full. */
bool tables_cycles(const struct trace *t, const struct process *proc,
	struct profile *p);
