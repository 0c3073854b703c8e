/* test_input_shape.c - converts Input Dims, types and Concrete Inputs to named
 * sizes. */
#include "input_shape.h"
#include "input_shape_words.h"
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* `text` NULL: unknown. */
static const struct {
	const char *op, *is, *dims, *types, *text;
	enum dtype dtype;
} cases[] = {
	{ "aten::mm", "gemm", "[[8192,512],[512,4096]]",
		"[\"c10::Half\",\"c10::Half\"]", "m=8192 n=4096 k=512",
		DTYPE_FP16 },
	/* 2020: no types */
	{ "aten::addmm", "gemm", "[[1000],[32,2048],[2048,1000],[],[]]", "[]",
		"m=32 n=1000 k=2048", DTYPE_UNKNOWN },
	{ "aten::bmm", "gemm", "[[16,5,7],[16,7,64]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\"]",
		"batch=16 m=5 n=64 k=7", DTYPE_BF16 },
	{ "_C::rms_norm", "rms_norm", "[[888,2880],[888,2880],[2880],[]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"Scalar\"]",
		"tokens=888 hidden=2880", DTYPE_BF16 },
	{ "aiter::rmsnorm", "rms_norm", "[[3,4,128],[3,4,128],[128],[]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"Scalar\"]",
		"tokens=12 hidden=128", DTYPE_BF16 },
	/* norms that add a residual, or write 8-bit numbers */
	{ "_C::rms_norm_dynamic_per_token_quant", "fused_rmsnorm_quant",
		"[[5,64],[5,64],[64],[5,1],[],[],[5,64]]",
		"[\"c10::Float8_e4m3fn\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"float\",\"Scalar\",\"\",\"c10::BFloat16\"]",
		"tokens=5 hidden=64 residual=1", DTYPE_BF16 },
	{ "_C::rms_norm_dynamic_per_token_quant", "fused_rmsnorm_quant",
		"[[5,64],[5,64],[64],[5,1],[],[],[]]",
		"[\"c10::Float8_e4m3fn\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"float\",\"Scalar\",\"\",\"\"]",
		"tokens=5 hidden=64 residual=0", DTYPE_BF16 },
	{ "aiter::layernorm2d_fwd_with_add", "layer_norm",
		"[[5,64],[5,64],[5,64],[5,64],[64],[64],[]]",
		"[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"c10::Half\","
		"\"c10::Half\",\"c10::Half\",\"Scalar\"]",
		"x=[5,64] residual=1", DTYPE_FP16 },
	{ "aiter::layernorm2d_fwd_with_smoothquant", "layer_norm",
		"[[5,64],[5,64],[64],[5,1],[64],[64],[]]",
		"[\"signed char\",\"c10::Half\",\"float\",\"float\","
		"\"c10::Half\",\"c10::Half\",\"Scalar\"]",
		"x=[5,64] to_bits=8", DTYPE_FP16 },
	/* names with a part of the call's module, and a number per process */
	{ "sglang_profiler::fp8_utils_gemm_a8w8_blockscale_340",
		"block_scaled_mm", "[[64,7168],[2112,7168],[64,56],[17,56]]",
		"[\"c10::Float8_e4m3fnuz\",\"c10::Float8_e4m3fnuz\","
		"\"float\",\"float\"]",
		"m=64 n=2112 k=7168", DTYPE_FP8_E4M3 },
	/* packed 4-bit weights: their dims are not k */
	{ "sglang_profiler::fp8_utils_gemm_a8w8_blockscale_340",
		"block_scaled_mm", "[[64,7168],[2112,3584]]",
		"[\"c10::Float8_e4m3fn\",\"unsigned char\"]",
		"in0=[64,7168] in1=[2112,3584]", DTYPE_FP8_E4M3 },
	/* the two GEMMs of an expert layer: 64 tokens, 8 experts each */
	{ "sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel_7",
		"grouped_gemm",
		"[[64,2048],[128,1536,2048],[],[512,1536],[],[128]]",
		"[\"c10::BFloat16\",\"c10::Float8_e4m3fn\",\"\","
		"\"c10::BFloat16\",\"\",\"float\"]",
		"groups=128 m=512 n=1536 k=2048", DTYPE_BF16 },
	{ "sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel_8",
		"grouped_gemm",
		"[[512,768],[128,2048,768],[],[64,8,2048],[],[128]]",
		"[\"c10::BFloat16\",\"c10::Float8_e4m3fn\",\"\","
		"\"c10::BFloat16\",\"\",\"float\"]",
		"groups=128 m=512 n=2048 k=768", DTYPE_BF16 },
	{ "sglang_profiler::layernorm_rmsnorm_3", "rms_norm",
		"[[32,4096],[4096]]", "[\"c10::BFloat16\",\"c10::BFloat16\"]",
		"tokens=32 hidden=4096", DTYPE_BF16 },
	{ "sglang_profiler::attention_paged_attention_ragged_12",
		"paged_attention_decode",
		"[[32,8,128],[1],[32,8,128],[900,16,2,128],[900,16,2,128]]",
		"[\"c10::BFloat16\",\"unsigned char\",\"c10::BFloat16\","
		"\"c10::BFloat16\",\"c10::BFloat16\"]",
		"seqs=32 heads=8 kv_heads=2 head_dim=128 v_dim=128",
		DTYPE_BF16 },
	{ "deep_gemm::fp8_gemm_nt", "block_scaled_mm",
		"[[4096,7168],[4096,56],[2112,7168],[17,56],[4096,2112]]",
		"[\"c10::Float8_e4m3fn\",\"float\",\"c10::Float8_e4m3fn\","
		"\"float\",\"c10::BFloat16\"]",
		"m=4096 n=2112 k=7168", DTYPE_FP8_E4M3 },
	/* a pair of a matrix and its scales is not recorded */
	{ "deep_gemm::fp8_gemm_nt", "block_scaled_mm", "[[],[],[4096,2112],[]]",
		"[\"\",\"\",\"c10::BFloat16\",\"\"]", "m=4096 n=2112",
		DTYPE_UNKNOWN },
	{ "deep_gemm::bf16_gemm_tn", "gemm", "[[512,64],[512,96],[64,96]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
		"m=64 n=96 k=512", DTYPE_BF16 },
	{ "deep_gemm::m_grouped_fp8_gemm_nt_masked", "grouped_gemm",
		"[[16,128,7168],[16,128,56],[16,4096,7168],[16,32,56],"
		"[16,128,4096]]",
		"[\"c10::Float8_e4m3fn\",\"float\",\"c10::Float8_e4m3fn\","
		"\"float\",\"c10::BFloat16\"]",
		"groups=16 n=4096 k=7168", DTYPE_FP8_E4M3 },
	{ "torch.ops.flashinfer.silu_and_mul.default", "silu_and_mul",
		"[[32,512],[32,1024]]", "[\"c10::BFloat16\",\"c10::BFloat16\"]",
		"x=[32,1024]", DTYPE_BF16 },
	{ "torch.ops.vllm.rms_norm", "rms_norm", "[[4,64],[64]]",
		"[\"c10::Half\",\"c10::Half\"]", "tokens=4 hidden=64",
		DTYPE_FP16 },
	/* a scalar wrapped in a tensor is no second input */
	{ "aten::mul", "elementwise", "[[4,8],[]]", "[\"float\",\"double\"]",
		"x=[4,8]", DTYPE_FP32 },
	{ "aten::add", "elementwise", "[[8],[4,8],[]]",
		"[\"float\",\"float\",\"Scalar\"]", "x=[8] y=[4,8] out=[4,8]",
		DTYPE_FP32 },
	{ "aten::sub", "elementwise", "[[4,1],[1,8],[]]",
		"[\"float\",\"float\",\"Scalar\"]", "x=[4,1] y=[1,8] out=[4,8]",
		DTYPE_FP32 },
	/* an output tensor that is passed in contains no input data */
	{ "aten::logical_and", "elementwise", "[[92,4],[92,4],[0]]",
		"[\"bool\",\"bool\",\"bool\"]", "x=[92,4] y=[92,4] to_bits=8",
		DTYPE_BOOL },
	{ "aten::mul", "elementwise", "[[],[]]", "[\"float\",\"float\"]",
		"x=[]", DTYPE_FP32 },
	{ "aten::copy_", "copy", "[[16],[16],[]]",
		"[\"int\",\"long int\",\"Scalar\"]",
		"x=[16] from_bits=64 to_bits=32", DTYPE_INT32 },
	{ "aten::_flash_attention_forward", "attention_forward",
		"[[2,559,16,64],[2,600,4,64],[2,600,4,64],[],[]]",
		"[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"\",\"\"]",
		"heads=16 kv_heads=4 head_dim=64 v_dim=64 q_lens=[559,559] "
		"seq_lens=[600,600]",
		DTYPE_FP16 },
	{ "aten::cat", "cat", "[[[1,2,3],[1,5,3]],[]]",
		"[\"TensorList\",\"Scalar\"]", "x=[21] parts=2",
		DTYPE_UNKNOWN },
	/* a list whose members are not recorded, as before 2023 */
	{ "aten::cat", "cat", "[[],[]]", "[\"TensorList\",\"Scalar\"]", NULL,
		DTYPE_UNKNOWN },
	{ "record_param_comms", "collective", "[[1,25136],[],[]]",
		"[\"c10::BFloat16\",\"\",\"\"]", "bytes=50272", DTYPE_BF16 },
	{ "aten::convolution_backward", "convolution",
		"[[256,512,1,1],[256,2048,1,1],[512,2048,1,1],[],[]]",
		"[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"ScalarList\","
		"\"ScalarList\"]",
		"x=[256,2048,1,1] w=[512,2048,1,1] out=[256,512,1,1] grads=2",
		DTYPE_FP16 },
	{ "vllm::unified_attention_with_output", "unified_attention",
		"[[888,8,64],[888,1,64],[888,1,64],[888,8,64],[],[],[]]",
		"[\"c10::Float8_e4m3fn\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"c10::BFloat16\",\"\",\"\",\"\"]",
		"tokens=888 heads=8 kv_heads=1 head_dim=64", DTYPE_BF16 },
	/* without a catalog entry the first tensor is x */
	{ "unlisted::softmax", "softmax", "[[],[16,5,7]]", "[\"\",\"float\"]",
		"x=[16,5,7]", DTYPE_FP32 },
	/* an operator without x: tensors as they are */
	{ "unlisted::routing", "moe_routing", "[[16,5],[3]]",
		"[\"float\",\"int\"]", "in0=[16,5] in1=[3]", DTYPE_FP32 },
	{ "aten::arange", "range", "[[],[],[0]]",
		"[\"Scalar\",\"Scalar\",\"long int\"]", NULL, DTYPE_UNKNOWN },
};

