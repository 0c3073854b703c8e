/* pattern_line.h - one line of a pattern file or of its counters, read.
 *
 * Microseconds become whole nanoseconds by their digits. A line of which a
 * number cannot be read is not read at all. */
#pragma once
#include "pattern_heading.h"
#include "trace.h"

struct pattern_line {
	struct pattern_row row; /* but its texts and process; absolute times */
	int64_t pid;
	double value; /* of a counter */
	int64_t at_ns; /* likewise */
	struct cell function, metric, device, func_type, anchor, host;
};

bool pattern_line_read(struct pattern_line *l, const struct pattern_heading *h,
	const struct cells *c);
/* The counter's name is in `function`. */
bool counter_line_read(struct pattern_line *l, const struct pattern_heading *h,
	const struct cells *c);
