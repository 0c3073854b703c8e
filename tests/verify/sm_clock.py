#!/usr/bin/python3
"""sm_clock.py - computes the SM clock of generated runs, and S at that clock, again.

The traces have GEMMs of random sizes on one or two devices, and samples of the SM clock at
one or two rates, some of them while nothing runs, some that can be no clock. The clock is
computed here moment by moment: the time is cut at every end of a kernel and at every
moment where another sample becomes the nearest, and each piece is looked up. T_SOL follows
from the sizes in the trace and from the catalog's peaks and clocks. Both are compared with
`kernsiftd inspect`, and so is the reason where the clock is unknown.
"""
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin'), 'kernsiftd')
REACH_US, SAMPLES, COVER_PCT = 500000, 10, 80
DEVICES = {'H100-SXM': 'NVIDIA H100 80GB HBM3', 'A100-SXM4-80GB': 'NVIDIA A100-SXM4-80GB',
           'L40S': 'NVIDIA L40S', 'H20': 'NVIDIA H20', 'MI300X': 'AMD Instinct MI300X'}
TYPES = {'bf16': ('c10::BFloat16', 2), 'fp16': ('c10::Half', 2)}
ODD = [0, -1410, 1.4e9, 3]


def platforms():
    with open(f'{SOURCE}/server/catalog/data/platforms.json', encoding='utf-8') as f:
        return {p['name']: p for p in json.load(f)['platforms']}


def clock_behind(platform, dtype):
    clock = platform.get('peak_clock_mhz')
    return clock.get(dtype) if isinstance(clock, dict) else clock


