/* cycle_seq.h - a process's kernels and opaque graphs as one sequence of names.
 *
 * In order of their starts, over all devices and streams; beside it the places
 * of one stream, on which a period is looked for: of the device that is busiest,
 * the stream that most is launched on. (By time it might be the one on which
 * collectives wait for each other.) */
#pragma once
#include "iteration_gpu.h"

struct cycle_seq {
	uint32_t n;
	uint32_t *name; /* a kernel's index, then numbers for graphs */
	int64_t *start_ns, *dur_ns;
	uint32_t names_n; /* names are below */
	uint32_t *main; /* places of that stream, ascending */
	uint32_t main_n;
	int64_t total_ns; /* of all durations */
};

/* In `a`, which is for scratch. False where it is full. */
bool cycle_seq_from(struct cycle_seq *s, const struct cycle_gpu *g,
	const uint32_t *kernel_of, uint32_t kernels_n, struct arena *a);
