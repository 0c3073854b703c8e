/* spans.h - some of a kind's rows as spans that do not overlap.
 *
 * Rows come sorted by start; those that overlap or touch come out as one. Two
 * kinds of rows are merged on the way, so that nothing is copied. */
#pragma once
#include "trace.h"

struct span_rows {
	const int64_t *start_ns, *dur_ns;
	/* Only rows whose of[row - from] has `wanted` in `which`; NULL: all. */
	const uint32_t *of;
	const bool *which;
	bool wanted;
	uint32_t from, at, to;
};

struct spans {
	struct span_rows rows[2];
	int64_t start_ns, end_ns; /* of the span it stands at */
};

/* Stands before the first; the caller filled rows. */
void spans_start(struct spans *s);
/* Goes on to the next; false, and a span at INT64_MAX, where there is none. */
bool spans_next(struct spans *s);
