"""efficiency.py - traces whose calls have chosen operators, dtypes, sizes and durations.

So every S is known: T_SOL follows from the sizes, T is the duration.
"""
import json

DTYPES = {"bf16": "c10::BFloat16", "fp16": "c10::Half", "fp32": "float"}
# operator: (host operator, kernel, dims from the sizes)
OPERATORS = {
    "gemm": ("aten::mm", "nvjet_tst_128x64_64x8_1x2_h_bz_NNT",
             lambda m, n, k: [[m, k], [k, n]]),
    "elementwise": ("aten::add",
                    "void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
                    lambda *x: [list(x), list(x)]),
    "softmax": ("aten::_softmax",
                "void (anonymous namespace)::cunn_SoftMaxForward<4, float, float, float>()",
                lambda *x: [list(x), [], []]),
}


def events(calls):
    """Yields the host operator, the launch and the kernel of each call."""
    at_us = 1000
    for i, (operator, dtype, sizes, us, *device) in enumerate(calls, 1):
        number = device[0] if device else 0
        name, kernel, dims_of = OPERATORS[operator]
        dims = dims_of(*sizes)
        types = [DTYPES[dtype] if d else "Scalar" for d in dims]
        host = {"ph": "X", "pid": 4711, "tid": 4711}
        yield {**host, "cat": "cpu_op", "name": name, "ts": at_us, "dur": 20,
               "args": {"External id": i, "Input Dims": dims, "Input type": types}}
        yield {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at_us + 5,
               "dur": 5, "args": {"correlation": i, "External id": i}}
        yield {"ph": "X", "cat": "kernel", "name": kernel, "pid": number, "tid": 7,
               "ts": at_us + 15, "dur": us,
               "args": {"device": number, "stream": 7, "correlation": i, "External id": i,
                        "grid": [8, 1, 1], "block": [128, 1, 1]}}
        at_us += 100 + round(us)


def made_efficiency(calls, device="NVIDIA H20", gpus=1, **members):
    """Returns a trace of `calls`: (operator, dtype, sizes, microseconds), and the number of
    the GPU if it is not 0. `gpus`: how many the process sees. `members`: further members of
    the file, such as its host."""
    return json.dumps({
        "schemaVersion": 1, **members,
        "deviceProperties": [{"id": i, "name": device, "numSms": 78} for i in range(gpus)],
        "traceEvents": [{"ph": "M", "name": "process_name", "pid": 4711, "tid": 0,
                         "args": {"name": "python"}}, *events(calls)]}).encode()
