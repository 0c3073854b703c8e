#!/usr/bin/python3
"""web.py - measures how fast the dashboard loads at 40 ms latency, bundled and as modules.

It starts two release servers with the same runs: one with the dashboard in the program,
and one that serves the modules of web/ (--web). web.mjs opens the pages of both in
turn, in Chromium. It also reports the size of a run's timeline, compressed and not.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

import common
from common import SRC, median, tell

ROUNDS = os.environ.get('KERNSIFT_BENCH_ROUNDS', '7')
PAGES = ('/', '/runs', '/runs/1')
# The goals of DESIGN.md for the first view, and for a reload compared with modules.
REQUESTS_MAX, BYTES_MAX, RELOAD_MAX = 12, 150000, 0.5


def timeline_bytes(port, coding):
    """Returns how many bytes a client receives that accepts this content coding."""
    request = urllib.request.Request(f'http://127.0.0.1:{port}/api/v1/runs/1/timeline',
                                     headers={'Accept-Encoding': coding})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read())


def report(page, rounds):
    """Prints the medians of a page; `rounds` has a dict of both sides for each round."""
    def values(side, key):
        return median([r[side][key] for r in rounds])

    def ratio(key):
        return median([r['bundle'][key] / r['modules'][key] for r in rounds])

    for side in ('bundle', 'modules'):
        goals = side == 'bundle'
        for key, unit, most in (('requests', 'requests', REQUESTS_MAX),
                                ('bytes', 'bytes', BYTES_MAX)):
            value = values(side, key)
            tell(f'web{page}.{side}.first_{key}', value, unit,
                 f'<= {most}' if goals else None, value <= most)
        tell(f'web{page}.{side}.first_ms', values(side, 'first_ms'), 'ms')
        tell(f'web{page}.{side}.reload_ms', values(side, 'reload_ms'), 'ms')
    tell(f'web{page}.first_ratio', ratio('first_ms'), 'x')
    tell(f'web{page}.reload_ratio', ratio('reload_ms'), 'x', f'<= {RELOAD_MAX}',
         ratio('reload_ms') <= RELOAD_MAX)


def main():
    found = subprocess.run([f'{SRC}/tests/chromium'], stdout=subprocess.PIPE, text=True)
    if found.returncode or subprocess.run([f'{SRC}/tests/npm-packages', 'tests/web']).returncode:
        return 1
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as d:
        os.chmod(d, 0o755)
        for side in ('bundle', 'modules', 'traces'):
            os.mkdir(f'{d}/{side}', 0o755)
        packed = f'{d}/traces/run.json.gz'
        subprocess.run([f'{SRC}/tests/gen/gen_trace.py', '--events', '20000', packed],
                       check=True)
        with common.server(f'{d}/bundle', '--web', '') as (bundle, _), \
                common.server(f'{d}/modules', '--web', f'{SRC}/web') as (modules, _):
            for port in (bundle, modules):
                common.upload(port, packed)
            out = subprocess.run(
                ['node', f'{SRC}/tests/bench/web.mjs', ROUNDS, str(bundle), str(modules),
                 *PAGES], check=True, stdout=subprocess.PIPE, text=True,
                env=dict(os.environ, KERNSIFT_CHROMIUM=found.stdout.strip()))
            plain, gzip = (timeline_bytes(bundle, c) for c in ('identity', 'gzip'))
    for page, rounds in json.loads(out.stdout).items():
        report(page, rounds)
    tell('web.timeline.bytes', plain, 'bytes')
    tell('web.timeline.gzip_bytes', gzip, 'bytes')
    return 0


if __name__ == '__main__':
    sys.exit(main())