static void each_case(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;

	(void)state;
	assert_non_null(c);
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct shape *shape;
		enum input_shape_result how = input_shape_from(&s, cases[i].op,
			catalog_operator(c, cases[i].is),
			&(struct input_texts){ .dims = cases[i].dims,
				.types = cases[i].types },
			&shape);
		if (!cases[i].text) {
			assert_int_equal(how, INPUT_SHAPE_NONE);
			continue;
		}
		assert_int_equal(how, INPUT_SHAPE_FOUND);
		assert_string_equal(shape_text(shape, &a), cases[i].text);
		assert_int_equal(shape->dtype, cases[i].dtype);
	}
	arena_release(&a);
	catalog_free(c);
}

/* Dims without types, and the values of arguments. `text` is worked out from
 * the schema of the operator; `odd`: the values have another form. */
static const struct {
	const char *op, *is, *dims, *concrete, *text;
	bool odd;
} valued[] = {
	/* index_select keeps all dimensions but one */
	{ "aten::index_select", "index", "[[30522,512],[],[141]]",
		"[\"\",\"0\",\"\"]",
		"x=[30522,512] indices=[141] out=[141,512]", false },
	{ "aten::index_select", "index", "[[4,7,9],[],[3]]",
		"[\"\",\"-2\",\"\"]", "x=[4,7,9] indices=[3] out=[4,3,9]",
		false },
	{ "aten::index_select", "index", "[[4,7],[],[3]]", "[\"\",\"2\",\"\"]",
		"x=[4,7] indices=[3]", true },
	{ "aten::index_select", "index", "[[4,7],[],[3]]", NULL,
		"x=[4,7] indices=[3]", false },
	{ "aten::index_select", "index", "[[2048],[],[6744]]", NULL,
		"x=[2048] indices=[6744] out=[6744]", false },
	/* the result of gather has the dimensions of its indices */
	{ "aten::gather", "index", "[[50,8],[],[99,4],[]]", NULL,
		"x=[50,8] indices=[99,4] out=[99,4]", false },
	/* a causal mask is aligned at the last key */
	{ "aten::_scaled_dot_product_flash_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1",
		false },
	{ "aten::_scaled_dot_product_flash_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=0",
		false },
	{ "aten::_scaled_dot_product_flash_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]", NULL,
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9]",
		false },
	{ "aten::_scaled_dot_product_flash_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"0.\",\"maybe\",\"False\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9]",
		true },
	/* or at the first one, which is the same for square masks */
	{ "aten::_scaled_dot_product_efficient_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"False\",\"0.\",\"True\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1 top_left=1",
		false },
	{ "aten::_scaled_dot_product_efficient_attention", "attention_forward",
		"[[2,8,5,64],[2,2,5,64],[2,2,5,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"False\",\"0.\",\"True\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[5,5] causal=1",
		false },
	/* PyTorch 2.5 put the mask before compute_log_sumexp */
	{ "aten::_scaled_dot_product_cudnn_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"True\",\"0.\",\"False\",\"False\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=0",
		false },
	{ "aten::_scaled_dot_product_cudnn_attention", "attention_forward",
		"[[2,8,5,64],[2,2,9,64],[2,2,9,64],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1 top_left=1",
		false },
	/* PyTorch 2.3 added max_seqlen_k before the kind of mask */
	{ "aten::_efficient_attention_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"2\",\"False\",\"\",\"\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1",
		false },
	{ "aten::_efficient_attention_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"1\",\"False\",\"\",\"\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1 top_left=1",
		false },
	{ "aten::_efficient_attention_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"0\",\"False\",\"\",\"\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=0",
		false },
	/* sequences that follow each other are not a batch */
	{ "aten::_efficient_attention_forward", "attention_forward",
		"[[1,12,8,64],[1,12,2,64],[1,12,2,64],[],[4],[4],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"7\",\"7\",\"0.\",\"0\",\"False\"]",
		"tokens=12 seqs=3 heads=8 kv_heads=2 head_dim=64 v_dim=64",
		false },
	/* a window, and none */
	{ "aten::_flash_attention_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"5\",\"9\",\"0.\",\"False\",\"False\",\"0.125\",\"127\",\"-1\",\"\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=0 window_left=127",
		false },
	{ "aten::_flash_attention_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"5\",\"9\",\"0.\",\"True\",\"False\",\"0.125\",\"\",\"\",\"\",\"\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1",
		false },
	{ "flash_attn::_flash_attn_forward", "attention_forward",
		"[[2,5,8,64],[2,9,2,64],[2,9,2,64],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"0.\",\"0.125\",\"True\",\"511\",\"0\",\"0.\",\"\",\"False\"]",
		"heads=8 kv_heads=2 head_dim=64 v_dim=64 q_lens=[5,5] seq_lens=[9,9] causal=1 window_left=511 window_right=0",
		false },
	/* three sequences have 12 tokens: if the longest has 4, all have */
	{ "flash_attn::_flash_attn_varlen_forward", "attention_forward",
		"[[12,4,64],[12,2,64],[12,2,64],[4],[4],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"4\",\"4\",\"0.\",\"0.125\",\"True\",\"-1\",\"-1\"]",
		"tokens=12 seqs=3 heads=4 kv_heads=2 head_dim=64 v_dim=64 q_lens=[4,4,4] seq_lens=[4,4,4] causal=1",
		false },
	{ "flash_attn::_flash_attn_varlen_forward", "attention_forward",
		"[[12,4,64],[12,2,64],[12,2,64],[4],[4],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"6\",\"6\",\"0.\",\"0.125\",\"True\",\"-1\",\"-1\"]",
		"tokens=12 seqs=3 heads=4 kv_heads=2 head_dim=64 v_dim=64 causal=1",
		false },
	/* aiter added min_seqlen_q before dropout */
	{ "aiter::mha_varlen_fwd", "attention_forward",
		"[[12,4,64],[12,2,64],[12,2,64],[4],[4],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"6\",\"6\",\"0.\",\"0.125\",\"0.\",\"False\",\"True\",\"-1\",\"-1\",\"True\"]",
		"tokens=12 seqs=3 heads=4 kv_heads=2 head_dim=64 v_dim=64 causal=1",
		false },
	{ "aiter::mha_varlen_fwd", "attention_forward",
		"[[12,4,64],[12,2,64],[12,2,64],[4],[4],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"6\",\"6\",\"0\",\"0.\",\"0.125\",\"0.\",\"True\",\"False\",\"7\",\"7\",\"False\"]",
		"tokens=12 seqs=3 heads=4 kv_heads=2 head_dim=64 v_dim=64 causal=0 window_left=7 window_right=7",
		false },
	/* (224 + 2*3 - 7)/2 + 1 = 112, in three orders of arguments */
	{ "aten::convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"[2, 2]\",\"[3, 3]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
		"x=[2,3,224,224] w=[64,3,7,7] out=[2,64,112,112] stride=[2,2] padding=[3,3]",
		false },
	{ "aten::cudnn_convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"1\",\"False\",\"False\",\"True\"]",
		"x=[2,3,224,224] w=[64,3,7,7] out=[2,64,112,112] stride=[2,2] padding=[3,3]",
		false },
	{ "aten::miopen_convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"1\",\"False\",\"False\"]",
		"x=[2,3,224,224] w=[64,3,7,7] out=[2,64,112,112] stride=[2,2] padding=[3,3]",
		false },
	{ "aten::_slow_conv2d_forward", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"[7, 7]\",\"\",\"[2, 2]\",\"[3, 3]\"]",
		"x=[2,3,224,224] w=[64,3,7,7] out=[2,64,112,112] stride=[2,2] padding=[3,3]",
		false },
	/* one number for both dimensions; values without quotes */
	{ "aten::convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",[2],3,\"[]\",false,\"\",1]",
		"x=[2,3,224,224] w=[64,3,7,7] out=[2,64,112,112] stride=[2,2] padding=[3,3]",
		false },
	{ "aten::convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]", NULL,
		"x=[2,3,224,224] w=[64,3,7,7]", false },
	{ "aten::convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"[2, x]\",\"[3, 3]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
		"x=[2,3,224,224] w=[64,3,7,7]", true },
	{ "aten::convolution", "convolution",
		"[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"[0, 0]\",\"[3, 3]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
		"x=[2,3,224,224] w=[64,3,7,7]", false },
	/* 7 rows are more than 3 + 2*1 */
	{ "aten::convolution", "convolution", "[[1,3,3,3],[8,3,7,7]]",
		"[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
		"x=[1,3,3,3] w=[8,3,7,7]", false },
	/* 10 - 2*(3 - 1) = 6; four groups of two channels */
	{ "aten::convolution", "convolution", "[[1,8,10,10],[4,2,3,3]]",
		"[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[2, 2]\",\"False\",\"[0, 0]\",\"4\"]",
		"x=[1,8,10,10] w=[4,2,3,3] out=[1,4,6,6] dilation=[2,2] groups=4",
		false },
	/* 3*2 - 2 + 2 + 1 + 1 = 8 and 4*2 - 2 + 2 + 1 + 1 = 10; 2 groups of 3 */
	{ "aten::convolution", "convolution", "[[1,6,4,5],[6,3,3,3]]",
		"[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"True\",\"[1, 1]\",\"2\"]",
		"x=[1,6,4,5] w=[6,3,3,3] out=[1,6,8,10] stride=[2,2] padding=[1,1] transposed=1 groups=2",
		false },
	{ "aten::cudnn_convolution_transpose", "convolution",
		"[[1,6,4,5],[6,3,3,3]]",
		"[\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"2\",\"False\",\"False\",\"True\"]",
		"x=[1,6,4,5] w=[6,3,3,3] out=[1,6,8,10] stride=[2,2] padding=[1,1] transposed=1 groups=2",
		false },
	/* one dimension; the gradient of the weights alone */
	{ "aten::convolution_backward", "convolution",
		"[[4,16,50],[4,8,101],[16,8,3],[],[],[],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"[16]\",\"[2]\",\"[0]\",\"[1]\",\"False\",\"[0]\",\"1\",\"[False, True, False]\"]",
		"x=[4,8,101] w=[16,8,3] out=[4,16,50] stride=[2] grads=1",
		false },
	{ "aten::convolution_backward", "convolution",
		"[[4,16,50],[4,8,101],[16,8,3]]", NULL,
		"x=[4,8,101] w=[16,8,3] out=[4,16,50] grads=2", false },
	/* rounded up: (6 - 3)/2 + 1 = 3; not a window that begins in the border */
	{ "aten::max_pool2d_with_indices", "pool", "[[4,6,6],[],[],[],[],[]]",
		"[\"\",\"[3, 3]\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"True\"]",
		"x=[4,6,6] out=[4,3,3]", false },
	{ "aten::max_pool2d_with_indices", "pool", "[[1,4,5,5],[],[],[],[],[]]",
		"[\"\",\"[2, 2]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"True\"]",
		"x=[1,4,5,5] out=[1,4,3,3]", false },
	/* an image has at most a batch and channels before its two dimensions */
	{ "aten::max_pool2d_with_indices", "pool",
		"[[1,1,4,6,6],[],[],[],[],[]]",
		"[\"\",\"[3, 3]\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"True\"]",
		"x=[1,1,4,6,6]", false },
	/* without a stride, that of the kernel */
	{ "aten::avg_pool2d", "pool", "[[1,4,7,7],[],[],[],[],[],[]]",
		"[\"\",\"[3, 3]\",\"[]\",\"[0, 0]\",\"False\",\"True\",\"\"]",
		"x=[1,4,7,7] out=[1,4,2,2]", false },
	{ "aten::_adaptive_avg_pool2d", "pool", "[[10,512,7,7],[]]",
		"[\"\",\"[1, 1]\"]", "x=[10,512,7,7] out=[10,512,1,1]", false },
	{ "aten::upsample_nearest2d", "resampling", "[[1,8,16,16],[],[],[]]",
		"[\"\",\"[32, 48]\",\"2.\",\"3.\"]",
		"x=[1,8,16,16] out=[1,8,32,48]", false },
	{ "aten::upsample_nearest2d_backward", "resampling",
		"[[1,8,32,48],[],[],[],[]]",
		"[\"\",\"[32, 48]\",\"[1, 8, 16, 16]\",\"2.\",\"3.\"]",
		"x=[1,8,16,16] out=[1,8,32,48] grads=1", false },
	{ "aten::sum", "reduce", "[[4,5,6],[],[],[]]",
		"[\"\",\"[1]\",\"False\",\"\"]", "x=[4,5,6] out=[4,6]", false },
	{ "aten::mean", "reduce", "[[4,5,6],[],[],[]]",
		"[\"\",\"[-1, -2]\",\"True\",\"\"]", "x=[4,5,6] out=[4]",
		false },
	/* over all dimensions; 6 is a type */
	{ "aten::sum", "reduce", "[[4,5,6],[]]", "[\"\",\"\"]",
		"x=[4,5,6] out=[]", false },
	{ "aten::sum", "reduce", "[[4,5,6],[]]", "[\"\",\"6\"]", "x=[4,5,6]",
		false },
	{ "aten::sum", "reduce", "[[4,5,6],[]]", NULL, "x=[4,5,6]", false },
	{ "aten::argmax", "reduce", "[[4,5,6],[],[]]",
		"[\"\",\"-1\",\"False\"]", "x=[4,5,6] out=[4,5]", false },
	{ "aten::max", "reduce", "[[4,5,6]]", "[\"\"]", "x=[4,5,6] out=[]",
		false },
	/* the larger of two tensors is no reduction */
	{ "aten::max", "reduce", "[[4,5,6],[4,5,6]]", "[\"\",\"\"]",
		"x=[4,5,6]", false },
	{ "aten::topk", "sort", "[[4,50],[],[],[],[]]",
		"[\"\",\"8\",\"-1\",\"True\",\"True\"]", "x=[4,50] k=8",
		false },
	{ "aten::topk", "sort", "[[4,50],[],[],[],[]]",
		"[\"\",\"2\",\"0\",\"True\",\"True\"]", "x=[4,50]", false },
	{ "aten::_fused_rms_norm", "rms_norm", "[[8,16,32,32],[],[32,32],[]]",
		"[\"\",\"[32, 32]\",\"\",\"\"]", "tokens=128 hidden=1024",
		false },
	{ "aten::native_layer_norm", "layer_norm", "[[4,6,8],[],[],[],[]]",
		"[\"\",\"[6, 8]\",\"\",\"\",\"1e-05\"]", "x=[4,48]", false },
	{ "aten::native_layer_norm", "layer_norm", "[[4,6,8],[],[8],[8],[]]",
		"[\"\",\"[8]\",\"\",\"\",\"1e-05\"]", "x=[4,6,8]", false },
	{ "aten::native_group_norm", "group_norm",
		"[[2,32,8,8],[32],[32],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"2\",\"32\",\"64\",\"16\",\"1e-05\"]",
		"x=[2,32,8,8] groups=16", false },
	{ "_C::rotary_embedding", "rope",
		"[[888],[888,512],[888,64],[],[131072,32],[]]",
		"[\"\",\"\",\"\",\"64\",\"\",\"True\"]",
		"tokens=888 heads=8 kv_heads=1 head_dim=64 rope_dim=32",
		false },
	/* 512 is no multiple of 80 */
	{ "_C::rotary_embedding", "rope",
		"[[888],[888,512],[888,64],[],[131072,32],[]]",
		"[\"\",\"\",\"\",\"80\",\"\",\"True\"]",
		"x=[888,512] y=[888,64] tokens=888 rope_dim=32", false },
	{ "_moe_C::moe_align_block_size", "moe_align_block_size",
		"[[888,4],[],[],[9],[9],[1]]",
		"[\"\",\"128\",\"64\",\"\",\"\",\"\"]",
		"tokens=888 experts=128 top_k=4 block_size=64", false },
	/* weights of 2048 numbers per row, and of 4-bit numbers, two per byte */
	{ "aiter::fmoe_g1u1", "fused_moe",
		"[[32,2048],[32,2048],[64,1536,2048],[64,2048,768],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"6\"]",
		"tokens=32 hidden=2048 intermediate=768 experts=64 top_k=6",
		false },
	{ "aiter::fmoe_g1u1", "fused_moe",
		"[[32,2048],[32,2048],[64,1536,1024],[64,2048,384],[],[],[],[],[]]",
		"[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"6\"]",
		"in0=[32,2048] in1=[32,2048] in2=[64,1536,1024] "
		"in3=[64,2048,384]",
		false },
	/* no list, and a list that is cut off */
	{ "aten::sum", "reduce", "[[4,5,6],[]]", "{}", "x=[4,5,6]", true },
	{ "aten::sum", "reduce", "[[4,5,6],[]]", "[\"\",\"[1]\"", "x=[4,5,6]",
		true },
};

