/* test_gpu_library.c - compares the numbers and structs of gpu_library.h with
 * NVIDIA's headers, where these are installed. */
#include "gpu_library.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#if __has_include(<cuda.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cuda.h>

static void numbers_are_those_of_the_headers(void **state)
{
	static const int pairs[][2] = {
		{ GPU_OK, CUDA_SUCCESS },
		{ GPU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY },
		{ GPU_NOT_READY, CUDA_ERROR_NOT_READY },
		{ GPU_NO_DEVICE, CUDA_ERROR_NO_DEVICE },
		{ GPU_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE },
		{ GPU_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED },
		{ GPU_R_32F, CUDA_R_32F },
		{ GPU_R_64F, CUDA_R_64F },
		{ GPU_R_16F, CUDA_R_16F },
		{ GPU_R_8I, CUDA_R_8I },
		{ GPU_R_32I, CUDA_R_32I },
		{ GPU_R_16BF, CUDA_R_16BF },
		{ GPU_R_8F_E4M3, CUDA_R_8F_E4M3 },
		{ GPU_R_8F_E5M2, CUDA_R_8F_E5M2 },
		{ GPU_COMPUTE_32F, CUBLAS_COMPUTE_32F },
		{ GPU_COMPUTE_64F, CUBLAS_COMPUTE_64F },
		{ GPU_COMPUTE_32I, CUBLAS_COMPUTE_32I },
		{ GPU_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_TF32 },
		{ GPU_PRODUCT_TRANSPOSE_A, CUBLASLT_MATMUL_DESC_TRANSA },
		{ GPU_PREFERENCE_WORKSPACE,
			CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES },
		{ GPU_TRANSPOSED, CUBLAS_OP_T },
	};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_int_equal(pairs[i][0], pairs[i][1]);
	assert_int_equal(sizeof(struct gpu_choice),
		sizeof(cublasLtMatmulHeuristicResult_t));
	assert_int_equal(offsetof(struct gpu_choice, status),
		offsetof(cublasLtMatmulHeuristicResult_t, state));
	assert_int_equal(sizeof(CUdeviceptr), sizeof(uint64_t));
}
#else
static void numbers_are_those_of_the_headers(void **state)
{
	(void)state;
	skip();
}
#endif

#if __has_include(<nccl.h>)
#include <nccl.h>

static void numbers_are_those_of_nccl(void **state)
{
	(void)state;
	assert_int_equal(GPU_NCCL_FLOAT, ncclFloat32);
	assert_int_equal(GPU_NCCL_SUM, ncclSum);
	assert_int_equal(GPU_OK, ncclSuccess);
}
#else
static void numbers_are_those_of_nccl(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(numbers_are_those_of_the_headers),
		cmocka_unit_test(numbers_are_those_of_nccl),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
