/* pattern_times.h - the moments of a pattern file count from its first. */
#pragma once
#include "trace.h"

/* Sets base_ns to the earliest start of a cycle or time of a sample, and makes
 * them relative to it. One that lies absurdly far from the others must not push
 * them out of range: it is unknown then (a sample: dropped), and counted as
 * huge_time. */
void pattern_times(struct trace *t);
