"""history.py - generates a history of a project: heads, their runs, and slowdowns.

A run is 30 steps of 12 kernels, as Kineto writes them. Three factors vary the times, as
in real processes. Runs of the same code differ by 3 %, for all kernels together. In
addition, each kernel differs by half a percent, and each launch by 2 %. A planted
change makes a head and all later heads slower. The same seed gives the same bytes.
"""
import gzip
import random

KERNELS = (  # name, nanoseconds
    ('ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn', 310000),
    ('ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn', 260000),
    ('void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(Flash_fwd_params)', 180000),
    ('void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, float)', 22000),
    ('void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*, int)', 31000),
    ('void vllm::rotary_embedding_kernel<c10::BFloat16>(long const*, int)', 14000),
    ('void at::native::vectorized_elementwise_kernel<4, add>(int)', 17000),
    ('void at::native::reduce_kernel<512, 1, sum>(int)', 26000),
    ('void cub::DeviceScanKernel<int>(int*, int)', 9000),
    ('void at::native::index_elementwise_kernel<128, 4>(long)', 12000),
    ('void topk_gating_softmax<8>(float const*, int)', 11000),
    ('triton_poi_fused_mul_silu_0', 28000),
)
STEPS, GAP_NS, HOST_NS = 30, 2000, 40000
BETWEEN, OF_KERNEL, OF_LAUNCH = 0.03, 0.005, 0.02
BEGIN_NS = 1419116000000000


class History:
    """A history of `heads` heads. `planted` maps a head to the factor by which it and
    all later heads are slower."""

    def __init__(self, heads=200, planted=None, seed=8):
        self.heads, self.planted, self.seed = heads, planted or {}, seed

    def level(self, head):
        out = 1.0
        for at, times in self.planted.items():
            out *= times if head >= at else 1
        return out

    def trace(self, head, run):
        """Returns the bytes of a file with this run."""
        r = random.Random(f'{self.seed}/{head}/{run}')
        factor = self.level(head) * r.gauss(1, BETWEEN)
        each = [ns * factor * r.gauss(1, OF_KERNEL) for _, ns in KERNELS]
        return gzip.compress(frame(list(steps(r, each))).encode(), 1, mtime=0)


def us(ns):
    return f'{ns // 1000}.{ns % 1000:03d}'


def steps(r, each):
    now, correlation = BEGIN_NS, 0
    for _ in range(STEPS):
        for (name, _), ns in zip(KERNELS, each):
            correlation += 1
            took = max(1, round(ns * r.gauss(1, OF_LAUNCH)))
            yield (f'{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,'
                   f'"ts":{us(now)},"dur":{us(took)},"args":{{"device":0,"context":1,'
                   f'"stream":7,"correlation":{correlation},"grid":[128,1,1],'
                   '"block":[128,1,1]}}')
            now += took + GAP_NS
        now += HOST_NS


def frame(events):
    return ('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3",'
            '"totalGlobalMem":85045346304,"computeMajor":9,"computeMinor":0,"numSms":132}],'
            '"traceEvents":[\n' + ',\n'.join(events) + '\n]}\n')
