/* test_kernel_name.c - the displayed name and the short name. */
#include "kernel_name.h"
#include "copies.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *name, *short_name;
} shorts[] = {
	{ "volta_sgemm_128x64_nt", "volta_sgemm_128x64_nt" },
	{ "triton_poi_fused_add_0", "triton_poi_fused_add_0" },
	{ "Cijk_Ailk_Bljk_HHS_BH_MT64x64x16",
		"Cijk_Ailk_Bljk_HHS_BH_MT64x64x16" },
	{ "foo(int)", "foo" },
	{ "void foo<int>(int*)", "foo" },
	{ "void at::native::(anonymous namespace)::foo<float, 4>(float*, int)",
		"foo" },
	{ "void <unnamed>::foo<int, a::b()::[lambda() (instance 1)]>(T1, T2)",
		"foo" },
	{ "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, "
	  "1>(int)",
		"bn_fw_tr_1C11_kernel_NCHW" },
	{ "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
	  "(bool)0>(int)",
		"kernel" },
	{ "std::enable_if<(((8)>(0)))&&vllm::c<T>::exists, void>::type "
	  "vllm::k<T, 8>(T*)",
		"k" },
	{ "main::{lambda(int)#1}::operator()(int) const", "operator()" },
	{ "void f<int>(int, void (*)(int))", "f" },
	{ "bool operator< <A>(A, A)", "operator<" },
	{ "A& A::operator=(A const&)", "operator=" },
	{ "void k<A<B<int> > >(A<B<int> >)", "k" },
	{ "void k<((x)>>(1)), ((x)<(2)), (a)->b>(int) [clone .kd]", "k" },
	{ "k(int) [clone .kd]", "k" },
	{ "decltype (a::b(c)) ns::k<int>(int)", "k" },
	/* truncated by the tool that wrote the trace */
	{ "void at::native::foo<at::native::bar<flo", "foo" },
	{ "void at::native::foo(int, at::nat", "foo" },
	{ "ns::", "ns::" },
	{ "(", "(" },
	{ "<>", "<>" },
	{ "operator", "operator" },
	{ "my_operator<int>(int)", "my_operator" },
	{ "a b", "a b" },
	{ "", "" },
};

static void short_names(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
		const char *name = shorts[i].name;
		char *s = kernel_name_short(&a, name, strlen(name));
		if (strcmp(s, shorts[i].short_name) != 0)
			fail_msg("'%s' became '%s'", name, s);
	}
	arena_release(&a);
}

static void shown_names(void **state)
{
	static const struct {
		const char *raw, *text;
		enum kernel_name how;
	} rows[] = {
		{ "foo", "foo", NAME_PLAIN },
		{ "_Z", "_Z", NAME_PLAIN },
		{ "_Z3fooi", "foo(int)", NAME_DEMANGLED },
		{ "_Z9foo", "_Z9foo", NAME_REFUSED },
		{ "_ZZZ", "_ZZZ", NAME_REFUSED },
		{ "", "", NAME_PLAIN },
	};
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *text;
		size_t len;
		assert_int_equal(kernel_name_from(&a, rows[i].raw,
					 strlen(rows[i].raw), &text, &len),
			rows[i].how);
		assert_int_equal(len, strlen(rows[i].text));
		assert_memory_equal(text, rows[i].text, len);
	}
	arena_release(&a);
}

static void no_room(void **state)
{
	struct arena a = { .ceiling = 100 };
	const char *text;
	size_t len;
	(void)state;
	assert_int_equal(kernel_name_from(&a, "_Z3fooi", 7, &text, &len),
		NAME_FULL);
	assert_null(kernel_name_short(&a, "foo()", 5));
}

static void operations(void **state)
{
	static const struct {
		const char *name, *operation;
		bool is_set;
	} rows[] = {
		{ "Memcpy HtoD (Pageable -> Device)",
			"[CUDA memcpy Host-to-Device]", false },
		{ "Memcpy DtoH (Device -> Pinned)",
			"[CUDA memcpy Device-to-Host]", false },
		{ "Memcpy DtoD (Device -> Device)",
			"[CUDA memcpy Device-to-Device]", false },
		{ "Memcpy PtoP (Device -> Device)",
			"[CUDA memcpy Peer-to-Peer]", false },
		{ "Memcpy HtoH", "[CUDA memcpy Host-to-Host]", false },
		{ "CopyHostToDevice", "[CUDA memcpy Host-to-Device]", false },
		{ "CopyDeviceToDevice", "[CUDA memcpy Device-to-Device]",
			false },
		{ "CopyDeviceToHost2D", "[CUDA memcpy Device-to-Host]", false },
		{ "CopyHostToDevice3", "CopyHostToDevice3", false },
		{ "MEMORY_COPY_HOST_TO_HOST", "[CUDA memcpy Host-to-Host]",
			false },
		{ "DEVICE_TO_DEVICE", "[CUDA memcpy Device-to-Device]", false },
		{ "MEMORY_COPY_NONE", "MEMORY_COPY_NONE", false },
		{ "Memset (Device)", "[CUDA memset]", true },
		{ "FillBuffer", "[CUDA memset]", true },
		{ "Memcpy HtoDx", "Memcpy HtoDx", false },
		{ "Memcpy", "Memcpy", false },
		{ "", "", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(copies_operation(rows[i].name,
					    strlen(rows[i].name),
					    rows[i].is_set),
			rows[i].operation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_names),
		cmocka_unit_test(shown_names),
		cmocka_unit_test(no_room),
		cmocka_unit_test(operations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
