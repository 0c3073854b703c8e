#!/usr/bin/python3
"""patterns.py - computes the time split of iterations and the figures of functions
independently.

patterns.py [FILE]...

Compares `kernsiftd inspect --by iterations` and `--by patterns` with plain Python. The
first files are generated: their kernels have counters at 2 kHz and at 1 Hz, on two
devices and the host. The others are recorded traces next to the checkout (or the given
files). The split of each iteration must be equal, in whole nanoseconds. The windows of
the iterations come from the output. Functions are compared if all rows are in one
window. They are also compared if the trace is generated, because its launches state
their iteration.
"""
import bisect
import csv
import gzip
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import datetime, timezone

from trace_figures import nanoseconds

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')
REAL = ['megatron-tp8_rank1', 'sam-fast_a1', 'eager_b200', 'ns-resolution',
        'deepseek-r1-decode_sglang_b300_tp0', 'resnet-ddp_v100_54mb']
COLLECTIVE = re.compile('nccl|all_?reduce|cross_device_reduce|trtllm_',
                        re.IGNORECASE)
SYNC = {a + b + 'Synchronize' for a in ('cuda', 'hip')
        for b in ('Device', 'Stream', 'Event', 'Thread')} | \
    {'cuCtxSynchronize', 'cuStreamSynchronize', 'cuEventSynchronize'}


def tables(path, by):
    """Returns all lines, and the tables by their first column, as lists of dicts."""
    run = subprocess.run([PROGRAM, 'inspect', '--by', by, path], check=True,
                         capture_output=True, text=True)
    found = {}
    for part in run.stdout.rstrip('\n').split('\n\n'):
        rows = list(csv.DictReader(part.split('\n')))
        if rows:
            found[next(iter(rows[0]))] = rows
    return run.stdout.split('\n'), found


