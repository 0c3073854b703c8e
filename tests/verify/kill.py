#!/usr/bin/python3
"""kill.py - SIGKILL at random moments loses no upload and leaves no half run.

The script has three rounds. They kill the server, an ingest process, and PostgreSQL.
In each round, distinct traces are uploaded. The victim is killed once per upload, at a
random moment between the upload's first byte and the end of its ingest. --full has 20
uploads and kills per round, --quick has 3. The first kill of an ingest process or of
PostgreSQL waits until an upload is being ingested, so that each of these rounds
interrupts at least one. The client repeats every request that is not answered with 200
or 202, as real clients do.

At the end every upload must be done. Every run must have the numbers of its trace, and
a capture with the content of the trace. The tables must contain nothing else.

The moments come from a seed, which is printed and can be set with --seed.
"""
import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import figures
import running

EVENTS = 30000
CLIENTS = 4
PIECE = 256 << 10
# A lease must outlast the analysis of an upload even if other cases load a slow
# machine. With 2 s, workers that were not killed lost their leases, and each lost
# lease counts as an attempt.
OPTIONS = ['--workers', '2', '--lease_s', '15', '--log', 'info']

# Queries that must return nothing: rows whose related row is missing, or unexpected
# rows.
ORPHANS = {
    'chunks without an upload':
        'SELECT 1 FROM upload_chunk c LEFT JOIN upload u ON u.id = c.upload_id'
        ' WHERE u.id IS NULL',
    'uploads with missing chunks':
        'SELECT u.id FROM upload u WHERE u.state = $$done$$ AND (u.chunks, '
        'u.bytes) IS DISTINCT FROM (SELECT (count(*)::int, '
        'sum(octet_length(bytes))) FROM upload_chunk c '
        'WHERE c.upload_id = u.id)',
    'runs without a done upload':
        'SELECT 1 FROM run r LEFT JOIN upload u ON u.id = r.upload_id'
        ' WHERE u.state IS DISTINCT FROM $$done$$',
    'runs without an identity':
        'SELECT 1 FROM run r LEFT JOIN run_identity i ON i.id = r.run_id'
        ' WHERE i.id IS NULL',
    'identities without a run':
        'SELECT 1 FROM run_identity i LEFT JOIN run r ON r.run_id = i.id'
        ' WHERE r.run_id IS NULL',
    'kernels twice':
        'SELECT 1 FROM kernel GROUP BY name HAVING count(*) > 1',
    **{f'{t} without a run':
       f'SELECT 1 FROM {t} t LEFT JOIN run r USING (run_id)'
       ' WHERE r.run_id IS NULL'
       for t in ('run_device', 'run_kernel', 'run_copy', 'run_graph',
                 'run_launch', 'run_frame', 'run_caller', 'run_note',
                 'run_capture', 'run_operator', 'run_shape',
                 'run_unattributed')},
    'runs without a capture':
        'SELECT 1 FROM run r LEFT JOIN run_capture c ON c.run_id = r.run_id'
        ' AND c.seq = 0 WHERE c.run_id IS NULL',
    'captures with gaps':
        'SELECT run_id FROM run_capture GROUP BY run_id'
        ' HAVING max(seq) + 1 <> count(*)',
    'captures broken off in the middle':
        'SELECT run_id FROM run_capture c WHERE octet_length(bytes) < 1048576'
        ' AND EXISTS (SELECT FROM run_capture o WHERE o.run_id = c.run_id'
        ' AND o.seq > c.seq)',
    'frames without a parent':
        'SELECT 1 FROM run_frame f LEFT JOIN run_frame p'
        ' ON p.run_id = f.run_id AND p.frame = f.parent'
        ' WHERE f.parent > 0 AND p.frame IS NULL',
    'runs with launches that no caller counts':
        'SELECT 1 FROM run r WHERE r.launches <> (SELECT sum(c.launches)'
        ' FROM run_caller c WHERE c.run_id = r.run_id)',
    'callers without a frame':
        'SELECT 1 FROM run_caller c LEFT JOIN run_frame f USING (run_id, frame)'
        ' WHERE c.found_by = $$path$$ AND f.frame IS NULL',
}


