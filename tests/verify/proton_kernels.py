#!/usr/bin/python3
"""proton_kernels.py - computes the totals of Triton Proton profiles independently.

proton_kernels.py [FILE]...

Reads the tree of each file with Python's json, and sums time and count of every node
that has both: per kernel, per kernel and device, and per kernel and path of scopes.
`kernsiftd inspect` must print the same lines and no others, for the file and for its
capture file. Without files it checks the cases of tests/traces and a random tree.
"""
import csv
import glob
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from fractions import Fraction

BIN = os.environ['KERNSIFT_BIN']
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def random_tree(seed):
    """A tree with deep and wide parts, repeated names, several devices and float counts."""
    rng = random.Random(seed)

    def node(depth):
        metrics = {}
        if rng.random() < 0.5 or depth > 6:
            metrics = {'time (ns)': rng.randrange(10 ** rng.randrange(1, 9)),
                       'count': rng.randrange(1, 50), 'device_id': str(rng.randrange(3)),
                       'device_type': 'CUDA', 'bytes': rng.random() * 1e9}
        children = [] if depth > 6 else [node(depth + 1) for _ in range(rng.randrange(4))]
        name = rng.choice(['relu', 'matmul_kernel', 'layer é', 'a "b"', 'f@12'])
        return {'children': children, 'frame': {'name': name, 'type': 'function'},
                'metrics': metrics}

    root = {'children': [node(0) for _ in range(40)],
            'frame': {'name': 'ROOT', 'type': 'function'},
            'metrics': {'count': 0, 'time (ns)': 0}}
    return [root, {'CUDA': {str(i): {'arch': '90', 'num_sms': 132} for i in range(3)}}]


def kernels(tree):
    """Yields (path, name, device, count, ns) of each kernel."""
    stack = [((), n, True) for n in reversed(tree) if 'frame' in n]
    while stack:
        path, n, top = stack.pop()
        name, m = n['frame']['name'], n.get('metrics', {})
        if m.get('count', 0) > 0 and 'time (ns)' in m:
            yield path, name, int(m['device_id']), int(m['count']), int(m['time (ns)'])
        inside = path if top else path + (name,)
        stack += [(inside, c, False) for c in reversed(n.get('children', []))]


def tables(path, by):
    """Returns the rows of the first table that `inspect --by` prints."""
    p = subprocess.run([f'{BIN}/kernsiftd', 'inspect', '--by', by, path], capture_output=True,
                       text=True, check=True)
    return list(csv.DictReader(io.StringIO(p.stdout.split('\n\n')[2])))


def average(ns, count):
    """Rounded half up to tenths, as printed."""
    tenths = Fraction(ns * 10, count) + Fraction(1, 2)
    return f'{int(tenths) // 10}.{int(tenths) % 10}'


def check(what, got, wanted):
    if got != wanted:
        extra = sorted(set(got.items()) ^ set(wanted.items()), key=str)
        sys.exit(f'{what}: {len(extra)} differences, such as {extra[:4]}')


def check_file(path, tree, what):
    of = {by: defaultdict(lambda: [0, 0]) for by in ('kernels', 'device', 'callers')}
    for scopes, name, device, count, ns in kernels(tree):
        for by, key in (('kernels', name), ('device', (name, device)),
                        ('callers', (name, ' > '.join('annotation:' + s for s in scopes)))):
            of[by][key][0] += count
            of[by][key][1] += ns
    wanted = {by: {k: tuple(v) for k, v in sums.items()} for by, sums in of.items()}
    rows = tables(path, 'kernels')
    check(what, {r['Name']: (int(r['Instances']), int(r['Total Time (ns)'])) for r in rows},
          wanted['kernels'])
    for r in rows:
        count, ns = wanted['kernels'][r['Name']]
        if r['Avg (ns)'] != average(ns, count):
            sys.exit(f"{what}: average of {r['Name']}: {r['Avg (ns)']}")
    check(what + ' by device',
          {(r['Name'], int(r['Device'])): (int(r['Instances']), int(r['Total Time (ns)']))
           for r in tables(path, 'device')}, wanted['device'])
    check(what + ' by scope',
          {(r['Name'], r['Path']): (int(r['Launches']), int(r['Total Time (ns)']))
           for r in tables(path, 'callers')}, wanted['callers'])
    total = sum(ns for _, ns in wanted['kernels'].values())
    print(f"{what}: {len(rows)} kernels, {len(wanted['callers'])} with scopes, {total} ns: equal")


def main():
    files = sys.argv[1:] or glob.glob(f'{SOURCE}/tests/traces/271-*/in.json')
    with tempfile.TemporaryDirectory() as d:
        if not sys.argv[1:]:
            for seed in range(3):
                path = f'{d}/random-{seed}.hatchet'
                with open(path, 'w', encoding='utf-8') as f:
                    json.dump(random_tree(seed), f, ensure_ascii=seed == 1, indent=seed or None)
                files.append(path)
        for path in files:
            with open(path, encoding='utf-8') as f:
                tree = json.load(f)
            check_file(path, tree, os.path.basename(path))
            capture = f'{d}/converted.kst'
            subprocess.run([f'{BIN}/kernsiftd', 'convert', path, capture], check=True,
                           stdout=subprocess.DEVNULL)
            check_file(capture, tree, os.path.basename(path) + ' as a capture')


if __name__ == '__main__':
    main()
