/* pattern_import.h - patterns that another tool computed, read from a table.
 *
 * The first row of each iteration, function and device gives the time of the
 * function. Each row with a metric gives the value of this metric. Only rows
 * with the anchor of the first row are used; p->iterations lists the iterations
 * of this anchor. A kernel that the catalog knows as a collective is one, whatever
 * type the table gives. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->patterns; needs p->iterations. Returns false if the arena is full. */
struct catalog;
bool pattern_import(const struct trace *t, const struct process *proc,
	const struct catalog *catalog, struct profile *p);
