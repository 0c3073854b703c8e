/* gpu_library.h - the libraries that drive a GPU, opened while the program
 * runs.
 *
 * Their types and numbers are declared here, so that no CUDA header is needed
 * to build. They do not differ between versions of CUDA from 11 on. A pointer
 * into device memory is passed as a number. */
#pragma once
#include "err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GPU_OK = 0,
	GPU_OUT_OF_MEMORY = 2, /* of CUDA */
	GPU_NOT_READY = 600, /* of CUDA */
	GPU_NOT_SUPPORTED = 15, /* of cuBLAS */
	GPU_NO_DEVICE = 100, /* of CUDA */
	GPU_L2_BYTES = 38, /* device attribute */
};

/* Element types, kinds of arithmetic and attributes of cuBLASLt. */
enum {
	GPU_R_32F = 0,
	GPU_R_64F = 1,
	GPU_R_16F = 2,
	GPU_R_8I = 3,
	GPU_R_32I = 10,
	GPU_R_16BF = 14,
	GPU_R_8F_E4M3 = 28,
	GPU_R_8F_E5M2 = 29,
	GPU_COMPUTE_32F = 68,
	GPU_COMPUTE_64F = 70,
	GPU_COMPUTE_32I = 72,
	GPU_COMPUTE_32F_FAST_TF32 = 77,
	GPU_PRODUCT_TRANSPOSE_A = 3,
	GPU_PREFERENCE_WORKSPACE = 1,
	GPU_TRANSPOSED = 1,
};
enum { GPU_NCCL_FLOAT = 7, GPU_NCCL_SUM = 0 };
enum { GPU_CLOCK_SM = 1, GPU_CLOCK_MEMORY = 2 }; /* of NVML */

/* An algorithm that cuBLASLt proposes (cublasLtMatmulHeuristicResult_t). */
struct gpu_choice {
	uint64_t algorithm[8];
	size_t workspace_bytes;
	int status;
	float waves;
	int reserved[4];
};

struct gpu_library {
	void *handles[4];
	/* The members of a library that is not there are NULL. */
#define CUDA(member, symbol, parameters) int(*cuda_##member) parameters;
#define BLAS(member, symbol, parameters) int(*blas_##member) parameters;
#define NCCL(member, symbol, parameters) int(*nccl_##member) parameters;
#define NVML(member, symbol, parameters) int(*nvml_##member) parameters;
#include "gpu_calls.def"
#undef CUDA
#undef BLAS
#undef NCCL
#undef NVML
};

enum gpu_which { GPU_CUDA, GPU_BLAS, GPU_NCCL, GPU_NVML };

/* Opens one library, and initializes NVML. Returns false with a sentence if it is not there or lacks
 * a function. */
bool gpu_library_open(struct gpu_library *l, enum gpu_which which,
	struct err *e);
void gpu_library_close(struct gpu_library *l);

/* Whether a call to the driver succeeded; otherwise sets "FUNCTION: NAME OF THE
 * ERROR". */
bool gpu_ok(const struct gpu_library *l, int result, const char *function,
	struct err *e);
