"""harness.py - starts a real server and compares the client's output, for all cases.

Runs with tests/with-postgres, whose database the server uses. A case is a function. It
calls equal() and says(), and stops at the first check that fails.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = os.environ['KERNSIFT_BIN']
SRC = os.environ['KERNSIFT_SRC']
DB = 'dbname=' + os.environ.get('PGDATABASE', 'postgres')
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith('KERNSIFT_')}


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Server:
    """kernsiftd on the database of with-postgres; `host` is its listen address."""

    def __init__(self, *options, host='127.0.0.1', port=0):
        self.host, self.port = host, port or free_port()
        self.options = options
        self.log = tempfile.NamedTemporaryFile(prefix='ks-client-log-')
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [f'{BIN}/kernsiftd', 'serve', '--db', DB, '--workers', '1', '--worker-nice', '0',
             '--listen', f'{self.host}:{self.port}', *self.options],
            stdout=self.log, stderr=self.log, env=CLEAN)
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            try:
                self.get('/readyz')
                return self
            except OSError:
                time.sleep(0.1)
        self.print_log()
        sys.exit('the server did not start')

    __enter__ = start

    def __exit__(self, kind, *_):
        self.stop(signal.SIGTERM)
        if kind:
            self.print_log()

    def stop(self, how):
        self.process.send_signal(how)
        self.process.wait(30)

    def print_log(self):
        with open(self.log.name, errors='replace') as f:
            sys.stderr.write(''.join(f.readlines()[-40:]))

    @property
    def url(self):
        return f'http://{self.host}:{self.port}'

    def get(self, path, token=''):
        headers = {'Authorization': f'Bearer {token}'} if token else {}
        with urllib.request.urlopen(urllib.request.Request(self.url + path,
                                                           headers=headers)) as r:
            return json.load(r)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def kernsift(*argv, stdin=None, server=None, env=None):
    """Runs the client and waits until it exits."""
    where = {'KERNSIFT_SERVER': server.url} if server else {}
    p = subprocess.run([f'{BIN}/kernsift', *argv], input=stdin,
                       stdin=None if stdin is not None else subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=120, env={**CLEAN, **where, **(env or {})})
    return Result(p.returncode, p.stdout.decode(), p.stderr.decode())


def upload(server, *argv, **more):
    return kernsift('upload', *argv, server=server, **more)


def trace(folder, name, *options):
    """Writes a generated trace to the folder."""
    path = f'{folder}/{name}'
    subprocess.run([f'{SRC}/tests/gen/gen_trace.py', *options, path],
                   check=True)
    return path


def equal(what, got, wanted):
    if got != wanted:
        sys.exit(f'{what}:\n     got {got!r}\n  wanted {wanted!r}')


def says(what, got, pattern):
    """Checks that the whole text matches the pattern."""
    if not re.fullmatch(pattern, got, re.S):
        sys.exit(f'{what}:\n     got {got!r}\n  wanted {pattern!r}')


def ids(out, word):
    return [int(m) for m in re.findall(rf'^{word} (\d+) ', out, re.M)]


def play(cases, *arguments):
    for case in cases:
        print(case.__doc__.splitlines()[0], flush=True)
        begun = time.monotonic()
        case(*arguments)
        print(f"  {time.monotonic() - begun:.1f} s", flush=True)
