/* test_kernel_stem.c - tests which part of a kernel's name identifies the
 * kernel. */
#include "catalog.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct stems {
	struct catalog *catalog;
	struct arena arena;
};

static int start(void **state)
{
	static struct stems s;
	struct err e = { 0 };
	s = (struct stems){ .catalog = catalog_new(NULL, &e) };
	*state = &s;
	return s.catalog ? 0 : -1;
}

static int stop(void **state)
{
	struct stems *s = *state;
	catalog_free(s->catalog);
	arena_release(&s->arena);
	return 0;
}

static struct kernel_stem stem_of(struct stems *s, const char *name)
{
	struct kernel_stem stem;
	assert_true(catalog_kernel_stem(s->catalog, name, &s->arena, &stem));
	return stem;
}

/* Every example of the data has the stem that the data state, by its own
 * pattern. */
static void test_examples(void **state)
{
	const char *source = getenv("KERNSIFT_SRC");
	char path[4096];
	json_t *root, *entry, *pair;
	size_t i, k, tried = 0;

	snprintf(path, sizeof path, "%s/server/catalog/data/kernel_names.json",
		source ? source : ".");
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	json_array_foreach(json_object_get(root, "names"), i, entry)
	{
		const char *of =
			json_string_value(json_object_get(entry, "of"));
		bool tuning = !strcmp(json_string_value(
					      json_object_get(entry, "varies")),
			"tuning");
		json_array_foreach(json_object_get(entry, "examples"), k, pair)
		{
			const char *name =
				json_string_value(json_array_get(pair, 0));
			struct kernel_stem got = stem_of(*state, name);
			assert_non_null(got.text);
			assert_string_equal(got.text,
				json_string_value(json_array_get(pair, 1)));
			assert_string_equal(got.of, of);
			assert_int_equal(got.varies,
				tuning ? NAME_TUNING : NAME_NUMBER);
			tried++;
		}
	}
	assert_true(tried >= 20);
	json_decref(root);
}

/* Numbers that belong to a kernel's name are kept. */
static void test_whole_names(void **state)
{
	static const char *const names[] = {
		"void at::native::vectorized_elementwise_kernel<4, float>(int)",
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"fused_add_rms_norm_kernel",
		"fused_moe_kernel",
		"fusion_kernel_oneshot_lamport",
		"kernel_012",
		"my_kernel_2",
		"triton_poi_fused_add",
		"flash_fwd_kernel",
		"fused_rope_kernel",
		"fuse_add_norm_prefill_kernel",
		"batch_decode_paged_kv_kernel",
		"tir_kv_cache_transpose_append_kernel",
		"add_kernel",
		"softmax_kernel",
		"matmul_kernel",
		"fused_add_layer_norm_kernel",
		"fused_dropout_add2_kernel",
		"matmul_kernel_2",
		"_helion_softmax",
		"_helion_matmul_2",
		"command_buffer",
		"transpose_12",
		"cutlass_kernel_2",
		"nvjets",
		"",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_null(stem_of(*state, names[i]).text);
}

/* Names that must not be taken for each other: of other operators, of another
 * kernel of one function, and of a name that only looks numbered. */
static void test_different_kernels(void **state)
{
	static const char *const pairs[][2] = {
		{ "NT_matmul7_kernel", "NT_matmul7_kernel_2" },
		{ "fused_NT_matmul5_add2_kernel",
			"fused_NT_matmul5_add2_add3_kernel" },
		{ "fused_conv1d3_add1_kernel", "fused_conv2d3_add1_kernel" },
		{ "max_pool2d1_kernel", "avg_pool2d1_kernel" },
		{ "rms_norm1_kernel", "layer_norm1_kernel" },
		{ "fused_fused_dequantize3_NT_matmul12_kernel",
			"fused_fused_dequantize3_NT_matmul12_cast1_kernel" },
		{ "triton_poi_fused_add_2", "triton_red_fused_add_2" },
		{ "triton_tem_fused_0", "triton_tem_fused_mm_0" },
		{ "input_reduce_fusion_1", "input_transpose_fusion_1" },
		{ "loop_add_fusion_3", "loop_fusion_3" },
		{ "wrapped_add", "wrapped_multiply" },
		{ "gemm_fusion_dot_12", "triton_gemm_dot_12" },
		{ "kernel_cutlass_kernel_a_0", "kernel_cutlass_kernel_b_0" },
		{ "tvmgen_default_fused_add_3_kernel0",
			"tvmgen_default_fused_add_3_kernel1" },
		{ "_fwd_kernel_0d1d2d34d5c", "_bwd_kernel_0d1d2d34d5c" },
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct kernel_stem x = stem_of(*state, pairs[i][0]),
				   y = stem_of(*state, pairs[i][1]);
		assert_non_null(x.text);
		assert_non_null(y.text);
		assert_string_not_equal(x.text, y.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_different_kernels),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
