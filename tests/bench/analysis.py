#!/usr/bin/python3
"""analysis.py - the cost of analysis, compared with decoding, and by length of the trace.

Analysis should not take longer than decoding the same file: the lines `….per_decode` of
the recorded traces with more than 5,000 kernels, without compiling the catalog's rules.
The cost of a launch should not grow with the number of launches: the lines
`grown_N.ns_per_launch` of generated traces that only have kernels. Every time is the
smallest of several processes, because other work on the machine only adds time.
"""
import os
import subprocess
import sys
import tempfile

from common import SRC, bench_decode, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ROUNDS', '5'))
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SRC}/../shared/traces')
KERNELS_MIN = 5000
LENGTHS = (10_000, 100_000, 1_000_000, 3_000_000)
# The goal for the cost of a launch: at most this many times that of the shortest trace.
GROWN_MAX = 2


def measured(path, rounds):
    """Returns (decode ns, analyze ns, kernels), or None if the file is not a trace."""
    runs = [bench_decode(path) for _ in range(rounds)]
    if None in runs:
        return None
    return (*(min(r[what][0] for r in runs) for what in ('decode', 'analyze')),
            runs[0]['kernels'][0])


def recorded():
    for folder, _, names in sorted(os.walk(FOLDER)):
        for name in sorted(names):
            if not name.endswith(('.json.gz', '.sqlite', '.rpd', '.db')):
                continue
            found = measured(os.path.join(folder, name), 1)
            if not found or found[2] <= KERNELS_MIN:
                continue
            decode, analyze, kernels = measured(os.path.join(folder, name), ROUNDS)
            tell(f'{name}.kernels', kernels, 'kernels')
            tell(f'{name}.analyze', analyze / 1e6, 'ms')
            tell(f'{name}.per_decode', analyze / decode, 'x', '<= 1', analyze <= decode)


def grown():
    first = None
    with tempfile.TemporaryDirectory() as d:
        for n in LENGTHS:
            path = f'{d}/{n}.json'
            subprocess.run([f'{SRC}/tests/gen/gen_trace.py', '--kernels-only',
                            '--events', str(n), path], check=True)
            _, analyze, kernels = measured(path, 2)
            os.remove(path)
            cost = analyze / kernels
            first = first or cost
            tell(f'grown_{n}.ns_per_launch', cost, 'ns', f'<= {GROWN_MAX} x {first:.0f}',
                 cost <= GROWN_MAX * first)


def main():
    recorded()
    grown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
