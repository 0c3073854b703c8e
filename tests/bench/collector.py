#!/usr/bin/env python3
"""collector.py - measures the collector at a million records per second for ten
seconds.
"""
import os
import subprocess
import sys
import tempfile

from common import BENCH_BIN, tell

RATE, SECONDS = 1000000, 10
# mix, and the maximum number of bytes per kernel with all records that belong to it
MIXES = (('decode', 4), ('eager', 8))
PROGRAM = f'{BENCH_BIN}/bench_collector'


def flood(mix, folder):
    p = subprocess.run([PROGRAM, mix, str(RATE), str(SECONDS), folder],
                       capture_output=True, text=True)
    if p.returncode > 1:
        sys.exit(f'bench_collector failed: {p.stderr}')
    return {name: float(value) for name, value in
            (line.split() for line in p.stdout.splitlines())}


if not os.path.exists(PROGRAM):
    print('collector: not built here, because CUPTI\'s headers are not installed')
    sys.exit(0)
for mix, most in MIXES:
    with tempfile.TemporaryDirectory() as folder:
        f = flood(mix, folder)
    rate, cpu, size = f['records_per_s'], f['cpu_ns_per_record'], \
        f['bytes_per_kernel']
    tell(f'collector.{mix}.rate', rate / 1e6, 'M records/s', '>= 0.99',
         rate >= 0.99 * RATE)
    tell(f'collector.{mix}.lost', f['lost'], 'records', '0',
         f['lost'] == 0 and f['whole'] == 1)
    tell(f'collector.{mix}.cpu', cpu, 'ns per record', '<= 150', cpu <= 150)
    tell(f'collector.{mix}.callbacks', f['callback_ns_per_record'],
         'ns per record of these')
    tell(f'collector.{mix}.size', size, 'bytes per kernel', f'<= {most}',
         size <= most)
    tell(f'collector.{mix}.memory', f['peak_mib'], 'MiB', '<= 64',
         f['peak_mib'] <= 64)
out = subprocess.run([f'{BENCH_BIN}/bench_counters'], capture_output=True,
                     text=True, check=True).stdout
ns = {name: float(value) for name, value in
      (line.split() for line in out.splitlines())}
# ten readings per second; one of them includes the values that are read once per
# second
cost = 9 * ns['host.fast.cpu_ns'] + ns['host.slow.cpu_ns']
tell('collector.counters.host', cost / 1e3, 'us of CPU per second', '<= 500',
     cost <= 5e5)
tell('collector.counters.threads', ns['host.totals_64.cpu_ns'] / 1e3,
     'us of CPU per second for 64 threads')
