#!/usr/bin/python3
"""api.py - sixteen clients send requests at once, while uploads continue.

It starts a release server with a private cluster. A project has 50 heads of three runs
and a few gates. Sixteen clients, each with one connection, request a mix of routes.
Each sends its next request as soon as the last was answered. Four more clients send
what CI sends: small traces, forty per second in all, which are ingested at the same
time.

Every answer must be 200. The clients cache nothing. Each route is requested in two
ways, so that not only answers from the server's cache are measured.
"""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

import common
from common import BENCH_BIN, SRC, tell

sys.path.insert(0, f'{SRC}/tests/verify')
from history import History  # noqa: E402  its folder is known only now

SECONDS = os.environ.get('KERNSIFT_BENCH_SECONDS', '10')
CONNECTIONS, UPLOADS, PER_S = '16', '4', 40
HEADS, RUNS, GATES = 50, 3, 8
API = '/api/v1'
OF = 'project=shop&workload=step'


class Asker:
    def __init__(self, port):
        self.http = http.client.HTTPConnection('127.0.0.1', port, timeout=120)

    def ask(self, method, path, body=None):
        self.http.request(method, API + path, body)
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f'{method} {path}: {answer.status} {text[:200]}')
        return json.loads(text)


def history(a):
    """Uploads 50 heads with all their runs, and makes a few gates."""
    h = History(HEADS, {25: 1.07})
    for head in range(HEADS):
        for run in range(RUNS):
            a.ask('POST', f'/uploads?{OF}&label.branch=main&label.commit=c{head:03d}',
                  h.trace(head, run))
    while any(a.ask('GET', f'/uploads?state={s}&limit=1')['items']
              for s in ('queued', 'working', 'receiving')):
        time.sleep(0.1)
    for head in range(HEADS - GATES, HEADS):
        a.ask('POST', '/gates', json.dumps({
            'project': 'shop', 'workload': 'step', 'base': 'label.branch=main last=20',
            'head': f'label.commit=c{head:03d} last=20'}))
    return h


def routes(a):
    gate = a.ask('GET', '/gates?limit=1')['items'][0]['id']
    return [('runs', f'/runs?{OF}'), ('runs', '/runs?limit=20&sort=busy'),
            ('run', '/runs/7'), ('run', '/runs/70'),
            ('kernels', '/runs/8/kernels'), ('kernels', '/runs/80/kernels?sort=p99'),
            ('compare', '/compare?base=1,2,3&head=4,5,6'),
            ('compare', '/compare?base=61,62,63&head=91,92,93'),
            ('importance', '/importance'), ('importance', f'/importance?{OF}'),
            ('gates', '/gates?limit=20'), ('gates', '/gates?project=shop&outcome=regressed'),
            ('gate', f'/gates/{gate}'), ('gate', f'/gates/{gate}?format=md'),
            ('trends', f'/trends?{OF}&metric=iteration'),
            ('trends', f'/trends?{OF}&metric=busy&group=commit')]


def report(out, requested):
    names = {API + path: name for name, path in requested}
    for words in map(str.split, out.splitlines()):
        numbers = [int(x) for x in words[1:]]
        if words[0] == 'uploads':
            accepted, refused, broken = numbers
            tell('api.uploads_accepted', accepted / float(SECONDS), 'a second')
            tell('api.uploads_failed', refused + broken, 'uploads', '0', not refused + broken)
        elif words[0] == 'all':
            tell('api.requests', numbers[0] / (numbers[1] / 1e9), 'a second')
        else:
            n, busy, failed, p50, p99, most = numbers
            name = f'api.{names[words[0]]} {words[0]}'
            print(f'{name}: {n} requests')
            for what, ns in (('p50', p50), ('p99', p99), ('max', most)):
                tell(f'  {what}', ns / 1e6, 'ms')
            tell('  errors', busy + failed, f'answers, {busy} of them busy', '0',
                 not busy + failed)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as d:
        os.chmod(d, 0o755)
        with common.server(d) as (port, _):
            h = history(a := Asker(port))
            requested = routes(a)
            with open(f'{d}/one.json.gz', 'wb') as f:
                f.write(h.trace(HEADS, 0))
            per_s = PER_S * os.path.getsize(f.name) // int(UPLOADS)
            others = 100 * common.busy_share(2)
            tell('api.machine.others', others, '% of CPU')
            out = subprocess.run(
                [f'{BENCH_BIN}/bench_api', str(port), SECONDS, CONNECTIONS, UPLOADS,
                 str(per_s), f.name, *(API + path for _, path in requested)],
                check=True, stdout=subprocess.PIPE, text=True)
            report(out.stdout, requested)


if __name__ == '__main__':
    sys.exit(main())
