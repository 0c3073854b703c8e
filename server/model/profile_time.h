/* profile_time.h - statistics of a set of durations. */
#pragma once
#include <stdint.h>

/* Where a table was all there is, -1 and NaN are what it does not tell. */
struct time_stats {
	int64_t instances;
	int64_t total_ns, min_ns, max_ns;
	double avg_ns, med_ns, stddev_ns, p90_ns, p99_ns; /* in tenths */
};
