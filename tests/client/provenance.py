#!/usr/bin/python3
"""provenance.py - a trace and its provenance files are sent as one upload."""
import os
import sys
import tempfile

from harness import Server, equal, ids, play, upload

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from compiled import made_compiled, made_provenance  # noqa: E402

ORIGINS = {'triton_poi_fused_add_gelu_2': ['add', 'erf', 'mul'],
           'triton_poi_fused_add_gelu_7': ['add', 'erf', 'mul']}


def file(d, name, data):
    path = os.path.join(d, name)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def trace(d):
    return file(d, 'a "trace".json', made_compiled('moved'))


def arrives(s, d):
    """one file or several, with each compression"""
    mappings = file(d, 'mappings.json', made_provenance('moved'))
    stacks = file(d, 'stacks.json', made_provenance('moved', layout='stacks'))
    for options in (['--compress', 'zstd'], ['--compress', 'gzip'], ['--compress', 'none']):
        r = upload(s, '--wait', *options, '--provenance', mappings, '--provenance', stacks,
                   trace(d))
        equal('status', (r.status, r.err if r.status else ''), (0, ''))
        (run,) = ids(r.out, 'run')
        kernels = s.get(f'/api/v1/runs/{run}/kernels')['items']
        equal('origins', {k['name']: k['origins'] for k in kernels if k['origins']}, ORIGINS)
    upload_id = s.get(f'/api/v1/runs/{run}')['upload']
    equal('file', s.get(f'/api/v1/uploads/{upload_id}')['file_name'], 'a "trace".json')


def again(s, d):
    """the same files are the same upload, another file is another upload"""
    mappings = file(d, 'mappings.json', made_provenance('moved'))
    information = file(d, 'information.json',
                       made_provenance('moved', layout='information'))
    first = upload(s, '--wait', '--provenance', mappings, trace(d))
    same = upload(s, '--wait', '--provenance', mappings, trace(d))
    other = upload(s, '--wait', '--provenance', information, trace(d))
    equal('statuses', [first.status, same.status, other.status], [0, 0, 0])
    equal('same', ids(same.out, 'run'), ids(first.out, 'run'))
    equal('other', ids(other.out, 'run') == ids(first.out, 'run'), False)


def refused(s, d):
    """two traces, a missing file, a damaged file, a file of another compilation"""
    path = trace(d)
    mappings = file(d, 'mappings.json', made_provenance('moved'))
    r = upload(s, '--provenance', mappings, path, path)
    equal('two', (r.status, r.err), (64, 'kernsift: --provenance: belongs to one trace, and 2 '
                                     'files are given (send them one by one)\n'))
    r = upload(s, '--provenance', os.path.join(d, 'none.json'), path)
    equal('missing', (r.status, r.err), (74, f"kernsift: cannot open '{d}/none.json': No such "
                                         "file or directory\n"))
    r = upload(s, '--provenance', file(d, 'damaged.json', b'{"a": 1}'), path)
    equal('damaged', (r.status, r.err), (1, (
        f"kernsift: {path}: provenance file 'damaged.json': 'a' is neither a list nor an object "
        '(this is not a provenance file of TorchInductor)\n')))
    r = upload(s, '--wait', '--provenance',
               file(d, 'other.json', made_provenance('moved', 'again')), path)
    equal('other', (r.status, r.err.splitlines()[-1]), (1, (
        f'kernsift: {path}: the provenance file is of another compilation: it names 0 of the 2 '
        'kernels that TorchInductor generated for this trace, and at least half are needed; '
        'send the file of this compilation')))


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([arrives, again, refused], s, d)


if __name__ == '__main__':
    main()
