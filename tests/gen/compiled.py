"""compiled.py - training steps of compiled programs, whose kernels a compiler numbers.

A trace has the same work in every step. `numbers` says which number each kernel gets, so
that two traces of the same work differ only in numbers, as after another compilation.
The forms are:

  inductor  Triton kernels of TorchInductor between GEMMs, with host operators
  xla       fusions of XLA, without host operators; the first of a name has no number
  variants  GEMMs of cuBLAS, of which a heuristic chooses another tile
  moved     two Triton kernels that only their origins distinguish, and that another
            compilation launches in another order
"""
import json
import random

STEP_US = 4_000

MM = "ampere_bf16_s16816gemm_bf16_{}_ldg8_f2f_stages_64x3_tn"
GELU, NORM = "triton_poi_fused_add_gelu_{}", "triton_per_fused_native_layer_norm_{}"
BF16 = "c10::BFloat16"


def mm(m, n, k):
    """Returns the host operator of a GEMM."""
    return "aten::mm", [[m, k], [k, n]], [BF16, BF16]


class Kernel:
    """A kernel of a step: its name without the number, the microseconds of a launch, its
    grid and block, its host operator, and how often a step launches it."""

    def __init__(self, key, name, us, grid, block=128, op=None, launches=1):
        self.key, self.name, self.us = key, name, us
        self.grid, self.block, self.op, self.launches = grid, block, op, launches


def triton(key, name, us, grid, elements, launches=1):
    """Returns a Triton kernel. Its host operator has the kernel's own name."""
    return Kernel(key, name, us, grid, 256, ("", [[elements], [elements]], [BF16, BF16]),
                  launches)


# up and down differ only in their places; their times are nearly equal.
FORMS = {
    "inductor": [
        Kernel("mm1", MM.format("128x64"), 300, 64, op=mm(512, 4096, 1024)),
        triton("up", GELU, 100, 512, 524288),
        Kernel("mm2", MM.format("128x128"), 320, 32, op=mm(512, 1024, 4096)),
        triton("wide", GELU, 104, 2048, 2097152),
        triton("norm", NORM, 60, 512, 524288),
        Kernel("mm3", MM.format("256x64"), 280, 64, op=mm(512, 4096, 512)),
        triton("down", GELU, 102, 512, 524288),
        triton("sum", "triton_red_fused_sum_{}", 40, 128, 524288, 2),
    ],
    "xla": [
        Kernel("dot1", "ampere_sgemm_128x64_nn", 300, 64),
        Kernel("in", "loop_add_fusion{}", 100, 512),
        Kernel("out", "loop_add_fusion{}", 101, 512),
        Kernel("dot2", "ampere_sgemm_64x64_nn", 320, 64),
        Kernel("reduce", "input_reduce_fusion{}", 80, 256),
        Kernel("plain", "fusion{}", 60, 64),
        Kernel("last", "loop_add_fusion{}", 103, 512),
        Kernel("convert", "wrapped_convert{}", 30, 32),
    ],
    "moved": [
        Kernel("mm1", MM.format("128x64"), 300, 64, op=mm(512, 4096, 1024)),
        triton("left", GELU, 100, 512, 524288),
        triton("right", GELU, 200, 512, 524288),
        Kernel("mm2", MM.format("128x128"), 320, 32, op=mm(512, 1024, 4096)),
    ],
    "variants": [
        Kernel("qkv", MM, 300, 64, op=mm(512, 3072, 1024)),
        Kernel("copy", "void copy_kernel(float*)", 50, 64),
        Kernel("up", MM, 400, 128, op=mm(512, 4096, 1024)),
        Kernel("down", MM, 420, 32, op=mm(512, 1024, 4096)),
    ],
}

# The number of each kernel. `again` exchanges the numbers of up and wide, which are in
# both compilations.
NUMBERS = {
    "inductor": {
        "first": {"up": 2, "wide": 5, "norm": 3, "down": 7, "sum": 0},
        "again": {"up": 5, "wide": 2, "norm": 1, "down": 8, "sum": 4},
    },
    "xla": {
        "first": {"in": "", "out": "_1", "reduce": "_7", "plain": "_12", "last": "_2",
                  "convert": ""},
        "again": {"in": "_3", "out": "", "reduce": "_2", "plain": "_9", "last": "_8",
                  "convert": "_4"},
    },
    "moved": {
        "first": {"left": 2, "right": 7},
        "again": {"left": 9, "right": 3},
    },
    "variants": {
        "first": {"qkv": "128x64", "up": "128x128", "down": "64x64"},
        "again": {"qkv": "64x128", "up": "256x64", "down": "128x32"},
    },
}


