#!/usr/bin/python3
"""check_layers.py - checks the traces that gen_layers.py writes.

Layers and passes must have the requested length, to the nanosecond. Launches on a
stream must not overlap, and each kernel must start after its call. The durations of a
call must add up to the time of its row. The shared expert must run parallel to both
halves of the combine. A row without a time must be missing. The same options must give
the same bytes.
"""
import json
import os
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_layers  # noqa: E402
import layered  # noqa: E402

PASSES = 2
END_NS, LAYERS_NS = 91234567, 87654321


def ns(text):
    return int(Fraction(str(text)) * 1000)


def kernels(trace):
    return sorted((ns(e['ts']), ns(e['ts']) + ns(e['dur']), e['args'], e['name'])
                  for e in trace['traceEvents'] if e['cat'] == 'kernel')


def streams(found, trace):
    calls = {e['args']['correlation']: ns(e['ts'])
             for e in trace['traceEvents'] if e['cat'] == 'cuda_runtime'}
    for stream in (layered.MAIN, layered.COMM):
        end = 0
        for a, b, args, name in found:
            if args['stream'] != stream:
                continue
            assert a >= end, f'{name} begins before another has ended'
            assert calls[args['correlation']] < a, f'{name} before its call'
            end = b


def check_whole():
    trace = gen_layers.trace(layered.TIMES, passes=PASSES, layers=LAYERS_NS,
                             end=END_NS)
    found = kernels(trace)
    streams(found, trace)
    first, last = found[0][0], max(k[1] for k in found)
    assert last - first == PASSES * END_NS, last - first
    n = len(found) // PASSES
    one = found[:n]
    layers = one[1:-3]  # after the embedding, before norm, head and sampling
    assert max(k[1] for k in layers) - layers[0][0] == LAYERS_NS
    total = sum(k[1] - k[0] for k in one)
    rows = [(layered.BEFORE + layered.AFTER, 1), (layered.DENSE,
                                                  layered.DENSE_LAYERS),
            (layered.ATTENTION, layered.DENSE_LAYERS + layered.EXPERT_LAYERS),
            (layered.GATE + layered.EXPERTS + [layered.COMBINED]
             + layered.SHARED, layered.EXPERT_LAYERS)]
    assert total == sum(layered.TIMES[r[0]] * k for part, k in rows
                        for r in part), total
    halves = [k for k in one if 'combine' in k[3]]
    assert len(halves) == 2 * layered.EXPERT_LAYERS
    shared = [k for k in one if halves[0][0] < k[0] < halves[1][1]
              and k[2]['stream'] == layered.MAIN]
    assert len(shared) == len(layered.SHARED)
    assert shared[-1][0] < halves[0][1] < halves[1][0] < shared[-1][1]
    return len(found)


def check_part():
    """Checks a trace without most kernels, and with one additional token."""
    times = dict.fromkeys(layered.TIMES, None) | {
        k: layered.TIMES[k] for k in ('attention', 'o_proj', 'dispatch')}
    trace = gen_layers.trace(times, again=True, passes=1)
    found = kernels(trace)
    streams(found, trace)
    n = layered.DENSE_LAYERS + layered.EXPERT_LAYERS + 1
    assert len(found) == 2 * n + layered.EXPERT_LAYERS + 1, len(found)
    names = {e['name'] for e in trace['traceEvents']
             if e['cat'] == 'python_function'}
    assert f'nn.Module: DeepseekV2DecoderLayer_{n - 1}' in names
    return len(found)


def check_bytes():
    with tempfile.TemporaryDirectory() as d:
        times = f'{d}/times.json'
        with open(times, 'w', encoding='utf-8') as f:
            json.dump({'attention': 123456}, f)
        out = []
        for name in ('a.json.gz', 'b.json.gz'):
            sys.argv = ['gen_layers', '--passes', '1', '--times', times,
                        f'{d}/{name}']
            gen_layers.main()
            with open(f'{d}/{name}', 'rb') as f:
                out.append(f.read())
    assert out[0] == out[1], 'other bytes'


def main():
    print(f'{check_whole()} launches of {PASSES} passes, '
          f'{check_part()} of one without most')
    check_bytes()


if __name__ == '__main__':
    main()
