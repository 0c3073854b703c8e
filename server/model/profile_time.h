/* profile_time.h - statistics of a set of durations. */
#pragma once
#include "time_stats.def"
#include <stdint.h>

/* What an imported table does not contain is -1 or NaN. Reals are in tenths. */
struct time_stats {
	int64_t instances;
#define TIME_STAT_int8 int64_t
#define TIME_STAT_int8_known int64_t
#define TIME_STAT_float8_known double
#define TIME_STAT_MEMBER(prefix, stored, member, ...) TIME_STAT_##stored member;
	TIME_STATS(TIME_STAT_MEMBER, )
};
