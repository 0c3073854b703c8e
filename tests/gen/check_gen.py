#!/usr/bin/python3
"""check_gen.py - compares the generator's expectation with its trace.

Reads the written JSON again and computes the numbers in another way: as decimals of 60
digits, in one pass over all kernels. Does so for every dialect and compression. Also
checks that the same options give the same bytes.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from decimal import ROUND_HALF_UP, Decimal, getcontext

getcontext().prec = 60
HERE = os.path.dirname(os.path.abspath(__file__))
CASES = (
    ['--steps', '1'],
    ['--steps', '3', '--devices', '2', '--stacks', '--seed', '5'],
    ['--dialect', '2020', '--list'],
    ['--dialect', 'rocm', '--ranks', '3', '--steps', '1'],
    ['--kernels-only', '--events', '700', '--fresh-names', '40'],
    ['--rank', '2', '--world', '8', '--steps', '1', '--layers', '1'],
)
KERNEL, COPY = ('kernel', 'Kernel'), ('gpu_memcpy', 'gpu_memset', 'Memcpy',
                                      'Memset')
# names as c++filt demangles them
MANGLED = {
    '_Z11rope_kernelPfPKfi': 'rope_kernel(float*, float const*, int)',
    '_ZN4demo12silu_and_mulILi4EEEvPKfPf':
        'void demo::silu_and_mul<4>(float const*, float*)',
}


def tenths(x):
    return str(x.quantize(Decimal('0.1'), ROUND_HALF_UP))


def type7(d, p):
    h = (len(d) - 1) * Decimal(p)
    i = int(h)
    return d[i] + (h - i) * (d[min(i + 1, len(d) - 1)] - d[i])


def row(d, of_ns):
    d = sorted(Decimal(x) for x in d)
    n, avg, half = len(d), sum(d) / len(d), len(d) // 2
    med = d[half] if n % 2 else (d[half - 1] + d[half]) / 2
    dev = (sum((x - avg) ** 2 for x in d) / (n - 1)).sqrt() if n > 1 else avg * 0
    return {'instances': n, 'time_pct': tenths(sum(d) * 100 / of_ns),
            'total_ns': int(sum(d)), 'mean_ns': tenths(avg),
            'median_ns': tenths(med), 'min_ns': int(d[0]), 'max_ns': int(d[-1]),
            'stddev_ns': tenths(dev), 'p90_ns': tenths(type7(d, '0.9')),
            'p99_ns': tenths(type7(d, '0.99')),
            'iqr_ns': tenths(type7(d, '0.75') - type7(d, '0.25'))}


def busy(spans):
    edges = sorted([(s, 1) for s, _ in spans] + [(e, -1) for _, e in spans],
                   key=lambda x: (x[0], -x[1]))
    depth = total = since = 0
    for at, by in edges:
        since = at if depth == 0 else since
        depth += by
        total += at - since if depth == 0 else 0
    return total


def check(events, run, fused):
    mine = [e for e in events if e['ph'] == 'X'
            and (not fused or e['args'].get('rank') == run['rank'])]
    spans, by = [], {}
    first = last = None
    for e in mine:
        if e['cat'] not in KERNEL + COPY:
            continue
        start, dur = (int(Decimal(e[k]) * 1000) for k in ('ts', 'dur'))
        first = start if first is None else min(first, start)
        last = start + dur if last is None else max(last, start + dur)
        if e['cat'] in KERNEL:
            spans.append((start, start + dur))
            name = MANGLED.get(e['name'], e['name'])
            by.setdefault(name, []).append(dur)
            a = e['args']
            by.setdefault((name, a['device']), []).append(dur)
            by.setdefault((name, str(a.get('grid')), str(a.get('block'))),
                          []).append(dur)
    of = sum(e - s for s, e in spans)
    assert run['span_ns'] == last - first
    assert run['busy_ns'] == busy(spans), (run['busy_ns'], busy(spans))
    assert run['kernel_ns'] == of and run['launches'] == len(spans)
    reported = {}
    for r in run['kernels'] + run['kernels_by_device'] + run['kernels_by_grid']:
        r = dict(r)
        key = r.pop('name')
        if 'device' in r:
            key = (key, r.pop('device'))
        elif 'grid' in r:
            key = (key, str(r.pop('grid')), str(r.pop('block')))
        reported[key] = r
    for key, d in by.items():
        assert reported.pop(key) == row(d, of), key
    assert not reported, reported
    ns = [r['total_ns'] for r in run['kernels']]
    assert ns == sorted(ns, reverse=True)


def make(folder, name, args):
    out, want = f'{folder}/{name}', f'{folder}/want.json'
    subprocess.run([f'{HERE}/gen_trace.py', *args, '--expect', want, out],
                   check=True)
    with open(out, 'rb') as f:
        stored = f.read()
    text = stored
    if name.endswith('.gz'):
        text = gzip.decompress(stored)
    elif name.endswith('.zst'):
        text = subprocess.run(['zstd', '-dcq', out], check=True,
                              stdout=subprocess.PIPE).stdout
    with open(want) as f:
        return stored, text, json.load(f)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for args in CASES:
            stored, text, want = make(folder, 'a.json', args)
            doc = json.loads(text, parse_float=Decimal)
            events = doc if isinstance(doc, list) else doc['traceEvents']
            assert isinstance(doc, list) == ('--list' in args)
            for run in want['runs']:
                check(events, run, '--ranks' in args)
            assert make(folder, 'b.json', args)[0] == stored, 'same again'
            for packed in ('c.json.gz', 'c.json.zst'):
                assert make(folder, packed, args)[1] == text, packed
            other = make(folder, 'd.json', args + ['--seed', '77'])[0]
            assert other != stored, 'another seed'
    print(f'{len(CASES)} traces as expected')


if __name__ == '__main__':
    sys.exit(main())
