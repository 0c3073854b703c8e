"""made_steps.py - generates PyTorch traces of training steps, as input for comparisons.

Times vary as in real training. The same seed gives the same trace.
"""
import json
import random

STEP_US = 10_000

# kernel, launches per step, microseconds of each
WORK = [("void gemm<128>(float*)", 3, 1000), ("void norm(float*)", 4, 50),
        ("void scale(float*)", 6, 100), ("void old_copy(float*)", 1, 80)]
# after a change: norm is slower, and fused_copy replaces old_copy
CHANGED = [("void gemm<128>(float*)", 3, 1000), ("void norm(float*)", 4, 80),
           ("void scale(float*)", 6, 100), ("void fused_copy(float*)", 1, 60)]


def launch(events, n, pid, at_us, start_us, dur_us, name):
    tid = pid + 1
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": pid,
                   "tid": tid, "ts": at_us, "dur": 5, "args": {"correlation": n}})
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start_us,
                   "dur": dur_us, "args": {"device": 0, "stream": 7, "correlation": n,
                                           "grid": [8, 1, 1], "block": [128, 1, 1]}})


# two ranks: the second computes longer, so the first waits for the second
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
RANKS = [[("void gemm<128>(float*)", 3, 1000), (ALL_REDUCE, 1, 300)],
         [("void gemm<128>(float*)", 3, 1033), (ALL_REDUCE, 1, 200)]]


# two ranks of a decoder whose kernels have operators by their names. After a change,
# attention and normalization are other operators, and rank 1 has a slower GEMM.
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas"
DECODER = [("void flash::flash_fwd_kernel<128>(flash::Flash_fwd_params)", 2, 400),
           ("void vllm::fused_add_rms_norm_kernel<8>(float*)", 4, 50),
           (GEMM, 4, 1000), ("mystery(float*)", 1, 30)]
PAGED = [("void flashinfer::BatchDecodeWithPagedKVCacheKernel<128>(int)", 2, 250),
         ("void vllm::rms_norm_kernel<8>(float*)", 4, 30),
         ("l2norm_fwd_kernel", 4, 10),
         (GEMM, 4, 1000), ("mystery(float*)", 1, 30)]


def made_decoder(work, rank, gemm_us=1000):
    """Returns the trace of one of two ranks."""
    work = [(name, n, gemm_us if name == GEMM else us) for name, n, us in work]
    return made_steps(work, pid=100 + rank, seed=10 + rank, world=2, rank=rank)


def made_rank(rank, world, as_rank=None):
    """Returns a rank's trace, whose launches take exactly as long as RANKS
    specifies."""
    return made_steps(RANKS[rank], pid=100 + rank, uneven=0, world=world,
                      rank=rank if as_rank is None else as_rank)


def made_halfway(rank, later=0):
    """Returns one of four ranks. From the seventh step on, rank 2 computes twice as long,
    and the others wait for it in their all-reduce. `later`: the first step has a number
    that is so much higher."""
    def work(step):
        slow = step >= 6
        longer = 1000 if slow and rank == 2 else 0
        waits = 3000 if slow and rank != 2 else 0
        return [("void gemm<128>(float*)", 3, 1000 + longer), (ALL_REDUCE, 1, 300 + waits)]
    return made_steps(work, pid=100 + rank, uneven=0, rank=rank, world=4,
                      named=lambda step: f"ProfilerStep#{step + 1 + later}")


def made_serving(*batches):
    """Returns a trace of vLLM: for each batch of so many sequences, twelve decode steps
    that take 500 us per sequence."""
    counts = [sequences for sequences in batches for _ in range(12)]
    return made_steps(lambda step: [("void decode<128>(float*)", counts[step], 500)], len(counts),
                      named=lambda step: f"execute_context_0(0)_generation_{counts[step]}"
                                         f"({counts[step]})")


def made_powered(watts, counter="gpu_power_mean", seconds=16):
    """Returns a trace of vLLM: 14 decode steps of 16 sequences and 1 s, from second 1 on,
    and `seconds` samples of a counter, one per second, from second 0.5 on."""
    trace = json.loads(made_steps(lambda step: [("void decode<128>(float*)", 1, 999_000)], 14,
                                  uneven=0, named=lambda step: "execute_context_0(0)_generation_16(16)"))
    trace["traceEvents"] += [
        {"ph": "C", "name": counter, "pid": 4711, "tid": 0, "ts": 500_000 + i * 1_000_000,
         "args": {"device": 0, "value": watts}} for i in range(seconds)]
    return json.dumps(trace).encode()


# Operators of known names, and the power of each in addition to 60 W. Steps of 7.3 s
# execute them one after the other and then nothing for 1.1 s.
DIVIDED = [(GEMM, 3.1, 400), ("void flash::flash_fwd_kernel<128>(flash::Flash_fwd_params)", 2, 250),
           ("void vllm::rms_norm_kernel<8>(float*)", 1.1, 100)]
DIVIDED_STEP_S = 7.3


def made_divided(steps=10):
    """Returns a trace of steps whose energy counter is sampled ten times per second."""
    events, spans = [], []
    for step in range(steps):
        at = 1 + step * DIVIDED_STEP_S
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 1}",
                       "pid": 4711, "tid": 4712, "ts": round(at * 1e6),
                       "dur": round((DIVIDED_STEP_S - 0.01) * 1e6), "args": {}})
        for kernel, (name, s, watts) in enumerate(DIVIDED):
            n = step * len(DIVIDED) + kernel + 1
            launch(events, n, 4711, round(at * 1e6) + 10 * n % 1000, round(at * 1e6) + 2000,
                   round(s * 1e6), name)
            spans.append((at + 0.002, at + 0.002 + s, watts))
            at += s
    for i in range(round((2 + steps * DIVIDED_STEP_S) * 10)):
        end = i / 10
        joules = sum(max(0, min(end, to) - max(end - 0.1, begin)) * watts
                     for begin, to, watts in spans)
        events.append({"ph": "C", "name": "gpu_power_mean", "pid": 4711, "tid": 0,
                       "ts": round(end * 1e6), "args": {"device": 0, "value": 60 + joules / 0.1}})
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
                       "traceEvents": events}).encode()


def made_steps(work, steps=12, seed=1, pid=4711, rank=None, world=None, uneven=0.01,
               named=lambda step: f"ProfilerStep#{step + 1}"):
    """Returns the bytes of a trace in which every step, by default from ProfilerStep#1 on,
    does `work`. Where that is a function, it gives the work of each step, which then takes
    as long as its kernels."""
    dice, events, n = random.Random(seed), [], 0
    begin = 1_000_000
    for step in range(steps):
        does = work(step) if callable(work) else work
        step_us = sum(n * us for _, n, us in does) + 1000 if callable(work) else STEP_US
        events.append({"ph": "X", "cat": "user_annotation", "name": named(step),
                       "pid": pid, "tid": pid + 1, "ts": begin, "dur": step_us - 10, "args": {}})
        gpu = begin + 50
        for name, count, us in does:
            for _ in range(count):
                n += 1
                dur = round(us * dice.uniform(1 - uneven, 1 + uneven), 3)
                launch(events, n, pid, begin + n % 500 + 10, round(gpu, 3), dur, name)
                gpu += dur + 2
        begin += step_us
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}]}
    if rank is not None:
        head["distributedInfo"] = {"rank": rank, "world_size": world}
    return json.dumps({**head, "traceEvents": events}).encode()
