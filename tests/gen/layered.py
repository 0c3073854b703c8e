"""layered.py - a decoder's layers, kernel by kernel: 3 dense layers, 58 with experts.

The model has latent attention, and experts on other ranks. The tables list what a layer
launches in a decode step of a serving engine, by which module and call, and on which
stream. The caller provides the durations; a row without a duration is not launched. The
duration of a call is that of all its launches together.
"""
MAIN, COMM = 7, 23  # streams

FP8 = ('void deep_gemm::sm100_fp8_gemm_1d1d_impl<(cute::UMMA::Major)0, '
       '(cute::UMMA::Major)0, 0u, {n}u, {k}u, 128u, 128u, 128u, {groups}u, '
       '(deep_gemm::GemmType){kind}, false, cutlass::bfloat16_t>(int*, '
       'unsigned int, unsigned int, unsigned int, CUtensorMap_st)')
ADD_NORM = ('void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>('
            '__nv_bfloat16*, __nv_bfloat16*, __nv_bfloat16*, unsigned int, '
            'unsigned int, unsigned int, float, float)')
QUANT = ('void per_token_group_quant_fp8_kernel<__nv_bfloat16, '
         '__nv_fp8_e4m3, {n}>(__nv_bfloat16 const*, void*, float*, int)')
COPY = ('void at::native::{kernel}<{shape}at::native::{copy}(at::'
        'TensorIteratorBase&)::{{lambda(float)#1}}>(int, float)')
COMBINE = ('void deep_ep::internode_ll::combine<true, 7168, 9, 32>(void*, '
           'void*, int*, int, {half})')


def fp8(n, k, groups=1, kind=0):
    return FP8.format(n=n, k=k, groups=groups, kind=kind)


def step(kernel, copy='direct_copy_kernel_cuda', shape='128, 4, '):
    return COPY.format(kernel=kernel, copy=copy, shape=shape)


# key, module, the host's operator, kernels, the index of the longest kernel
ATTENTION = [
    ('input_norm', 'self.input_layernorm', 'sgl_kernel::fused_add_rmsnorm',
     [ADD_NORM], 0),
    ('q_a_kv_a', 'q_a_kv_a', 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(2112, 7168)], 0),
    ('latent_norm', 'self.input_layernorm', 'sgl_kernel::rmsnorm_split',
     ['rmsnorm_split_col_kernel'], 0),
    ('q_b_quant', 'q_proj_b', 'sgl_kernel::sgl_per_token_group_quant_fp8',
     [QUANT.format(n=1536)], 0),
    ('q_b', 'q_proj_b', 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(24576, 1536)], 0),
    ('absorb', 'torch.bmm transpose(0,1)', 'aten::bmm',
     ['nvjet_tst_256x128_64x5_2x1_v_bz_NNT'], 0),
    ('rope', 'self.rotary_emb', 'sgl_kernel::rotary_embedding',
     [step('elementwise_kernel'),
      'void rotary_embedding_kernel<__nv_bfloat16, true>(long const*, '
      '__nv_bfloat16*, __nv_bfloat16*, __nv_bfloat16 const*, int)',
      step('unrolled_elementwise_kernel', shape=''),
      step('index_elementwise_kernel', 'index_kernel_impl')], 1),
    ('attention', 'self.attn_mqa', 'sgl_kernel::mla_decode',
     ['fmhaSm100fKernel_QkvE4m3OBfloat16H576HV512PagedKvDenseStaticSwapsAb'],
     0),
    ('unabsorb', 'torch.bmm transpose(0,1)', 'aten::bmm',
     ['nvjet_tst_64x128_64x13_2x1_v_bz_TNT'], 0),
    ('o_quant', 'self.o_proj', 'sgl_kernel::sgl_per_token_group_quant_fp8',
     [step('elementwise_kernel'), QUANT.format(n=16384)], 1),
    ('o_proj', 'self.o_proj', 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(7168, 16384)], 0),
]
GATE = [
    ('post_norm', 'self.input_layernorm', 'sgl_kernel::fused_add_rmsnorm',
     [ADD_NORM], 0),
    ('router', None, 'aten::mm', ['nvjet_tst_64x32_64x16_2x4_2cta_splitK_TNT'],
     0),
    ('router_sum', None, 'aten::mm',
     ['void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, '
      'float, __nv_bfloat16, true, false, false>(int)'], 0),
    ('topk', None, 'sgl_kernel::topk_softmax',
     ['void at::native::distribution_elementwise_grid_stride_kernel<float, 4>('
      'int, float)',
      'void vllm::moe::topkGatingSoftmax<8, 256, 4, 16, long>(float const*, '
      'bool const*, float*, int, long*, int*, int, int, int)'], 1),
]
EXPERTS = [
    ('dispatch', 'dispatch', 'deep_ep::low_latency_dispatch',
     ['void deep_ep::internode_ll::dispatch<true, false, 7168>(void*, float*, '
      'int*, long*, int*, int)'], 0),
    ('up_gate', 'up_gate_gemm', 'deep_gemm::m_grouped_fp8_gemm_nt_masked',
     [fp8(4096, 7168, 32, 2), step('vectorized_elementwise_kernel')], 0),
    ('silu', 'silu', 'sgl_kernel::silu_and_mul_ep',
     ['void silu_and_mul_kernel_ep_index<__nv_bfloat16, 128>(__nv_bfloat16 '
      'const*, void*, float*, int const*)'], 0),
    ('down', 'down_gemm', 'deep_gemm::m_grouped_fp8_gemm_nt_masked',
     [fp8(7168, 2048, 32, 2)], 0),
]
COMBINED = ('combine', 'combine', 'deep_ep::low_latency_combine',
            [COMBINE.format(half=0), COMBINE.format(half=1)], 1)
