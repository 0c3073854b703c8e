/* rows.h - small traces for tests: rows are added in order of their starts,
 * and all of them belong to one process. */
#pragma once
#include "trace.h"
#include <string.h>

static inline uint32_t rows_name(struct trace *t, const char *s)
{
	return names_put(&t->names, s, strlen(s));
}

static inline void rows_kernel(struct trace *t, const char *name,
	int64_t start_ns, int64_t dur_ns, int32_t device, int32_t grid)
{
	struct launch_shape s = { { grid, 1, 1 }, { 128, 1, 1 }, -1, -1 };
	trace_kernel_add(t,
		&(struct kernel_row){ .start_ns = start_ns,
			.dur_ns = dur_ns,
			.name = rows_name(t, name),
			.device = device,
			.correlation = -1,
			.launch = grid ? trace_launch_shape(t, &s) : 0 });
}

static inline void rows_copy(struct trace *t, const char *name,
	int64_t start_ns, int64_t dur_ns, int32_t device, int64_t bytes,
	bool is_set)
{
	trace_copy_add(t, &(struct copy_row){ .start_ns = start_ns,
				  .dur_ns = dur_ns,
				  .name = rows_name(t, name),
				  .device = device,
				  .bytes = bytes,
				  .is_set = is_set });
}

/* The one process, over all rows. */
static inline void rows_done(struct trace *t, struct process *p)
{
	*p = (struct process){ .pid = 7,
		.rank = -1,
		.world_size = -1,
		.kernel = { 0, t->kernel.n },
		.copy = { 0, t->copy.n },
		.call = { 0, t->call.n },
		.op = { 0, t->op.n },
		.range = { 0, t->range.n } };
	t->processes = p;
	t->processes_n = 1;
}
