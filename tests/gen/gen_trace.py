#!/usr/bin/python3
"""gen_trace.py - writes generated traces, small and huge, and their expected results.

Deterministic: the same options give the same bytes. Streams, so that a trace of
gigabytes needs little memory. README.md in this folder has recipes.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import expect
import kineto
import simulate

DEVICE = {
    'cuda': {'name': 'Kernsift Demo GPU', 'totalGlobalMem': 85018279936,
             'computeMajor': 9, 'computeMinor': 0, 'warpSize': 32,
             'numSms': 132},
    'rocm': {'name': 'Kernsift Demo Accelerator',
             'totalGlobalMem': 206141652992, 'computeMajor': 9,
             'computeMinor': 4, 'warpSize': 64, 'numSms': 304},
}


def factor(text):
    key, _, times = text.partition('=')
    if key not in simulate.work.KERNELS:
        raise argparse.ArgumentTypeError(
            f"'{key}' is none of {', '.join(simulate.work.KERNELS)}")
    return key, round(1000 * float(times))


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--dialect', choices=('cuda', '2020', 'rocm'),
                   default='cuda')
    p.add_argument('--list', action='store_true', help='a bare list of events')
    p.add_argument('--steps', type=int, default=2)
    p.add_argument('--events', type=int, default=0,
                   help='go on until the trace has this many; beats --steps')
    p.add_argument('--layers', type=int, default=simulate.work.LAYERS)
    p.add_argument('--devices', type=int, default=1, help='of each rank')
    p.add_argument('--ranks', type=int, default=1,
                   help='more than one: fused into one file')
    p.add_argument('--rank', type=int, default=None,
                   help='of a trace that is one rank of --world')
    p.add_argument('--world', type=int, default=1)
    p.add_argument('--stacks', action='store_true',
                   help='Python functions and modules')
    p.add_argument('--kernels-only', action='store_true',
                   help='nothing from the host')
    p.add_argument('--fresh-names', type=int, default=0,
                   help='so many kernels more, each of a name of its own')
    p.add_argument('--fresh-tag', default='a', help='what those names begin with')
    p.add_argument('--times', action='append', default=[], type=factor,
                   metavar='KERNEL=FACTOR',
                   help='a kernel of model_work.py takes so many times as long')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--expect', metavar='FILE', help='write what must come out')
    p.add_argument('out', help='FILE, FILE.gz, FILE.zst, or - for plain stdout')
    return p.parse_args()


@contextmanager
def target(path):
    """Opens an output for bytes, compressed as its name says."""
    if path == '-':
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.endswith('.zst'):
        with open(path, 'wb') as f:
            z = subprocess.Popen(['zstd', '-q', '-3', '-T1', '-c'],
                                 stdin=subprocess.PIPE, stdout=f)
            yield z.stdin
            z.stdin.close()
            if z.wait():
                sys.exit(f"gen_trace: zstd could not write '{path}'")
    elif path.endswith('.gz'):
        with open(path, 'wb') as f, gzip.GzipFile(
                '', 'wb', compresslevel=6, fileobj=f, mtime=0) as z:
            yield z
    else:
        with open(path, 'wb') as f:
            yield f


def head(o):
    """Returns the part of the JSON object before its list of events."""
    h = {'schemaVersion': 1}
    if o.ranks == 1:
        device = DEVICE['rocm' if o.dialect == 'rocm' else 'cuda']
        h['deviceProperties'] = [{'id': d, **device} for d in range(o.devices)]
    if o.rank is not None:
        h['distributedInfo'] = {'backend': 'nccl', 'rank': o.rank,
                                'world_size': o.world}
    if o.dialect == 'rocm':
        h['hip_runtime_version'] = 60000000
    elif o.dialect == 'cuda':
        h['cuda_runtime_version'] = 12040
        h['cuda_driver_version'] = 12090
    if o.dialect != '2020':
        h['displayTimeUnit'] = 'ms'
        h['baseTimeNanoseconds'] = 1751410836000000000
    return json.dumps(h)[:-1] + ', "traceEvents": [\n'


def generate(o, put):
    w = kineto.Writer(o.dialect, o.ranks > 1, o.stacks, not o.kernels_only)
    w.fresh = {f'fresh{i}': f'{o.fresh_tag}_kernel_{i:06d}'
               for i in range(o.fresh_names)}
    quantum = 1000 if o.dialect == '2020' else 1
    ranks = [simulate.Rank(r, o.seed, o.devices, r * o.devices, quantum,
                           17000 * (r + 1), dict(o.times))
             for r in range(o.ranks)]
    first = True

    def flush():
        nonlocal first
        text = ',\n'.join(w.lines())
        if text:
            put(('' if first else ',\n') + text)
            first = False

    put('[\n' if o.list else head(o))
    for r in ranks:
        w.names_of(r)
    step = 0
    while w.events < o.events if o.events else step < o.steps:
        for r in ranks:
            r.step(w, o.layers)
            flush()
        step += 1
    if w.fresh:
        ranks[0].fresh(w, w.fresh)
    flush()
    put('\n]\n' if o.list else '\n], "traceName": "made.json"}\n')
    return w, ranks


def main():
    o = options()
    # invalid numbers are rejected; no other value is assumed
    if min(o.devices, o.ranks, o.layers) < 1 or min(o.steps, o.events) < 0:
        sys.exit('gen_trace: --devices, --ranks and --layers must be positive, '
                 '--steps and --events must not be negative')
    with target(o.out) as f:
        w, ranks = generate(o, lambda text: f.write(text.encode()))
    if o.expect:
        doc = {'format': 'kineto', 'events': w.events,
               'runs': [expect.run(r, w) for r in ranks if r.durations]}
        if o.rank is not None and o.ranks == 1:
            doc['runs'][0]['rank'] = o.rank
        with open(o.expect, 'w') as f:
            json.dump(doc, f, indent=1)
            f.write('\n')


if __name__ == '__main__':
    try:
        main()
    except BrokenPipeError:
        os._exit(1)
