/* derived_table.h - the tables below `run`: one COPY each, over all runs. */
#pragma once
#include "bulk.h"
#include "derived.h"

struct derived_table {
	const char *sql; /* COPY table (columns) FROM STDIN (FORMAT binary) */
	/* One run's rows, in the order of their key. */
	void (*write)(struct bulk *b, const struct derived_run *run);
};

extern const struct derived_table derived_kernel, derived_copy;
extern const struct derived_table derived_launch, derived_graph;
extern const struct derived_table derived_frame, derived_caller;
extern const struct derived_table derived_cycle, derived_stratum;
extern const struct derived_table derived_work, derived_fact;
extern const struct derived_table derived_axis, derived_pattern;
extern const struct derived_table derived_pattern_cycle, derived_metric;
extern const struct derived_table derived_collective;
extern const struct derived_table derived_operator, derived_shape;
extern const struct derived_table derived_unattributed;
extern const struct derived_table derived_breakdown, derived_section;
extern const struct derived_table derived_block, derived_place, derived_group;

#define TIME_COLUMNS                                                       \
	"instances, total_ns, min_ns, max_ns, avg_ns, med_ns, stddev_ns, " \
	"p90_ns, p99_ns"
enum { TIME_COLUMNS_N = 9 };

static inline void derived_time(struct bulk *b, const struct time_stats *t)
{
	bulk_int8(b, t->instances);
	bulk_int8(b, t->total_ns);
	bulk_int8_known(b, t->min_ns);
	bulk_int8_known(b, t->max_ns);
	bulk_float8_known(b, t->avg_ns);
	bulk_float8_known(b, t->med_ns);
	bulk_float8_known(b, t->stddev_ns);
	bulk_float8_known(b, t->p90_ns);
	bulk_float8_known(b, t->p99_ns);
}
