/* stats.h - durations become a line of statistics, to the digit.
 *
 * What nsys' cuda_gpu_kern_sum prints, and also p90 and p99 (see profile.h for
 * the definitions). */
#pragma once
#include "profile.h"

/* Of n > 0 durations, none negative, whose sum is below 2^60. Sorts them;
 * `scratch` has room for as many. */
struct time_stats stats_from(int64_t *dur_ns, int64_t *scratch, uint32_t n);

/* part / whole in percent, to one decimal; 0 of nothing. */
double stats_pct(int64_t part, int64_t whole);
