/* test_kernel_profile_attach.c - tests what is checked of a file of Nsight Compute
 * before it is attached to a run. */
#include "kernel_profile_attach.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define TABLE                                                                 \
	"\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"," \
	"\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n"              \
	"\"\",\"\",\"\",\"\",\"\",\"%\"\n"                                    \
	"\"0\",\"7\",\"gemm\",\"(128, 1, 1)\",\"(8, 1, 1)\",\"61.5\"\n"

static void a_good_file_is_counted(void **state)
{
	static const char text[] = TABLE "\"1\",\"7\",\"gemm\",\"(1";
	struct kernel_profile_file f = { 0 };
	struct err e = { 0 };
	uint8_t digest[SHA256_BYTES];

	(void)state;
	assert_true(kernel_profile_attach_check("a.csv", text, strlen(TABLE),
		&f, &e));
	assert_string_equal(f.name, "a.csv");
	assert_ptr_equal(f.content, text);
	assert_int_equal(f.launches, 1);
	assert_int_equal(f.bad_lines, 0);
	assert_false(f.cut);
	sha256_of(text, strlen(TABLE), digest);
	assert_memory_equal(f.sha256, digest, sizeof digest);
	assert_true(kernel_profile_attach_check("a.csv", text, strlen(text), &f,
		&e));
	assert_int_equal(f.launches, 1);
	assert_true(f.cut);
}

/* What is wrong with a file is the fault of the request, and the sentence names
 * the file. */
static void other_files_are_refused(void **state)
{
	static const char *const texts[] = { "", "a,b\n1,2\n",
		"{\"traceEvents\": []}", "\x1f\x8b\x08" };
	struct kernel_profile_file f;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct err e = { 0 };
		assert_false(kernel_profile_attach_check("b.csv", texts[i],
			strlen(texts[i]), &f, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_non_null(strstr(e.text, "'b.csv'"));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_file_is_counted),
		cmocka_unit_test(other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
