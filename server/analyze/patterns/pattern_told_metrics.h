/* pattern_told_metrics.h - the counters that a table of patterns tells. */
#pragma once
#include "pattern_told_function.h"
#include "profile.h"

/* Fills p->patterns.metrics from rows that have one; `told` has each row's row
 * of p->patterns and place of its cycle. A second row of the same is noted. */
bool told_metrics(const struct trace *t, struct slice rows,
	const struct told_row *told, struct profile *p);