class Client:
    """Sends one trace until it is accepted."""

    def __init__(self, server, kind, n, body):
        self.server, self.body = server, body
        self.path = f'/uploads?project={kind}&workload=kill&name=trace-{n}'
        self.id, self.tries = None, 0
        self.on_its_way = threading.Event()

    def send(self):
        self.tries += 1
        c = http.client.HTTPConnection('127.0.0.1', self.server.port,
                                       timeout=20)
        try:
            c.putrequest('POST', running.API + self.path)
            c.putheader('Content-Length', str(len(self.body)))
            c.endheaders()
            self.on_its_way.set()
            for at in range(0, len(self.body), PIECE):
                c.send(self.body[at:at + PIECE])
                time.sleep(0.002)
            answer = c.getresponse()
            text = answer.read()
            if answer.status in (200, 202):
                self.id = json.loads(text)['id']
            else:
                assert answer.status == 503, (answer.status, text)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            c.close()

    def run(self):
        while self.id is None:
            self.send()
            if self.id is None:
                time.sleep(0.1)


GATE = 'BEGIN; LOCK TABLE run IN EXCLUSIVE MODE; SELECT pg_sleep(60)'
GATES = f"FROM pg_stat_activity WHERE query = '{GATE}'"


def gate_shut(server):
    """Takes the lock that a save needs, and holds it until the returned process
    ends."""
    gate = subprocess.Popen([*server.psql(), '-c', GATE],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    running.until('a shut gate', lambda: server.sql(
        f"SELECT 1 {GATES} AND wait_event = 'PgSleep'"))
    return gate


def strike_at_work(server, kind, gate):
    """Sends one SIGKILL that is certain to interrupt an upload, because no upload can
    be done while the gate is shut. Returns the process that was killed."""
    pid = int(running.until('an upload at work', lambda: server.sql(
        "SELECT split_part(worker, ':', 2) FROM upload "
        f"WHERE state = 'working' AND project = '{kind}'"))[0][0])
    if kind == 'postgres':
        pid = server.postmaster()
    os.kill(pid, signal.SIGKILL)
    if kind == 'ingest':
        server.sql(f'SELECT pg_terminate_backend(pid) {GATES}')
    gate.wait()
    return pid


def strike(server, kind, dice):
    """Sends one SIGKILL. The script restarts the server; the server restarts PostgreSQL
    and ingest processes. Returns the process that was killed."""
    if kind == 'server':
        pid = server.process.pid
        server.kill()
        server.start()
        return pid
    if kind == 'ingest':
        # A third death during one upload would fail that upload, as intended.
        running.until('progress', lambda: not server.sql(
            "SELECT 1 FROM upload WHERE state <> 'done' AND attempts >= 2"),
            lambda: server.sql("SELECT count(*) FROM upload WHERE state = 'done'"))
        pids = running.until('an ingest process', server.workers)
        pid = dice.choice(pids)
    else:
        pid = running.until('a postmaster', server.postmaster)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return pid


def lifetime(server, kind, body):
    """Returns the seconds from the first byte of an upload until it is done, without a
    kill."""
    began = time.monotonic()
    upload = server.upload(f'project=calm&workload=kill&name={kind}', body)
    server.ended(upload)
    return time.monotonic() - began


def play(server, kind, traces, dice):
    span = max(0.1, 1.3 * lifetime(server, kind, traces[0][0]))
    clients = [Client(server, kind, n, body)
               for n, (body, _) in enumerate(traces)]
    room = threading.Semaphore(CLIENTS)

    def work(client):
        client.run()
        room.release()

    threads = [threading.Thread(target=work, args=(c,), daemon=True)
               for c in clients]
    moments, dead = [], None
    for client, thread in zip(clients, threads):
        room.acquire()
        certain = kind != 'server' and not moments
        gate = gate_shut(server) if certain else None
        thread.start()
        client.on_its_way.wait(30)
        began = time.monotonic()
        if certain:
            dead = strike_at_work(server, kind, gate)
        else:
            time.sleep(dice.uniform(0, span))
        moments.append(time.monotonic() - began)
        if not certain:
            dead = strike(server, kind, dice)
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), 'an upload was never accepted'
    print(f'{kind}: {len(clients)} uploads, killed at '
          + ' '.join(f'{m * 1000:.0f}' for m in moments) + ' ms; sent '
          f'{sum(c.tries for c in clients)} times', flush=True)
    # Until the server notices the last kill, a dead process may seem to answer.
    running.until('another postmaster', lambda: server.postmaster()
                  not in (None, dead))
    running.until('readiness',
                  lambda: server.ask('GET', '/readyz')[0] == 200)
    return clients


