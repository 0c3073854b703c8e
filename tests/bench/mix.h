/* mix.h - makes records as CUPTI would write them for a CUDA program.
 *
 * The mix `decode` is the decode step of an LLM, replayed from a CUDA graph:
 * 1,300 kernels of 40 functions, one launch call per step. The mix `eager` has
 * the same kernels, launched one by one from two threads, each with its own
 * launch call. Each kernel has its own duration, with noise of 2 % and 60 ns,
 * in ticks of 32 ns. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MIX_STEP = 1300,
	MIX_NAMES = 40,
	MIX_KERNEL_BYTES = 216,
	MIX_CALL_BYTES = 40
};

struct mix {
	bool eager;
	uint32_t device, stream, thread;
	uint64_t at_ns; /* of the GPU */
	uint64_t host_ns;
	uint32_t correlation;
	uint32_t place; /* position in the step */
	uint64_t random;
};

struct mix_count {
	int64_t kernels, calls;
};

/* Shared by all mixes: the kernels of the step, and the noise. */
void mix_prepare(void);
/* Writes as many records as fit and returns the number of bytes. `buffer` must
 * be zeroed. */
size_t mix_fill(struct mix *m, uint8_t *buffer, size_t bytes,
	struct mix_count *n);
