"""made_layers.py - generates traces of a model's decode steps, layer by layer.

Every launch takes exactly as long as LAYER or OTHER specifies, so that sums can be
computed by hand.
"""
import json

NORM = "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*)"
GEMM = "nvjet_tst_64x128_64x13_2x1_v_bz_TNT"
# kernel, microseconds. A layer has kernels of 141 us in all. Each kernel starts one
# microsecond after the end of the previous one.
LAYER = [(NORM, 4), (GEMM, 30),
         ("void cublasLt::splitKreduce_kernel<32, 16, int, float>(float*)", 2),
         ("void flash::flash_fwd_splitkv_kernel<float>(flash::Flash_fwd_params)", 20),
         (GEMM, 10), (NORM, 4), (GEMM, 40),
         ("void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*)", 6), (GEMM, 25)]
# The same layer on another machine: no split GEMM, attention in two kernels, and a
# separate GEMM for each product; 138 us.
OTHER = [(NORM, 4), ("Cijk_Alik_Bljk_BBS_BH_MT64x16x128", 22),
         ("void flash::flash_fwd_splitkv_kernel<float>(flash::Flash_fwd_params)", 30),
         ("void flash::flash_fwd_splitkv_combine_kernel<float>(flash::Flash_fwd_params)", 3),
         ("Cijk_Alik_Bljk_BBS_BH_MT16x16x512", 14), (NORM, 5),
         ("Cijk_Alik_Bljk_BBS_BH_MT32x16x512", 36),
         ("void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*)", 8),
         ("Cijk_Alik_Bljk_BBS_BH_MT64x16x256", 16)]
BEFORE = [("void at::native::indexSelectLargeIndex<float>(float*)", 8)]
AFTER = [(NORM, 4), (GEMM, 50), ("void at::native::reduce_kernel<512, 1>(float*)", 5)]
STEPS, LAYERS = 4, 6
# per layer: by how many launches names lag behind durations
LAGS = [0, 0, 0, 0, 3, 8, 7, 3, 8, 2, 5, 1, 4, 6, 3, 8, 7, 2, 5, 1, 3, 7, 8, 2]


def lagging():
    """Returns an iteration with one layer per entry of LAGS. Durations keep their
    positions; each name is that of an earlier launch."""
    names = len(LAGS) * [name for name, _ in LAYER]
    for i, lag in enumerate(LAGS):
        for k, (_, us) in enumerate(LAYER):
            yield names[i * len(LAYER) + k - lag], us


def made_grouped():
    """Returns a trace in which attention is three launches of a kernel family of its
    own."""
    flash = [("void flash::prepare_varlen_num_blocks_kernel<1, true>(int, int*)", 1),
             ("void cutlass::device_kernel<flash::FlashAttnFwdSm90<float> >(float)", 16),
             ("void flash::FlashAttnFwdCombine<float>(float*)", 3)]
    return made_layers(layers=LAYERS * (LAYER[:3] + flash + LAYER[4:]))


def made_lagging():
    return made_layers(1, list(lagging()))


def made_other():
    return made_layers(layers=LAYERS * OTHER, device="NVIDIA H100 80GB HBM3")


def made_other_lagging():
    """Returns a trace in which the names of the six layers of a step are rotated, each
    layer's by another number of positions."""
    names = [OTHER[(i - lag) % len(OTHER)][0] for lag in (0, 3, 7, 2, 5, 8) for i in range(len(OTHER))]
    layers = [(name, us) for name, (_, us) in zip(names, LAYERS * OTHER)]
    return made_layers(layers=layers, device="AMD Instinct MI300X")


def made_layers(steps=STEPS, layers=LAYERS * LAYER, device="NVIDIA H200"):
    """Returns the bytes of a trace with this many steps of these layers."""
    events, n = [], 0
    step_us = 100 + 150 * (len(layers) // len(LAYER))
    for step in range(steps):
        begin = 1_000_000 + step * step_us
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 1}",
                       "pid": 4711, "tid": 4712, "ts": begin, "dur": step_us - 10, "args": {}})
        gpu = begin + 10
        for name, us in BEFORE + layers + AFTER:
            n += 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
                           "pid": 4711, "tid": 4712, "ts": begin + n % 60, "dur": 1,
                           "args": {"correlation": n}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                           "ts": gpu, "dur": us,
                           "args": {"device": 0, "stream": 7, "correlation": n,
                                    "grid": [8, 1, 1], "block": [128, 1, 1]}})
            gpu += us + 1
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device}]}
    return json.dumps({**head, "traceEvents": events}).encode()
