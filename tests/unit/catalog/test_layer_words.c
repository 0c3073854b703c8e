/* test_layer_words.c - tests which role in a layer an operator or kernel
 * has. */
#include "layer_words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int start(void **state)
{
	struct err e = { 0 };
	*state = catalog_new(NULL, &e);
	return *state ? 0 : -1;
}

static int stop(void **state)
{
	catalog_free(*state);
	return 0;
}

/* An operator of such a group has a role in a layer by itself. */
static void test_every_operator(void **state)
{
	static const char *const groups[] = { "attention", "kv cache", "gemm",
		"convolution", "moe", "norm", "activation", "rope",
		"quantization", "linear attention", "state space", "sampling",
		"collective", "softmax", "rnn", "loss", "optimizer", "sort" };
	const struct operator_info *const *all;
	uint32_t n = catalog_operators(*state, &all), known = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct layer_word w;
		bool has = catalog_operator_word(*state, all[i]->name, &w);
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
			if (strcmp(all[i]->group, groups[g]) != 0 ||
				strcmp(all[i]->name, "batch_norm") == 0)
				continue;
			if (!has || w.act == ACT_GLUE)
				print_error("%s: no word\n", all[i]->name);
			assert_true(has && w.act != ACT_GLUE);
			known++;
		}
	}
	assert_true(known > 40);
}

static void test_operators(void **state)
{
	struct layer_word w;

	assert_true(catalog_operator_word(*state, "rope", &w));
	assert_int_equal(w.act, ACT_ROPE);
	assert_int_equal(w.block, BLOCK_ATTENTION);
	assert_true(w.roles == ROLE_BIT(ROPE) && !w.also);
	assert_true(catalog_operator_word(*state, "gemm", &w));
	assert_true(w.act == ACT_PRODUCT && w.block == BLOCKS && !w.roles);
	assert_true(catalog_operator_word(*state, "fused_rmsnorm_quant", &w));
	assert_true(w.act == ACT_NORM && w.also == ROLE_BIT(QUANTIZE));
	assert_false(catalog_operator_word(*state, "elementwise", &w));
	assert_int_equal(w.block, BLOCKS);
	assert_false(catalog_operator_word(*state, NULL, &w));
	assert_false(catalog_operator_word(*state, "nobody's", &w));
}

static void test_kernels(void **state)
{
	static const struct {
		const char *name;
		int act; /* -1: no role beyond its operator */
		layer_roles roles, also;
	} rows[] = {
		{ "void deep_ep::internode_ll::dispatch<true>(void*)",
			ACT_DISPATCH, ROLE_BIT(DISPATCH), 0 },
		{ "void deep_ep::intranode::combine<8>(void*)", ACT_COMBINE,
			ROLE_BIT(COMBINE), 0 },
		{ "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", ACT_COLLECTIVE,
			ROLE_BIT(ALL_REDUCE), 0 },
		{ "ncclDevKernel_AllGather_RING_LL", -1, 0, 0 },
		{ "void vllm::cross_device_reduce_1stage<half, 8>(half*)",
			ACT_COLLECTIVE, ROLE_BIT(ALL_REDUCE), 0 },
		{ "allreduce_fusion_kernel_oneshot_lamport<4>", ACT_NORM, 0,
			ROLE_BIT(ALL_REDUCE) },
		{ "void cublasLt::splitKreduce_kernel<32>(int)", ACT_HELPER, 0,
			0 },
		{ "void fused_rope_kv_cache_kernel<float>(float*)", ACT_ROPE,
			ROLE_BIT(ROPE) | ROLE_BIT(KV_STORE), 0 },
		{ "fused_qk_norm_rope_kernel", ACT_ROPE,
			ROLE_BIT(QK_NORM) | ROLE_BIT(ROPE), 0 },
		{ "rotary_embedding_kernel", -1, 0, 0 },
		{ "void flash::FlashAttnFwdCombine<float>(int)", ACT_ATTENTION,
			ROLE_BIT(ATTENTION), 0 },
		{ "nvjet_tst_64x16_64x16_4x1_v_bz_TNT", -1, 0, 0 },
		{ "", -1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct layer_word w;
		const char *name = rows[i].name;
		bool has = catalog_kernel_word(*state, name, strlen(name), &w);
		if (has != (rows[i].act >= 0) ||
			(has && (w.act != (enum layer_act)rows[i].act ||
					w.roles != rows[i].roles ||
					w.also != rows[i].also)))
			fail_msg("%s: %d, act %d", name, has, (int)w.act);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operator),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_kernels),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
