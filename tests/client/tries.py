#!/usr/bin/python3
"""tries.py - the client retries if a server is down, busy, or dies during an upload."""
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from random import Random

from harness import (BIN, CLEAN, Server, equal, free_port, ids, kernsift, play,
                     says, trace, upload)

AWAY = r"cannot reach 'http://127\.0\.0\.1:\d+': [^\n]*"


def away(d):
    """a server that is down: the given number of attempts, then an error message"""
    path = trace(d, 'a.json', '--steps', '1')
    url = f'http://127.0.0.1:{free_port()}'
    begun = time.monotonic()
    r = kernsift('upload', '--server', url, '--retries', '2', path, path)
    took = time.monotonic() - begun
    equal('status', r.status, 69)
    # waits half a second and one second, each up to a quarter longer; the second file
    # is tried only once
    equal('took 1.5 to 3 s', 1.5 <= took < 3, True)
    says('stderr', r.err,
         rf'{path}: {AWAY}; trying again in 0\.[56] s \(1 of 2\)\n'
         rf'{path}: {AWAY}; trying again in 1\.[0-2] s \(2 of 2\)\n'
         rf'(kernsift: {path}: {AWAY}\n){{2}}')
    r = kernsift('upload', '--server', url, '--retries=0', '-', stdin=b'{}')
    equal('status', r.status, 69)
    says('stderr', r.err, rf'kernsift: standard input: {AWAY}\n')


def comes_back(d):
    """a server that starts later; a pipe waits for it too"""
    path = trace(d, 'b.json', '--steps', '1', '--seed', '2')
    s = Server()
    with open(path, 'rb') as f:
        client = subprocess.Popen(
            [f'{BIN}/kernsift', 'upload', '--server', s.url, '--wait', '-'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=CLEAN)
        client.stdin.write(f.read())
        client.stdin.close()
        client.stdin = None
    time.sleep(0.3)
    with s:
        out, err = client.communicate(timeout=60)
        equal('status', client.returncode, 0)
        equal('runs', len(ids(out.decode(), 'run')), 1)
        says('stderr', err.decode(),
             rf'standard input: {AWAY}; trying again in .*')


def hold(s, until):
    """Starts an upload that pauses until it is released."""
    c = socket.create_connection((s.host, s.port))
    c.sendall(b'POST /api/v1/uploads HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n'
              b'Content-Length: 4000000\r\n\r\n{"traceEvents": [' % s.port)
    c.sendall(b' ' * (3 << 19))
    until.wait(120)
    c.close()


def busy(d):
    """503 with Retry-After: the client waits that long, then succeeds"""
    path = trace(d, 'c.json', '--steps', '1', '--seed', '3')
    with Server('--uploads', '1') as s:
        end = threading.Event()
        t = threading.Thread(target=hold, args=(s, end))
        t.start()
        for _ in range(1000):
            if s.get('/api/v1/uploads?state=receiving')['items']:
                break
            time.sleep(0.05)
        r = upload(s, '--retries', '0', path)
        equal('status', r.status, 69)
        says('stderr', r.err, rf'kernsift: {path}: [^\n]+\n')
        threading.Timer(0.5, end.set).start()
        r = upload(s, '--retries', '5', path)
        t.join()
        equal('status', r.status, 0)
        says('stderr', r.err, rf'({path}: [^\n]+; trying again in \d+\.\d s '
                              rf'\(\d of 5\)\n)+{path}: [^\n]* sent as .*')


def refused_early(d):
    """rejected while it is still being sent: the server's message, no retry"""
    path = f'{d}/random'
    with open(path, 'wb') as f:
        f.write(b'{"traceEvents": [' + Random(1).randbytes(12 << 20))
    with Server('--upload-mib', '2') as s:
        for kind, size in (('none', '13 MiB'), ('zstd', 'more than 2 MiB')):
            r = upload(s, '--compress', kind, path)
            equal('status', (r.status, r.out), (1, ''))
            equal('stderr', r.err,
                  f'kernsift: {path}: the upload is {size}; the maximum is 2 MiB, see '
                  '--upload-mib\n')


def dies_in_the_middle(d):
    """a server killed while it receives: the file is sent again from the start"""
    big = trace(d, 'big.json', '--events', '150000', '--seed', '4')
    s = Server()
    with s:
        client = subprocess.Popen(
            [f'{BIN}/kernsift', 'upload', '--server', s.url, '--compress',
             'none', '--wait', big], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=CLEAN)
        while not s.get('/api/v1/uploads?state=receiving')['items']:
            equal('still sending', client.poll(), None)
        s.stop(signal.SIGKILL)
        s.start()
        out, err = client.communicate(timeout=120)
        equal('status', client.returncode, 0)
        run = s.get(f"/api/v1/runs/{ids(out.decode(), 'run')[0]}")
        says('stderr', err.decode(), r'.*trying again in .*')
        upload_ = s.get(f"/api/v1/uploads/{run['upload']}")
        equal('bytes', upload_['bytes'], os.path.getsize(big))


def pipe_cannot_again(d):
    """the same from a pipe: an error message, because it cannot be sent again"""
    s = Server()
    with s:
        client = subprocess.Popen(
            [f'{BIN}/kernsift', 'upload', '--server', s.url, '-'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=CLEAN)
        client.stdin.write(b'{"traceEvents": [' + b' ' * (1 << 20))
        client.stdin.flush()
        while not s.get('/api/v1/uploads?state=receiving')['items']:
            equal('still sending', client.poll(), None)
        s.stop(signal.SIGKILL)
        client.stdin.close()
        client.stdin = None
        _, err = client.communicate(timeout=60)
        equal('status', client.returncode, 69)
        says('stderr', err.decode(),
             r".*kernsift: 'standard input' is a pipe and cannot be sent a "
             r'second time; save it to a file\n')
        s.start()


def main():
    with tempfile.TemporaryDirectory() as d:
        play([away, comes_back, busy, refused_early, dies_in_the_middle,
              pipe_cannot_again], d)


if __name__ == '__main__':
    main()
