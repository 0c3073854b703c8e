/* test_kernel_profile_match.c - tests which kernel of a run a profiled kernel
 * is, by names as several demanglers spell them. */
#include "kernel_profile_match.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#define ADD_OF_TRACE                                                         \
	"void at::native::vectorized_elementwise_kernel<4, "                 \
	"at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, " \
	"at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
/* The same as Nsight Compute prints it: casts, and parameters of the template
 * by number. */
#define ADD_OF_NCU                                                \
	"void at::native::vectorized_elementwise_kernel<(int)4, " \
	"at::native::CUDAFunctor_add<float>, std::array<char *, " \
	"(unsigned long)3>>(int, T2, T3)"

static struct profile_kernel kernels[] = {
	{ .name = ADD_OF_TRACE, .short_name = "vectorized_elementwise_kernel" },
	{ .name = "scale(float*, int)",
		.mangled = "_Z5scalePfi",
		.short_name = "scale" },
	{ .name = "void f<true>(int)", .short_name = "f" },
	{ .name = "void f<false>(int)", .short_name = "f" },
	{ .name = "void (anonymous namespace)::g<8>(float*)",
		.short_name = "g" },
	{ .name = "void h<4>(int)", .short_name = "h" },
	{ .name = "void h<4u>(long)", .short_name = "h" },
	{ .name = "triton_poi_fused_add_0",
		.short_name = "triton_poi_fused_add_0" },
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const struct {
	const char *name;
	int kernel; /* -1 none */
	enum kernel_profile_match match;
} cases[] = {
	{ ADD_OF_TRACE, 0, KERNEL_PROFILE_NAME },
	{ ADD_OF_NCU, 0, KERNEL_PROFILE_SPELLING },
	{ "vectorized_elementwise_kernel", 0, KERNEL_PROFILE_BASE },
	/* another instance of the template */
	{ "void at::native::vectorized_elementwise_kernel<(int)8, "
	  "at::native::CUDAFunctor_add<float>, std::array<char *, "
	  "(unsigned long)3>>(int, T2, T3)",
		-1, KERNEL_PROFILE_UNMATCHED },
	{ "_Z5scalePfi", 1, KERNEL_PROFILE_NAME },
	{ "scale(float *, int)", 1, KERNEL_PROFILE_SPELLING },
	/* another function of the same name: no template */
	{ "scale(double *, int)", -1, KERNEL_PROFILE_UNMATCHED },
	{ "void f<(bool)1>(int)", 2, KERNEL_PROFILE_SPELLING },
	{ "void f<(bool)0>(T1)", 3, KERNEL_PROFILE_SPELLING },
	{ "f", -1, KERNEL_PROFILE_SEVERAL },
	{ "void <unnamed>::g<(int)8>(float *)", 4, KERNEL_PROFILE_SPELLING },
	/* h<4>(int) and h<4u>(long) differ in what is not compared */
	{ "void h<(int)4>(T1)", -1, KERNEL_PROFILE_SEVERAL },
	{ "void h<(int)4>(int)", 5, KERNEL_PROFILE_SPELLING },
	{ "triton_poi_fused_add_0", 7, KERNEL_PROFILE_NAME },
	{ "triton_poi_fused_add_1", -1, KERNEL_PROFILE_UNMATCHED },
	{ "(", -1, KERNEL_PROFILE_UNMATCHED },
	{ ")", -1, KERNEL_PROFILE_UNMATCHED },
	{ "", -1, KERNEL_PROFILE_UNMATCHED },
};
enum { CASES = sizeof cases / sizeof *cases };

static void names_of_several_demanglers(void **state)
{
	(void)state;
	struct arena a = { .ceiling = 1 << 20 };
	struct profile run = { .kernels = kernels, .kernels_n = KERNELS };
	struct kernel_profile rows[CASES];
	struct kernel_profiles is = { .rows = rows, .n = CASES };
	struct kernel_profile_row *got;
	for (int i = 0; i < CASES; i++)
		rows[i] = (struct kernel_profile){ .name = cases[i].name };
	assert_true(kernel_profile_match(&run, &is, &a, &got));
	for (int i = 0; i < CASES; i++) {
		uint32_t kernel = cases[i].kernel < 0
					  ? UINT32_MAX
					  : (uint32_t)cases[i].kernel;
		if (got[i].kernel != kernel || got[i].match != cases[i].match)
			fail_msg("%s: kernel %d, match %d", cases[i].name,
				(int)got[i].kernel, (int)got[i].match);
		assert_ptr_equal(got[i].is, &rows[i]);
	}
	arena_release(&a);
}

/* The spellings that two demanglers have in common. */
static void spellings(void **state)
{
	static const struct {
		const char *name, *want;
	} names[] = {
		{ "f<(int)-4, (unsigned long)3, 5ul>", "f<-4,3,5>" },
		{ "f<true, trueish, untrue>", "f<1,trueish,untrue>" },
		{ "a4u<x>", "a4u<x>" },
		{ "(anonymous namespace)::f", "<unnamed>::f" },
		{ "f<(mode)1>(int)", "f<1>(int)" },
		{ "f(void (*)(int))", "f(void(*)(int))" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char got[100];
		size_t n = kernel_profile_match_spelling(got, names[i].name,
			strlen(names[i].name));
		assert_string_equal(got, names[i].want);
		assert_int_equal(n, strlen(got));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_several_demanglers),
		cmocka_unit_test(spellings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