static void each_value(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;

	(void)state;
	assert_non_null(c);
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
		const struct shape *shape;
		assert_int_equal(input_shape_from(&s, valued[i].op,
					 catalog_operator(c, valued[i].is),
					 &(struct input_texts){
						 .dims = valued[i].dims,
						 .concrete =
							 valued[i].concrete },
					 &shape),
			INPUT_SHAPE_FOUND);
		assert_string_equal(shape_text(shape, &a), valued[i].text);
		if (s.odd != valued[i].odd)
			fail_msg("%s %s: odd is %d", valued[i].op,
				valued[i].concrete, s.odd);
	}
	arena_release(&a);
	catalog_free(c);
}

/* Launches of Triton kernels. `numbers`: its whole numbers, as Concrete Inputs;
 * `types`: b for bfloat16, f for float, i for int, n for a number. */
static const struct {
	const char *kernel, *is, *dims, *types, *concrete, *text;
	enum dtype dtype;
} launches[] = {
	/* each tensor once; the last one is the output */
	{ "triton_poi_fused_add_relu_4", "elementwise", "[[4,8],[8],[4,8],[]]",
		"bbfn", "[\"\",\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64,16] min_written_bytes=[128]",
		DTYPE_FP32 },
	/* 32 rows of a table; no number gives the points */
	{ "triton_poi_fused_0", "elementwise",
		"[[32],[201088,2880],[131072,64],[32,2880],[131072,64]]",
		"ibfbb", "[\"\",\"\",\"\",\"\",\"\"]",
		"min_read_bytes=[128,184320,33554432,184320] "
		"min_written_bytes=[16777216]",
		DTYPE_FP32 },
	/* no tensor has the size of the rows: the next largest tensor */
	{ "triton_poi_fused_0", "elementwise", "[[3],[1000,8],[40],[5]]",
		"ibbb", "[\"\",\"\",\"\",\"\"]",
		"min_read_bytes=[12,80,80] min_written_bytes=[10]",
		DTYPE_BF16 },
	/* without an index, nothing is picked */
	{ "triton_for_fused_0", "elementwise", "[[1000,8],[40]]", "bb",
		"[\"\",\"\"]", "min_read_bytes=[16000] min_written_bytes=[80]",
		DTYPE_BF16 },
	/* a part of a tensor */
	{ "triton_poi_fused_slice_1", "elementwise", "[[9,4,8],[4,8],[]]",
		"bbn", "[\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64] min_written_bytes=[64]",
		DTYPE_BF16 },
	/* no tensor has one element per point, so nothing is known of parts */
	{ "triton_poi_fused_slice_1", "elementwise", "[[9,4,8],[4,9],[]]",
		"bbn", "[\"\",\"\",\"32\"]",
		"min_read_bytes=[576] min_written_bytes=[72]", DTYPE_BF16 },
	/* the last tensor is too small for an output */
	{ "triton_poi_fused_addmm_gelu_view_17", "elementwise",
		"[[1,4,8],[8],[]]", "bbn", "[\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64,16] min_written_bytes=[64]",
		DTYPE_BF16 },
	/* but sums at picked places are not */
	{ "triton_poi_fused_index_put_17", "elementwise", "[[4,8],[4],[8],[]]",
		"bibn", "[\"\",\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64,16] min_written_bytes=[16]",
		DTYPE_BF16 },
	/* nor if the type of an argument is unknown */
	{ "triton_poi_fused_add_17", "elementwise", "[[4,8],[8],[4,8],[]]",
		"bb?n", "[\"\",\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64] min_written_bytes=[16]",
		DTYPE_BF16 },
	/* the result of a matrix product is an input */
	{ "triton_poi_fused__unsafe_view_add_3", "elementwise",
		"[[2,4,8],[2,4,8],[8,8],[]]", "bbbn", "[\"\",\"\",\"\",\"64\"]",
		"points=64 min_read_bytes=[128,128,128] "
		"min_written_bytes=[128]",
		DTYPE_BF16 },
	{ "triton_poi_fused__unsafe_view_add_clone_3", "elementwise",
		"[[2,4,8],[2,4,8],[8,8],[]]", "bbbn", "[\"\",\"\",\"\",\"64\"]",
		"points=64 min_read_bytes=[128,128] min_written_bytes=[128]",
		DTYPE_BF16 },
	/* gated activations: in place, and of both halves of a tensor */
	{ "triton_poi_fused_mul_silu_2", "elementwise", "[[4,8],[4,8],[]]",
		"bbn", "[\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64,64] min_written_bytes=[64]",
		DTYPE_BF16 },
	{ "triton_poi_fused_mul_silu_2", "elementwise", "[[4,16],[4,8],[]]",
		"bbn", "[\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[128] min_written_bytes=[64]",
		DTYPE_BF16 },
	{ "triton_poi_fused_mul_silu_backward_2", "elementwise",
		"[[4,8],[4,8],[]]", "bbn", "[\"\",\"\",\"32\"]",
		"points=32 min_read_bytes=[64] min_written_bytes=[64]",
		DTYPE_BF16 },
	/* a batch size of 2 before the points, and a block size behind */
	{ "triton_poi_fused_mul_silu_2", "elementwise",
		"[[2,16],[2,8],[],[],[]]", "bbnnn",
		"[\"\",\"\",\"2\",\"16\",\"128\"]",
		"points=16 min_read_bytes=[64] min_written_bytes=[32]",
		DTYPE_BF16 },
	/* reductions: rows times numbers of a row */
	{ "triton_red_fused_add_native_layer_norm_5", "layer_norm",
		"[[4,8],[4,8],[8],[4,8],[],[]]", "bbbbnn",
		"[\"\",\"\",\"\",\"\",\"4\",\"8\"]",
		"points=32 min_read_bytes=[64,64,16] min_written_bytes=[64]",
		DTYPE_BF16 },
	{ "triton_red_fused_mean_pow_rsqrt_24", "rms_norm",
		"[[1,4,3,2],[4,6],[2],[],[]]", "bbbnn",
		"[\"\",\"\",\"\",\"12\",\"2\"]",
		"points=24 min_read_bytes=[48,4] min_written_bytes=[48]",
		DTYPE_BF16 },
	/* one tensor; numbers that are no sizes */
	{ "triton_poi_fused_zeros_0", "elementwise", "[[4,8],[],[],[]]", "bnnn",
		"[\"\",\"-1\",\"0\",\"0.5\"]", "min_written_bytes=[64]",
		DTYPE_BF16 },
	/* no type is known: only the dimensions are */
	{ "triton_poi_fused_add_4", "elementwise", "[[4,8],[4,8],[]]", "??n",
		"[\"\",\"\",\"32\"]", "x=[4,8] y=[4,8]", DTYPE_UNKNOWN },
	/* more bits than 64 bits can count */
	{ "triton_poi_fused_add_4", "elementwise",
		"[[1073741824,1073741824,8],[8],[]]", "bbn",
		"[\"\",\"\",\"8\"]", "x=[1073741824,1073741824,8] y=[8]",
		DTYPE_BF16 },
	/* the operator has no such sizes */
	{ "triton_tem_fused_mm_1", "gemm", "[[4,8],[8,2],[4,2]]", "bbb", "",
		"in0=[4,8] in1=[8,2] in2=[4,2]", DTYPE_BF16 },
};

