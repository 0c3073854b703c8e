/* test_rocprof.c - converts rocprofv3's JSON row by row. */
#include "rocm_rows.h"

/* Times count from the first marker, which begins 1 us into the file. */
static void test_everything(void **state)
{
	static char bytes[1 << 16];
	(void)state;
	size_t n = case_bytes("160-rocprofv3-everything/in.json", bytes,
		sizeof bytes);
	check_rows(bytes, n,
		"process 77 python3 at node7\n"
		"gpu 0 AMD Instinct MI300X: 304 CUs, gfx 9.4, 206141652992 B\n"
		"gpu 1 AMD Instinct MI300X: 304 CUs, gfx 9.4, 206141652992 B\n"
		/* 1000 work-items in groups of 256 are four groups; an HSA
		 * call of hipLaunchKernel() launched the kernel */
		"kernel 9000+2000 relu gpu 0 stream 5 of 11: 4x2x1 of 256x1x1 "
		"regs 32 lds 512\n"
		"kernel 11000+5000 gemm(float*) gpu 1 stream 9 of 13: 4x1x1 of "
		"256x1x1 regs 128 lds 0\n"
		"copy 19000+1000 MEMORY_COPY_HOST_TO_HOST gpu -1 stream 5 of "
		"14: 16 B\n"
		"copy 20000+2000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream 5 of "
		"14: 4096 B\n"
		"copy 22000+3000 MEMORY_COPY_DEVICE_TO_HOST gpu 1 stream 5 of "
		"14: 64 B\n"
		"copy 25000+4000 MEMORY_COPY_DEVICE_TO_DEVICE gpu 1 stream 5 "
		"of 14: 1048576 B\n"
		"call 4000+2000 hipLaunchKernel on 77 is 11\n"
		"call 6000+1000 hipLaunchKernel on 77 is 13\n"
		"call 19000+1000 hipMemcpyAsync on 77 is 14\n"
		"range 0+39000 roctx: step 1 on 77\n"
		"loose 1000+48000 roctx: request \"7\" on 78\n"
		"range 3000+5000 rccl: ncclAllReduce on 77\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