# The order of the kernels, where it differs from the form's.
ORDERS = {("moved", "again"): ["mm1", "right", "left", "mm2"]}

# The nodes of the program that TorchInductor generated each kernel from, and their lines.
NODES = {
    "up": ["mul_1", "erf", "add_1"], "wide": ["mul_4", "erf_1", "add_4"],
    "down": ["mul_7", "erf_2", "add_7"], "norm": ["var_mean", "rsqrt", "sub_1"],
    "sum": ["sum_1"], "left": ["mul_1", "erf", "add_1"], "right": ["mul_4", "erf_1", "add_4"],
}


def made_provenance(form, numbers="first", layout="mappings"):
    """Returns the bytes of the file that TorchInductor writes for a form: `mappings` is
    inductor_provenance_tracking_node_mappings.json, `stacks` is
    inductor_provenance_tracking_kernel_stack_traces.json, `information` is
    kernel_information.json. Each kernel is called once, which its name says."""
    nodes, stacks, information = {}, {}, {}
    for i, k in enumerate(k for k in FORMS[form] if k.key in NODES):
        name = f"{k.name.format(NUMBERS[form][numbers][k.key])}:{i + 1}"
        nodes[name] = NODES[k.key]
        stacks[name] = [f'  File "model.py", line {10 + i}, in forward\n    x = {k.key}(x)\n']
        information[name] = {"stack_traces": stacks[name], "post_grad_nodes": nodes[name],
                             "pre_grad_nodes": [k.key]}
    back = {n: [name] for name, all_nodes in nodes.items() for n in all_nodes}
    return json.dumps({
        "mappings": {"preToPost": {}, "postToPre": {}, "cppCodeToPost": nodes,
                     "postToCppCode": back, "version": 2.0},
        "stacks": stacks, "information": information}[layout]).encode()


class Writer:
    """Writes launches with their host operators, calls and kernels as events."""

    def __init__(self):
        self.events, self.n = [], 0

    def event(self, cat, name, tid, at_us, dur_us, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if tid == 7 else 4711,
                            "tid": tid, "ts": round(at_us, 3), "dur": round(dur_us, 3),
                            "args": args})

    def launch(self, kernel, name, host_us, gpu_us, dur_us):
        self.n += 1
        if kernel.op:
            op, dims, types = kernel.op
            self.event("cpu_op", op or name, 4712, host_us - 1, 8,
                       {"External id": self.n, "Input Dims": dims, "Input type": types})
        self.event("cuda_runtime", "cudaLaunchKernel", 4712, host_us, 5,
                   {"correlation": self.n, "External id": self.n})
        self.event("kernel", name, 7, gpu_us, dur_us,
                   {"device": 0, "stream": 7, "correlation": self.n, "External id": self.n,
                    "grid": [kernel.grid, 1, 1], "block": [kernel.block, 1, 1]})


def made_compiled(form, numbers="first", times=None, new=(), steps=12, seed=1):
    """Returns the bytes of a trace. `times` multiplies the time of kernels by key, `new`
    lists further kernels, each with the key of the kernel that it follows."""
    work = list(FORMS[form])
    order = ORDERS.get((form, numbers))
    if order:
        work.sort(key=lambda k: order.index(k.key))
    for after, kernel in new:
        at = [k.key for k in work].index(after)
        work.insert(at + 1, kernel)
    launches = [(kernel, kernel.name.format(NUMBERS[form][numbers].get(kernel.key, "")),
                 kernel.us * (times or {}).get(kernel.key, 1))
                for kernel in work for _ in range(kernel.launches)]
    return made_steps(launches, STEP_US, 0.005, steps, seed)


def made_steps(launches, step_us, noise, steps=12, seed=1):
    """Returns the bytes of a trace whose steps have these launches: (kernel, name,
    microseconds). Each time varies by up to `noise`, relative."""
    dice, w = random.Random(seed), Writer()
    for step in range(steps):
        begin = 1_000_000 + step * step_us
        w.event("user_annotation", f"ProfilerStep#{step + 1}", 4712, begin, step_us - 10, {})
        host, gpu = begin + 10, begin + 50
        for kernel, name, us in launches:
            dur = us * dice.uniform(1 - noise, 1 + noise)
            w.launch(kernel, name, host, gpu, dur)
            host += 12
            gpu += round(dur, 3) + 2
    return json.dumps({"schemaVersion": 1,
                       "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
                       "traceEvents": w.events}).encode()