class Run:
    """A trace, and what must come out of it."""

    def __init__(self, dice, name):
        self.name, self.events, self.gemms = name, [], []
        self.spans = collections.defaultdict(list)
        self.samples = collections.defaultdict(list)
        self.devices = dice.choice([1, 1, 2])
        for device in range(self.devices):
            self.work(dice, device)
            if dice.random() < 0.9:
                self.clock(dice, device)

    def work(self, dice, device):
        at = dice.randrange(1000, 50000)
        for _ in range(dice.randrange(1, 12)):
            dtype = dice.choice(sorted(TYPES))
            m, n, k = (dice.choice([64, 512, 4096, 8192]) for _ in range(3))
            us = dice.randrange(1000, 200000)
            number = 1 + len(self.gemms)
            host = number * 100
            self.events += [
                {'ph': 'X', 'cat': 'cpu_op', 'name': 'aten::mm', 'pid': 77, 'tid': 77, 'ts': host, 'dur': 50,
                 'args': {'Input Dims': [[m, k], [k, n]], 'Input type': [TYPES[dtype][0]] * 2}},
                {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 77, 'tid': 77, 'ts': host + 5,
                 'dur': 2, 'args': {'correlation': number}},
                {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'pid': device, 'tid': 7, 'ts': at, 'dur': us,
                 'args': {'device': device, 'stream': 7, 'correlation': number, 'grid': [128, 1, 1],
                          'block': [256, 1, 1]}}]
            self.gemms.append((dtype, m, n, k))
            self.spans[device].append((at, at + us))
            # the next kernel overlaps this one, follows it, or follows after a pause
            at += max(1, us + dice.choice([-us // 2, 0, 10, 30000, 700000]))

    def clock(self, dice, device):
        first, last = self.spans[device][0][0], max(e for _, e in self.spans[device])
        at, step = dice.choice([0, first]), dice.choice([500, 20000, 100000, 600000])
        switch, other = dice.uniform(0.2, 1.5) * last, dice.choice([700, 50000])
        stop = last * dice.choice([0.3, 1.1, 1.1, 1.1])
        mhz = dice.randrange(900, 2000)
        while at < stop:
            mhz = min(2100, max(600, mhz + dice.randrange(-40, 41)))
            value = dice.choice(ODD) if dice.random() < 0.01 else mhz
            self.samples[device].append((at, value))
            at += step if at < switch else other
        self.events += [{'ph': 'C', 'name': 'gpu_sm_frequency', 'pid': device, 'ts': t, 'args': {'value': v}}
                        for t, v in self.samples[device]]

    def write(self, path):
        with open(path, 'w', encoding='utf-8') as f:
            json.dump({'schemaVersion': 1,
                       'deviceProperties': [{'id': i, 'name': DEVICES[self.name], 'numSms': 100}
                                            for i in range(self.devices)],
                       'traceEvents': [{'ph': 'M', 'name': 'process_name', 'pid': 77, 'tid': 0,
                                        'args': {'name': 'python'}}] + self.events}, f)

    def device_clock(self, device):
        """Returns the mean clock (None: unknown), the number of samples, the busy time."""
        spans = self.spans[device]
        used = [(t, v) for t, v in self.samples[device]
                if 10 <= v < 10000 and any(a <= t < b for a, b in spans)]
        cuts = {x for span in spans for x in span}
        for (a, _), (b, _) in zip(used, used[1:]):
            cuts.add((a + b) / 2)
        for t, _ in used:
            cuts |= {t - REACH_US, t, t + REACH_US}
        cuts = sorted(cuts)
        busy = known = weighed = 0
        for a, b in zip(cuts, cuts[1:]):
            middle = (a + b) / 2
            if not any(s <= middle < e for s, e in spans):
                continue
            busy += b - a
            near = min(used, key=lambda s: abs(s[0] - middle), default=None)
            if near and abs(near[0] - middle) <= REACH_US:
                known += b - a
                weighed += (b - a) * near[1]
        ok = len(used) >= SAMPLES and known * 100 >= busy * COVER_PCT
        return (weighed / known if ok else None), len(used), busy


def near(got, want, what):
    assert (got is None) == (want is None), (what, got, want)
    assert want is None or math.isclose(got, want, rel_tol=1e-9), (what, got, want)


def check(run, document, platform):
    devices = [run.device_clock(i) for i in range(run.devices)]
    for row, (mhz, n, _) in zip(document['devices'], devices):
        near(row['sm_clock_mhz'], mhz, row)
        assert row['sm_clock_samples'] == (n if run.samples[row['number']] else None), (row, n)
        assert (row['sm_clock_reason'] is None) == (mhz is not None), row
    clock = None
    if all(d[0] is not None for d in devices):
        clock = sum(d[0] * d[2] for d in devices) / sum(d[2] for d in devices)
    scales = {d: clock_behind(platform, d) for d in platform['peak_flops']}
    if not any(scales.values()):
        clock = None
    operators = document['operators']
    near(operators['sm_clock_mhz'], clock, 'clock')
    assert (operators['sm_clock_reason'] is None) == (clock is not None), operators['sm_clock_reason']
    want = {}
    for dtype, m, n, k in run.gemms:
        w, q = 2 * m * n * k, TYPES[dtype][1] * (m * k + k * n + m * n)
        sheet = max(w / platform['peak_flops'][dtype], q / platform['bytes_per_s'])
        ratio = clock / scales[dtype] if clock and scales[dtype] else 1
        sol = max(w / (platform['peak_flops'][dtype] * ratio), q / platform['bytes_per_s'])
        want[dtype, f'm={m} n={n} k={k}'] = sol * 1e9, (sheet * 1e9 if clock else None)
    got = {(s['dtype'], s['shape']): (s['sol_ns'], s['sol_data_sheet_ns']) for s in operators['shapes']}
    assert got.keys() == want.keys(), (got.keys(), want.keys())
    for key, (sol, sheet) in want.items():
        near(got[key][0], sol, key)
        near(got[key][1], sheet, key)
    return clock is not None, len(want)


def main():
    dice = random.Random(14)
    known = platforms()
    scaled = shapes = 0
    runs = 25
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/in.json'
        for number in range(runs):
            run = Run(dice, sorted(DEVICES)[number % len(DEVICES)])
            run.write(path)
            done = subprocess.run([PROGRAM, 'inspect', '--format', 'json', path], check=True,
                                  stdout=subprocess.PIPE)
            one, n = check(run, json.loads(done.stdout)['runs'][0], known[run.name])
            scaled += one
            shapes += n
    print(f'{runs} runs, {scaled} with peaks at their clock, {shapes} shapes')
    assert runs / 4 < scaled < runs * 3 / 4, scaled


if __name__ == '__main__':
    sys.exit(main())
