"""running.py - runs a real kernsiftd with its own PostgreSQL, for tests that damage it.

with Server(['--workers', '2']) as s: starts a server on a free port in a throwaway
data folder, which is deleted afterwards. Its log is shown if a check fails.
"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(os.environ.get('KERNSIFT_BIN', f'{HERE}/../../build/dev/bin'),
                   'kernsiftd')
API = '/api/v1'
SCRATCH = subprocess.run([f'{HERE}/../scratch-folder'], check=True, text=True,
                         stdout=subprocess.PIPE).stdout.strip()


def skip_without_postgres():
    import glob
    if not glob.glob('/usr/lib/postgresql/*/bin/initdb'):
        print('skipped: no PostgreSQL server is installed')
        sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


# Time limit for everything that must happen, even on a busy machine.
PATIENCE_S = 300


def until(what, ask, moving=lambda: None):
    """Waits until the given function returns something true, and returns that value.

    `moving` is a function that returns what changes during the work, such as a number
    of finished uploads. Each change restarts the time limit. Thus a busy machine may
    need a long time for much work, and a server without progress is still detected."""
    seen = moving()
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            now = moving()
            if now == seen:
                raise AssertionError(f'{what}: not within {PATIENCE_S} s')
            seen = now
            end = time.monotonic() + PATIENCE_S
        time.sleep(0.02)


def children(pid):
    """Returns the processes whose parent is pid, with their command lines."""
    found = []
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        try:
            with open(f'/proc/{entry}/stat') as f:
                parent = int(f.read().rsplit(')', 1)[1].split()[1])
            with open(f'/proc/{entry}/cmdline', 'rb') as f:
                words = f.read().split(b'\0')
        except (OSError, IndexError):
            continue
        if parent == pid:
            found.append((int(entry), b' '.join(words).decode()))
    return found


class Server:
    def __init__(self, options=(), data=None):
        self.options = list(options)
        self.data = data or tempfile.mkdtemp(prefix='ks-verify-', dir=SCRATCH)
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *rest):
        if kind:
            print(self.logged()[-6000:], file=sys.stderr)
        try:
            self.stop()
        finally:
            shutil.rmtree(self.data, ignore_errors=True)

    def start(self):
        self.process = subprocess.Popen(
            [BIN, 'serve', '--data', self.data,
             '--listen', f'127.0.0.1:{self.port}', *self.options],
            stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        want = f'kernsiftd: listening on http://127.0.0.1:{self.port}\n'
        assert line == want, f'{line!r} in place of {want!r}'

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                status = self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
            assert status == 0, f'the server ended with {status}'

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def logged(self):
        self.log.seek(0)
        return self.log.read().decode(errors='replace')

    def workers(self):
        return [pid for pid, line in children(self.process.pid)
                if line.startswith('kernsiftd worker')]

    def postmaster(self):
        for pid, line in children(self.process.pid):
            if '/postgres ' in line:
                return pid
        return None

    def ask(self, method, path, body=None, headers=None):
        """Returns (status, headers, body) of one request."""
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
        try:
            c.request(method, API + path, body, headers or {})
            answer = c.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            c.close()

    def get(self, path):
        status, _, body = self.ask('GET', path)
        assert status == 200, f'GET {path}: {status} {body!r}'
        return json.loads(body)

    def upload(self, query, body):
        status, _, answer = self.ask('POST', f'/uploads?{query}', body)
        assert status in (200, 202), f'upload {query}: {status} {answer!r}'
        return json.loads(answer)['id']

    def ended(self, upload):
        """Waits until the upload is done or failed, and returns it.

        The upload may wait behind others. As long as some upload ends, the server
        makes progress."""
        def ask():
            u = self.get(f'/uploads/{upload}')
            return u if u['state'] in ('done', 'failed') else None

        def moving():
            return sum(u['state'] in ('done', 'failed')
                       for u in self.get('/uploads?limit=500')['items'])
        return until(f'upload {upload}', ask, moving)

    def psql(self):
        """Returns the command line of psql on the private socket."""
        return ['psql', '-XAtq', '-F', '\t', '-h', f'{self.data}/run', '-U',
                'kernsift', '-d', 'postgres']

    def sql(self, text):
        """Runs a statement over the private socket; returns its rows as lists of
        text."""
        run = subprocess.run([*self.psql(), '-c', text], capture_output=True,
                             text=True, check=True)
        return [line.split('\t') for line in run.stdout.splitlines()]


def generate(folder, name, *options):
    """Returns (bytes, expectation) of a generated trace."""
    trace, expect = f'{folder}/{name}.json', f'{folder}/{name}.expect'
    subprocess.run([f'{HERE}/../gen/gen_trace.py', *options, '--expect',
                    expect, trace], check=True)
    with open(trace, 'rb') as t, open(expect) as e:
        return t.read(), json.load(e)
