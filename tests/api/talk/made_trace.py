"""made_trace.py - generates a PyTorch trace from a seed.

It has kernels with their calls, operators, ranges and copies; times with nanosecond
digits; two GPUs; and unusual names.
"""
import json
import random

ODD = ['void f<int, 4>(T1 *, "x")', "größe\\n", "tab\there", "a<b>&c", "line\u2028sep",
       "nul-like \u0001\u001f", "🙂 kernel", "", "back\\slash"]
SHAPES = [([8, 1, 1], [128, 1, 1]), ([1024, 2, 3], [32, 4, 1]), ([1, 1, 1], [1, 1, 1])]


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


class Events(list):
    """Writes events as the text of a trace, in which times keep all digits."""

    def add(self, start_ns, dur_ns, **event):
        head = json.dumps({"ph": "X", **event}, ensure_ascii=False)[:-1]
        self.append(f'{head}, "ts": {us(start_ns)}, "dur": {us(dur_ns)}}}')


def launch(events, dice, pid, i, start_ns):
    """Adds a call on one of two threads, its kernel or copy, and an operator around
    it."""
    thread = dice.choice([pid + 1, "load\"er"])
    device, stream = dice.randrange(2), dice.choice([7, 20])
    gpu = {"device": device, "stream": stream, "correlation": i + 1}
    late_ns = start_ns + dice.randrange(1, 9000)
    events.add(start_ns - 100, 2400, cat="cpu_op", name=f"aten::op{i % 7}", pid=pid, tid=thread,
               args={"External id": i + 1, "Input Dims": [[i % 5, 3], []], "Input type": ["float", ""],
                     "Concrete Inputs": ["", f"[{i % 3}, 1]"]})
    events.add(start_ns, 2000 + dice.randrange(300), cat="cuda_runtime", pid=pid, tid=thread,
               name="cudaLaunchKernel", args={"correlation": i + 1, "External id": i + 1})
    if i % 10 == 9:
        events.add(late_ns, dice.randrange(1, 500), cat="gpu_memcpy", pid=device, tid=stream,
                   name="Memcpy HtoD (Pinned -> Device)", args={**gpu, "bytes": i})
        return
    grid, block = dice.choice(SHAPES)
    name = dice.choice(ODD) or f"k{i % 50}"
    events.add(late_ns, dice.randrange(1, 5000), cat="kernel", name=name, pid=device, tid=stream,
               args={**gpu, "External id": i + 1, "grid": grid, "block": block,
                     "registers per thread": 32 + i % 3, "shared memory": 0})


def made_trace(seed, launches, pid=4711, padding=0):
    """Returns the bytes of a trace; `padding` adds operators with random names of 2,000
    letters, which do not compress well."""
    dice, events = random.Random(seed), Events()
    base_ns = 1_755_848_102_123_456_789
    for i in range(launches):
        if not i % 100:
            events.add(base_ns + i * 10_000 - 500, 999_000, cat="user_annotation",
                       name=f"step {i // 100}", pid=pid, tid=pid + 1, args={})
        launch(events, dice, pid, i, base_ns + i * 10_000 + dice.randrange(4000))
    for i in range(padding):
        events.add(base_ns + launches * 10_000 + i * 1000, 500, cat="cpu_op", pid=pid, tid=pid + 2,
                   name="".join(dice.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=2000)),
                   args={"External id": 10_000_000 + i})
    names = json.dumps({"ph": "M", "name": "process_name", "pid": pid, "tid": 0,
                        "args": {"name": "python"}})
    devices = json.dumps([{"id": d, "name": "NVIDIA H200", "numSms": 132} for d in (0, 1)])
    body = ",\n".join([names, *events])
    return f'{{"schemaVersion": 1, "deviceProperties": {devices}, "traceEvents": [\n{body}\n]}}\n'.encode()
