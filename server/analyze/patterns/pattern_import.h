/* pattern_import.h - patterns that another tool computed, read from a table.
 *
 * The first row of an iteration, function and device gives its time; each row
 * with a metric gives that metric. Only rows of the first row's anchor count,
 * which p->iterations lists. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->patterns; needs p->iterations. Returns false if the arena is full. */
bool pattern_import(const struct trace *t, const struct process *proc,
	struct profile *p);
