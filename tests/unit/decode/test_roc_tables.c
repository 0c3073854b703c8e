/* test_roc_tables.c - tests the conversion of rpd and rocpd row by row. */
#include "rocm_rows.h"
#include <unistd.h>

/* Compares the rows of the file that a case's `make` writes. */
static void check_case(const char *name, const char *suffix, const char *want)
{
	static char bytes[1 << 20];
	char folder[] = "/tmp/test_roc.XXXXXX", path[200], command[2000];
	const char *source = getenv("KERNSIFT_SRC");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/in%s", folder, suffix);
	snprintf(command, sizeof command,
		"%s/tests/traces/%s/make %s/in %s/tests/traces", source, name,
		folder, source);
	assert_int_equal(system(command), 0);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t n = fread(bytes, 1, sizeof bytes, f);
	assert_true(n > 0 && n < sizeof bytes);
	fclose(f);
	unlink(path);
	rmdir(folder);
	check_rows(bytes, n, want);
}

/* Times count from the first sample of the monitor. */
static void test_rpd(void **state)
{
	(void)state;
	check_case("170-rpd-everything", ".rpd",
		"process 77  at \n"
		/* hipLaunchKernel() gives blocks */
		"kernel 10000+2000 relu gpu 0 stream 3 of 1: 8x1x1 of 128x1x1 "
		"regs -1 lds 0\n"
		"kernel 20000+4000 relu gpu 0 stream 3 of 2: 8x1x1 of 128x1x1 "
		"regs -1 lds 0\n"
		/* hipExtModuleLaunchKernel() gives 1000 work-items */
		"kernel 40000+3000 Cijk_Ailk gpu 1 stream 3 of 3: 4x2x1 of "
		"256x1x1 regs -1 lds 0\n"
		/* two operations of one call, whose bytes count once */
		"copy 44000+1000 CopyHostToDevice gpu 0 stream 3 of 4: 4096 B\n"
		"copy 45000+1000 CopyHostToDevice gpu 0 stream 3 of 4: -1 B\n"
		"copy 46000+2000 CopyDeviceToHost2D gpu 0 stream 3 of 5: 160 "
		"B\n"
		"copy 48000+3000 Memcpy DtoD gpu 0 stream 3 of 6: 100 B\n"
		"set 51000+1000 FillBuffer gpu 0 stream 3 of 7: -1 B\n"
		"call 5000+1000 hipLaunchKernel on 77 is 1\n"
		"call 6000+1000 hipLaunchKernel on 77 is 2\n"
		"call 30000+1000 hipExtModuleLaunchKernel on 77 is 3\n"
		"call 32000+1000 hipMemcpyAsync on 77 is 4\n"
		"call 34000+1000 hipMemcpy2D on 77 is 5\n"
		"call 36000+1000 hipMemcpyDtoD on 77 is 6\n"
		"call 38000+1000 hipMemsetAsync on 77 is 7\n"
		"range 1000+59000 roctx: step 1 on 77\n"
		"counter 0 sclk gpu 0: 800\n"
		"counter 30000 sclk gpu 0: 1700\n");
}

/* Times count from the first call, 5 us into the file. A counter of the CPU, one of
 * no agent, an unknown one, no value, and a value without a sample are no rows. */
static void test_rocpd_samples(void **state)
{
	(void)state;
	check_case("187-rocpd-samples-of-power", ".db",
		"process 77 python3 at node7\n"
		"gpu 0 AMD Instinct MI300X: 304 CUs, gfx 9.4, 206141652992 B\n"
		"kernel 5000+2000 relu gpu 0 stream 4 of 11: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"kernel 15000+4000 relu gpu 0 stream 4 of 12: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"call 0+1000 hipLaunchKernel on 77 is 11\n"
		"call 1000+1000 hipLaunchKernel on 77 is 12\n"
		"counter 7000 device_power gpu 0: 65535\n"
		"counter 10000 device_power gpu 0: 250.5\n"
		"counter 10000 device_temp gpu 0: 61\n");
}

