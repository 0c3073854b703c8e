#!/usr/bin/python3
"""uploads.py - what is sent, what is printed, and what the server stores."""
import gzip
import os
import subprocess
import tempfile

from harness import Server, equal, ids, play, says, trace, upload

LINE = r'upload (\d+) (queued|working|done) {}/api/v1/uploads/\1\n'


def one_file(s, d):
    """a plain file: one line on stdout, one on stderr, done in the end"""
    path = trace(d, 'plain.json')
    r = upload(s, path)
    equal('status', r.status, 0)
    says('stdout', r.out, LINE.format(s.url))
    says('stderr', r.err, rf'{path}: \S+ KiB sent as \S+ KiB, upload \d+ '
                          r'(queued|working|done)\n')
    id_ = ids(r.out, 'upload')[0]
    r = upload(s, '--wait', path)
    equal('status', r.status, 0)
    runs = s.get(f'/api/v1/uploads/{id_}')['runs']
    equal('one run', len(runs), 1)
    equal('stdout', r.out, f'run {runs[0]} {s.url}/runs/{runs[0]}\n')
    equal('launches', s.get(f'/api/v1/runs/{runs[0]}')['launches'], 104)


def ranks(s, d):
    """three ranks in one file: a line for each run"""
    path = trace(d, 'ranks.json.gz', '--ranks', '3', '--steps', '1')
    r = upload(s, '--wait', path)
    equal('status', r.status, 0)
    equal('runs', len(ids(r.out, 'run')), 3)


def same_again(s, d):
    """the same plain bytes as a file, again, and from a pipe: one upload"""
    path = trace(d, 'same.json', '--seed', '11')
    with open(path, 'rb') as f:
        text = f.read()
    first = ids(upload(s, path).out, 'upload')
    again = upload(s, path)
    equal('file again', ids(again.out, 'upload'), first)
    says('stderr', again.err, r'.* \(already uploaded\)\n')
    piped = upload(s, '-', stdin=text)
    equal('pipe', ids(piped.out, 'upload'), first)
    says('stderr', piped.err, r'standard input: .*')
    packed = ids(upload(s, '--compress', 'gzip', path).out, 'upload')
    equal('gzip twice', ids(upload(s, '--compress', 'gzip', path).out,
                            'upload'), packed)
    plain = ids(upload(s, '--compress', 'none', path).out, 'upload')
    equal('three packings', len({*first, *packed, *plain}), 3)
    u = s.get(f'/api/v1/uploads/{plain[0]}')
    equal('bytes as they are', u['bytes'], len(text))


def packed_already(s, d):
    """a compressed file is sent as it is"""
    for name in ('packed.json.gz', 'packed.json.zst'):
        path = trace(d, name, '--seed', '12')
        id_ = ids(upload(s, path).out, 'upload')[0]
        u = s.get(f'/api/v1/uploads/{id_}')
        equal('bytes', u['bytes'], os.path.getsize(path))
        equal('file name', u['file_name'], name)


def words(s, d):
    """every argument arrives as typed, however unusual"""
    path = trace(d, 'a b&c=ü%.json', '--steps', '1', '--seed', '13')
    r = upload(s, '--project', 'p/q r', '--workload', 'w&x=1', '--name',
               'n#%41', '--job', 'j?ü', '--label', 'branch=main=2', '--label',
               'k.e y=', '--gpu-hours', '1.5', path)
    equal('status', r.status, 0)
    u = s.get(f"/api/v1/uploads/{ids(r.out, 'upload')[0]}")
    got = {k: u[k] for k in ('project', 'workload', 'name', 'job', 'labels',
                             'gpu_hours', 'file_name')}
    equal('upload', got, {
        'project': 'p/q r', 'workload': 'w&x=1', 'name': 'n#%41', 'job': 'j?ü',
        'labels': {'branch': 'main=2', 'k.e y': ''}, 'gpu_hours': 1.5,
        'file_name': 'a b&c=ü%.json'})


def some_fail(s, d):
    """continues after a directory, a missing, an empty and a strange file"""
    good = trace(d, 'good.json', '--seed', '14')
    empty, png = f'{d}/empty', f'{d}/shot.png'
    open(empty, 'w').close()
    with open(png, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + bytes(100))
    r = upload(s, '--wait', d, f'{d}/missing', empty, png, good)
    equal('status', r.status, 74)
    equal('runs', len(ids(r.out, 'run')), 1)
    failures = [x for x in r.err.splitlines() if x.startswith('kernsift: ')]
    equal('sentences', failures, [
        f"kernsift: '{d}' is a directory; name the files in it",
        f"kernsift: cannot open '{d}/missing': No such file or directory",
        f"kernsift: '{empty}' is empty",
        f'kernsift: {png}: this is a PNG image; upload the trace it was made '
        'from'])


def fails_later(s, d):
    """a file that the server accepts but cannot use: its message, status 1"""
    path = f'{d}/nothing.json.gz'
    with gzip.open(path, 'wb') as f:
        f.write(b'{"schemaVersion": 1, "traceEvents": [')
    r = upload(s, '--wait', path)
    equal('status', r.status, 1)
    equal('stdout', r.out, '')
    u = s.get('/api/v1/uploads?state=failed&limit=1')['items'][0]
    says('stderr', r.err, '.*\n' + 'kernsift: ' + f"{path}: {u['error']}\n")
    r = upload(s, path)
    equal('not waited for', r.status, 0)


def closed_stdout(s, d):
    """results that cannot be written (a full device) are a failure"""
    path = trace(d, 'full.json', '--seed', '15')
    with open('/dev/full', 'w') as full:
        from harness import BIN, CLEAN
        status = subprocess.run([f'{BIN}/kernsift', 'upload', '--server', s.url,
                                 path], stdout=full, env=CLEAN,
                                stderr=subprocess.DEVNULL).returncode
    equal('status', status, 74)


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([one_file, ranks, same_again, packed_already, words, some_fail,
              fails_later, closed_stdout], s, d)


if __name__ == '__main__':
    main()
