/* convert.h - any trace that can be read becomes a capture: convert. */
#pragma once
#include "err.h"
#include "inspect.h"
#include <stdbool.h>

/* Reads `in` and writes `out`, all of it or the run of that number (as inspect
 * counts them, NULL all), then says in one line on stdout what was written.
 * It is written under another name beside `out` and takes that name when it is
 * whole. ERR_INPUT where it was called wrongly. */
bool convert(const char *in, const char *out, const char *run,
	const struct inspect_limits *limits, struct err *e);
