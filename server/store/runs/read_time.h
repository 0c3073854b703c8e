/* read_time.h - the columns that every table of durations has. */
#pragma once
#include "profile.h"
#include "result.h"
#include <math.h>

#define READ_TIME_COLUMNS                                                  \
	"instances, total_ns, min_ns, max_ns, avg_ns, med_ns, stddev_ns, " \
	"p90_ns, p99_ns"

/* Reads them, in this order. What was NULL is -1 or NaN. */
static inline void read_time(struct result *r, struct time_stats *t)
{
	t->instances = result_int8(r, 0);
	t->total_ns = result_int8(r, 0);
	t->min_ns = result_int8(r, -1);
	t->max_ns = result_int8(r, -1);
	t->avg_ns = result_float8(r, NAN);
	t->med_ns = result_float8(r, NAN);
	t->stddev_ns = result_float8(r, NAN);
	t->p90_ns = result_float8(r, NAN);
	t->p99_ns = result_float8(r, NAN);
}
