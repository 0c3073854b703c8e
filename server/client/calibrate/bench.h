/* bench.h - a GPU that is measured: its context, memory and kernels, and the
 * timing of calls on it. */
#pragma once
#include "gpu_library.h"

enum { BENCH_BUFFERS = 3, BENCH_WORKSPACE = 32 << 20 };

/* Means over a measurement; -1 unknown. */
struct bench_clocks {
	int sm_mhz, memory_mhz;
};

struct bench {
	struct gpu_library *lib;
	int device, handle; /* its index, and what CUDA calls it by */
	char bus[32];
	void *context, *stream, *begin, *end;
	void *module, *fill, *triad;
	void *nvml; /* handle of the device; NULL without NVML */
	uint64_t buffer[BENCH_BUFFERS], workspace;
	size_t buffer_bytes; /* of each buffer */
};

/* Opens the device with this index; the library is open and initialized.
 * bench_close() must follow, whatever the result. */
bool bench_open(struct bench *b, struct gpu_library *lib, int device,
	struct err *e);
void bench_close(struct bench *b);

/* Fills a buffer with pseudo-random words (h & mask[0]) | mask[1] at even and
 * (h & mask[2]) | mask[3] at odd positions. Data of zeros would take less power,
 * and so run at higher clocks, than real data. */
bool bench_fill(struct bench *b, uint64_t to, size_t bytes,
	const uint32_t mask[4], struct err *e);

/* Queues one call on b->stream. */
typedef bool bench_call(struct bench *b, void *arg, struct err *e);

/* Seconds of one call in the best batch, and the clocks during this batch. */
bool bench_time(struct bench *b, bench_call *call, void *arg, double *s,
	struct bench_clocks *clocks, struct err *e);
