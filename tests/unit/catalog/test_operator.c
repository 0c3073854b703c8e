/* test_operator.c - tests which operator a kernel, host operator or module
 * has, how two operators are combined, and which platform a device has. */
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

struct row {
	const char *name, *is;
};

static const struct row kernels[] = {
#define OPERATOR(name, op) { name, op },
#include "operator_kernels.def"
#undef OPERATOR
};

/* NULL: it is unknown, or it only calls others. */
static const struct row ops[] = {
	{ "aten::addmm", "gemm" },
	{ "aten::linear", NULL },
	{ "aten::matmul", NULL },
	{ "aten::to", NULL },
	{ "aten::bmm", "gemm" },
	{ "aten::_scaled_mm", "gemm" },
	{ "aten::_grouped_mm", "grouped_gemm" },
	{ "aten::miopen_convolution", "convolution" },
	{ "aten::convolution_backward", "convolution" },
	{ "aten::_flash_attention_forward", "attention_forward" },
	{ "aten::_flash_attention_backward", "attention_backward" },
	{ "aten::_efficient_attention_backward", "attention_backward" },
	{ "aten::copy_", "copy" },
	{ "aten::fill_", "memset" },
	{ "aten::add_", "elementwise" },
	{ "aten::native_layer_norm", "layer_norm" },
	{ "aten::native_layer_norm_backward", "norm_backward" },
	{ "aten::linalg_vector_norm", "reduce" },
	{ "aten::linalg_cholesky_ex", "linalg" },
	{ "aten::_foreach_norm", "reduce" },
	{ "aten::_foreach_add_", "elementwise" },
	{ "aten::_fused_adamw_", "optimizer" },
	{ "aten::topk", "sort" },
	{ "aten::index_put_", "scatter" },
	{ "aten::max_pool2d_with_indices", "pool" },
	{ "vllm::rms_norm", "rms_norm" },
	{ "torch.ops.vllm.rms_norm", "rms_norm" },
	{ "torch.ops.vllm.rms_norm.default", "rms_norm" },
	{ "torch.ops.vllm", NULL },
	{ "torch.ops.vllm.", NULL },
	{ "torch.ops.", NULL },
	{ "sglang_profiler::layernorm_rmsnorm_12", "rms_norm" },
	{ "sglang_profiler::layernorm_rmsnorm", "rms_norm" },
	{ "sglang_profiler::layernorm_gemma_fused_add_rmsnorm_4",
		"fused_add_rms_norm" },
	{ "sglang_profiler::fused_mxfp4_quant_fused_rms_mxfp4_quant_9",
		"fused_rmsnorm_quant" },
	{ "sglang_profiler::activation_silu_and_mul_1", "silu_and_mul" },
	{ "sglang_profiler::decode_attention_decode_attention_fwd_2",
		"paged_attention_decode" },
	{ "sglang_profiler::extend_attention_extend_attention_fwd_2",
		"unified_attention" },
	{ "sglang_profiler::gemm_kernels_flydsl_hgemm_5", "gemm" },
	{ "sglang_profiler::fp8_utils_gemm_a8w8_blockscale_3",
		"block_scaled_mm" },
	{ "sglang_profiler::topk_biased_grouped_topk_gpu_3",
		"moe_topk_gating_softmax" },
	{ "sglang_profiler::12", NULL },
	{ "sglang_profiler::utils_get_device_5", NULL },
	{ "deep_gemm::bf16_gemm_nt", "gemm" },
	{ "deep_gemm::fp8_gemm_nn", "block_scaled_mm" },
	{ "deep_gemm::m_grouped_fp8_gemm_nt_masked", "grouped_gemm" },
	{ "deep_gemm::get_num_sms", NULL },
	{ "flashinfer::batch_prefill_with_kv_cache_dtype_q_bf16_paged_run",
		"unified_attention" },
	{ "flashinfer::batch_prefill_with_kv_cache_dtype_q_bf16_ragged_run",
		"attention_forward" },
	{ "flashinfer::batch_decode_with_kv_cache_dtype_q_bf16_run",
		"paged_attention_decode" },
	{ "flashinfer::batch_decode_with_kv_cache_dtype_q_bf16_plan", NULL },
	{ "flashinfer::bmm_fp8", "gemm" },
	{ "flashinfer::append_paged_kv_cache", "reshape_and_cache" },
	{ "vllm::rocm_aiter_fused_moe", "fused_moe" },
	{ "_C::fused_add_rms_norm", "fused_add_rms_norm" },
	{ "_C::rms_norm_dynamic_per_token_quant", "fused_rmsnorm_quant" },
	{ "_C::silu_and_mul", "silu_and_mul" },
	{ "_C::rotary_embedding", "rope" },
	{ "_C_cache_ops::reshape_and_cache_flash", "reshape_and_cache" },
	{ "_moe_C::topk_softmax", "moe_topk_gating_softmax" },
	{ "_moe_C::moe_align_block_size", "moe_align_block_size" },
	{ "vllm::moe_forward", "fused_moe" },
	{ "vllm::unified_attention_with_output", "unified_attention" },
	{ "vllm::all_reduce", "collective" },
	{ "sglang::store_cache", "reshape_and_cache" },
	{ "sgl_kernel::sgl_per_token_group_quant_fp8",
		"per_token_group_quant_fp8" },
	{ "aiter::mha_batch_prefill", "unified_attention" },
	{ "c10d::allreduce_", "collective" },
	{ "nccl:all_reduce", "collective" },
	{ "record_param_comms", "collective" },
	{ "torchvision::nms", "detection" },
	{ "triton_poi_fused_add_0", "elementwise" },
	{ "my_library::frobnicate", NULL },
	{ "ProfilerStep#3", NULL },
	{ "", NULL },
};

