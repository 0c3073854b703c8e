#!/usr/bin/env python3
"""compare.py - the verdict on 300 functions with 240 iterations and 2,000 permutations.
"""
import os
import subprocess

from common import BENCH_BIN, median, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ROUNDS', '7'))


def cpu_ms(what):
    out = subprocess.run([f'{BENCH_BIN}/bench_verdict', what], check=True,
                         capture_output=True, text=True).stdout.split()
    return int(out[1]) / 1e6


pairs = [(cpu_ms('verdict'), cpu_ms('read')) for _ in range(ROUNDS)]
ms = median([v for v, _ in pairs])
tell('compare.verdict', ms, 'ms', '<= 150', ms <= 150)
tell('compare.read', median([r for _, r in pairs]), 'ms')
tell('compare.verdict_to_read', median([v / r for v, r in pairs]), 'x')
