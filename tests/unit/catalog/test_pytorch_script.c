/* test_pytorch_script.c - tests which shapes have a PyTorch script, and its
 * text. tests/verify/reproducers.py runs the scripts. */
#include "pytorch_script.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *script_of(const char *op, const char *dtype, const char *sizes,
	const char *facts, struct err *e)
{
	struct arena a = { 0 };
	struct shape s;
	assert_true(
		shape_read(sizes, dtype_from(dtype, strlen(dtype)), &a, &s, e));
	char *text = pytorch_script_write(op, &s, facts, e);
	struct err same = { 0 };
	assert_int_equal(pytorch_script_fits(op, &s, &same), text != NULL);
	assert_string_equal(same.text, e->text);
	arena_release(&a);
	return text;
}

static void test_refused(void **state)
{
	static const struct {
		const char *op, *dtype, *sizes, *sentence;
	} cases[] = {
		{ "all_reduce", "bf16", "bytes=8",
			"there is no PyTorch script of the operator "
			"'all_reduce'" },
		/* functions that operators share are no operators */
		{ "attend", "bf16", "bytes=8",
			"there is no PyTorch script of the operator 'attend'" },
		{ "copy_", "bf16", "bytes=8",
			"there is no PyTorch script of the operator 'copy_'" },
		{ "gemm", "bf16", "m=1 k=2",
			"the shape has no size 'n', which the PyTorch script "
			"of 'gemm' needs" },
		/* the first of the functions for other sizes is named */
		{ "paged_attention_decode", "bf16",
			"seqs=1 heads=1 kv_heads=1 head_dim=8",
			"the shape has no size 'seq_lens', which the PyTorch "
			"script of 'paged_attention_decode' needs" },
		{ "gemm", "", "m=1 n=2 k=2",
			"the shape has no dtype, which the PyTorch script of "
			"'gemm' needs" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = { 0 };
		assert_null(script_of(cases[i].op, cases[i].dtype,
			cases[i].sizes, "", &e));
		assert_int_equal(e.code, ERR_NOT_FOUND);
		assert_string_equal(e.text, cases[i].sentence);
	}
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("the script lacks:\n%s\nIt is:\n%s", part, text);
}

/* The comment cannot be ended by a text, and lists are short. */
static void test_text(void **state)
{
	struct err e = { 0 };
	(void)state;
	char *t = script_of("unified_attention", "bf16",
		"heads=4 kv_heads=2 head_dim=8 q_lens=[1*5,2,3,3] "
		"seq_lens=[9,1,2,3,4,5,6,7,8,9,10,11,12,13] block_size=16",
		"Measured on \"\"\"\\\xc3\xa9: 1 us\n", &e);
	assert_non_null(t);
	contains(t,
		"#!/usr/bin/env python3\n"
		"\"\"\"Runs unified_attention with PyTorch at one shape, and "
		"measures it.\n\n"
		"dtype: bf16\n"
		"Sizes: heads=4 kv_heads=2 head_dim=8 q_lens=[1*5,2,3,3] "
		"seq_lens=[9,1,2,3,4,5,6,7,8,9,10,11,12,13] block_size=16\n"
		"Not reproduced: block_size\n"
		"Measured on ??????: 1 us\n"
		"\"\"\"\nimport argparse\n");
	contains(t, "\nimport torch\n\n"
		    "SIZES = {\n"
		    "    \"heads\": 4,\n"
		    "    \"kv_heads\": 2,\n"
		    "    \"head_dim\": 8,\n"
		    "    \"q_lens\": [1] * 5 + [2, 3, 3],\n"
		    "    \"seq_lens\": [9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,\n"
		    "               12, 13],\n"
		    "}\n"
		    "DTYPE = \"bf16\"\n");
	contains(t, "\n\n\ndef attend(");
	contains(t, "\n\n\ndef unified_attention(");
	assert_null(strstr(t, "def unified_attention_of_"));
	assert_null(strstr(t, "def forward_or_gradients("));
	contains(t,
		"\n\n\nif __name__ == \"__main__\":\n"
		"    main(lambda device: unified_attention(device, **SIZES), "
		"\"unified_attention\", DTYPE)\n");
	free(t);
}

/* Of several functions, the first whose sizes the shape has is used. One that
 * draws no numbers needs no dtype. */
static void test_function(void **state)
{
	struct err e = { 0 };
	(void)state;
	char *t = script_of("copy", "", "bytes=100", "", &e);
	assert_non_null(t);
	contains(t, "dtype: unknown\nSizes: bytes=100\n\"\"\"\n");
	contains(t, "DTYPE = None\n\n\ndef copy_of_bytes(device, bytes)");
	assert_null(strstr(t, "def normal("));
	free(t);
	t = script_of("cat", "fp16", "x=[] parts=1", "", &e);
	assert_non_null(t);
	contains(t, "    \"x\": [],\n    \"parts\": 1,\n");
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
