#!/usr/bin/python3
"""object_storage.py - the bytes of uploads in object storage: `--bytes s3://…`.

A storage (tests/storage) keeps its objects in files, so the script sees what is stored
without kernsift. It does not check signatures of version 4. Between them is a proxy that
does, and that can make the storage fail. The script checks that

* every object has the bytes that the client sent, and the database then has none;
* runs that are computed again from objects have the same kernels as before;
* with every failure of the storage nothing is lost, and the log says what is wrong;
* SIGKILL of the server, of a worker and of the storage loses no upload and leaves no
  object that the database does not name. --full has 500 uploads and 200 kills;
* an expired upload's object is deleted, and `--bytes database` moves everything back.

The moments come from a seed, which is printed and can be set with --seed.
"""
import argparse
import hashlib
import hmac
import http.client
import http.server
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import running

HERE = os.path.dirname(os.path.abspath(__file__))
STORAGE = f'{HERE}/../storage'
PLACE = 's3://kernsift/site-1'
KERNELS = '/runs/{}/kernels?limit=1000'


class Storage:
    """The object storage as a process, and its objects as files."""

    def __init__(self, folder):
        self.folder, self.port = folder, running.free_port()
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ['node', f'{STORAGE}/serve.mjs', self.folder, str(self.port)],
            stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b'listening\n', 'no storage'

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def objects(self):
        """Returns the sha256 of each object, by name."""
        end, found = '._S3rver_object', {}
        for at, _, files in os.walk(f'{self.folder}/kernsift'):
            for name in files:
                if not name.endswith(end):
                    continue
                try:
                    with open(f'{at}/{name}', 'rb') as f:
                        digest = hashlib.sha256(f.read()).hexdigest()
                except FileNotFoundError:
                    continue  # deleted meanwhile
                key = os.path.relpath(f'{at}/{name}', self.folder)
                found[f's3://{key[:-len(end)]}'] = digest
        return found

    def vanish(self, name):
        """Deletes an object behind the storage's back."""
        path = f"{self.folder}/{name.removeprefix('s3://')}"
        for end in ('object', 'object.md5', 'metadata.json'):
            if os.path.exists(f'{path}._S3rver_{end}'):
                os.remove(f'{path}._S3rver_{end}')


ERROR = ('<?xml version="1.0"?><Error><Code>{}</Code>'
         '<Message>{}</Message></Error>')