static const struct row modules[] = {
	{ "RMSNorm", "rms_norm" },
	{ "Qwen3MoeRMSNorm", "rms_norm" },
	{ "LayerNorm", "layer_norm" },
	{ "QKVParallelLinear", "gemm" },
	{ "Linear", "gemm" },
	{ "Conv2d", "convolution" },
	{ "BatchNorm2d", "batch_norm" },
	{ "SiluAndMul", "silu_and_mul" },
	{ "FusedMoE", "fused_moe" },
	{ "VocabParallelEmbedding", "embedding" },
	{ "LlamaRotaryEmbedding", "rope" },
	{ "LlamaDecoderLayer", NULL },
	{ "Sequential", NULL },
};

static const struct row devices[] = {
	{ "NVIDIA H100 80GB HBM3", "H100-SXM" },
	{ "NVIDIA H100 80GB HBM3 MIG 1g.10gb", NULL },
	{ "NVIDIA H100 PCIe", "H100-PCIe" },
	{ "NVIDIA H100 NVL", "H100-NVL" },
	{ "NVIDIA H200", "H200-SXM" },
	{ "NVIDIA H20", "H20" },
	{ "NVIDIA H20Z", NULL },
	{ "NVIDIA H20-3e", NULL },
	{ "NVIDIA H20 MIG 1g.12gb", NULL },
	{ "NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB" },
	{ "NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB" },
	{ "NVIDIA A100-SXM4-40GB MIG 1g.5gb", NULL },
	{ "NVIDIA A100 80GB PCIe", "A100-PCIe-80GB" },
	{ "NVIDIA A10", "A10" },
	{ "NVIDIA A10G", "A10G" },
	{ "Tesla V100-SXM2-32GB", "V100-SXM2" },
	{ "Tesla T4", "T4" },
	{ "NVIDIA L40S", "L40S" },
	{ "NVIDIA GeForce RTX 3060", "RTX-3060" },
	{ "NVIDIA GeForce RTX 3060 Laptop GPU", NULL },
	{ "NVIDIA GeForce RTX 4090", "RTX-4090" },
	{ "NVIDIA B200", "B200" },
	{ "NVIDIA B300 SXM6 AC", "B300" },
	{ "NVIDIA GH200 480GB", "GH200-96GB" },
	{ "AMD Instinct MI300X", "MI300X" },
	{ "AMD Instinct MI300X VF", "MI300X" },
	{ "AMD Instinct MI250X", "MI250X-GCD" },
	{ "AMD Instinct MI355X", "MI355X" },
	{ "Tesla V100-DGXS-32GB", "V100-DGXS" },
	{ "NVIDIA A100-PG509-200", "A100-PG509" },
	{ "NVIDIA GeForce RTX 2080 Ti", "RTX-2080-Ti" },
	{ "NVIDIA GeForce RTX 2080", NULL },
	{ "NVIDIA GeForce RTX 3080", "RTX-3080" },
	{ "NVIDIA GeForce RTX 3080 Ti", NULL },
	{ "NVIDIA GeForce RTX 4080 Laptop GPU", "RTX-4080-Laptop" },
	{ "NVIDIA GeForce RTX 4080", NULL },
	{ "NVIDIA H800", "H800-SXM" },
	{ "NVIDIA H800 PCIe", NULL },
	{ "NVIDIA GB200", "GB200" },
	{ "NVIDIA GB300", "GB300" },
	{ "AMD Instinct MI210", "MI210" },
	{ "AMD Instinct MI250", "MI250-GCD" },
	{ "AMD Instinct MI308X", "MI308X" },
	{ "AMD Instinct MI350X", "MI350X" },
	{ "AMD", NULL },
	{ "", NULL },
};

