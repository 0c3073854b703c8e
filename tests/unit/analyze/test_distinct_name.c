/* test_distinct_name.c - in which words the full names of kernels differ. */
#include "distinct_name.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { NAMES_MAX = 4 };

static const struct {
	const char *odd;
	struct {
		const char *name, *distinct;
	} kernels[NAMES_MAX];
} cases[] = {
	{ "no two short names are equal",
		{ { "void a::f<int>(int*)", "f" },
			{ "void a::g<int>(int*)", "g" } } },
	{ "one kernel in several rows",
		{ { "void f<int>(int*)", "f" },
			{ "void f<int>(int*)", "f" } } },
	{ "functors", { { "void k<4, at::native::AddFunctor<float>>(int)",
				"k [AddFunctor]" },
			      { "void k<4, at::native::MulFunctor<float>>(int)",
				      "k [MulFunctor]" } } },
	{ "a functor with two element types, and another functor",
		{ { "void k<Add<float>>(int)", "k [Add float]" },
			{ "void k<Add<c10::Half>>(int)", "k [Add Half]" },
			{ "void k<Mul<float>>(int)", "k [Mul]" } } },
	{ "an element type, although a number differs before it",
		{ { "void k<2, float>(int)", "k [float]" },
			{ "void k<4, __half>(int)", "k [__half]" } } },
	{ "a type of two words",
		{ { "void k<unsigned char>(int)", "k [unsigned char]" },
			{ "void k<unsigned int>(int)", "k [unsigned int]" } } },
	{ "the functor is inside of equal and unequal wrappers",
		{ { "void k<gpu_kernel_impl<BinaryFunctor<float, Mul>>>()",
			  "k [Mul]" },
			{ "void k<gpu_kernel_impl_nocast<Add>>()",
				"k [Add]" } } },
	{ "nothing but the wrapper differs",
		{ { "void k<gpu_kernel_impl<Add>>()", "k [gpu_kernel_impl]" },
			{ "void k<gpu_kernel_impl_nocast<Add>>()",
				"k [gpu_kernel_impl_nocast]" } } },
	{ "a lambda's parameter",
		{ { "void k<copy_cuda(T&)::{lambda()#2}::operator()() "
		    "const::{lambda(float)#1}>(int)",
			  "k [float]" },
			{ "void k<copy_cuda(T&)::{lambda()#3}::operator()() "
			  "const::{lambda(long)#1}>(int)",
				"k [long]" } } },
	{ "nothing but a lambda's number differs",
		{ { "void k<copy_cuda(T&)::{lambda()#2}>(int)", "k #2" },
			{ "void k<copy_cuda(T&)::{lambda()#1}>(int)",
				"k #1" } } },
	{ "numbers, and one has fewer",
		{ { "void k<64, 128>(int)", "k [64 128]" },
			{ "void k<64, 256>(int)", "k [64 256]" },
			{ "void k<32>(int)", "k [32]" } } },
	{ "parameters without template arguments",
		{ { "k(float*)", "k [float]" }, { "k(int*)", "k [int]" } } },
	{ "one of them has no arguments at all",
		{ { "k", "k" }, { "k(Params)", "k [Params]" } } },
	{ "long words: the tile in which they differ",
		{ { "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_"
		    "relu_f16_128x64_32x5_tn_align8>(int)",
			  "Kernel2 [128x64_32x5_tn]" },
			{ "void cutlass::Kernel2<cutlass_80_tensorop_f16_"
			  "s16816gemm_relu_f16_256x128_32x3_nn_align8>(int)",
				"Kernel2 [256x128_32x3_nn]" } } },
	{ "a long word and a short one: both whole",
		{ { "void k<a_word_with_many_letters_that_is_a_b_functor>(int)",
			  "k [a_word_with_many_letters_that_is_a_b_functor]" },
			{ "void k<a_functor>(int)", "k [a_functor]" } } },
	{ "the short name is in other words before, and overlaps itself there",
		{ { "void xaba::ababa::aba<Add>(int)", "aba [Add]" },
			{ "void xaba::ababa::aba<Mul>(int)", "aba [Mul]" } } },
	{ "an empty name and a truncated one",
		{ { "", "" }, { "void k<at::native::Ad", "k [Ad]" },
			{ "void k<at::native::", "k" } } },
};

static void distinct(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena a = { 0 };
		const char *names[NAMES_MAX];
		uint32_t n = 0;
		while (n < NAMES_MAX && cases[i].kernels[n].name) {
			names[n] = cases[i].kernels[n].name;
			n++;
		}
		const char **is = distinct_names(&a, names, n);
		for (uint32_t k = 0; k < n; k++)
			if (strcmp(is[k], cases[i].kernels[k].distinct) != 0)
				fail_msg("%s: '%s' instead of '%s'",
					cases[i].odd, is[k],
					cases[i].kernels[k].distinct);
		arena_release(&a);
	}
}

/* Each of the names has another word at five places. */
static void all_differ(void **state)
{
	enum { EACH = 3, ALL = EACH * EACH * EACH * EACH * EACH };
	static char text[ALL][64];
	const char *names[ALL];
	struct arena a = { 0 };

	(void)state;
	for (int i = 0; i < ALL; i++) {
		snprintf(text[i], sizeof text[i],
			"void k<%d, %d, %d, %d, %d>(int)", i % EACH,
			i / EACH % EACH, i / EACH / EACH % EACH,
			i / EACH / EACH / EACH % EACH,
			i / EACH / EACH / EACH / EACH);
		names[i] = text[i];
	}
	const char **is = distinct_names(&a, names, ALL);
	for (int i = 0; i < ALL; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(is[i], is[k]);
	/* Four words, and the number of the fifth. */
	assert_string_equal(is[0], "k [0 0 0 0] #1");
	assert_string_equal(is[ALL - 1], "k [2 2 2 2] #3");
	arena_release(&a);
}

/* The short name occurs at almost each byte of the namespace, as a part of a word, or
 * at the begin of each word. */
static void a_short_name_in_its_namespace(void **state)
{
	enum { NAMES = 100, BEFORE = 42000, SHORT = 21000 };
	static const char *const units[] = { "a", "+", "a+" };
	static char text[NAMES][BEFORE + SHORT + 32];
	const char *names[NAMES];

	(void)state;
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		struct arena a = { 0 };
		size_t len = strlen(units[u]);
		for (int i = 0; i < NAMES; i++) {
			char *s = text[i];
			for (int at = 0; at < BEFORE + 2 + SHORT; at++)
				s[at] = units[u][(size_t)at % len];
			memcpy(s + BEFORE, "::", 2);
			snprintf(s + BEFORE + 2 + SHORT, 30, "<%d>", i);
			names[i] = s;
		}
		const char **is = distinct_names(&a, names, NAMES);
		for (int i = 0; i < NAMES; i++) {
			char want[16];
			snprintf(want, sizeof want, " [%d]", i);
			assert_int_equal(strlen(is[i]), SHORT + strlen(want));
			assert_string_equal(is[i] + SHORT, want);
		}
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinct),
		cmocka_unit_test(all_differ),
		cmocka_unit_test(a_short_name_in_its_namespace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
