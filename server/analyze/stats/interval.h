/* interval.h - the time during which at least one of several spans ran.
 *
 * Spans are added in the order of their starts; overlaps count once. */
#pragma once
#include <stdint.h>

struct interval_union {
	int64_t end_ns; /* latest end of the spans added so far */
	int64_t busy_ns;
};

/* An empty union; the first span may start at any time. */
#define INTERVAL_NONE ((struct interval_union){ INT64_MIN, 0 })

static inline void interval_add(struct interval_union *u, int64_t start_ns,
	int64_t dur_ns)
{
	int64_t end_ns = start_ns + dur_ns;
	int64_t from_ns = start_ns > u->end_ns ? start_ns : u->end_ns;
	if (end_ns > from_ns)
		u->busy_ns += end_ns - from_ns;
	if (end_ns > u->end_ns)
		u->end_ns = end_ns;
}
