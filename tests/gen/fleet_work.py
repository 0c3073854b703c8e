"""fleet_work.py - tables and operators of the demo fleet.

The tables list devices and models. The functions return what an operator of a given
shape launches, computes and moves.

A launch is (host operator, Input Dims, Input type, kernel, flops, bytes, reached share
of the roofline bound). If an operator has several kernels, the kernel is a tuple of
names. Kernel names look like those of vLLM, SGLang, PyTorch, cuBLAS, hipBLASLt, AITER
and FlashAttention. Shapes are the integer sizes of the models. The file contains no
measurements of real systems.
"""
BF16, FP8, FP32, I32, I64 = ('c10::BFloat16', 'c10::Float8_e4m3fn', 'float', 'int',
                             'long int')

# name of the device -> (peak bf16, peak fp8, bytes/s, SMs, bytes, major, minor)
PARTS = {
    'NVIDIA H20': (148e12, 296e12, 4.0e12, 78, 102015565824, 9, 0),
    'NVIDIA H100 80GB HBM3': (989e12, 1979e12, 3.35e12, 132, 85017624576, 9, 0),
    'NVIDIA A100-SXM4-80GB': (312e12, 312e12, 2.0e12, 108, 84974239744, 8, 0),
    'NVIDIA L40S': (362e12, 733e12, 0.864e12, 142, 47697362944, 8, 9),
    'AMD Instinct MI300X': (1307e12, 2615e12, 5.3e12, 304, 206141652992, 9, 4),
}

# name -> (hidden, heads, kv heads, head dim, intermediate, experts, top k, vocab)
MODELS = {
    'qwen3-8b': (4096, 32, 8, 128, 12288, 0, 0, 151936),
    'qwen3-30b-a3b': (2048, 32, 4, 128, 768, 128, 8, 151936),
    'llama-3.1-70b': (8192, 64, 8, 128, 28672, 0, 0, 128256),
    'llama-3.1-8b': (4096, 32, 8, 128, 14336, 0, 0, 128256),
    'mixtral-8x7b': (4096, 32, 8, 128, 14336, 8, 2, 32000),
    'deepseek-v2-lite': (2048, 16, 16, 128, 1408, 64, 6, 102400),
    'gemma-2-9b': (3584, 16, 8, 256, 14336, 0, 0, 256000),
    'qwen2.5-vl-7b': (3584, 28, 4, 128, 18944, 0, 0, 152064),
}

VECTOR = ('void at::native::vectorized_elementwise_kernel<4, at::native::{0}, '
          'std::array<char*, {1}ul> >(int, at::native::{0}, std::array<char*, {1}ul>)')
CIJK = ('Cijk_Alik_Bljk_{}_UserArgs_MT{}x{}x64_MI16x16x1_SN_LDSB1_AFC1_ISA942_'
        'WS64_WG64_4_1')
UNKNOWN = ('helios::route_requests<128>(helios::Batch const*, int)',
           'acme_scatter_v3', 'kestrel_prefix_walk_bf16')


def tiles(m, n):
    return (256 if m >= 256 else 64, 128 if n >= 2048 else 64)


def gemm(part, m, n, k, op='aten::mm'):
    m_tile, n_tile = tiles(m, n)
    if part.startswith('AMD'):
        name = CIJK.format('BBS_BH_Bias_HA_S_SAV', m_tile, n_tile)
    elif 'A100' in part or 'L40S' in part:
        name = (f'ampere_bf16_s16816gemm_bf16_{m_tile}x{n_tile}_ldg8_f2f_'
                'stages_64x3_tn')
    else:
        name = f'nvjet_tst_{m_tile}x{n_tile}_64x4_2x1_v_bz_coopA_TNN'
    dims = [[m, k], [k, n]]
    if op == 'aten::addmm':
        dims = [[n], *dims, [], []]
    return (op, dims, [BF16] * len(dims), name, 2 * m * n * k,
            2 * (m * k + k * n + m * n), 0.68)


