#!/usr/bin/python3
"""layers_agree.py - layers found by the sequence of kernels must equal those by
modules.

layers_agree.py [FILE]...

Reads real Kineto traces with nn.Module ranges and Python stacks (or the files given).
Plain Python determines the execution of a layer to which each kernel belongs: that of
the layer range that was open on the thread when the call that launched the kernel
began.

`kernsiftd inspect --by layers` finds the layers twice, once by the sequence of kernels
and once by ranges. Each time the number of layers must be equal, and each layer must
have exactly the kernels of one execution. The layers of one section must be those of
one stack. Kernels whose call is not in the file are ignored.
"""
import bisect
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

import host_figures
import layers
import trace_figures

FILES = ('qwen1.5-0.5b_h100', 'qwen1.5-0.5b_mi300x', 'owlv2-large_h100',
         'owlv2-large_mi300x')
LAYER = re.compile(r'nn\.Module: (\w*Layer)_(\d+)$')
STACK = re.compile(r'nn\.Module: (\w*(?:Encoder|Model))_(\d+)$')


def open_at(ranges, moments):
    """Returns {moment: the outermost range around it}, for ranges of one thread that do
    not cross."""
    outer, end = [], None
    for r in sorted(ranges, key=lambda r: (r[0], -r[1])):
        if end is None or r[0] >= end:
            outer.append(r)
            end = r[1]
    starts = [r[0] for r in outer]
    found = {}
    for m in moments:
        at = bisect.bisect_right(starts, m) - 1
        if at >= 0 and m < outer[at][1]:
            found[m] = outer[at]
    return found


def innermost(ranges, moment):
    around = [r for r in ranges if r[0] <= moment < r[1]]
    return max(around)[2] if around else None


def runs_of_layers(path):
    """Returns [(stack, kernels)] in order, with the kernels [(start, end)] of one
    execution of a layer; and the kernels whose call is known but is not in a layer."""
    ranges, stacks, calls, kernels = defaultdict(list), [], {}, []
    for e in host_figures.events(path):
        if e.get('ph') != 'X':
            continue
        start = trace_figures.nanoseconds(e['ts'])
        end = start + trace_figures.nanoseconds(e.get('dur', '0'))
        name, args = e['name'], e.get('args', {})
        if LAYER.match(name):
            ranges[e['tid']].append((start, end, name))
        elif STACK.match(name):
            stacks.append((start, end, name))
        elif e.get('cat') in ('cuda_runtime', 'cuda_driver', 'hip_runtime'):
            calls[args.get('correlation')] = (e['tid'], start)
        elif e.get('cat') == 'kernel':
            kernels.append((start, end, args.get('correlation')))
    moments = defaultdict(set)
    for _, _, c in kernels:
        if c in calls:
            moments[calls[c][0]].add(calls[c][1])
    layer = {(t, m): r for t in moments
             for m, r in open_at(ranges[t], moments[t]).items()}
    runs, outside = defaultdict(list), []
    for start, end, c in kernels:
        if c in calls and calls[c] in layer:
            runs[layer[calls[c]]].append((start, end))
        elif c in calls:
            outside.append((start, end))
    found = [(innermost(stacks, r[0]), sorted(k)) for r, k in runs.items()]
    return sorted(found, key=lambda f: f[1][0]), outside


def printed(path, detector):
    out = subprocess.run([layers.PROGRAM, 'inspect', '--by', 'layers',
                          '--layers', detector, '--format', 'json', path],
                         check=True, capture_output=True)
    runs = json.loads(out.stdout)['runs']
    assert len(runs) == 1, len(runs)
    return runs[0]['breakdown']


def hold(path, b, runs, outside):
    """Yields sentences about layers that differ from those by modules."""
    if b['detector'] == 'none':
        yield f'no layers: {b["reason"]}'
        return
    sections = {i for i, s in enumerate(b['sections'])
                if s['position'] == 'layer'}
    instances = b['instances']
    found = [i for i in instances if i['section'] in sections]
    if len(found) != len(runs):
        yield f'{len(found)} layers, not {len(runs)}'
        return
    (rank, rows), = layers.records(path).items()
    zeros = layers.zero(rows, instances)
    if len(zeros) != 1:
        yield f'the run may begin at {len(zeros)} moments'
        return
    spans = [(zeros[0] + i['start_ns'], zeros[0] + i['end_ns']) for i in found]
    stack_of = defaultdict(set)
    for number, (span, i, (stack, kernels)) in enumerate(
            zip(spans, found, runs)):
        stack_of[i['section']].add(stack)
        away = [k for k in kernels if k[0] < span[0] or k[1] > span[1]]
        if away:
            yield f'layer {number} lacks {len(away)} of {len(kernels)} kernels'
    starts = [s[0] for s in spans]
    strange = [k for k in outside
               if (at := bisect.bisect_right(starts, k[0]) - 1) >= 0 and
               k[0] < spans[at][1]]
    if strange:
        yield f'{len(strange)} kernels are in layers and in none by modules'
    if any(len(s) != 1 for s in stack_of.values()) or \
            len(stack_of) != len({s for s, _ in runs}):
        yield f'sections hold the stacks {dict(stack_of)}'


def main():
    files = sys.argv[1:] or [
        p for f in FILES
        if os.path.exists(p := f'{layers.FOLDER}/{f}.json.gz')]
    if not files:
        print('skipped: no real traces next to the checkout')
        return 77
    wrong = 0
    for path in files:
        runs, outside = runs_of_layers(path)
        assert len(runs) > 1, f'{path} has no layers among its modules'
        for detector in ('period', 'modules'):
            for sentence in hold(path, printed(path, detector), runs, outside):
                print(f'{os.path.basename(path)} by {detector}: {sentence}')
                wrong += 1
        print(f'{os.path.basename(path)}: {len(runs)} runs of layers, '
              f'{sum(len(k) for _, k in runs)} kernels in them')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
