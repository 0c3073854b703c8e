#!/usr/bin/python3
"""backup.py - after a restore, a backup made while the server works has the same
answers.

Uploads runs of several kinds, site overrides, a reference set and tokens. The backup is
made while an upload arrives. Then every GET answer of the restored server must equal
that of the first server, byte by byte.
"""
import os
import re
import shutil
import socket
import stat
import subprocess
import sys

import everything
import running
from commands import Place, play, refused, run

HERE = os.path.dirname(os.path.abspath(__file__))
SET = os.path.join(HERE, '../api/data/set-small.json')
EDITS = [
    ('platforms', b'{"version": 0, "items": [{"name": "lab", "peak_flops": '
                  b'{"bf16": 1e12}, "bytes_per_s": 1e9}]}'),
    ('rules', b'{"version": 1, "items": [{"match": "^my_kernel", "operator": '
              b'"rms_norm", "family": "mine"}]}')]

# Requests that add a webhook, for events that do not occur here, and a gate.
ADDED = [
    ('/webhooks', b'{"url": "https://ci.example/", "events": ["change_point"], '
                  b'"project": "none"}', [201]),
    ('/gates', b'{"base": "1", "head": "2"}', [201, 404])]


def asker(server, token):
    headers = {'Authorization': f'Bearer {token}'}
    return lambda path: server.ask('GET', path, headers=headers)[::2]


def fill(server, place, token):
    """Uploads runs that repeat each other, the ranks of a job, and layers; adds what
    users can add."""
    def made(name, *options):
        return running.generate(place.path, name, *options)[0]
    layers = place.at('layers.json.gz')
    subprocess.run([f'{HERE}/../gen/gen_layers.py', '--passes', '2', layers],
                   check=True)
    with open(layers, 'rb') as f:
        bodies = [
            ('project=p&workload=w&name=a&label.branch=main',
             made('a', '--steps', '8')),
            ('project=p&workload=w&name=b&label.branch=topic',
             made('b', '--steps', '8', '--seed', '7', '--times', 'norm=1.5')),
            ('project=q&workload=ranks&name=r',
             made('r', '--steps', '4', '--ranks', '2', '--stacks')),
            ('project=q&workload=layers&name=l', f.read()),
            ('project=p&workload=w&name=gone', made('d', '--seed', '9'))]
    for query, body in bodies:
        got = server.ended(server.upload(query, body))
        assert got['state'] == 'done', got
    assert server.ended(server.upload('name=x', b'{"traceEvents": []}'))[
        'state'] == 'failed'
    headers = {'Authorization': f'Bearer {token}'}
    for path, body in EDITS:
        status, _, reply = server.ask('PUT', f'/{path}', body, headers)
        assert status == 200, reply
    with open(SET, 'rb') as f:
        status, _, reply = server.ask('POST', '/reference-sets?name=hand', f.read(),
                                       headers)
    assert status == 201, reply
    for path, body, want in ADDED:
        status, _, reply = server.ask('POST', path, body, headers)
        assert status in want, (path, status, reply)
    status, _, reply = server.ask('DELETE', '/runs/6', headers=headers)
    assert status == 204, reply