/* Writes the types of arguments as the JSON of Input type. */
static void types_text(const char *of, char *to, size_t size)
{
	int len = snprintf(to, size, "[");

	for (const char *t = of; *t; t++)
		len += snprintf(to + len, size - (size_t)len, "%s\"%s\"",
			t == of ? "" : ",",
			*t == 'b'   ? "c10::BFloat16"
			: *t == 'f' ? "float"
			: *t == 'i' ? "int"
			: *t == 'n' ? "Scalar"
				    : "c10::Odd");
	snprintf(to + len, size - (size_t)len, "]");
}

static void each_launch(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;
	const struct shape *shape;
	char types[400];

	(void)state;
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
		types_text(launches[i].types, types, sizeof types);
		assert_int_equal(input_shape_from(&s, launches[i].kernel,
					 catalog_operator(c, launches[i].is),
					 &(struct input_texts){
						 .dims = launches[i].dims,
						 .types = types,
						 .concrete =
							 launches[i].concrete,
						 .of_launch = true },
					 &shape),
			INPUT_SHAPE_FOUND);
		assert_string_equal(shape_text(shape, &a), launches[i].text);
		assert_int_equal(shape->dtype, launches[i].dtype);
		assert_false(s.odd);
	}
	arena_release(&a);
	catalog_free(c);
}

