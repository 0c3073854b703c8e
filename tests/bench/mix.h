/* mix.h - records as a CUDA program would have CUPTI write them.
 *
 * decode: an LLM's decoding step replayed from a CUDA graph, 1,300 kernels of
 * 40 functions, one launch a step. eager: the same kernels launched one by one,
 * each with the call that launched it, from two threads. Durations are each
 * kernel's own, with 2 % and 60 ns of noise, in ticks of 32 ns. */
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
	uint32_t place; /* in the step */
	uint64_t random;
};

struct mix_count {
	int64_t kernels, calls;
};

/* What all mixes share: the step's kernels and noise to pick from. */
void mix_prepare(void);
/* As many records as fit; how many bytes they are. `buffer` is zeroed. */
size_t mix_fill(struct mix *m, uint8_t *buffer, size_t bytes,
	struct mix_count *n);
