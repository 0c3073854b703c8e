"""made_collectives.py - the trace of one rank whose collectives name their group."""
import json


def document_of(rank, world, events, host=None, devices=1):
    document = {
        "schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": world},
        "deviceProperties": [{"id": i, "name": "NVIDIA H100 80GB HBM3",
                              "totalGlobalMem": 85029158912, "computeMajor": 9,
                              "computeMinor": 0, "numSms": 132} for i in range(devices)],
        "traceEvents": events}
    if host:
        document["host_name"] = host
    return json.dumps(document).encode()


def made_all_to_all(rank, world, calls, group="0"):
    """Returns the trace of a rank whose all-to-alls list their split sizes. `calls` has
    (split sizes of the input, of the output, microseconds); the sizes are lists of rows
    of eight bf16, [] for equal parts of 4 rows, or a text that is written as it is. None:
    no split sizes."""
    ranks, events = str(list(range(world))), []
    for i, (into, out, dur) in enumerate(calls):
        ts, link = 1000 + 1000 * i, {"correlation": i + 1, "External id": 100 + i}
        rows = [sum(s) if s and isinstance(s, list) else 4 * world for s in (into, out)]
        args = {"Collective name": "all_to_allv", "In msg nelems": 8 * rows[0],
                "Out msg nelems": 8 * rows[1], "dtype": "BFloat16", "Group size": world,
                "Process Group Name": group, "Process Group Ranks": ranks}
        if into is not None:
            args |= {"In split size": str(into), "Out split size": str(out)}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 7,
             "ts": ts, "dur": 50, "args": {
                 **args, "External id": 100 + i,
                 "Concrete Inputs": ["", str(i + 1), group, "0", "", "", "", "0", "1",
                                     str(world)],
                 "Input Dims": [[8 * rows[0]]] + [[]] * 9,
                 "Input type": ["BFloat16", "Scalar"] + [""] * 8}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 7,
             "tid": 7, "ts": ts + 5, "dur": 2, "args": link},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv(ncclDevComm*)",
             "pid": 0, "tid": 24, "ts": ts + 20, "dur": dur, "args": {
                 "device": 0, "stream": 24, "grid": [8, 1, 1], "block": [512, 1, 1],
                 **link, **args}}]
    return document_of(rank, world, events)


def made_collectives(rank, calls, group="0", ranks="[0, 1]", host=None, devices=1):
    """Returns a rank's trace. `calls` has (number, elements, microseconds) or, for another
    kind, (number, elements, microseconds, kind). All are on device 0 of `devices`."""
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
    return document_of(rank, 2, events, host, devices)
