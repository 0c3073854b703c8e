"""simulate.py - simulates one rank of the generated model, step by step.

The simulation computes all times, in whole nanoseconds, and passes them to the writer
of the dialect. It keeps every GPU duration for the expected statistics. The host
launches before the streams are ready, so the streams run later than the host. The
collective overlaps the next layers on its own stream. A step ends when all streams are
idle. Therefore the busy time of a trace is the sum of the busy times of its steps.
"""
from array import array
from random import Random

import model_work as work

JITTERS = 8191  # prime, so that the pattern does not align with the steps


class Rank:
    """One rank. quantum_ns: all times are multiples of it (1000 for whole
    microseconds)."""

    def __init__(self, number, seed, devices, first_device, quantum_ns,
                 start_ns, times):
        self.times = times  # kernel -> thousandths of its usual duration
        rng = Random(seed * 1000003 + number)
        # 0.9 to 1.3, in 1/1024ths; a few launches are slow, as in real traces
        self.jitter = [rng.randrange(922, 1332) if rng.random() < 0.98
                       else rng.randrange(1332, 3072) for _ in range(JITTERS)]
        self.at = 0
        self.number = number
        self.devices = [first_device + d for d in range(devices)]
        self.quantum = quantum_ns
        self.now = start_ns  # on the host
        self.free = {}  # (device, stream) -> when it is idle
        self.correlation = self.external = 0
        self.python = 0
        self.durations = {}  # (kind, key, device, launch) -> array of ns
        self.intervals = []  # kernels of the step: (start, end, device)
        self.busy, self.device_busy = 0, dict.fromkeys(self.devices, 0)
        self.first, self.last = None, None
        self.steps = 0

    def vary(self, ns):
        j = self.jitter[self.at]
        self.at = self.at + 1 if self.at + 1 < JITTERS else 0
        ns = ns * j >> 10
        return max(ns - ns % self.quantum, self.quantum)

    def gpu(self, kind, key, launch, usual, device, stream):
        """Records a launch; returns its start on the GPU and its duration."""
        dur = self.vary(usual)
        start = max(self.now + 4 * self.quantum,
                    self.free.get((device, stream), 0) + self.quantum)
        end = start + dur
        self.free[device, stream] = end
        k = (kind, key, device, launch)
        if k not in self.durations:
            self.durations[k] = array('q')
        self.durations[k].append(dur)
        if kind == 'kernel':
            self.intervals.append((start, end, device))
        if self.first is None or start < self.first:
            self.first = start
        if self.last is None or end > self.last:
            self.last = end
        return start, dur

    def launch(self, w, key, layer, device, stream):
        self.correlation += 1
        begun, took = self.now, self.vary(5000)
        kind = 'copy' if key in work.COPIES else 'kernel'
        self.now += took
        if kind == 'copy':
            start, dur = self.gpu(kind, key, -1, work.COPIES[key][4], device,
                                  stream)
            w.copy(self, key, start, dur, device, stream)
        else:
            shape = layer & 1
            usual = work.KERNELS[key][3] * (2 + shape)
            usual = usual * self.times.get(key, 1000) // 1000
            start, dur = self.gpu(kind, key, w.launch_id(key, shape), usual,
                                  device, stream)
            w.kernel(self, key, shape, start, dur, device, stream)
        w.call(self, key, begun, took)

    def operator(self, w, op, layer, device, stream):
        self.external += 1
        begun = self.now
        self.now += self.vary(3000)
        for key in op[3]:
            self.launch(w, key, layer, device, stream)
        self.now += self.quantum
        w.op(self, op, begun, self.now - begun)

    def step(self, w, layers=work.LAYERS):
        begun, number = self.now, self.steps
        self.steps += 1
        self.operator(w, work.LOAD, 0, self.devices[0], work.COMPUTE_STREAM)
        for layer in range(layers):
            device = self.devices[layer % len(self.devices)]
            entered = self.now
            for op in work.LAYER:
                self.operator(w, op, layer, device, work.COMPUTE_STREAM)
            if layer % 3 == 2:
                self.operator(w, work.ALL_REDUCE, layer, device,
                              work.NCCL_STREAM)
            w.module(self, layer, entered, self.now - entered)
        self.operator(w, work.OPTIMIZER, 0, self.devices[0],
                      work.COMPUTE_STREAM)
        self.operator(w, work.LOSS, 0, self.devices[0], work.COMPUTE_STREAM)
        self.end_step(w, begun, number)

    def fresh(self, w, names):
        """Launches kernels with unique names, each once."""
        for key in names:
            self.correlation += 1
            begun, took = self.now, self.vary(5000)
            self.now += took
            start, dur = self.gpu('kernel', key, w.launch_id(key, 0), 3000,
                                  self.devices[0], work.COMPUTE_STREAM)
            w.kernel(self, key, 0, start, dur, self.devices[0],
                     work.COMPUTE_STREAM)
            w.call(self, key, begun, took)
        self.end_step(w, None, None)

    def end_step(self, w, begun, number):
        idle = max(self.free.values())
        self.now = max(self.now, idle) + self.quantum
        if begun is not None:
            w.step(self, number, begun, self.now - begun)
        self.busy += union(self.intervals)
        for d in self.devices:
            self.device_busy[d] += union(
                i for i in self.intervals if i[2] == d)
        self.intervals.clear()
        self.now += 50 * self.quantum


def union(intervals):
    total, until = 0, None
    for start, end, _ in sorted(intervals):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total
