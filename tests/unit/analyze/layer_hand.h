/* layer_hand.h - makes layers kernel by kernel and checks what layer_blocks()
 * returns for each. */
#pragma once
#include "layer_blocks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HAND_MOST = 64, HAND_LAYERS = 10 };

/* A line of a case is a kernel's short name, its block and its roles:
 *
 *   gemm@1*2=qkv attention qkv+quantize
 *
 * This one is on lane 1, in 2 of the layers, and in module qkv. The lane, the
 * number of layers and the module are optional. */
struct line {
	char kernel[32], block[32], roles[64], module[32];
	uint32_t lane, instances;
};

static const struct {
	const char *word, *name;
} hand_names[] = {
	{ "norm", "void flashinfer::norm::RMSNormKernel<8u, half>(half*)" },
	{ "addnorm", "void flashinfer::norm::FusedAddRMSNormKernel<8u, "
		     "half>(half*)" },
	{ "gemm", "nvjet_tst_64x16_64x16_4x1_v_bz_TNT" },
	{ "amdgemm", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x16" },
	{ "splitk", "void cublasLt::splitKreduce_kernel<32, 16, int>(int)" },
	{ "rope", "void rotary_embedding_kernel<c10::BFloat16, true>(long*)" },
	{ "ropestore", "void fused_rope_kv_cache_kernel<float>(float*)" },
	{ "store", "void (anonymous namespace)::store_kvcache<2048l>(int)" },
	{ "fmha", "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausal" },
	{ "flash", "void flash_fwd_kernel<Flash_fwd_kernel_traits<64> >(int)" },
	{ "paged", "void paged_attention_ll4mi_QKV_mfma16_kernel<0, "
		   "half>(half*)" },
	{ "pagedreduce",
		"void paged_attention_ll4mi_reduce_kernel<half, 128>(half*)" },
	{ "silumul",
		"void "
		"flashinfer::activation::act_and_mul_kernel<half>(half*)" },
	{ "quant", "void per_token_group_quant_fp8_kernel<half>(half*)" },
	{ "grouped", "void deep_gemm::sm100_fp8_gemm_1d1d_impl<0, "
		     "(deep_gemm::GemmType)2>(int*)" },
	{ "fp8", "void deep_gemm::sm100_fp8_gemm_1d1d_impl<0, "
		 "(deep_gemm::GemmType)0>(int*)" },
	{ "topk", "void vllm::moe::topkGatingSoftmax<8, 256>(float*)" },
	{ "dispatch", "void deep_ep::internode_ll::dispatch<true>(void*)" },
	{ "combine", "void deep_ep::internode_ll::combine<true>(void*)" },
	{ "align", "void vllm::moe::moe_align_block_size_kernel<int>(int*)" },
	{ "moe", "fused_moe_kernel" },
	{ "moesum", "void vllm::moe::moe_sum_kernel<half, 8>(half*)" },
	{ "reduce", "void vllm::cross_device_reduce_1stage<half, 8>(half*)" },
	{ "reducenorm", "void flashinfer::trtllm_allreduce_fusion::"
			"allreduce_fusion_kernel_oneshot_lamport<4>(int)" },
	{ "copy", "void at::native::unrolled_elementwise_kernel<at::native::"
		  "direct_copy_kernel_cuda(int)>(int)" },
	{ "pow",
		"void at::native::vectorized_elementwise_kernel<4, at::native:"
		":(anonymous namespace)::pow_tensor_scalar_kernel_impl>(int)" },
	{ "mean", "void at::native::reduce_kernel<512, 1, at::native::"
		  "ReduceOp<float, at::native::MeanOps<float>, int> >(int)" },
	{ "add", "void at::native::vectorized_elementwise_kernel<4, "
		 "at::native::CUDAFunctor_add<float> >(int)" },
	{ "max", "void at::native::reduce_kernel<512, 1, at::native::"
		 "ReduceOp<float, at::native::MaxOps<float>, int> >(int)" },
	{ "sum",
		"void at::native::reduce_kernel<512, 1, at::native::"
		"ReduceOp<float, at::native::sum_functor<float>, int> >(int)" },
	{ "tanh", "void at::native::vectorized_elementwise_kernel<4, "
		  "at::native::tanh_kernel_cuda(int)>(int)" },
	{ "erf", "void at::native::vectorized_elementwise_kernel<4, "
		 "at::native::erf_kernel_cuda(int)>(int)" },
	{ "conv", "void cudnn::cnn::implicit_convolve_sgemm<float>(int)" },
	{ "rsqrt", "void at::native::vectorized_elementwise_kernel<4, "
		   "at::native::rsqrt_kernel_cuda(int)>(int)" },
	{ "mul",
		"void at::native::elementwise_kernel<128, 4, at::native::"
		"BinaryFunctor<float, at::native::MulFunctor<float> > >(int)" },
	{ "neg", "void at::native::elementwise_kernel<128, 4, "
		 "at::native::neg_kernel_cuda(int)>(int)" },
	{ "cat", "void at::native::(anonymous namespace)::"
		 "CatArrayBatchedCopy<half, 2>(int)" },
	{ "silu", "void at::native::vectorized_elementwise_kernel<4, "
		  "at::native::(anonymous namespace)::silu_kernel(int)>(int)" },
	{ "gelu", "void at::native::vectorized_elementwise_kernel<4, "
		  "at::native::GeluCUDAKernelImpl(int)>(int)" },
	{ "softmax", "void at::native::(anonymous namespace)::"
		     "cunn_SoftMaxForward<8, float>(int)" },
	{ "layernorm", "void at::native::(anonymous namespace)::"
		       "vectorized_layer_norm_kernel<half, float>(int)" },
	{ "loss", "void at::native::(anonymous namespace)::"
		  "nll_loss_forward_reduce_cuda_kernel_2d<float, float>(int)" },
	{ "select", "void at::native::(anonymous namespace)::"
		    "indexSelectSmallIndex<half, long>(int)" },
	{ "argmax", "void at::native::reduce_kernel<512, 1, at::native::"
		    "ReduceOp<float, at::native::ArgMaxOps<float> > >(int)" },
	{ "fill", "void at::native::vectorized_elementwise_kernel<4, "
		  "at::native::FillFunctor<int> >(int)" },
	{ "exp",
		"void at::native::vectorized_elementwise_kernel<(int)4, void "
		"at::native::exp_kernel_cuda(at::TensorIteratorBase &)>(int)" },
	{ "unknown", "some_kernel_of_somebody" },
};

static const char *const block_words[] = {
#define BLOCK(code, word, what) #word,
#include "layer_block.def"
#undef BLOCK
};
static const char *const role_words[] = {
#define ROLE(code, word, what) #word,
#include "layer_role.def"
#undef ROLE
};

struct hand {
	struct arena arena;
	struct catalog *catalog;
	struct profile profile;
	struct profile_kernel kernels[HAND_MOST];
	struct layer_seq seq;
	struct layering l;
	struct layer_section section;
	struct layer_instance instances[HAND_LAYERS];
	struct layer_place places[HAND_MOST];
	struct layer_named *named;
	struct line lines[HAND_MOST];
	uint32_t lines_n;
};

static inline const char *name_of(const char *word)
{
	for (size_t i = 0; i < sizeof hand_names / sizeof *hand_names; i++)
		if (strcmp(hand_names[i].word, word) == 0)
			return hand_names[i].name;
	fail_msg("no kernel '%s'", word);
	return NULL;
}

static inline layer_roles role_of(const char *word)
{
	for (int i = 0; i < ROLES; i++)
		if (strcmp(role_words[i], word) == 0)
			return UINT64_C(1) << i;
	fail_msg("no role '%s'", word);
	return 0;
}

/* "gate_up+activation", or "-" for no role. */
static inline const char *roles_text(struct hand *m, layer_roles roles)
{
	const char *text = "";
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			text = arena_printf(&m->arena, "%s%s%s", text,
				*text ? "+" : "", role_words[i]);
	return *text ? text : "-";
}

static inline void line_read(const char *text, struct line *l)
{
	char word[96];

	*l = (struct line){ .instances = HAND_LAYERS };
	assert_int_equal(sscanf(text, "%95s %31s %63s", word, l->block,
				 l->roles),
		3);
	size_t n = strcspn(word, "@*=");
	snprintf(l->kernel, sizeof l->kernel, "%.*s", (int)n, word);
	for (const char *at = word + n; *at; at += 1 + strcspn(at + 1, "@*="))
		if (*at == '@')
			l->lane = (uint32_t)atoi(at + 1);
		else if (*at == '*')
			l->instances = (uint32_t)atoi(at + 1);
		else
			snprintf(l->module, sizeof l->module, "%s", at + 1);
}

/* Counts the lines of a text. */
static inline void hand_make(struct hand *m, const char *text,
	enum section_place place)
{
	uint32_t n = 0;

	for (const char *at = text; *at; at = strchr(at, '\n') + 1)
		line_read(at, &m->lines[n++]);
	const struct line *lines = m->lines;
	m->lines_n = n;
	m->section = (struct layer_section){ .place = place, .places_n = n };
	for (uint32_t i = 0; i < n; i++) {
		struct profile_kernel *k = &m->kernels[i];
		k->name = name_of(lines[i].kernel);
		const struct operator_info *op =
			catalog_kernel_operator(m->catalog, k->name,
				strlen(k->name));
		k->op = op ? op->name : NULL;
		m->places[i] = (struct layer_place){ .symbol = i,
			.lane = lines[i].lane,
			.instances = lines[i].instances,
			.roles =
				*lines[i].module ? role_of(lines[i].module) : 0,
			.block = BLOCKS };
	}
	for (uint32_t i = 0; i < HAND_LAYERS; i++)
		m->instances[i] = (struct layer_instance){ .number = i };
	m->profile = (struct profile){ .kernels = m->kernels, .kernels_n = n };
	m->seq = (struct layer_seq){ .profile = &m->profile,
		.catalog = m->catalog,
		.lanes = 3,
		.symbols = n,
		.arena = &m->arena };
	m->l = (struct layering){ .sections = &m->section,
		.instances = m->instances,
		.places = m->places,
		.sections_n = 1,
		.instances_n = HAND_LAYERS,
		.places_n = n };
	assert_true(layer_blocks(&m->seq, &m->l, &m->named));
}

static inline void hand_check(struct hand *m, const char *what,
	enum section_place place, const char *text)
{
	bool ok = true;

	hand_make(m, text, place);
	for (uint32_t i = 0; i < m->lines_n; i++) {
		const struct line *l = &m->lines[i];
		const char *block = block_words[m->named[i].block],
			   *roles = roles_text(m, m->named[i].roles);
		if (strcmp(block, l->block) == 0 &&
			strcmp(roles, l->roles) == 0)
			continue;
		print_error("%s: %u %s is %s %s, not %s %s\n", what, i,
			l->kernel, block, roles, l->block, l->roles);
		ok = false;
	}
	assert_true(ok);
}

static inline int hand_start(void **state)
{
	static struct hand m;
	struct err e = { 0 };
	m = (struct hand){ 0 };
	m.catalog = catalog_new(NULL, &e);
	*state = &m;
	return m.catalog ? 0 : -1;
}

static inline int hand_stop(void **state)
{
	struct hand *m = *state;
	catalog_free(m->catalog);
	arena_release(&m->arena);
	return 0;
}
