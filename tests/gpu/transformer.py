#!/usr/bin/env python3
"""transformer.py - a small transformer in PyTorch, executed like a served model.

  transformer.py [--steps N] [--how eager|nvtx|profiler|graph] [--trace FILE]

eager: executes the steps without a tool; nvtx: under emit_nvtx(record_shapes=True);
profiler: under torch.profiler, whose kernels are counted and summed for comparison, and
whose trace is written to FILE; graph: captured under emit_nvtx and replayed. Prints one
line of JSON: the median time of a step and, if known, the kernels.
"""
import argparse
import json
import statistics
import time

import torch

WARM = 5


def model():
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(
        512, 8, 2048, dropout=0.0, batch_first=True, norm_first=True)
    return torch.nn.TransformerEncoder(
        layer, 6, enable_nested_tensor=False).cuda().half().eval()


def timed(step, steps):
    """Returns the median time of a step in seconds."""
    took = []
    for _ in range(steps):
        began = time.perf_counter()
        step()
        torch.cuda.synchronize()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def profiled(step, steps, trace):
    """Returns the count and nanoseconds of each kernel, as torch.profiler reports
    them."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 record_shapes=True) as p:
        seconds = timed(step, steps)
    if trace:
        p.export_chrome_trace(trace)
    kernels = {}
    for e in p.events():
        for k in getattr(e, 'kernels', []):
            if k.name.startswith(('Memcpy', 'Memset')):
                continue
            n, ns = kernels.get(k.name, (0, 0))
            kernels[k.name] = (n + 1, ns + round(k.duration * 1e3))
    return seconds, kernels


def captured(step):
    """Captures the step as a CUDA graph."""
    graph = torch.cuda.CUDAGraph()
    with torch.autograd.profiler.emit_nvtx(record_shapes=True):
        with torch.cuda.graph(graph):
            step()
    return graph.replay


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--steps', type=int, default=200)
    p.add_argument('--how', default='eager')
    p.add_argument('--trace')
    o = p.parse_args()
    net = model()
    x = torch.randn(8, 128, 512, device='cuda', dtype=torch.half)

    @torch.no_grad()
    def step():
        return net(x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(WARM):
            step()
    torch.cuda.synchronize()
    out = {'how': o.how, 'steps': o.steps, 'torch': torch.__version__}
    if o.how == 'profiler':
        seconds, out['kernels_of_profiler'] = profiled(step, o.steps, o.trace)
    elif o.how == 'nvtx':
        with torch.autograd.profiler.emit_nvtx(record_shapes=True):
            seconds = timed(step, o.steps)
    elif o.how == 'graph':
        seconds = timed(captured(step), o.steps)
    else:
        seconds = timed(step, o.steps)
    out['step_us'] = round(seconds * 1e6, 2)
    print(json.dumps(out))


if __name__ == '__main__':
    main()