static void no_tensors_are_no_launch(void **state)
{
	struct input_dims *d = calloc(1, sizeof *d);
	struct arena a = { .ceiling = 1 << 20 };
	struct input_shape_made m = { .dims = d, .arena = &a };

	(void)state;
	assert_non_null(d);
	assert_int_equal(input_shape_launch(&m, "triton_poi_fused_0"),
		INPUT_SHAPE_NONE);
	/* a list of tensors is no pointer */
	d->args[0] = (struct input_dims_arg){ .n = 1,
		.is_list = true,
		.dtype = DTYPE_BF16 };
	d->args_n = 1;
	assert_int_equal(input_shape_launch(&m, "triton_poi_fused_0"),
		INPUT_SHAPE_NONE);
	assert_int_equal(m.n, 0);
	arena_release(&a);
	free(d);
}

static const char *const unreadable[] = { "", "[", "[[1,2]", "[[1,2]]x",
	"[[-1]]", "[[1.5]]", "[[9223372036854775808]]", "[[1,]]", "[1]",
	"[[[1,2],3]]", "null" };

static void invalid_lists_are_not_read(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;
	const struct shape *shape;

	(void)state;
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++)
		assert_int_equal(input_shape_from(&s, "aten::add",
					 catalog_operator(c, "elementwise"),
					 &(struct input_texts){
						 .dims = unreadable[i] },
					 &shape),
			INPUT_SHAPE_UNREADABLE);
	/* each list fits in a shape, both together do not; one is too long */
	static const char *const attention[] = { "[[40000,1,1,8],[40000,1,1,8],"
						 "[40000,1,1,8]]",
		"[[65537,1,1,8],[1,1,1,8],[1,1,1,8]]" };
	for (int i = 0; i < 2; i++)
		assert_int_equal(input_shape_from(&s,
					 "aten::_efficient_attention_forward",
					 catalog_operator(c,
						 "attention_forward"),
					 &(struct input_texts){
						 .dims = attention[i] },
					 &shape),
			INPUT_SHAPE_UNREADABLE);
	/* the product of a norm's rows exceeds 64 bits */
	assert_int_equal(input_shape_from(&s, "aiter::rmsnorm",
				 catalog_operator(c, "rms_norm"),
				 &(struct input_texts){
					 .dims = "[[4294967296,4294967296,8],"
						 "[8]]" },
				 &shape),
		INPUT_SHAPE_UNREADABLE);
	arena_release(&a);
	catalog_free(c);
}

