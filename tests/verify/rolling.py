#!/usr/bin/python3
"""rolling.py - servers on one database are replaced under load without a failed request.

A proxy requests /readyz of each server, as balancers do, and sends each connection to one
that is ready. Clients read and upload without a pause, on connections that they keep as long as the
server does; a request is never repeated. The
script replaces the servers one after the other with SIGTERM, and with --full 20 times.
At the end every upload must be done, once.

--old FOLDER names the programs of an earlier version, which the first server is from:
then this is an upgrade, with the migration of the schema while the old server works.
"""
import argparse
import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import running

UNREADY_S = 2
ASK_S = 0.2
READS = ['/runs?limit=50', '/uploads?limit=50', '/importance', '/home', '/workloads']


class Server:
    """One `kernsiftd serve` on the database of with-postgres."""

    def __init__(self, folder, unready=True):
        self.port = running.free_port()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [f'{folder}/kernsiftd', 'serve', '--listen', f'127.0.0.1:{self.port}',
             '--db', f"host={os.environ['PGHOST']} user={os.environ['PGUSER']} "
             f"dbname={os.environ['PGDATABASE']}", '--workers', '1',
             *(['--unready-s', str(UNREADY_S)] if unready else [])],
            stdout=subprocess.PIPE, stderr=self.log)
        assert self.process.stdout.readline(), self.logged()

    def logged(self):
        self.log.seek(0)
        return self.log.read().decode(errors='replace')

    def ready(self):
        try:
            with urllib.request.urlopen(
                    f'http://127.0.0.1:{self.port}/readyz', timeout=5) as a:
                return a.status == 200
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(120)
        assert status == 0, f'the server ended with {status}\n{self.logged()[-3000:]}'


class Proxy:
    """Passes each connection to the next server that is ready."""

    def __init__(self):
        self.servers, self.ready, self.turn = [], [], 0
        self.tasks = set()  # asyncio itself does not keep them
        self.port = running.free_port()
        started = threading.Event()

        async def main():
            server = await asyncio.start_server(self.serve, '127.0.0.1', self.port,
                                                backlog=256)
            started.set()
            await server.serve_forever()
        threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
        threading.Thread(target=self.ask, daemon=True).start()
        started.wait()

    def ask(self):
        while True:
            self.ready = [s for s in list(self.servers) if s.ready()]
            time.sleep(ASK_S)

    async def serve(self, reader, writer):
        ready, to = self.ready, None
        self.turn += 1
        self.tasks.add(asyncio.current_task())
        try:
            server = ready[self.turn % len(ready)]
            r, to = await asyncio.open_connection('127.0.0.1', server.port)
            await asyncio.gather(self.copy(reader, to), self.copy(r, writer))
        except (OSError, ZeroDivisionError, IndexError):
            pass  # the client sees a connection without an answer
        finally:
            writer.close()
            if to:
                to.close()
            self.tasks.discard(asyncio.current_task())

    @staticmethod
    async def copy(reader, writer):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


class Load:
    """Clients that request until they are stopped."""

    def __init__(self, port, traces):
        self.port, self.traces = port, traces
        self.answers, self.failures, self.sent = 0, [], []
        self.over = threading.Event()
        self.own = threading.local()
        self.threads = [threading.Thread(target=self.work, args=(w, n))
                        for n, w in enumerate([self.read] * 3 + [self.upload])]
        for t in self.threads:
            t.start()

    def work(self, what, n):
        turn = 0
        while not self.over.is_set():
            try:
                what(n, turn)
                self.answers += 1
            except (OSError, http.client.HTTPException, AssertionError) as e:
                self.failures.append(f'{what.__name__}: {e!r}')
            turn += 1

    def request(self, method, path, body=None):
        """Sends a request, on the thread's connection if the last answer kept it."""
        c = getattr(self.own, 'connection', None) or http.client.HTTPConnection(
            '127.0.0.1', self.port, timeout=60)
        self.own.connection = None
        c.request(method, running.API + path, body)
        answer = c.getresponse()
        text = answer.read()
        if answer.will_close:
            c.close()
        else:
            self.own.connection = c
        assert answer.status in (200, 202), (path, answer.status, text[:200])
        return json.loads(text)

    def read(self, n, turn):
        self.request('GET', READS[(n + turn) % len(READS)])

    def upload(self, _, turn):
        if turn >= len(self.traces):
            time.sleep(0.05)
            return
        self.sent.append(self.request(
            'POST', '/uploads?project=rolling', self.traces[turn])['id'])
        time.sleep(0.1)

    def stop(self):
        self.over.set()
        for t in self.threads:
            t.join()


def replace(proxy, old, folder):
    """Starts a server, waits until it gets connections, and stops the old one."""
    new = Server(folder)
    proxy.servers.append(new)
    running.until('the new server is ready', lambda: new in proxy.ready)
    old.stop()
    proxy.servers.remove(old)
    return new


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--old')
    p.add_argument('--full', action='store_true')
    args = p.parse_args()
    new = os.path.dirname(running.BIN)
    with tempfile.TemporaryDirectory(dir=running.SCRATCH) as folder:
        traces = [running.generate(folder, str(n), '--steps', '2', '--seed',
                                   str(n))[0] for n in range(60)]
    proxy = Proxy()
    # An earlier version may not know --unready-s: the proxy forgets it first.
    server = Server(args.old or new, not args.old)
    proxy.servers.append(server)
    running.until('the first server is ready', lambda: proxy.ready)
    load = Load(proxy.port, traces)
    try:
        if args.old:
            second = Server(new)
            proxy.servers.append(second)
            running.until('the new version is ready', lambda: second in proxy.ready)
            time.sleep(3)  # both versions answer with the new schema
            proxy.servers.remove(server)
            time.sleep(2 * ASK_S + 1)
            server.stop()
            server = second
        for _ in range(20 if args.full else 3):
            server = replace(proxy, server, new)
    finally:
        load.stop()
    assert not load.failures, load.failures[:5]
    for i in load.sent:
        state = running.until(f'upload {i}', lambda i=i: [
            u for u in [load.request('GET', f'/uploads/{i}')]
            if u['state'] in ('done', 'failed')])[0]
        assert state['state'] == 'done' and len(state['runs']) == 1, state
    server.stop()
    print(f'ok: {load.answers} answers, {len(load.sent)} uploads done, no failure')


running.skip_without_postgres()
if 'PGHOST' not in os.environ:
    sys.exit(subprocess.run([f'{running.HERE}/../with-postgres', sys.executable,
                             os.path.abspath(__file__), *sys.argv[1:]]).returncode)
main()
