/* programs.cuh - the code that the CUDA programs of this folder share.
 *
 * It parses arguments, checks each CUDA call, has kernels of a known length, and
 * prints one line of JSON at the end. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

#define NEED(call)                                                        \
	do {                                                              \
		cudaError_t e_ = (call);                                  \
		if (e_ != cudaSuccess) {                                  \
			fprintf(stderr, "%s: %s\n", #call,                \
				cudaGetErrorString(e_));                  \
			exit(1);                                          \
		}                                                         \
	} while (0)

static inline long long now_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline int number(int argc, char **argv, int nth, int otherwise)
{
	return argc > nth ? atoi(argv[nth]) : otherwise;
}

/* Runs for about so many nanoseconds by the GPU's own clock. */
__global__ void spin(long long ns)
{
	long long began, at;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
	do {
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(at));
	} while (at - began < ns);
}

__global__ void nothing(int *to)
{
	if (to)
		*to = 1;
}
