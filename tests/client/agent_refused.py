#!/usr/bin/python3
"""agent_refused.py - `kernsift agent` with bad captures or faulty servers."""
import hashlib
import http.server
import json
import os
import re
import socket
import tempfile
import threading
import time

import spooled
from harness import Server, equal, free_port, kernsift, play, says
from agent import files, is_locked, once, sha, start, stored, until


def damaged(d):
    """a capture that is cut or lacks chunks is never treated as an empty one"""
    spool = f'{d}/damaged'
    os.mkdir(spool)
    whole = spooled.capture(lost=7)
    flipped = bytearray(whole)
    flipped[len(flipped) // 2] ^= 0x55
    kinds = [whole[:-20], bytes(flipped), spooled.capture(lost=7, without=[3]),
             whole + spooled.capture(1)]
    for n, data in enumerate(kinds):
        with open(f'{spool}/{spooled.name(n)}', 'wb') as f:
            f.write(data)
    gone = f'http://127.0.0.1:{free_port()}'
    for n in range(len(kinds)):
        r = kernsift('agent', '--once', '--retries', '0', '--server', gone, spool)
        equal('status', r.status, 69)
        equal('not empty', 'has no records' in r.err, False)
        equal('left', files(spool), sorted(spooled.name(k) for k in range(n, len(kinds))))
        os.unlink(f'{spool}/{spooled.name(n)}')


class Refusing(http.server.BaseHTTPRequestHandler):
    """Rejects each capture for which `refuse` returns a status, with that status, and
    counts the requests."""

    def do_POST(self):
        data = self.rfile.read(int(self.headers['Content-Length']))
        file = re.search(r'[\w-]+\.kst', self.path).group(0)
        self.server.requests.append(file)
        status = self.server.refuse(file)
        if status == 0:
            self.close_connection = True
            return
        answer = {'id': 1, 'state': 'queued', 'runs': [], 'bytes': len(data),
                  'sha256': hashlib.sha256(data).hexdigest()} if status == 202 else \
            {'error': {'message': f'status {status}'}}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def refusing(refuse):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Refusing)
    server.refuse, server.requests = refuse, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f'http://127.0.0.1:{server.server_address[1]}'


def one_that_fails(d):
    """a file on which the server fails twice does not delay the others"""
    for status in (500, 404, 409, 0):
        spool = f'{d}/fails-{status}'
        os.mkdir(spool)
        bad = spooled.name(1)
        for n in range(1, 4):
            path = spooled.leave(spool, n)
            os.utime(path, (1000 + n, 1000 + n))
        server, url = refusing(lambda f: status if f == bad else 202)
        agent = start(spool, 'p', url)
        until('others are sent', lambda: files(spool) == [bad])
        agent.terminate()
        _, err = agent.communicate()
        equal('requests', server.requests, [bad, bad, spooled.name(2), spooled.name(3)])
        says('stderr', err, rf'kernsift: {bad}: [^\n]*; trying again in \d\.\d s\n'
             rf'kernsift: {bad}: [^\n;]*\n([^\n]* queued\n){{2}}')
        del server.requests[:]
        for n in range(2, 4):
            spooled.leave(spool, n)
        r = kernsift('agent', '--once', '--retries', '0', '--server', url, spool)
        equal('status', r.status, 1 if status in (404, 409) else 69)
        equal('once', (server.requests, files(spool)),
              ([bad, spooled.name(2), spooled.name(3)], [bad]))
        server.shutdown()


def many_refused(d):
    """after too many rejections no more files are tried: none is sent again and again"""
    spool = f'{d}/many'
    os.mkdir(spool)
    for n in range(260):
        with open(f'{spool}/{spooled.name(n)}', 'wb') as f:
            f.write(b'no capture')
    server, url = refusing(lambda _: 400)
    agent = start(spool, 'p', url)
    while 'the others wait' not in (line := agent.stderr.readline()):
        equal('runs', bool(line), True)
    time.sleep(3)  # some scans of the folder, during which nothing may be sent
    agent.terminate()
    agent.communicate()
    equal('requests', (len(server.requests), len(set(server.requests))), (256, 256))
    del server.requests[:]
    r = kernsift('agent', '--once', '--server', url, spool)
    equal('status', r.status, 1)
    equal('once', (len(server.requests), len(set(server.requests))), (260, 260))
    server.shutdown()


