/* iteration_gpu.h - a process's GPU records as the detectors of iterations read
 * them: kernels, copies and opaque graphs, each with the call that launched it,
 * and the GPU time that the calls of an interval launched. */
#pragma once
#include "iteration_find.h"

enum iteration_gpu_kind {
	ITERATION_KERNEL,
	ITERATION_COPY,
	ITERATION_GRAPH,
	ITERATION_GPU_KINDS
};

struct iteration_gpu_rows {
	struct slice rows;
	const int64_t *start_ns, *dur_ns; /* by row of the trace */
	const uint32_t *call_of; /* from the first row of the slice on */
	uint32_t *joined; /* our own call_of, to be dropped */
	uint32_t *
		iteration; /* from the first row of the slice on; iteration_rows' */
};

/* Moments in order and the GPU time that began or was launched before each. */
struct iteration_gpu_clock {
	struct slice rows;
	const int64_t *start_ns;
	int64_t *before_ns; /* n + 1 */
};

struct iteration_gpu {
	const struct trace *t;
	const struct process *proc;
	struct iteration_gpu_rows kind[ITERATION_GPU_KINDS];
	struct iteration_gpu_clock called,
		run; /* by the host's clock, by the GPU's */
	int64_t total_ns; /* all of it */
};

/* Makes *rows, too, with no row in any iteration. False if the arena is full;
 * release in any case. */
bool iteration_gpu_init(struct iteration_gpu *g, const struct trace *t,
	const struct process *proc, const uint32_t *call_of,
	struct iteration_rows *rows, struct arena *a);

void iteration_gpu_release(struct iteration_gpu *g, struct arena *a);

/* No row is in any iteration any more. */
void iteration_gpu_forget(struct iteration_gpu *g);

/* The GPU time of a clock's rows that start in [from, to). */
int64_t iteration_gpu_clock_ns(const struct iteration_gpu_clock *c,
	int64_t from_ns, int64_t to_ns);

/* The start of the GPU's first record and the end of its last; false if
 * there is none. */
bool iteration_gpu_span(const struct iteration_gpu *g, int64_t *from_ns,
	int64_t *to_ns);

/* Assigns rows of no iteration to the iteration in whose window they start. */
void iteration_gpu_claim(struct iteration_gpu *g, const struct iterations *c);
