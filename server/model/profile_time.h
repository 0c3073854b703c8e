/* profile_time.h - statistics of a set of durations. */
#pragma once
#include <stdint.h>

/* -1 and NaN: not in the table, if the run is only a table. */
struct time_stats {
	int64_t instances;
	int64_t total_ns, min_ns, max_ns;
	double avg_ns, med_ns, stddev_ns, p90_ns, p99_ns; /* in tenths */
};