def rows_of(path):
    """Returns (kind, start, end, name, device) of the counted rows, in nanoseconds."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as f:
        trace = json.loads(f.read(), parse_float=str, parse_int=str)
    zero = int(trace.get('baseTimeNanoseconds', 0))
    found = []
    for e in trace['traceEvents']:
        kind = e.get('cat', '').lower()
        if e.get('ph') != 'X' or 'ts' not in e:
            continue
        start = nanoseconds(e['ts']) + zero
        end = start + nanoseconds(e.get('dur', '0'))
        name = e['name']
        if kind == 'kernel':
            comm = bool(COLLECTIVE.search(name))
            found.append(('comm' if comm else 'compute', start, end, name,
                          int(e['args']['device'])))
        elif kind in ('memcpy', 'memset', 'gpu_memcpy', 'gpu_memset'):
            found.append(('copy', start, end, name,
                          int(e['args']['device'])))
        elif name in SYNC and kind in ('cuda_runtime', 'runtime',
                                       'cuda_driver'):
            found.append(('sync', start, end, name, None))
    return found


def began(head):
    """Returns the start of the first record of the run; None if it is unknown."""
    at = next((x.split()[1] for x in head if x.startswith('started')), None)
    if at in (None, 'unknown'):
        return None
    whole, _, part = at.rstrip('Z').partition('.')
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc)
    return int(seconds.timestamp()) * 10**9 + int((part + '0' * 9)[:9])


def split(rows, start, end):
    """Sums the kinds of time over the intervals between all starts and ends."""
    inside = [r for r in rows if r[1] < end and r[2] > start]
    edges = sorted({start, end} | {t for r in inside for t in r[1:3]
                                   if start < t < end})
    sums = defaultdict(int)
    begins = sorted(inside, key=lambda r: r[1])
    active, at = [], 0
    for a, b in zip(edges, edges[1:]):
        while at < len(begins) and begins[at][1] <= a:
            active.append(begins[at])
            at += 1
        active = [r for r in active if r[2] > a]
        kinds = {r[0] for r in active}
        part = next((k for k in ('compute', 'comm', 'copy') if k in kinds),
                    'idle')
        sums[part] += b - a
        sums['overlapped'] += (b - a) * ({'compute', 'comm'} <= kinds)
        sums['sync'] += (b - a) * ('sync' in kinds)
    return [sums[k] for k in ('compute', 'comm', 'copy', 'idle', 'overlapped', 'sync')]


def hold_splits(path):
    head, printed = tables(path, 'iterations')
    zero, rows = began(head), rows_of(path)
    calls = any(r[0] == 'sync' for r in rows)
    for c in printed['Number']:
        start = zero + int(c['Start (ns)'])
        want = split(rows, start, start + int(c['Duration (ns)']))
        got = [int(c[k] or -1) for k in
               ('Compute (ns)', 'Communication (ns)', 'Copies (ns)',
                'Idle (ns)', 'Communication Overlapped (ns)', 'Sync (ns)')]
        if not calls and got[5] <= 0:
            got[5] = want[5] = 0
        assert got == want, f'{path}: iteration {c["Number"]}: {got}, not {want}'
        assert sum(got[:4]) == int(c['Duration (ns)'])
    return head, printed, zero, rows


def hold_window(path, printed, zero, rows):
    """Compares the functions of the only window: all GPU rows, and the host rows that
    start in it."""
    c = printed['Number'][0]
    start = zero + int(c['Start (ns)'])
    end = start + int(c['Duration (ns)'])
    sums = defaultdict(list)
    for kind, a, b, name, device in rows:
        if kind != 'sync' or start <= a < end:
            where = 'Host' if device is None else f'GPU {device}'
            sums[name if not name.startswith('_Z') else '', where].append(b - a)
    want = sorted((w, sum(d), len(d), min(d), max(d))
                  for (n, w), d in sums.items() if n)
    _, found = tables(path, 'patterns')
    got = sorted((r['Device'], round(float(r['Time (ns/iteration)'])),
                  round(float(r['Launches/Iteration'])), int(r['Min (ns)']),
                  int(r['Max (ns)'])) for r in found['Type']
                 if (r['Function'], r['Device']) in sums)
    missing = [x for x in want if x not in got]
    assert not missing and len(want) == len(got), f'{path}: {missing[:3]}'
    return len(want)


# ---- a generated trace, with counters

def make(path, seed):
    """Writes six annotated steps of kernels on two devices, with counters."""
    pick = random.Random(seed)
    events, kernels, at = [], [], 1_000_000_000
    first = at - 5_000
    for step in range(6):
        begin, ids = at, []
        for k in range(60):
            call, device = at, pick.randrange(2)
            at += pick.randrange(2_000, 30_000)
            start = at + pick.randrange(1_000)
            dur = pick.choice((400, 4_000, 40_000, 3_000_000))
            name = pick.choice(('alpha', 'beta', 'gamma'))
            n = len(kernels) + 1
            kernels.append((step, name, device, start, start + dur))
            ids.append((call, n))
            events.append({'ph': 'X', 'cat': 'kernel', 'name': name,
                           'ts': start / 1000, 'dur': dur / 1000, 'pid': device,
                           'tid': 7, 'args': {'device': device, 'stream': 7,
                                              'correlation': n}})
            at = max(at, start + dur) + 200
        for call, n in ids:
            events.append({'ph': 'X', 'cat': 'cuda_runtime', 'pid': 9,
                           'name': 'cudaLaunchKernel', 'ts': call / 1000,
                           'dur': 1, 'tid': 1, 'args': {'correlation': n}})
        events.append({'ph': 'X', 'cat': 'user_annotation', 'pid': 9, 'tid': 1,
                       'name': f'ProfilerStep#{step}', 'ts': begin / 1000,
                       'dur': (at - begin) / 1000, 'args': {}})
        at += 10_000
    counters = defaultdict(list)
    for name, device, gap in (('sm', 0, 500_000), ('sm', 1, 500_000),
                              ('power', 0, 10**9), ('cpu', None, 500_000)):
        for t in range(first, at + 2 * gap, gap):
            v = pick.randrange(1, 100_000) / 1000
            counters[name, device].append((t, v))
            args = {'value': v}
            if device is not None:
                args['device'] = device
            events.append({'ph': 'C', 'name': name, 'pid': 9,
                           'ts': t / 1000, 'args': args})
    with open(path, 'w') as f:
        json.dump({'baseTimeNanoseconds': 17 * 10**17,
                   'traceEvents': events}, f)
    return kernels, counters


def line(samples, t):
    """Interpolates between two samples; None outside all samples."""
    times = [s[0] for s in samples]
    i = bisect.bisect_left(times, t)
    if i < len(times) and times[i] == t:
        return samples[i][1]
    if i in (0, len(times)):
        return None
    (a, x), (b, y) = samples[i - 1], samples[i]
    return x + (y - x) * (t - a) / (b - a)


def counter_stats(samples, runs):
    """Returns (μ, σ, basis) of a function in an iteration; None without a value."""
    weight = mean = variance = 0
    basis = set()
    for start, end in runs:
        inside = [v for t, v in samples if start <= t <= end]
        m = sum(inside) / len(inside) if inside else 0
        s2 = sum((v - m) ** 2 for v in inside) / len(inside) if inside else 0
        if len(inside) < 3:
            ends = line(samples, start), line(samples, end)
            if None in ends:
                continue
            m = sum(ends) / 2
        basis.add(len(inside) < 3)
        weight += end - start
        mean += m * (end - start)
        variance += s2 * (end - start)
    if not weight:
        return None
    return mean / weight, math.sqrt(variance / weight), basis


def near(got, want):
    return abs(got - want) <= 2e-5 * max(1e-3, abs(want))


def hold_counters(path, kernels, counters):
    _, printed = tables(path, 'iterations')
    kept = {int(c['Number']) for c in printed['Number'] if c['Use'] == 'kept'}
    assert printed['Detector'][0]['Detector'] == 'annotation' and len(kept) > 2
    _, found = tables(path, 'patterns')
    runs = defaultdict(lambda: defaultdict(list))
    for step, name, device, start, end in kernels:
        runs[name, device][step].append((start, end))
    want = {}
    for (name, device), steps in runs.items():
        for (counter, of), samples in counters.items():
            if of != device:
                continue
            values = [v for v in (counter_stats(samples, steps[k])
                                  for k in sorted(kept)) if v]
            if values:
                want[counter, f'GPU {device}', name] = values
    got = {(r['Metric'], r['Device'], r['Function']): r
           for r in found['Metric']}
    assert set(got) == set(want), f'{path}: {set(got) ^ set(want)}'
    for key, values in want.items():
        r, n = got[key], len(values)
        assert near(float(r['Mu']), sum(v[0] for v in values) / n), (key, r)
        assert near(float(r['Sigma']), sum(v[1] for v in values) / n), (key, r)
        counts = tuple(int(r[k]) for k in ('Iterations', 'Partly', 'Interpolated'))
        assert counts == (n, sum(len(v[2]) == 2 for v in values),
                          sum(v[2] == {True} for v in values)), (key, r)
    return len(want)


def main():
    splits = functions = metrics = 0
    with tempfile.TemporaryDirectory(prefix='ks-verify-') as folder:
        for seed in range(5):
            path = f'{folder}/{seed}.json'
            kernels, counters = make(path, seed)
            metrics += hold_counters(path, kernels, counters)
            splits += len(hold_splits(path)[1]['Number'])
    paths = sys.argv[1:] or [f'{FOLDER}/{n}.json.gz' for n in REAL]
    paths = [p for p in paths if os.path.exists(p)]
    for path in paths:
        head, printed, zero, rows = hold_splits(path)
        splits += len(printed['Number'])
        if printed['Detector'][0]['Detector'] == 'window':
            functions += hold_window(path, printed, zero, rows)
    print(f'{metrics} metrics of functions, {splits} splits of iterations, '
          f'{functions} functions of {len(paths)} real traces: all agree')


if __name__ == '__main__':
    main()