def inspected(folder, name, body):
    path = os.path.join(folder, name)
    with open(path, 'wb') as f:
        f.write(body)
    return subprocess.run([running.BIN, 'inspect', '--format', 'json', path],
                          check=True, stdout=subprocess.PIPE).stdout


def check_capture(server, run, body):
    """The stored capture of the run must have the content of its trace, byte by
    byte."""
    status, _, capture = server.ask('GET', f'/runs/{run}/capture')
    assert status == 200, f'capture of run {run}: {status} {capture!r}'
    with tempfile.TemporaryDirectory() as folder:
        got = inspected(folder, 'run.kst', capture)
        want = inspected(folder, 'trace.json', body)
    assert got == want, f'run {run}: its capture is another trace'


def check(server, kind, clients, traces):
    for client, (body, want) in zip(clients, traces):
        upload = server.ended(client.id)
        assert upload['state'] == 'done', upload
        assert len(upload['runs']) == 1, upload
        run = server.get(f'/runs/{upload["runs"][0]}')
        figures.check_run(server, run, want['runs'][0])
        check_capture(server, run['id'], body)
    ids = {c.id for c in clients}
    assert len(ids) == len(clients), 'two uploads have one id'
    runs = figures.whole(server, f'/runs?project={kind}&limit=500')
    assert {r['upload'] for r in runs} == ids, 'runs that nobody sent'
    assert len(runs) == len(ids), 'an upload has become two runs'
    for what, query in ORPHANS.items():
        rows = server.sql(query)
        assert not rows, f'{kind}: {len(rows)} {what}'


def hits(server, kind):
    """Returns how many times an upload was claimed again."""
    return int(server.sql('SELECT sum(token - 1) FROM upload '
                          f"WHERE project = '{kind}' AND state = 'done'")[0][0])


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--quick', action='store_true', help='3 kills a round')
    p.add_argument('--full', action='store_true', help='20 kills a round')
    p.add_argument('--seed', type=int, default=None)
    o = p.parse_args()
    seed = o.seed if o.seed is not None else random.SystemRandom().getrandbits(32)
    kills = 3 if o.quick and not o.full else 20
    print(f'seed {seed}, {kills} kills a round', flush=True)
    running.skip_without_postgres()
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        traces = [running.generate(folder, str(n), '--seed', str(n + 1),
                                   '--events', str(EVENTS))
                  for n in range(kills)]
    with running.Server(OPTIONS) as server:
        for kind in ('server', 'ingest', 'postgres'):
            began = time.monotonic()
            clients = play(server, kind, traces, dice)
            check(server, kind, clients, traces)
            again = hits(server, kind)
            assert again or kind == 'server', f'{kind}: nothing was hit'
            print(f'{kind}: all done and whole after '
                  f'{time.monotonic() - began:.1f} s, {again} '
                  'taken up again', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
