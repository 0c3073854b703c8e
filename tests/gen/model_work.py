"""model_work.py - the work of the generated model in one training step.

The file has only tables: the kernels with their launch shapes and usual durations; the
copies; the operators of a layer, with the kernels that each launches. All entries are
invented; the names look like those of real libraries.
"""

# key: name in the trace; demangled name (None: the name in the trace); (grid, block)
# of even and of odd layers; usual ns; registers; shared bytes
KERNELS = {
    'gemm': (
        'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas',
        None, (((56, 2, 1), (384, 1, 1)), ((112, 2, 1), (384, 1, 1))),
        21344, 168, 231424),
    'splitk': (
        'void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>'
        '(cublasLt::cublasSplitKParams<float>, float const*, __nv_bfloat16*)',
        None, (((64, 1, 1), (32, 16, 1)), ((64, 2, 1), (32, 16, 1))),
        3104, 40, 0),
    'attention': (
        'void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4, false,'
        ' false, cutlass::bfloat16_t>, false, true, true>(Flash_fwd_params)',
        None, (((8, 1, 16), (128, 1, 1)), ((16, 1, 16), (128, 1, 1))),
        48640, 255, 81920),
    'norm': (
        'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel'
        '<float, float>(int, float, float const*, float const*, float*)',
        None, (((1024, 1, 1), (32, 4, 1)), ((2048, 1, 1), (32, 4, 1))),
        4192, 32, 24),
    'add': (
        'void at::native::vectorized_elementwise_kernel<4, at::native::'
        'CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native'
        '::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)',
        None, (((512, 1, 1), (128, 1, 1)), ((768, 1, 1), (128, 1, 1))),
        1856, 16, 0),
    'rope': (
        '_Z11rope_kernelPfPKfi', 'rope_kernel(float*, float const*, int)',
        (((96, 1, 1), (256, 1, 1)), ((96, 1, 1), (256, 1, 1))),
        2272, 24, 0),
    'silu': (
        '_ZN4demo12silu_and_mulILi4EEEvPKfPf',
        'void demo::silu_and_mul<4>(float const*, float*)',
        (((256, 1, 1), (512, 1, 1)), ((384, 1, 1), (512, 1, 1))),
        2560, 30, 0),
    'adam': (
        'void at::native::(anonymous namespace)::multi_tensor_apply_kernel'
        '<at::native::(anonymous namespace)::TensorListMetadata<4>,'
        ' FusedAdamMathFunctor<float, 4> >(TensorListMetadata<4>,'
        ' FusedAdamMathFunctor<float, 4>, float)',
        None, (((320, 1, 1), (512, 1, 1)), ((160, 1, 1), (512, 1, 1))),
        17440, 64, 0),
    'nccl': (
        'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage'
        '<4096ul>)',
        None, (((24, 1, 1), (512, 1, 1)), ((24, 1, 1), (512, 1, 1))),
        96320, 96, 46080),
}

# names of these kernels in a ROCm trace
ROCM_NAMES = {
    'gemm': 'Cijk_Alik_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1_SN_K1',
    'splitk': 'Cijk_PostGSU16_BBS_BH_VW4',
    'attention': 'attn_fwd',
    'nccl': 'ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)',
}

# key: name in the trace, in ROCm, in nsys; bytes, usual ns
COPIES = {
    'h2d': ('Memcpy HtoD (Pageable -> Device)', 'Memcpy HtoD (Host -> Device)',
            '[CUDA memcpy Host-to-Device]', 4194304, 181440),
    'd2h': ('Memcpy DtoH (Device -> Pageable)', 'Memcpy DtoH (Device -> Host)',
            '[CUDA memcpy Device-to-Host]', 8, 1760),
    'd2d': ('Memcpy DtoD (Device -> Device)', 'Memcpy DtoD (Device -> Device)',
            '[CUDA memcpy Device-to-Device]', 65536, 1408),
    'set': ('Memset (Device)', 'Memset (Device)',
            '[CUDA memset]', 4096, 960),
}

# operator, Input Dims, Input type, launched kernels
LAYER = (
    ('aten::layer_norm', '[[8, 1024], [], [1024], [1024], [], []]',
     '["float", "", "float", "float", "Scalar", "Scalar"]', ('norm',)),
    ('aten::addmm', '[[3072], [8, 1024], [1024, 3072], [], []]',
     '["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", ""]',
     ('set', 'gemm', 'splitk')),
    ('demo::rope', '[[8, 16, 64], [64]]', '["float", "float"]', ('rope',)),
    ('flash_attn::_flash_attn_forward',
     '[[1, 8, 16, 64], [1, 8, 16, 64], [1, 8, 16, 64]]',
     '["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]', ('attention',)),
    ('aten::addmm', '[[1024], [8, 1024], [1024, 1024], [], []]',
     '["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", ""]', ('gemm',)),
    ('aten::add', '[[8, 1024], [8, 1024], []]', '["float", "float", "Scalar"]',
     ('add',)),
    ('aten::copy_', '[[8, 1024], [8, 1024], []]',
     '["float", "float", "Scalar"]', ('d2d',)),
    ('demo::silu_and_mul', '[[8, 4096]]', '["float"]', ('silu',)),
)

OPTIMIZER = ('Optimizer.step#Adam.step', '[]', '[]', ('adam', 'adam'))
ALL_REDUCE = ('c10d::allreduce_', '[[[1048576]], [], [], []]',
              '["TensorList", "", "", ""]', ('nccl',))
LOAD = ('aten::to', '[[8, 128, 1024], [], [], []]',
        '["float", "Scalar", "", ""]', ('h2d',))
LOSS = ('aten::item', '[[]]', '["float"]', ('d2h',))

COMPUTE_STREAM, NCCL_STREAM = 7, 20
LAYERS = 6
