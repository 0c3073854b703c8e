#!/usr/bin/python3
"""formats.py - measures the decode rate of each format, and the size of captures.

Reads every readable trace under ../shared/traces, each in a new process. Prints the
rows decoded per second of CPU time, by format, for the traces and for captures made
from them. For captures, also prints the bytes per kernel record (chunks of kernels and
of launches), and the time to write a capture relative to the time to decode it. Tables
are excluded because they have no records.
"""
import os
import subprocess
import sys
import tempfile

from common import BIN, SRC, bench_decode, median, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ROUNDS', '5'))
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SRC}/../shared/traces')
FORMATS = {'kineto': ('.json.gz', '.json'), 'nsys': ('.sqlite',),
           'rocm': ('.rpd', '.json.gz', '.db')}


def measured(path):
    """Returns the output of bench_decode, with times as medians of several executions;
    or None."""
    runs = []
    for _ in range(ROUNDS):
        runs.append(bench_decode(path))
        if not runs[-1]:
            return None
    for what in ('decode', 'capture'):
        runs[0][what] = [median([r[what][0] for r in runs])]
    return runs[0]


def traces(format):
    """Returns the recorded traces, except `repeats/`: these have too few kernels."""
    top = os.path.join(FOLDER, format)
    names = sorted(os.listdir(top)) if os.path.isdir(top) else []
    return [os.path.join(top, n) for n in names
            if n.endswith(FORMATS[format])]


def each(format, folder):
    """Yields (original, as a capture) of each readable trace; prints a line for its
    bytes."""
    for path in traces(format):
        name = os.path.basename(path)
        for end in FORMATS[format]:
            name = name.removesuffix(end)
        capture = f'{folder}/{name}.kst'
        first = measured(path)
        if not first:
            print(f"{name}: is not read")
            continue
        subprocess.run([f'{BIN}/kernsiftd', 'convert', path, capture],
                       check=True, stdout=subprocess.DEVNULL)
        kernels = first['rows'][1]
        if kernels:
            x = first['capture_bytes'][1] / kernels
            tell(f'kst.{name}.bytes_per_kernel_of_{kernels}', x, 'B', '<= 4',
                 x <= 4)
        yield first, measured(capture)
        os.unlink(capture)


def rate(runs):
    return sum(r['rows'][0] for r in runs) / 1e6 / (
        sum(r['decode'][0] for r in runs) / 1e9)


def main():
    every = []
    with tempfile.TemporaryDirectory() as folder:
        for format in FORMATS:
            pairs = list(each(format, folder))
            if not pairs:
                print(f'{format}: no trace of it at {FOLDER} is read')
                continue
            tell(f'{format}.decode', rate([a for a, _ in pairs]),
                 'million rows/s')
            every += pairs
    if not every:
        return
    originals = [a for a, _ in every]
    tell('kst.decode', rate([b for _, b in every]), 'million rows/s')
    kernels = sum(a['rows'][1] for a in originals)
    x = sum(a['capture_bytes'][1] for a in originals) / kernels
    tell('kst.bytes_per_kernel', x, 'B', '<= 4', x <= 4)
    tell('kst.bytes_per_row',
         sum(a['capture_bytes'][0] for a in originals) /
         sum(a['rows'][0] for a in originals), 'B')
    x = sum(a['capture'][0] for a in originals) / \
        sum(a['decode'][0] for a in originals)
    tell('kst.write_to_decode', x, 'x', '<= 0.25', x <= 0.25)


if __name__ == '__main__':
    sys.exit(main())