def gemm_fp8(part, m, n, k):
    if part.startswith('AMD'):
        op, name = 'aiter::gemm_a8w8_blockscale', (
            'void ck::kernel_gemm_xdl_cshuffle_v3_multi_d_blockscale_b_preshuffle'
            '<ck::GridwiseGemmMultiD_blockscale_xdl_cshuffle_v3>()')
        dims = [[m, k], [n, k], [m, k // 128], [n // 128, k // 128]]
    else:
        op, name = 'sgl_kernel::fp8_blockwise_scaled_mm', (
            'void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, '
            f'{n}u, {k}u, 1u, 128u, 128u, 128u, 128u>(float*, int*, unsigned int)')
        dims = [[m, k], [k, n], [m, k // 128], [k // 128, n // 128]]
    return (op, dims, [FP8, FP8, FP32, FP32], name, 2 * m * n * k,
            m * k + k * n + 2 * m * n, 0.6)


def rms_norm(part, tokens, hidden):
    name = ('void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*, '
            'c10::BFloat16 const*, long, c10::BFloat16 const*, float, int, int)')
    return ('_C::rms_norm', [[tokens, hidden]] * 2 + [[hidden], []],
            [BF16] * 3 + ['Scalar'], name, 0, 4 * tokens * hidden, 0.55)


def add_rms_norm(part, tokens, hidden):
    name = ('std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, '
            'void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>('
            'c10::BFloat16*, long, c10::BFloat16*, c10::BFloat16 const*, float, int, '
            'int)')
    return ('_C::fused_add_rms_norm', [[tokens, hidden]] * 2 + [[hidden], []],
            [BF16] * 3 + ['Scalar'], name, 0, 8 * tokens * hidden, 0.6)


def silu_and_mul(part, tokens, width):
    name = ('void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 '
            'vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>('
            'c10::BFloat16*, c10::BFloat16 const*, int)')
    return ('_C::silu_and_mul', [[tokens, width], [tokens, 2 * width]],
            [BF16] * 2, name, 0, 6 * tokens * width, 0.62)


def rope(part, tokens, heads, kv, dim):
    name = ('void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, '
            'c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, '
            'long, int, int, int)')
    return ('_C::rotary_embedding', [[tokens], [tokens, heads * dim],
                                     [tokens, kv * dim], [], [40960, dim], []],
            [I64, BF16, BF16, 'Scalar', BF16, 'Scalar'], name, 0,
            4 * tokens * (heads + kv) * dim, 0.4)


def cache(part, tokens, kv, dim):
    name = ('void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, '
            '(vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, '
            '__nv_bfloat16*, __nv_bfloat16*, long const*, long, long, long, long, '
            'long, int, int, int, float const*, float const*)')
    rows, pool = [tokens, kv, dim], [8192, 16, kv, dim]
    return ('_C_cache_ops::reshape_and_cache_flash',
            [rows, rows, pool, pool, [tokens], [], [], []],
            [BF16] * 4 + [I64, '', FP32, FP32], name, 0, 8 * tokens * kv * dim, 0.3)


def serve_attention(part, tokens, heads, kv, dim, pairs, context):
    """`pairs` is the number of pairs of a query and a key; `context` that of keys
    read."""
    if part.startswith('AMD'):
        name = f'kernel_unified_attention_{3 if tokens <= 256 else 2}d'
    elif part.startswith('NVIDIA H'):
        name = ('void cutlass::device_kernel<flash::enable_sm90_or_later<flash::'
                'FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<'
                'cute::C<128>, cute::C<128>, cute::C<128> >, cutlass::bfloat16_t> > > '
                '>(flash::Params)')
    else:
        name = ('void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, '
                '128, 4, false, false, cutlass::bfloat16_t>, false, false, false, true, '
                'false, false, false, true>(flash::Flash_fwd_params)')
    q, k = [tokens, heads, dim], [tokens, kv, dim]
    return ('vllm::unified_attention_with_output', [q, k, k, q], [BF16] * 4, name,
            4 * pairs * heads * dim,
            4 * tokens * heads * dim + 4 * context * kv * dim, 0.5)


def experts(part, tokens, hidden, width, count, top):
    """Yields the launches of a mixture of experts, in the order of vLLM."""
    active = min(count, tokens * top)
    rows = tokens * top
    yield ('aten::mm', [[tokens, hidden], [hidden, count]], [BF16] * 2,
           gemm(part, tokens, count, hidden)[3], 2 * tokens * hidden * count,
           2 * (tokens * hidden + hidden * count), 0.3)
    yield ('_moe_C::topk_softmax', [[tokens, top]] * 3 + [[tokens, count], []],
           [FP32, I32, I32, FP32, 'Scalar'],
           'void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, 32, int, float>(float '
           'const*, bool const*, float*, int, int*, int*, int, int, int, bool)', 0,
           4 * tokens * (count + 3 * top), 0.15)
    yield ('_moe_C::moe_align_block_size', [[tokens, top], [], [], [rows + 64 * count]],
           [I32, 'Scalar', 'Scalar', I32],
           'void vllm::moe::moe_align_block_size_kernel<int>(int const*, int*, int*, '
           'int*, int*, int, int, int, int, unsigned long, int*, int, bool)', 0,
           8 * rows, 0.05)
    yield ('vllm::inplace_fused_experts',
           [[tokens, hidden], [count, 2 * width, hidden], [count, hidden, width],
            [tokens, top], [tokens, top]], [BF16] * 3 + [FP32, I32],
           ('fused_moe_kernel', 'fused_moe_kernel'), 6 * rows * hidden * width,
           2 * (3 * active * hidden * width + 2 * rows * hidden + 3 * rows * width),
           0.5)
    yield silu_and_mul(part, rows, width)
    yield ('_moe_C::moe_sum', [[tokens, top, hidden], [tokens, hidden]], [BF16] * 2,
           'void vllm::moe::moe_sum_kernel<c10::BFloat16, 8>(c10::BFloat16*, '
           'c10::BFloat16 const*, int)', 0, 2 * tokens * hidden * (top + 1), 0.5)


def quant(part, tokens, hidden):
    return ('sgl_kernel::sgl_per_token_group_quant_fp8',
            [[tokens, hidden], [tokens, hidden], [tokens, hidden // 128]],
            [BF16, FP8, FP32],
            'void per_token_group_quant_8bit_kernel<c10::BFloat16, '
            'c10::Float8_e4m3fn, true, false>(c10::BFloat16 const*, void*, float*, '
            'int, int, int, float, float, float)', 0, 3 * tokens * hidden, 0.5)


def elementwise(part, op, functor, shape, tensors):
    n = 1
    for d in shape:
        n *= d
    return (op, [shape] * (tensors - 1) + [[]], [BF16] * (tensors - 1) + ['Scalar'],
            VECTOR.format(functor, tensors), 0, 2 * tensors * n, 0.75)


def collective(part, op, kind, elements):
    name = (f'ncclDevKernel_{kind}_Sum_bf16_RING_LL('
            'ncclDevKernelArgsStorage<4096ul>)') if 'Gather' not in kind else (
        f'ncclDevKernel_{kind}_RING_LL(ncclDevKernelArgsStorage<4096ul>)')
    return (op, [[elements]], [BF16], name, 0, 24 * elements, 0.3)


def flash(part, batch, length, heads, dim, backward=False):
    way, short, times = ('backward', 'bwd', 10) if backward else \
        ('forward', 'fwd', 4)
    q = [batch, heads, length, dim]
    dims = [q] * (5 if backward else 3)
    kernel = 'bwd_dq_dk_dv_loop_seqk_parallel' if backward else 'fwd'
    name = (f'void pytorch_flash::flash_{kernel}_kernel<pytorch_flash::'
            f'Flash_{short}_kernel_traits<{dim}, 64, 64, 4, cutlass::bfloat16_t>, '
            f'false, true, false>(pytorch_flash::Flash_{short}_params)')
    op = 'aten::_scaled_dot_product_flash_attention'
    return (op + (f'_{way}' if backward else ''), dims, [BF16] * len(dims), name,
            times * batch * heads * length * length * dim // 2,
            2 * len(dims) * batch * heads * length * dim, 0.45)


def conv(part, batch, channels, out, side):
    name = ('sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_'
            'tilesize128x128x64_stage3_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn')
    if part.startswith('AMD'):
        name = 'igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt256x128x32_wt32x32x8_ws1x1_wr2x2'
    return ('aten::cudnn_convolution' if not part.startswith('AMD') else
            'aten::miopen_convolution',
            [[batch, channels, side, side], [out, channels, 3, 3]], [BF16] * 2, name,
            18 * batch * channels * out * side * side,
            2 * (batch * (channels + out) * side * side + 9 * channels * out), 0.5)