def no_trust(d):
    """a server with an invalid certificate is the server's fault: files are retried"""
    spool = f'{d}/trust'
    os.mkdir(spool)
    spooled.leave(spool, 1)
    server, url = refusing(lambda _: 400)  # does not support TLS
    agent = start(spool, 'p', url.replace('http', 'https'))
    for _ in range(2):
        says('retried', agent.stderr.readline(), rf'kernsift: {spooled.name(1)}: cannot reach '
             r'[^\n]*; trying again in \d\.\d s\n')
    agent.terminate()
    agent.communicate()
    equal('left', files(spool), [spooled.name(1)])
    server.shutdown()


def relay(listener, to, first):
    """Forwards connections to a port; `first` is called when bytes arrive."""
    def pump(a, b):
        try:
            while data := a.recv(4096):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        near.recv(1, socket.MSG_PEEK)
        first()
        far = socket.create_connection(('127.0.0.1', to))
        for a, b in ((near, far), (far, near)):
            threading.Thread(target=pump, args=(a, b), daemon=True).start()


def cut_on_the_way(d):
    """a file that is cut while it is sent does not count as sent"""
    spool = f'{d}/cut'
    os.mkdir(spool)
    path = spooled.leave(spool, 1)
    with open(path, 'ab') as f:
        f.write(os.urandom(8 << 20))
    half = os.path.getsize(path) // 2
    cuts = []

    def cut():
        if not cuts:
            os.truncate(path, half)
            cuts.append(sha(path))

    with Server() as s, socket.create_server(('127.0.0.1', 0)) as listener:
        threading.Thread(target=relay, args=(listener, s.port, cut), daemon=True).start()
        r = kernsift('agent', '--once', '--project', 'cut', '--retries', '0', '--server',
                     f'http://127.0.0.1:{listener.getsockname()[1]}', spool)
        equal('status', r.status, 74)
        equal('is there', files(spool), [spooled.name(1)])
        equal('not taken', stored(s, 'cut'), [])
        equal('status', once(spool, 'cut', s).status, 0)
        equal('stored', stored(s, 'cut'), cuts)
    equal('left', files(spool), [])


def refused(d):
    """invalid settings; a folder that is deleted"""
    for argv, status, sentence in (
            ([], 64, "'kernsift agent' needs FOLDER (see 'kernsift agent --help')"),
            (['a', 'b'], 64, "'b' is one argument too many for 'kernsift agent' "
                            "(see 'kernsift agent --help')"),
            ([f'{d}/none'], 74, f"cannot open the folder '{d}/none': No such file or directory"),
            (['--window', '3', d], 64, "'--window' is an option of other commands, not of "
                                      "'kernsift agent' (see 'kernsift agent --help')"),
            (['--server', 'x', d], 64, "--server: 'x' does not start with http:// or https:// "
                                      '(for example http://127.0.0.1:8080)')):
        r = kernsift('agent', *argv)
        equal('error', (r.status, r.err), (status, f'kernsift: {sentence}\n'))
    spool = f'{d}/gone'
    os.mkdir(spool)
    agent = start(spool, 'gone', f'http://127.0.0.1:{free_port()}')
    until('locked', lambda: os.path.exists(f'{spool}/.kernsift.lock') and is_locked(spool))
    os.unlink(f'{spool}/.kernsift.lock')
    os.rmdir(spool)
    _, err = agent.communicate(timeout=60)
    equal('error', (agent.returncode, err), (74, f"kernsift: the folder '{spool}' no longer exists\n"))


def main():
    with tempfile.TemporaryDirectory() as d:
        play([damaged, one_that_fails, many_refused, no_trust, cut_on_the_way, refused], d)


if __name__ == '__main__':
    main()
