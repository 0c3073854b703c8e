/* read_time.h - the columns that every table of durations has. */
#pragma once
#include "profile.h"
#include "rows.h"

#define READ_TIME_COLUMNS                                                  \
	"instances, total_ns, min_ns, max_ns, avg_ns, med_ns, stddev_ns, " \
	"p90_ns, p99_ns, time_pct"

/* Reads them, in this order; the share is returned. */
static inline double read_time(struct rows *r, struct time_stats *t)
{
	t->instances = rows_int8(r, 0);
	t->total_ns = rows_int8(r, 0);
	t->min_ns = rows_int8(r, 0);
	t->max_ns = rows_int8(r, 0);
	t->avg_ns = rows_float8(r, 0);
	t->med_ns = rows_float8(r, 0);
	t->stddev_ns = rows_float8(r, 0);
	t->p90_ns = rows_float8(r, 0);
	t->p99_ns = rows_float8(r, 0);
	return rows_float8(r, 0);
}
