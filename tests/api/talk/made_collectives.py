"""made_collectives.py - the trace of one rank whose all-reduces name their group."""
import json


def made_collectives(rank, calls, group="0", ranks="[0, 1]", host=None):
    """Returns a rank's trace. `calls` has (number, elements, microseconds) or, for another
    kind, (number, elements, microseconds, kind)."""
    events = []
    for i, (number, elements, dur, *kind) in enumerate(calls):
        ts, link = 1000 + 1000 * i, {"correlation": i + 1, "External id": 100 + i}
        size = ranks.count(",") + 1
        args = {"Collective name": kind[0] if kind else "allreduce",
                "In msg nelems": elements, "Out msg nelems": elements, "dtype": "Float",
                "Group size": size, "Process Group Name": group,
                "Process Group Ranks": ranks}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 7,
             "ts": ts, "dur": 50, "args": {
                 **args, "External id": 100 + i,
                 "Concrete Inputs": ["", str(number), group, "0", "", "", "", "0", "1",
                                     str(size)],
                 "Input Dims": [[[elements]]] + [[]] * 9,
                 "Input type": ["TensorList", "Scalar"] + [""] * 8}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 7,
             "tid": 7, "ts": ts + 5, "dur": 2, "args": link},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevComm*)",
             "pid": 0, "tid": 24, "ts": ts + 20, "dur": dur, "args": {
                 "device": 0, "stream": 24, "grid": [8, 1, 1], "block": [512, 1, 1],
                 **link, **args}}]
    document = {
        "schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2},
        "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3",
                              "totalGlobalMem": 85029158912, "computeMajor": 9,
                              "computeMinor": 0, "numSms": 132}],
        "traceEvents": events}
    if host:
        document["host_name"] = host
    return json.dumps(document).encode()
