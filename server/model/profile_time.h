/* profile_time.h - statistics of a set of durations. */
#pragma once
#include "time_stats.def"
#include <math.h>
#include <stdint.h>

/* A statistic that an imported table does not contain is -1 or NaN. Reals are
 * rounded to tenths. */
struct time_stats {
	int64_t instances;
#define TIME_STAT_int8 int64_t
#define TIME_STAT_int8_known int64_t
#define TIME_STAT_float8_known double
#define TIME_STAT_MEMBER(prefix, stored, member, ...) TIME_STAT_##stored member;
	TIME_STATS(TIME_STAT_MEMBER, )
};

/* The initial value if no statistic is known. */
#define TIME_UNKNOWN_int8 0
#define TIME_UNKNOWN_int8_known -1
#define TIME_UNKNOWN_float8_known NAN
#define TIME_STAT_UNKNOWN(prefix, stored, ...) , TIME_UNKNOWN_##stored
#define TIME_STATS_UNKNOWN                        \
	{                                         \
		0 TIME_STATS(TIME_STAT_UNKNOWN, ) \
	}
