"""fusion_pairs.py - operators in sequence that one kernel could execute, and the execution trace
of PyTorch that says who reads the tensors between them.

Four sequences are planted, each between kernels of an operator that the catalog lacks:

  products   mul, then add: only the add reads the product
  residual   add, then layer_norm: the sum is read again at the end, as residuals are
  gated      silu, then mul: only the mul reads the activation
  replayed   two elementwise kernels in a CUDA graph, whose sizes are unknown

The first kernel begins at 0 and the last ends after a millisecond, so that a saved
microsecond is a thousandth of the time.
"""
import json

WHOLE_US = 1000
PRODUCT, WIDE, GATE = [1024, 1024], [4096, 1024], [2048, 1024]  # float: 4, 16 and 8 MiB
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::{}<float>>"
# Calls of operators: name, dims, µs of the kernel, µs of idle time before it; the tensors
# (storage, dims) that it reads and writes.
SPACER = ("mylib::spacer", [[1]])
FREED = (3, 7, 10)  # storages that are allocated again at the end
CALLS = [
    (*SPACER, 100, 0, ((20, [1]),), ()),
    ("aten::mul", [PRODUCT, PRODUCT], 12, 0, ((1, PRODUCT), (2, PRODUCT)), ((3, PRODUCT),)),
    ("aten::add", [PRODUCT, PRODUCT, []], 12, 1, ((3, PRODUCT), (2, PRODUCT)), ((4, PRODUCT),)),
    (*SPACER, 100, 2, ((20, [1]),), ()),
    ("aten::add", [WIDE, WIDE, []], 30, 0, ((5, WIDE), (6, WIDE)), ((7, WIDE),)),
    ("aten::native_layer_norm", [WIDE, [], [1024], [1024], []], 30, 0, ((7, WIDE),),
     ((8, WIDE),)),
    (*SPACER, 100, 1, ((20, [1]),), ()),
    ("aten::silu", [GATE], 10, 0, ((9, GATE),), ((10, GATE),)),
    ("aten::mul", [GATE, GATE], 15, 0, ((10, GATE), (9, GATE)), ((11, GATE),)),
    (*SPACER, 100, 3, ((20, [1]),), ()),
    ("aten::sum", [WIDE], 20, 0, ((7, WIDE),), ((12, [1]),)),
]


class Maker:
    def __init__(self):
        self.events, self.nodes = [], []
        self.at_us, self.n = 0, 0

    def event(self, cat, name, ts_us, dur_us, **args):
        gpu = cat == "kernel"
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if gpu else 9,
                            "tid": 7 if gpu else 9, "ts": 5000 + ts_us, "dur": dur_us,
                            "args": args})

    def kernel(self, name, us, idle_us, **args):
        """A kernel behind the last one."""
        self.at_us += idle_us
        self.event("kernel", name, self.at_us, us, device=0, stream=7, grid=[64, 1, 1],
                   block=[128, 1, 1], **args)
        self.at_us += us

    def call(self, name, dims, us, idle_us, reads, writes):
        """An operator that launches a kernel. It is called long before, so that all idle
        time is between the API call and the kernel."""
        self.n += 1
        host_us = -3000 + 20 * self.n
        if name:
            self.event("cpu_op", name, host_us, 15, **{
                "External id": self.n, "Record function id": 100 + self.n,
                "Input Dims": dims, "Input type": ["float" if d else "Scalar" for d in dims]})
            self.nodes.append(node(self.n + 10, name, 100 + self.n, reads, writes))
        self.event("cuda_runtime", "cudaLaunchKernel", host_us + 5, 2, correlation=self.n,
                   **({"External id": self.n} if name else {}))
        self.kernel(f"kernel_{self.n}", us, idle_us, correlation=self.n,
                    **({"External id": self.n} if name else {}))

    def allocate(self, storages):
        """Memory of earlier tensors is allocated again, so that they have no more readers."""
        self.n += 1
        self.event("cpu_op", "aten::empty", -3000 + 20 * self.n, 5, **{
            "External id": self.n, "Record function id": 100 + self.n})
        self.nodes.append(node(self.n + 10, "aten::empty", 100 + self.n, (),
                               [(storage, [1]) for storage in storages]))

    def replay(self):
        """A CUDA graph of two elementwise kernels, whose idle time is no launch gap."""
        self.n += 1
        self.event("cuda_runtime", "cudaGraphLaunch", -1000, 5, correlation=self.n)
        for i, name in enumerate(("CUDAFunctor_add", "BinaryFunctor")):
            self.kernel(ELEMENTWISE.format(name), 8, 4, correlation=self.n,
                        **{"graph id": 1, "graph node id": i + 1})


def tensors(list_of):
    """In the form of PyTorch: tensor, storage, offset, elements, bytes, device."""
    out = []
    for storage, dims in list_of:
        elements = 1
        for d in dims:
            elements *= d
        out.append([500 + storage, storage, 0, elements, 4, "cuda:0"])
    return {"values": out, "shapes": [d for _, d in list_of], "types": []}


def node(number, name, function, reads, writes):
    return {"id": number, "name": name, "ctrl_deps": 1, "inputs": tensors(reads),
            "outputs": tensors(writes),
            "attrs": [{"name": "rf_id", "type": "uint64", "value": function},
                      {"name": "op_schema", "type": "string", "value": ""}]}


def planted(trains=False):
    """Returns the trace and the execution trace, as bytes. `trains`: a backward pass
    follows, which the execution trace lacks."""
    m = Maker()
    for call in CALLS:
        m.call(*call)
    m.allocate(FREED)
    m.replay()
    m.call(None, None, WHOLE_US - m.at_us - 1, 1, (), ())
    if trains:
        m.event("cpu_op", "autograd::engine::evaluate_function: MulBackward0", -900, 5,
                **{"External id": 900})
    device = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936,
              "computeMajor": 9, "computeMinor": 0, "numSms": 132}
    trace = {"schemaVersion": 1, "deviceProperties": [device], "traceEvents": m.events}
    observed = {"schema": "1.1.1-chakra.0.0.4", "pid": 9, "time": "2026-11-28 06:00:00",
                "start_ts": 1, "nodes": m.nodes, "finish_ts": 2}
    return json.dumps(trace).encode(), json.dumps(observed).encode()
