/* rows.h - makes small traces for tests: rows are added in order of their
 * starts, and all belong to one process. */
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

/* A kernel that the call of the same correlation launched. */
static inline void rows_launched(struct trace *t, const char *name,
	int64_t start_ns, int64_t dur_ns, int64_t correlation)
{
	trace_kernel_add(t, &(struct kernel_row){ .start_ns = start_ns,
				    .dur_ns = dur_ns,
				    .name = rows_name(t, name),
				    .correlation = correlation });
}

static inline void rows_call(struct trace *t, const char *name,
	const char *thread, int64_t start_ns, int64_t dur_ns,
	int64_t correlation)
{
	trace_call_add(t, &(struct call_row){ .start_ns = start_ns,
				  .dur_ns = dur_ns,
				  .name = rows_name(t, name),
				  .thread = rows_name(t, thread),
				  .correlation = correlation });
}

static inline void rows_range(struct trace *t, enum range_kind kind,
	const char *name, const char *thread, int64_t start_ns, int64_t dur_ns)
{
	trace_range_add(t, &(struct range_row){ .start_ns = start_ns,
				   .dur_ns = dur_ns,
				   .name = rows_name(t, name),
				   .kind = (uint8_t)kind,
				   .thread = rows_name(t, thread) });
}

static inline void rows_op(struct trace *t, const char *name,
	const char *thread, int64_t start_ns, int64_t dur_ns,
	int64_t external_id)
{
	trace_op_add(t, &(struct op_row){ .start_ns = start_ns,
				.dur_ns = dur_ns,
				.name = rows_name(t, name),
				.thread = rows_name(t, thread),
				.external_id = external_id });
}

static inline void rows_graph(struct trace *t, int64_t graph, int64_t exec,
	int64_t start_ns, int64_t dur_ns, int32_t device)
{
	trace_graph_add(t, &(struct graph_row){ .start_ns = start_ns,
				   .dur_ns = dur_ns,
				   .name = rows_name(t, "CUDA graph"),
				   .device = device,
				   .graph_id = graph,
				   .graph_exec = exec });
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

/* The only process, which has all rows. */
static inline void rows_done(struct trace *t, struct process *p)
{
	*p = (struct process){ .pid = 7,
		.rank = -1,
		.world_size = -1,
		.kernel = { 0, t->kernel.n },
		.copy = { 0, t->copy.n },
		.call = { 0, t->call.n },
		.op = { 0, t->op.n },
		.range = { 0, t->range.n },
		.graph = { 0, t->graph.n },
		.counter = { 0, t->counter.n },
		.comm = { 0, t->comm.n } };
	t->processes = p;
	t->processes_n = 1;
}