def signature(secret, method, path, headers):
    """Returns the signature of a request, from Amazon's description of version 4."""
    def mac(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()
    words = dict(w.strip().split('=', 1) for w in
                 headers['Authorization'].split(' ', 1)[1].split(','))
    scope = words['Credential'].split('/', 1)[1]
    names = words['SignedHeaders'].split(';')
    path, _, query = path.partition('?')
    request = '\n'.join([method, path, query,
                         *(f'{n}:{headers[n].strip()}' for n in names), '',
                         ';'.join(names), headers['x-amz-content-sha256']])
    text = '\n'.join(['AWS4-HMAC-SHA256', headers['x-amz-date'], scope,
                      hashlib.sha256(request.encode()).hexdigest()])
    key = f'AWS4{secret}'.encode()
    for part in scope.split('/'):
        key = mac(key, part)
    assert {'host', 'x-amz-content-sha256', 'x-amz-date'} <= set(names), names
    return mac(key, text).hex(), words['Signature']


class Proxy(http.server.ThreadingHTTPServer):
    """Forwards requests to the storage, or answers as `mode` says."""
    daemon_threads = True

    def __init__(self, storage):
        super().__init__(('127.0.0.1', 0), Forward)
        self.storage, self.mode = storage, 'through'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # kernsift or the storage was killed


class Forward(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def forward(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        want, given = signature('S3RVER', self.command, self.path, self.headers)
        if want != given:
            return 403, ERROR.format('SignatureDoesNotMatch',
                                     'Check your key.').encode(), []
        if hashlib.sha256(body).hexdigest() != self.headers['x-amz-content-sha256']:
            return 400, ERROR.format('XAmzContentSHA256Mismatch',
                                     'Other bytes.').encode(), []
        c = http.client.HTTPConnection('127.0.0.1', self.server.storage.port,
                                       timeout=30)
        try:
            c.putrequest(self.command, self.path, skip_host=True,
                         skip_accept_encoding=True)
            for name, value in self.headers.items():
                c.putheader(name, value)
            c.endheaders(body)
            answer = c.getresponse()
            return answer.status, answer.read(), [
                (n, v) for n, v in answer.getheaders()
                if n.lower() in ('etag', 'content-range', 'content-type')]
        except (OSError, http.client.HTTPException):
            return 502, ERROR.format('Gone', 'no storage').encode(), []
        finally:
            c.close()

    def cut(self, status, body, headers):
        """Announces the whole body and sends half of it."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2])
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(2)

    def work(self):
        mode = self.server.mode
        if mode == 'wrong place':
            self.rfile.read(int(self.headers.get('Content-Length') or 0))
            return self.answer(404, b'unknown host')
        if mode == 'busy':
            self.rfile.read(int(self.headers.get('Content-Length') or 0))
            return self.answer(503, ERROR.format(
                'SlowDown', 'Please reduce your request rate.').encode())
        status, body, headers = self.forward()
        if mode == 'slow':
            time.sleep(2)
        if mode == 'false success' and self.command == 'PUT':
            return self.answer(200, ERROR.format(
                'InternalError', 'We encountered an error.').encode())
        if mode == 'no etag':
            headers = [(n, v) for n, v in headers if n.lower() != 'etag']
        if mode == 'other range' and self.command == 'GET':
            headers = [(n, 'bytes 7-8/9' if n.lower() == 'content-range' else v)
                       for n, v in headers]
        if mode == 'other etag' and self.command == 'GET':
            headers = [(n, '"other"' if n.lower() == 'etag' else v)
                       for n, v in headers]
        if mode == 'other bytes' and self.command == 'GET' and body:
            body = body[:-1] + bytes([body[-1] ^ 1])
        if mode == 'short' and self.command == 'GET' and body:
            body = body[:-1]
        if mode == 'cut' and self.command == 'GET' and body:
            return self.cut(status, body, headers)
        return self.answer(status, body, headers)

    do_GET = do_PUT = do_DELETE = do_HEAD = work


# The failure, and what the log must say of it.
FAULTS = {
    'busy': 'object storage answered 503 SlowDown: Please reduce your request rate.',
    'false success': 'object storage answered 200 InternalError: We encountered an error.',
    'other etag': 'object storage has another object of this name (ETag "other"',
    'no etag': 'object storage sent no ETag',
    'other range': "object storage sent the range 'bytes 7-8/9' instead of",
    'other bytes': 'object storage returns other bytes than it received',
    'short': 'object storage sent',
    'cut': 'object storage at http://127.0.0.1',
}


def options(proxy, to=PLACE, secret='S3RVER'):
    os.environ.update(AWS_ACCESS_KEY_ID='S3RVER', AWS_SECRET_ACCESS_KEY=secret)
    return ['--workers', '2', '--vacuum-s', '1', '--bytes', to,
            '--s3-endpoint', f'http://127.0.0.1:{proxy.server_address[1]}']


def in_database(s):
    return int(s.sql('SELECT count(*) FROM upload_chunk')[0][0])


def named(s):
    """Returns the objects that the database names, each with the sha256 of its
    upload."""
    return dict(s.sql(
        "SELECT o.object, encode(u.sha256, 'hex') FROM upload_object o "
        "JOIN upload u ON u.id = o.upload_id WHERE o.stored_at IS NOT NULL"))


def moved(s, storage):
    """Waits until everything is in the storage, and compares it."""
    running.until('all bytes are moved', lambda: in_database(s) == 0,
                  lambda: in_database(s))
    running.until('no object is left over', lambda: not s.sql(
        'SELECT 1 FROM object_to_delete WHERE deleted_at IS NULL'))
    assert storage.objects() == named(s), (storage.objects(), named(s))


def kernels(s, runs):
    return {r: s.get(KERNELS.format(r))['items'] for r in runs}


def uploaded(s, traces, project):
    """Uploads traces, and returns their runs."""
    ids = [s.upload(f'project={project}&name={n}', body)
           for n, body in enumerate(traces)]
    runs = []
    for i in ids:
        u = s.ended(i)
        assert u['state'] == 'done', u
        runs += u['runs']
    return runs


def rebuilt(s):
    """Computes all runs again, and waits."""
    running.until('nothing is being worked on', lambda: not s.sql(
        "SELECT 1 FROM upload WHERE state IN ('queued', 'working')"))
    s.sql("UPDATE upload SET state = 'queued', queued_at = now(), attempts = 0, "
          "done_bytes = 0, best_bytes = 0, error = NULL, finished_at = NULL "
          "WHERE state IN ('done', 'failed') AND identity IS NOT NULL")
    running.until('all are computed again', lambda: not s.sql(
        "SELECT 1 FROM upload WHERE state IN ('queued', 'working')"))


def check_round_trip(s, storage, traces):
    runs = uploaded(s, traces, 'all')
    before = kernels(s, runs)
    moved(s, storage)
    assert len(storage.objects()) == len(traces)
    rebuilt(s)
    assert kernels(s, runs) == before, 'other kernels from the objects'
    print(f'ok: {len(traces)} uploads are objects, computed again with equal kernels')
    return runs


def check_faults(s, storage, proxy, traces):
    for (mode, sentence), trace in zip(FAULTS.items(), traces):
        proxy.mode = mode
        count = s.logged().count(sentence)
        uploaded(s, [trace], mode.replace(' ', '-'))
        running.until(f'{mode}: the log says it',
                      lambda: s.logged().count(sentence) > count)
        assert in_database(s) > 0, f'{mode}: the bytes left the database'
        proxy.mode = 'through'
        moved(s, storage)
        print(f'ok: {mode}: {sentence!r}')
    proxy.mode = 'slow'
    uploaded(s, [traces[len(FAULTS)]], 'slow')
    moved(s, storage)
    proxy.mode = 'through'
    print('ok: a slow storage is waited for')


def check_reads(s, storage, proxy, runs):
    """Uploads that are computed again while the storage fails wait for it; one whose
    object vanished fails with a sentence."""
    before = kernels(s, runs)
    proxy.mode = 'busy'
    again = threading.Thread(target=rebuilt, args=(s,))
    count = s.logged().count('put off')
    again.start()
    running.until('a worker puts an upload off', lambda: s.logged().count(
        'put off') > count)
    fresh = s.upload('project=meanwhile', b'{"traceEvents": []}')
    assert s.ended(fresh)['state'] == 'failed', 'a new upload waits behind the old'
    proxy.mode = 'through'
    again.join()
    assert kernels(s, runs) == before
    moved(s, storage)
    gone, upload = s.sql(
        'SELECT o.object, o.upload_id FROM upload_object o JOIN upload u '
        f'ON u.id = o.upload_id JOIN run r ON r.upload_id = u.id '
        f'WHERE r.run_id = {runs[0]}')[0]
    storage.vanish(gone)
    rebuilt(s)
    u = s.get(f'/uploads/{upload}')
    assert u['state'] == 'failed' and 'object storage answered 404' in u['error'], u
    assert kernels(s, runs[1:]) == {r: before[r] for r in runs[1:]}
    expire(s, upload)
    assert gone not in named(s)
    print('ok: reads wait for the storage; a vanished object is named')


def expire(s, upload):
    """Deletes the bytes of an upload by retention."""
    s.sql("UPDATE upload SET received_at = now() - interval '9 days' "
          f'WHERE id = {upload}')
    subprocess.run([running.BIN, 'vacuum', '--data', s.data, '--raw-days', '8'],
                   check=True, stdout=subprocess.DEVNULL)


def upload_of(s, run):
    return s.sql(f'SELECT upload_id FROM run WHERE run_id = {run}')[0][0]


def check_expiry(s, storage, proxy, runs):
    left = len(named(s))
    expire(s, upload_of(s, runs[1]))
    assert len(named(s)) == left - 1
    running.until('the object is deleted', lambda: len(
        storage.objects()) == left - 1)
    assert s.sql('SELECT 1 FROM object_to_delete WHERE deleted_at IS NOT NULL'), (
        'it is not deleted again a day later')
    # A 404 of something that is not the storage deletes nothing.
    proxy.mode = 'wrong place'
    expire(s, upload_of(s, runs[2]))
    sentence = 'object storage answered 404'
    count = s.logged().count(sentence)
    running.until('the log has the 404', lambda: s.logged().count(sentence) > count)
    assert len(storage.objects()) == left - 1
    assert s.sql('SELECT 1 FROM object_to_delete WHERE deleted_at IS NULL')
    proxy.mode = 'through'
    running.until('it is deleted', lambda: len(storage.objects()) == left - 2)
    print('ok: an expired object is deleted')


def check_kills(s, storage, uploads, kills, folder, rng):
    """Kills one of the three after the other while uploads arrive and move."""
    sent, left = [], list(range(uploads))
    lock = threading.Lock()

    def client():
        while True:
            with lock:
                if not left:
                    return
                n = left.pop()
            body, _ = running.generate(folder, f'kill-{n}', '--steps', '2',
                                       '--seed', str(1000 + n))
            while True:
                try:
                    status, _, answer = s.ask('POST', '/uploads?project=kill', body)
                    if status in (200, 202):
                        break
                except (OSError, http.client.HTTPException):
                    pass
                time.sleep(0.2)
            with lock:
                sent.append(hashlib.sha256(body).hexdigest())

    clients = [threading.Thread(target=client) for _ in range(2)]
    for c in clients:
        c.start()
    for n in range(kills):
        time.sleep(rng.uniform(0.05, 0.6))
        victim = ('server', 'storage', 'worker')[n % 3]
        if victim == 'server':
            s.kill()
            s.start()
        elif victim == 'storage':
            storage.kill()
            time.sleep(rng.uniform(0, 0.3))
            storage.start()
        else:
            workers = s.workers()
            if workers:
                try:
                    os.kill(rng.choice(workers), 9)
                except ProcessLookupError:
                    pass
    for c in clients:
        c.join()

    def done():
        """Whether all are done. An upload whose workers were killed three times has
        failed; it is retried, as a user would."""
        for (i,) in s.sql("SELECT id FROM upload WHERE project = 'kill' "
                          "AND state = 'failed' AND error LIKE '%by SIGKILL%'"):
            status, _, answer = s.ask('POST', f'/uploads/{i}/retry')
            assert status in (200, 202), answer
        return not s.sql("SELECT 1 FROM upload WHERE project = 'kill' "
                         "AND state NOT IN ('done', 'receiving')")
    running.until('all uploads are done', done, lambda: s.sql(
        "SELECT count(*) FROM upload WHERE state = 'done'"))
    moved(s, storage)
    have = set(storage.objects().values())
    assert have >= set(sent), 'an accepted upload has no object'
    print(f'ok: {kills} kills during {uploads} uploads: nothing lost, nothing left')


def again_with(s, new):
    s.stop()
    s.options = new
    s.start()


def check_credentials(s, storage, proxy, traces):
    """A secret that the storage rejects; the bytes wait."""
    again_with(s, options(proxy, secret='wrong'))
    uploaded(s, traces, 'wrong-secret')
    running.until('the log says it', lambda: 'object storage answered 403 SignatureDoes'
                  in s.logged())
    assert in_database(s) > 0
    again_with(s, options(proxy))
    moved(s, storage)
    print('ok: rejected credentials: the bytes stay')


def check_backup(s, storage, proxy, runs):
    """A restored backup without bytes reads the objects, and deletes none."""
    data = f'{running.SCRATCH}/ks-verify-restored-{os.getpid()}'
    file = f'{storage.folder}.backup'
    before, objects = kernels(s, runs), storage.objects()
    try:
        subprocess.run([running.BIN, 'backup', '--without-raw', '--data', s.data,
                        file], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([running.BIN, 'restore', '--data', data, file], check=True,
                       stdout=subprocess.DEVNULL)
        with running.Server(options(proxy, ''), data) as copy:
            rebuilt(copy)
            assert kernels(copy, runs) == before
            assert storage.objects() == objects
    finally:
        shutil.rmtree(data, ignore_errors=True)
    print('ok: a restored backup without bytes reads the objects')


def check_back(s, storage, proxy):
    again_with(s, options(proxy, 'database'))
    running.until('all bytes are back', lambda: not named(s),
                  lambda: len(named(s)))
    running.until('no object is left', lambda: not storage.objects())
    wrong = s.sql(
        'SELECT u.id FROM upload u WHERE dropped_at IS NULL AND identity IS NOT '
        'NULL AND (chunks, bytes, sha256) IS DISTINCT FROM (SELECT '
        '(count(*)::int, sum(octet_length(bytes)), sha256(string_agg(bytes, '
        "''::bytea ORDER BY seq))) FROM upload_chunk c WHERE c.upload_id = u.id)")
    assert not wrong, wrong
    print('ok: --bytes database: everything is back')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--full', action='store_true')
    p.add_argument('--seed', type=int, default=random.randrange(1 << 30))
    args = p.parse_args()
    running.skip_without_postgres()
    if not os.path.exists(f'{STORAGE}/node_modules') or not shutil.which('node'):
        print('skipped: the packages of tests/storage are not installed')
        sys.exit(77)
    print(f'seed {args.seed}')
    uploads, kills = (500, 200) if args.full else (20, 12)
    folder = tempfile.mkdtemp(prefix='ks-storage-', dir=running.SCRATCH)
    storage = Storage(f'{folder}/objects')
    os.mkdir(storage.folder)
    try:
        storage.start()
        proxy = Proxy(storage)
        small = [running.generate(folder, f'{n}', '--steps', '2', '--seed',
                                  str(n))[0] for n in range(16)]
        big, _ = running.generate(folder, 'big', '--events', '20000')
        assert len(big) > 3 << 20, 'several chunks'
        with running.Server(options(proxy)) as s:
            runs = check_round_trip(s, storage, [*small[:3], big])
            check_faults(s, storage, proxy, small[3:])
            check_reads(s, storage, proxy, runs)
            check_expiry(s, storage, proxy, runs)
            check_kills(s, storage, uploads, kills, folder,
                        random.Random(args.seed))
            check_backup(s, storage, proxy, runs[3:])
            check_credentials(s, storage, proxy, small[14:])
            check_back(s, storage, proxy)
    finally:
        storage.kill()
        shutil.rmtree(folder, ignore_errors=True)


main()
