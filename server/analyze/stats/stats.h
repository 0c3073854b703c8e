/* stats.h - computes the statistics of a set of durations, exact in every
 * digit.
 *
 * They are the statistics of nsys' cuda_gpu_kern_sum, and p90, p99 and the
 * interquartile range. profile.h defines them. */
#pragma once
#include "profile.h"

/* The statistics of n > 0 durations. None is negative, and their sum is below
 * 2^60. Sorts dur_ns; `scratch` has room for n durations. */
struct time_stats stats_from(int64_t *dur_ns, int64_t *scratch, uint32_t n);

/* part / whole in percent, to one decimal; 0 if whole is 0. */
double stats_pct(int64_t part, int64_t whole);