/* Times count from the first call, 5 us into the file. */
static void test_rocpd_samples_of_used_gpus(void **state)
{
	(void)state;
	check_case("188-rocpd-samples-of-used-gpus", ".db",
		"process 77 python3 at node7\n"
		"gpu 0 AMD Instinct MI300X: 304 CUs, gfx 9.4, 206141652992 B\n"
		"gpu 1 gfx942: -1 CUs, gfx -1.-1, -1 B\n"
		"gpu 2 gfx942: -1 CUs, gfx -1.-1, -1 B\n"
		"kernel 5000+2000 relu gpu 0 stream 4 of 11: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"kernel 15000+4000 relu gpu 0 stream 4 of 12: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"call 0+1000 hipLaunchKernel on 77 is 11\n"
		"call 1000+1000 hipLaunchKernel on 77 is 12\n"
		"counter 47000 device_power gpu 0: 102\n"
		"process 78 worker at node7\n"
		"kernel 25000+1000 relu gpu 1 stream 4 of 20: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"kernel 27000+1000 relu gpu 1 stream 4 of 21: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"kernel 29000+1000 relu gpu 1 stream 4 of 22: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"kernel 31000+1000 relu gpu 1 stream 4 of 23: 8x1x1 of 128x1x1 "
		"regs 32 lds 0\n"
		"copy 26000+1000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream -1 of 30: "
		"64 B\n"
		"copy 28000+1000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream -1 of 31: "
		"64 B\n"
		"copy 30000+1000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream -1 of 32: "
		"64 B\n"
		"copy 32000+1000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream -1 of 33: "
		"64 B\n"
		"counter 47000 device_power gpu 0: 102\n"
		"counter 48000 device_power gpu 1: 103\n"
		"process 79 worker at node7\n"
		"call 1000+1000 hipDeviceSynchronize on 79 is 40\n");
}

/* Times count from the first marker, 1 us into the file. */
static const char rocpd[] =
	"process 77 python3 at node7\n"
	"gpu 0 AMD Instinct MI300X: 304 CUs, gfx 9.4, 206141652992 B\n"
	"gpu 1 gfx942: -1 CUs, gfx -1.-1, -1 B\n"
	"kernel 9000+2000 relu gpu 0 stream 4 of 11: 8x1x1 of 128x1x1 regs 32 "
	"lds 0\n"
	"kernel 19000+4000 relu gpu 0 stream 4 of 12: 8x1x1 of 128x1x1 regs 32 "
	"lds 0\n"
	/* an HSA call of hipLaunchKernel() launched it */
	"kernel 39000+5000 _Z4gemmPf gpu 1 stream 4 of 13: 4x2x1 of 256x1x1 "
	"regs 128 lds 0\n"
	"copy 45000+1000 MEMORY_COPY_HOST_TO_DEVICE gpu 0 stream -1 of 15: "
	"4096 B\n"
	"copy 46000+2000 MEMORY_COPY_DEVICE_TO_HOST gpu 1 stream -1 of 15: 64 "
	"B\n"
	"call 4000+1000 hipLaunchKernel on 77 is 11\n"
	"call 5000+1000 hipLaunchKernel on 77 is 12\n"
	"call 29000+2000 hipLaunchKernel on 77 is 13\n"
	"call 32000+1000 hipMemcpyAsync on 77 is 15\n"
	"range 0+59000 roctx: step \"1\" on 77\n"
	"loose 1000+48000 roctx: request on 77\n"
	"range 2000+6000 rccl: ncclAllReduce on 77\n";

static void test_rocpd(void **state)
{
	(void)state;
	check_case("180-rocpd-everything", ".db", rocpd);
	check_case("181-rocpd-tracks", ".db", rocpd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rpd),
		cmocka_unit_test(test_rocpd),
		cmocka_unit_test(test_rocpd_samples),
		cmocka_unit_test(test_rocpd_samples_of_used_gpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