static int start(void **state)
{
	struct err e = { 0 };
	*state = catalog_new(NULL, &e);
	if (!*state)
		fail_msg("%s", e.text);
	return 0;
}

static int stop(void **state)
{
	catalog_free(*state);
	return 0;
}

static void same(const char *name, const char *got, const char *want)
{
	if (got == want || (got && want && !strcmp(got, want)))
		return;
	fail_msg("'%s' is %s, not %s", name, got ? got : "unknown",
		want ? want : "unknown");
}

typedef const struct operator_info *look(const struct catalog *c,
	const char *name, size_t len);

static void all(struct catalog *c, look *f, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct operator_info *op =
			f(c, rows[i].name, strlen(rows[i].name));
		same(rows[i].name, op ? op->name : NULL, rows[i].is);
	}
}
#define ALL(c, f, rows) all(c, f, rows, sizeof(rows) / sizeof *(rows))

static void test_kernels(void **state)
{
	ALL(*state, catalog_kernel_operator, kernels);
}

/* Invented names: no rule matches everything. */
static void test_made_up(void **state)
{
	static const char *const names[] = { "my_secret_kernel_v7", "k", "",
		"foo", "void my::kernel<int>(int)", "vectorAdd(float const*)",
		"step_kernel", "turbo_encabulator", "decode", "fwd", "topk",
		"void kernel<float>(float*)", "expand_kernel2", "custom_op_17",
		"elementwise", "process_data_kernel(int*)" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct operator_info *op = catalog_kernel_operator(*state,
			names[i], strlen(names[i]));
		same(names[i], op ? op->name : NULL, NULL);
	}
}

static void test_ops(void **state)
{
	ALL(*state, catalog_op, ops);
}

static void test_modules(void **state)
{
	ALL(*state, catalog_module, modules);
}

static void test_devices(void **state)
{
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		const struct platform *p =
			catalog_device(*state, devices[i].name);
		same(devices[i].name, p ? p->name : NULL, devices[i].is);
	}
}

