#!/usr/bin/python3
"""captures.py - a trace is sent with the graph captures of a folder as one upload."""
import gzip
import os
import sys
import tempfile

from harness import SRC, Server, equal, ids, play, says, upload

sys.path.append(f'{SRC}/tests/gen')
import captured_graphs as made  # noqa: E402


def written(folder, *files):
    """Writes (name, bytes) to the folder; returns the first path."""
    for name, body in files:
        path = f'{folder}/{name}'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(body)
    return f'{folder}/{files[0][0]}'


def sizes(s, run):
    items = s.get(f'/api/v1/runs/{run}/operators/gemm/shapes')['items']
    return sorted((i['sizes']['m'], i['sizes']['n'], i['sizes']['k']) for i in items)


def with_folder(s, d):
    """each trace is sent with all files of the folder, and has the sizes of its rank"""
    first = written(d, ('rank 0.json', made.execution(0)), *made.folder((0, 1)))
    second = written(d, ('rank 1.json.gz', gzip.compress(made.execution(1))))
    written(d, ('capture_traces/.hidden', b'no trace'),
            ('capture_traces/folder/x.json', b'no trace'))
    for more in ((), ('--compress', 'gzip'), ('--compress', 'none')):
        r = upload(s, '--wait', *more, '--project', ''.join(more) or 'zstd',
                   '--graph-captures', f'{d}/capture_traces', first, second)
        equal('errors', [x for x in r.err.splitlines() if 'kernsift:' in x], [])
        equal('status', r.status, 0)
        for rank, run in enumerate(ids(r.out, 'run')):
            equal('sizes', sizes(s, run), made.shapes(rank))
    uploads = s.get('/api/v1/uploads')['items']
    equal('names', {u['file_name'] for u in uploads}, {'rank 0.json', 'rank 1.json.gz'})


def again(s, d):
    """the same files are one upload, whatever their times; the trace's own folder works"""
    path = written(d, ('again/run.json', made.execution(5)),
                   ('again/capture.json', made.capture(5)))
    r = upload(s, '--wait', '--graph-captures', f'{d}/again', path)
    equal('status', r.status, 0)
    os.utime(f'{d}/again/capture.json', (1, 1))
    more = upload(s, '--wait', '--graph-captures', f'{d}/again', path)
    equal('same run', ids(more.out, 'run'), ids(r.out, 'run'))
    says('already', more.err, '.*already uploaded.*')
    equal('sizes', sizes(s, *ids(r.out, 'run')), made.shapes(5))


def refused(s, d):
    """a folder that does not exist or has no files; a pipe; a server that says no"""
    path = written(d, ('plain.json', made.execution(0)))
    os.mkdir(f'{d}/empty')
    for status, folder, trace, sentence in (
            (74, f'{d}/nowhere', path, f"cannot open '{d}/nowhere': No such file or directory"),
            (1, f'{d}/empty', path, f"'{d}/empty' has no files; give the folder of the graph "
             'captures'),
            (74, f'{d}/empty', '/dev/null', "'/dev/null' is not a regular file; save the trace to "
             'a file')):
        r = upload(s, '--graph-captures', folder, trace)
        equal('status', r.status, status)
        equal('sentence', r.err, f'kernsift: {sentence}\n')
    r = upload(s, '--graph-captures', d, '--counters', path, path)
    equal('status', r.status, 64)
    equal('both', r.err, 'kernsift: --counters: belongs to a pattern file, which has no graph '
          'captures (give one of --counters and --graph-captures)\n')
    written(d, ('two/other.json', made.execution(1)))
    r = upload(s, '--wait', '--graph-captures', f'{d}/two', path)
    equal('status', r.status, 1)
    says('two', r.err, ".*kernsift: .*plain.json: 'other.json': it can be the execution trace, "
         "but so can 'plain.json'; send each in an upload of its own, with the capture traces "
         'of its rank\n')


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([with_folder, again, refused], s, d)


if __name__ == '__main__':
    main()