SHARED = [
    ('shared_quant', None, 'sgl_kernel::sgl_per_token_group_quant_fp8',
     [QUANT.format(n=7168)], 0),
    ('shared_up', None, 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(4096, 7168)], 0),
    ('shared_act', None, 'sgl_kernel::silu_and_mul',
     ['void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, '
      '&(float flashinfer::activation::silu(float const&))>(__nv_bfloat16*, '
      '__nv_bfloat16 const*, int)'], 0),
    ('shared_down', None, 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(7168, 2048)], 0),
]
DENSE = [
    ('dense_norm', 'self.post_attention_layernorm',
     'sgl_kernel::fused_add_rmsnorm', [ADD_NORM], 0),
    ('dense_up', 'gate_up_proj', 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(36864, 7168)], 0),
    ('dense_act', 'act_fn', 'sgl_kernel::silu_and_mul', SHARED[2][3], 0),
    ('dense_down', 'down_proj', 'sglang::deep_gemm_fp8_fp8_bf16_nt',
     [fp8(7168, 18432)], 0),
]
BEFORE = [('embed', 'embed_tokens', 'aten::embedding',
           [step('vectorized_gather_kernel', 'gather', '16, ')], 0)]
AFTER = [
    ('final_norm', 'norm', 'sgl_kernel::fused_add_rmsnorm', [ADD_NORM], 0),
    ('lm_head', 'lm_head', 'aten::mm', ['nvjet_tst_128x256_64x4_2x1_v_bz_TNT'],
     0),
    ('sample', 'sampler', 'aten::argmax',
     ['void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, '
      'at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >(at::native::'
      'ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, '
      '4>)'], 0),
]
AGAIN = [
    ('again_embed', 'embed_tokens', 'aten::embedding', BEFORE[0][3], 0),
    ('again_norm', 'enorm', 'sgl_kernel::rmsnorm',
     ['void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*, '
      '__nv_bfloat16*, __nv_bfloat16*, unsigned int, float)'], 0),
    ('again_proj', 'eh_proj', 'aten::mm',
     ['nvjet_tst_128x64_64x8_2x1_v_bz_TNT'], 0),
]
DENSE_LAYERS, EXPERT_LAYERS = 3, 58

# Durations in ns, used if the caller provides none.
TIMES = {
    'input_norm': 4200, 'q_a_kv_a': 12700, 'latent_norm': 2100,
    'q_b_quant': 2300, 'q_b': 18400, 'absorb': 15300, 'rope': 7600,
    'attention': 190000, 'unabsorb': 14100, 'o_quant': 5200, 'o_proj': 46000,
    'post_norm': 3300, 'router': 6100, 'router_sum': 2200, 'topk': 8300,
    'dispatch': 120000, 'up_gate': 90000, 'silu': 9000, 'down': 45000,
    'combine': 300000, 'shared_quant': 3100, 'shared_up': 16000,
    'shared_act': 4100, 'shared_down': 9500, 'dense_norm': 3300,
    'dense_up': 61000, 'dense_act': 6000, 'dense_down': 33000,
    'embed': 9000, 'final_norm': 4000, 'lm_head': 210000, 'sample': 31000,
    'again_embed': 9000, 'again_norm': 3700, 'again_proj': 24000,
}


def durations(row, times):
    """Returns (kernel, ns) of a row's launches, in order; empty if the row has no
    time."""
    key, _, _, kernels, main = row
    total = times.get(key)
    if total is None:
        return []
    small = total // (2 * len(kernels))
    return [(k, total - small * (len(kernels) - 1) if i == main else small)
            for i, k in enumerate(kernels)]
