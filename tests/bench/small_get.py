#!/usr/bin/python3
"""small_get.py - measures the p99 of a small GET, idle and during 8 uploads.

It starts a release server with a private cluster, and measures both phases with it. The
upload is a recorded trace, which 8 connections send compressed, again and again.
`fast`: each connection sends as fast as the server accepts the bytes. `paced`: each
sends at an eighth of a one-gigabit line.
"""
import os
import subprocess
import sys
import tempfile

import common
from common import BENCH_BIN, tell

SECONDS = os.environ.get('KERNSIFT_BENCH_SECONDS', '10')
RATE = '100'  # requests per second for each path
UPLOADS = '8'
PATHS = ('/healthz', '/api/v1/runs/1')
PACED = str(125000000 // 8)


def measure(port, packed, per_s):
    out = subprocess.run(
        [f'{BENCH_BIN}/bench_http', str(port), SECONDS, RATE, UPLOADS, per_s,
         packed, *PATHS], check=True, stdout=subprocess.PIPE, text=True)
    seen, sent = {}, None
    for words in map(str.split, out.stdout.splitlines()):
        if words[0] == 'uploads':
            sent = [int(x) for x in words[1:]]
        elif words[0] == 'real_time':
            if words[1] == '0':
                print('the readers could not be given real-time priority; '
                      'their own waiting for a CPU is in the numbers')
        else:
            seen[words[0], words[1]] = [int(x) for x in words[2:]]
    return seen, sent


def report(name, seen, sent):
    for path in PATHS:
        for phase in ('idle', 'loaded'):
            n, failed, p50, p99, most = seen[path, phase]
            if failed:
                print(f'{name} {path}: {failed} of {n} requests failed')
            for what, ns in (('p50', p50), ('p99', p99), ('max', most)):
                tell(f'{name}{path}.{phase}_{what}', ns / 1e6, 'ms')
        ratio = seen[path, 'loaded'][3] / seen[path, 'idle'][3]
        tell(f'{name}{path}.loaded_to_idle_p99', ratio, 'x', '<= 3', ratio <= 3)
    accepted, refused, broken, size, ns = sent
    tell(f'{name}.uploads_accepted', accepted, 'files')
    tell(f'{name}.uploads_refused', refused, 'files')
    tell(f'{name}.upload_rate', size / 1e6 / (ns / 1e9), 'MB/s as sent')
    if broken:
        print(f'{name}: {broken} uploads broke')


def main():
    with tempfile.TemporaryDirectory() as files:
        name, packed = common.traces(files)[0]
        for kind, per_s in (('fast', '0'), ('paced', PACED)):
            # one server each, so that the queue of the first is not load for the second
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as d:
                os.chmod(d, 0o755)
                with common.server(d) as (port, _):
                    common.upload(port, packed)
                    others = 100 * common.busy_share(3)
                    tell(f'get_{kind}.machine.others', others, '% of CPU')
                    if others > 10:
                        print('the machine is busy with other things; p99 '
                              'measures them as much as the server')
                    report(f'get_{kind}', *measure(port, packed, per_s))


if __name__ == '__main__':
    sys.exit(main())
