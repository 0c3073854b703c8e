/* iteration_gpu.h - a process's GPU records as cycles see them: kernels, copies
 * and opaque graphs alike, each with the call that launched it, and the GPU
 * time that calls of a stretch of time launched. */
#pragma once
#include "iteration_find.h"

enum cycle_gpu_kind { CYCLE_KERNEL, CYCLE_COPY, CYCLE_GRAPH, CYCLE_GPU_KINDS };

struct cycle_gpu_rows {
	struct slice rows;
	const int64_t *start_ns, *dur_ns; /* by row of the trace */
	const uint32_t *call_of; /* from the first row of the slice on */
	uint32_t *joined; /* our own call_of, to be dropped */
	uint32_t *cycle; /* likewise from the first on; cycle_rows' */
};

/* Moments in order and the GPU time that began or was launched before each. */
struct cycle_clock {
	struct slice rows;
	const int64_t *start_ns;
	int64_t *before_ns; /* n + 1 */
};

struct cycle_gpu {
	const struct trace *t;
	const struct process *proc;
	struct cycle_gpu_rows kind[CYCLE_GPU_KINDS];
	struct cycle_clock called, run; /* by the host's clock, by the GPU's */
	int64_t total_ns; /* all of it */
};

/* Makes *rows, too, with no row in any cycle. False where the arena is full;
 * release in any case. */
bool cycle_gpu_init(struct cycle_gpu *g, const struct trace *t,
	const struct process *proc, const uint32_t *call_of,
	struct cycle_rows *rows, struct arena *a);
void cycle_gpu_release(struct cycle_gpu *g, struct arena *a);

/* No row is in any cycle any more. */
void cycle_gpu_forget(struct cycle_gpu *g);

/* The GPU time of a clock's rows that start in [from, to). */
int64_t cycle_clock_ns(const struct cycle_clock *c, int64_t from_ns,
	int64_t to_ns);

/* The start of the GPU's first record and the end of its last; false where
 * there is none. */
bool cycle_gpu_span(const struct cycle_gpu *g, int64_t *from_ns,
	int64_t *to_ns);