/* Platforms of which no compute peak is published. */
static bool unpublished(const char *name)
{
	static const char *const names[] = { "A100-PG509", "A10G", "MI308X",
		"RTX-3080", "RTX-4080-Laptop", "V100-DGXS" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Each platform has a source; all but those of which nothing is published have
 * a bandwidth and at least one peak. The rows are sorted by name. */
static void test_platforms(void **state)
{
	const struct platform *const *p;
	uint32_t n = catalog_platforms(*state, &p);

	assert_true(n >= 38);
	for (uint32_t i = 0; i < n; i++) {
		int peaks = 0;
		for (int d = 0; d < DTYPES; d++)
			peaks += p[i]->peak_flops[d] > 0;
		assert_true((peaks > 0) == !unpublished(p[i]->name));
		assert_true(!peaks || p[i]->bytes_per_s > 0);
		assert_non_null(p[i]->source);
		bool links = !isnan(p[i]->link_bytes_per_s) ||
			     !isnan(p[i]->network_bytes_per_s);
		assert_true(links == (p[i]->link_source != NULL));
		assert_true(!links || p[i]->link_devices > 1);
		assert_true(p[i]->launch_floor_ns > 0);
		assert_true(!i || strcmp(p[i - 1]->name, p[i]->name) < 0);
		assert_ptr_equal(catalog_platform(*state, p[i]->name), p[i]);
	}
	const struct platform *h20 = catalog_platform(*state, "H20");
	assert_true(h20->peak_flops[DTYPE_BF16] == 148e12);
	assert_true(isnan(h20->peak_flops[DTYPE_INT8]));
	assert_true(isnan(h20->link_bytes_per_s) && !h20->link_source);
	/* 900 GB/s both ways */
	const struct platform *h100 = catalog_platform(*state, "H100-SXM");
	assert_true(h100->link_bytes_per_s == 450e9 && h100->link_source);
	assert_true(h100->network_bytes_per_s == 50e9);
	assert_int_equal(h100->link_devices, 8);
	assert_int_equal(h100->link_topology, LINK_SWITCH);
	/* seven links of 64 GB/s */
	const struct platform *mi300x = catalog_platform(*state, "MI300X");
	assert_true(mi300x->link_bytes_per_s == 7 * 64e9);
	assert_int_equal(mi300x->link_devices, 8);
	assert_int_equal(mi300x->link_topology, LINK_MESH);
	assert_true(isnan(mi300x->network_bytes_per_s));
	/* six links of 25 GB/s */
	const struct platform *v100 = catalog_platform(*state, "V100-SXM2");
	assert_true(v100->link_bytes_per_s == 6 * 25e9);
	assert_int_equal(v100->link_topology, LINK_PARTIAL);
	assert_true(catalog_platform(*state, "GB200")->link_across_hosts);
	assert_null(catalog_platform(*state, "H21"));
}

/* Operations per unit and clock are powers of two. So a peak, divided by the
 * units and by the clock that it assumes, must be one, up to the rounding of the
 * published figure: the coarsest is L4's 60 TFLOP/s, rounded from 60.6. */
static void test_peak_clocks(void **state)
{
	const struct platform *const *p;
	uint32_t n = catalog_platforms(*state, &p), checked = 0;

	for (uint32_t i = 0; i < n; i++)
		for (enum dtype d = 0; d < DTYPES; d++) {
			double mhz = p[i]->peak_clock_mhz[d];
			if (isnan(mhz))
				continue;
			assert_true(p[i]->compute_units > 0);
			assert_non_null(p[i]->peak_clock_source);
			double each = p[i]->peak_flops[d] /
				      ((double)p[i]->compute_units * mhz * 1e6);
			double off = each / exp2(round(log2(each))) - 1;
			if (fabs(off) > 0.01)
				fail_msg("%s, %s: %.1f operations per unit and "
					 "clock",
					p[i]->name, dtype_word(d), each);
			checked++;
		}
	assert_true(checked > 150);
	const struct platform *h100 = catalog_platform(*state, "H100-SXM");
	assert_true(h100->compute_units == 132);
	assert_true(h100->peak_clock_mhz[DTYPE_BF16] == 1830);
	assert_true(h100->peak_clock_mhz[DTYPE_FP32] == 1980);
	/* 1,024 operations do not give 362.05 TFLOP/s */
	const struct platform *l40s = catalog_platform(*state, "L40S");
	assert_true(l40s->peak_clock_mhz[DTYPE_FP32] == 2520);
	assert_true(isnan(l40s->peak_clock_mhz[DTYPE_BF16]));
	/* no page states a clock that gives the peaks */
	const struct platform *v100 = catalog_platform(*state, "V100-PCIe");
	assert_true(isnan(v100->peak_clock_mhz[DTYPE_FP16]));
	assert_non_null(strstr(v100->peak_clock_source, "unknown"));
	/* a number is the clock of all peaks, and of nothing else */
	const struct platform *a10 = catalog_platform(*state, "A10");
	assert_true(a10->peak_clock_mhz[DTYPE_INT4] == 1695);
	assert_true(isnan(a10->peak_clock_mhz[DTYPE_FP64]));
}

static enum fit fit(struct catalog *c, const char *host, const char *kernel)
{
	return catalog_fit(catalog_operator(c, host),
		catalog_operator(c, kernel));
}

static void test_fit(void **state)
{
	assert_int_equal(fit(*state, "gemm", "gemm"), FIT_SAME);
	assert_int_equal(fit(*state, "convolution", "gemm"), FIT_PART);
	assert_int_equal(fit(*state, "gemm", "convolution"), FIT_OTHER);
	assert_int_equal(fit(*state, "sort", "copy"), FIT_PART);
	assert_int_equal(fit(*state, "copy", "collective"), FIT_OTHER);
	assert_int_equal(fit(*state, "fused_moe", "moe_routing"), FIT_HOLDS);
}

static void test_operators(void **state)
{
	const struct operator_info *const *op;
	uint32_t n = catalog_operators(*state, &op), unspecific = 0;

	for (uint32_t i = 0; i < n; i++) {
		assert_true(op[i]->what && op[i]->group && !op[i]->own);
		unspecific += !op[i]->specific;
	}
	assert_int_equal(unspecific, 1);
	assert_false(catalog_operator(*state, "other")->specific);
	assert_true(catalog_operator(*state, "collective")->collective);
	assert_null(catalog_operator(*state, "rms_nor"));
	const struct operator_info *rms = catalog_operator(*state, "rms_norm");
	assert_int_equal(rms->sizes_n, 5);
	assert_string_equal(rms->sizes[0], "tokens");
	assert_string_equal(rms->sizes[4], "min_written_bytes");
	assert_int_equal(rms->aliases_n, 2);
	assert_string_equal(rms->aliases[2], "hidden_size");
	assert_string_equal(rms->aliases[3], "hidden");
}

static void test_name_of_host_operator(void **state)
{
	static const struct row names[] = {
		{ "aten::mm", "aten::mm" },
		{ "torch.ops.vllm.rms_norm.default", "vllm::rms_norm" },
		{ "torch.ops.aten.mm", "aten::mm" },
		{ "torch.ops.aten", "torch.ops.aten" },
		{ "torch.ops.", "torch.ops." },
		{ "sglang_profiler::silu_and_mul_12",
			"sglang_profiler::silu_and_mul" },
		{ "sglang_profiler::top_k2", "sglang_profiler::top_k2" },
		{ "sglang_profiler::7", "sglang_profiler::7" },
		{ "aiter::op_12", "aiter::op_12" },
	};
	char buf[CATALOG_OP_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i].name);
		const char *is = catalog_op_name(names[i].name, &len, buf);
		assert_int_equal(len, strlen(names[i].is));
		assert_memory_equal(is, names[i].is, len);
	}
	/* a name with more text behind it */
	size_t len = strlen("torch.ops.vllm.rms_norm");
	const char *is =
		catalog_op_name("torch.ops.vllm.rms_norm, seq = 5", &len, buf);
	assert_int_equal(len, strlen("vllm::rms_norm"));
	assert_memory_equal(is, "vllm::rms_norm", len);
	len = strlen("torch.ops.vllm");
	assert_int_equal('t',
		*catalog_op_name("torch.ops.vllm.rms_norm", &len, buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_name_of_host_operator),
		cmocka_unit_test(test_made_up),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_platforms),
		cmocka_unit_test(test_peak_clocks),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_operators),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