/* The operator that an entry describes: one of the catalog or a host
 * operator. */
static const struct operator_info *about(const struct catalog *c,
	const char *of)
{
	const struct operator_info *is = catalog_operator(c, of);
	const char *star = strchr(of, '*');
	char name[128];

	snprintf(name, sizeof name, "%.*s%s%s",
		(int)(star ? star - of : (long)strlen(of)), of,
		star ? "module" : "", star ? star + 1 : "");
	return is ? is : catalog_op(c, name, strlen(name));
}

static void all_sizes_are_in_the_catalog(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	const char *of, *what;
	int lacking = 0;

	(void)state;
	for (uint32_t i = 0; (of = input_shape_entry(i, &what)); i++) {
		const struct operator_info *is = about(c, of);
		if (!is)
			continue; /* it only calls others, according to the catalog */
		for (const char *w = what; *w; w += strspn(w, " ")) {
			size_t len = strcspn(w, " ");
			size_t name = strcspn(w, "?=: ");
			bool found = strchr("@-$!0123456789", w[0]) ||
				     w[name] == ':';
			for (uint32_t k = 0; k < is->sizes_n; k++)
				found |= strlen(is->sizes[k]) == name &&
					 !strncmp(is->sizes[k], w, name);
			if (!found)
				print_error("%s: the operator %s has no size "
					    "'%.*s'\n",
					of, is->name, (int)name, w);
			lacking += !found;
			w += len;
		}
	}
	assert_int_equal(lacking, 0);
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case),
		cmocka_unit_test(each_value),
		cmocka_unit_test(each_launch),
		cmocka_unit_test(no_tensors_are_no_launch),
		cmocka_unit_test(invalid_lists_are_not_read),
		cmocka_unit_test(all_sizes_are_in_the_catalog),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
