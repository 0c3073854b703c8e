#!/usr/bin/python3
"""decode.py - decoding and analysis, compared with Jansson and with inflate-and-scan.

Each trace has several rounds. A round starts one process of each kind in turn, so that
other load on the machine affects all kinds equally. A rate is megabytes of JSON per
second of CPU time. A ratio is the median of the ratios of all rounds.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

import common
from common import BENCH_BIN, BIN, median, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ROUNDS', '7'))


def run(*argv):
    """Returns the lines `name number…` that a bench program prints."""
    out = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    return {w[0]: [int(x) for x in w[1:]]
            for w in map(str.split, out.stdout.splitlines())}


def peak_kib(*argv):
    """Returns the peak memory of a program, and discards its output."""
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    return usage.ru_maxrss if status == 0 else None


def measure(packed, plain):
    rounds = []
    for _ in range(ROUNDS):
        y = run(f'{BENCH_BIN}/bench_yardstick', 'inflate_walk', packed)
        d = run(f'{BENCH_BIN}/bench_decode', packed)
        j = run(f'{BENCH_BIN}/bench_yardstick', 'json_loadf', plain)
        rounds.append((d, y, j))
    return rounds


def report(name, rounds, json_bytes):
    def rate(f):
        return json_bytes / 1e6 / (median([f(*r) for r in rounds]) / 1e9)

    def ours(d, y, j):
        return d['decode'][0] + d['analyze'][0]

    def walk(d, y, j):
        return y['inflate'][0] + y['walk'][0]

    def jansson(d, y, j):
        return j['json_loadf'][0]

    tell(f'{name}.json', json_bytes / 1e6, 'MB')
    tell(f'{name}.decode', rate(lambda d, y, j: d['decode'][0]), 'MB/s')
    tell(f'{name}.analyze', rate(lambda d, y, j: d['analyze'][0]), 'MB/s')
    tell(f'{name}.decode_and_analyze', rate(ours), 'MB/s')
    tell(f'{name}.decode_and_analyze_wall', rate(
        lambda d, y, j: d['decode'][1] + d['analyze'][1]), 'MB/s')
    tell(f'{name}.json_loadf', rate(jansson), 'MB/s')
    tell(f'{name}.inflate', rate(lambda d, y, j: y['inflate'][0]), 'MB/s')
    tell(f'{name}.scan', rate(lambda d, y, j: y['walk'][0]), 'MB/s')
    tell(f'{name}.inflate_and_scan', rate(walk), 'MB/s')
    x = median([jansson(*r) / ours(*r) for r in rounds])
    tell(f'{name}.times_json_loadf', x, 'x', '>= 10', x >= 10)
    x = median([walk(*r) / ours(*r) for r in rounds])
    tell(f'{name}.share_of_inflate_and_scan', x, 'x', '>= 0.5', x >= 0.5)


def report_memory(name, packed, rounds, json_bytes):
    limit = 64 * 1024 + 0.3 * json_bytes / 1024

    def line(what, kib):
        tell(f'{name}.{what}', kib / 1024, 'MiB',
             f'<= {limit / 1024:.0f}', kib <= limit)

    line('decode_peak', max(d['peak_kib'][0] for d, _, _ in rounds))
    kib = peak_kib(f'{BIN}/kernsiftd', 'inspect', packed)
    if kib:
        line('inspect_peak', kib)
    else:
        print(f"{name}: 'kernsiftd inspect' refuses the file")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in common.traces(folder):
            plain = f'{folder}/plain.json'
            with gzip.open(packed) as f, open(plain, 'wb') as to:
                shutil.copyfileobj(f, to, 1 << 20)
            json_bytes = os.path.getsize(plain)
            rounds = measure(packed, plain)
            d, y, _ = rounds[0]
            if d['kernels'] != y['kernels'] or d['kernel_ns'] != y['kernel_ns']:
                print(f'{name}: decoder and scan disagree: {d} {y}')
            report(name, rounds, json_bytes)
            report_memory(name, packed, rounds, json_bytes)


if __name__ == '__main__':
    sys.exit(main())