def arriving(server, length):
    """Sends half of an upload."""
    s = socket.create_connection(('127.0.0.1', server.port), 60)
    s.sendall(f'POST {running.API}/uploads?name=late HTTP/1.1\r\n'
              f'Host: 127.0.0.1:{server.port}\r\n'
              f'Content-Length: {length}\r\n\r\n'.encode())
    s.sendall(b'{"traceEvents": [' + b' ' * (length // 2))
    running.until('half an upload', lambda: server.get(
        '/uploads?state=receiving')['items'])
    return s


def finish(s, server, length):
    s.sendall(b' ' * (length - length // 2 - 19) + b']}')
    got = s.recv(65536)
    assert got.startswith(b'HTTP/1.1 202'), got
    s.close()
    running.until('its end', lambda: not server.get(
        '/uploads?state=receiving')['items'])


def without_use(answer):
    """Blanks the minute of the last use of each token in an answer. The requests of
    this script use a token, and take longer than a minute on a slow machine."""
    return [re.sub(rb'("last_used_at":)"[^"]*"', rb'\1"then"', part)
            if isinstance(part, bytes) else part for part in answer]


def same(before, after):
    assert before.keys() == after.keys(), before.keys() ^ after.keys()
    for address, answer in before.items():
        assert without_use(after[address]) == without_use(answer), (
            f'GET {address}: {after[address][1][:600]!r} in place of '
            f'{answer[1][:600]!r}')


def case_the_same_answers(place):
    length = 3 << 20
    first = Place()
    with running.Server(data=first.path) as s:
        token = run('token', '--data', s.data, '--scope', 'admin', '--name',
                    'x')[1].strip()
        fill(s, place, token)
        before, unheard = everything.everything(asker(s, token))
        assert not unheard, f'no address of everything.py reaches {unheard}'
        late = arriving(s, length)
        status, out, err = run('backup', '--data', s.data, place.at('all'))
        assert status == 0 and out.startswith(
            f"{place.at('all')}: 5 runs of 7 uploads, 1 tokens, "), (out, err)
        assert run('backup', '--data', s.data, '--without_raw',
                   place.at('lean'))[0] == 0
        finish(late, s, length)
    assert stat.S_IMODE(os.stat(place.at('all')).st_mode) == 0o600
    assert not [n for n in os.listdir(place.path) if n.startswith('all.')]
    restored(place, 'all', before, token)
    if shutil.which('zstd'):
        listed = subprocess.run(
            f"zstd -dc {place.at('all')} | pg_restore --list", shell=True,
            capture_output=True, text=True, check=True).stdout
        assert 'TABLE DATA public upload_chunk' in listed, listed
    lean(place, token)
    return len(before)


def restored(place, name, before, token):
    data = Place().path
    status, out, err = run('restore', '--data', data, place.at(name))
    assert status == 0 and out.startswith(
        'restored 5 runs of 7 uploads and 1 tokens from '), (out, err)
    refused(run('restore', '--data', data, place.at(name)),
            "database 'postgres' is not empty: it has 'audit' and more; a "
            'backup is restored into an empty one')
    with running.Server(data=data) as s:
        running.until('the end of what was arriving', lambda: not s.get(
            '/uploads?state=receiving')['items'])
        same(before, everything.everything(asker(s, token))[0])
        assert s.ask('DELETE', '/runs/1')[0] == 401, 'tokens came with it'
        # New ids are larger than the last id of the backup.
        assert s.upload('name=next', b'{"traceEvents": [ ]}') == 8


def lean(place, token):
    """Restores a backup without the bytes of uploads: the runs exist, but uploads
    cannot be read."""
    data = Place().path
    status, out, _ = run('restore', '--data', data, place.at('lean'))
    assert status == 0 and out.endswith(
        'the backup has no bytes of uploads: they cannot be read again '
        '(rebuild, retry) or downloaded\n'), out
    size = os.stat(place.at('lean')).st_size
    assert size < os.stat(place.at('all')).st_size, size
    got = run('rebuild', '--data', data)
    assert got[1] == ('0 uploads queued\n4 uploads left unchanged: their '
                      'bytes were deleted\n'), got
    with running.Server(data=data) as s:
        ask = asker(s, token)
        assert ask('/runs/1/capture')[0] == 200
        assert s.sql('SELECT count(*) FROM upload WHERE chunks > 0 '
                     "AND dropped_at IS NULL AND state <> 'receiving'") == [['0']]
        again = s.upload('name=x', b'{"traceEvents": []}')
        assert again > 7 and s.ended(again)['state'] == 'failed', again


if __name__ == '__main__':
    sys.exit(play(globals()))
