#!/usr/bin/python3
"""sets.py - published catalogs become reference sets; other files are rejected."""
import gzip
import json
import os
import tempfile

from harness import Server, equal, kernsift, play, says, trace, upload

SHAPE = {'id': 0, 'description': 'one row', 'input_kwargs': {'token_count': 1},
         'call_count': 3, 'W_flops': {'bf16': 4000}, 'Q_read_bytes': 8000,
         'Q_write_bytes': 2000, 'T_sol_ms': {'XPU-A': 0.002},
         'production_performance': {'XPU-A': {'framework': 'made', 'performance_us': 8.0}}}


def catalog(d, name, **more):
    doc = {'source': 'made up for this case', 'num_profiles': 7,
           'platforms': {'XPU-A': {'p_peak_flops': {'bf16': 1e12},
                                   'b_peak_bytes_per_s': 5e9}},
           'operators': [{'name': 'rms_norm', 'id': 'made_001', 'dtype': 'bf16',
                          'phase': 'both', 'importance_score': 0.25,
                          'num_profiles': 5, 'shapes': [SHAPE, {**SHAPE, 'id': 1}]}],
           **more}
    path = f'{d}/{name}'
    with open(path, 'w') as f:
        json.dump(doc, f)
    return path


def named(s, d):
    """a catalog becomes a set, named after its file or by an option; repeats are
    reported"""
    path = catalog(d, 'made-up.json')
    line = '{0}: 1 operators, 2 shapes, ' + s.url + '/importance?reference_set={1}\n'
    r = kernsift('import', path, server=s)
    equal('by its file', (r.status, r.out, r.err),
          (0, 'set ' + line.format('made-up', 'made-up'), ''))
    r = kernsift('import', path, server=s)
    equal('again', (r.status, r.err), (0, f'{path}: already exists\n'))
    r = kernsift('import', '--name', 'ours', path, server=s)
    equal('by us', (r.status, r.out), (0, 'set ' + line.format('ours', 'ours')))
    equal('sets', sorted(x['name'] for x in s.get('/api/v1/reference-sets')['items']),
          ['made-up', 'ours'])


def refused(s, d):
    """another document under the same name, and files that are no catalog: status 1"""
    other = catalog(d, 'other.json', num_profiles=8)
    r = kernsift('import', '--name', 'ours', other, server=s)
    equal('other', (r.status, r.out), (1, ''))
    says('other', r.err, rf"kernsift: {other}: .*'ours'.*\n")
    r = kernsift('import', '--name', 'a b', other, server=s)
    equal('name', (r.status, r.out, r.err), (1, '', (
        f"kernsift: {other}: name: 'a b' is not 1 to 100 letters, digits and "
        '_ . : + -\n')))
    bad = trace(d, 'trace.json', '--steps', '1')
    good = catalog(d, 'good.json')
    r = kernsift('import', bad, f'{d}/missing', good, server=s)
    equal('the other files are sent', r.status, 1)
    says('set', r.out, r'set good: 1 operators, 2 shapes, \S+\n')
    lines = r.err.splitlines()
    says('trace', lines[0], rf'kernsift: {bad}: .+')
    equal('missing', lines[1],
          f"kernsift: cannot open '{d}/missing': No such file or directory")


def packed(s, d):
    """a compressed catalog is not sent: the user must decompress it first"""
    path = catalog(d, 'packed.json')
    with open(path, 'rb') as f:
        plain = f.read()
    for name, magic in (('packed.json.gz', gzip.compress(plain)),
                        ('odd.json.zst', b'\x28\xb5\x2f\xfd' + plain)):
        with open(f'{d}/{name}', 'wb') as f:
            f.write(magic)
        r = kernsift('import', f'{d}/{name}', server=s)
        equal(name, (r.status, r.out, r.err),
              (1, '', f'kernsift: {d}/{name}: is compressed; decompress it first\n'))


def as_upload(s, d):
    """a catalog uploaded as a trace: the error names the right command"""
    r = upload(s, catalog(d, 'astray.json'))
    equal('status', r.status, 1)
    says('sentence', r.err, r'kernsift: .*kernsift import.*\n')


def options(_s, d):
    """errors of the command line, and a server that is down"""
    path = catalog(d, 'x.json')
    for argv, sentence in (
            ((), "'kernsift import' needs FILE... (see 'kernsift import --help')"),
            (('--name', 'a', path, path), '--name: names one reference set, and 2 files are '
                                          'given (send them one by one)'),
            (('--wait', path), "'--wait' is an option of other commands, not of "
                               "'kernsift import' (see 'kernsift import --help')")):
        r = kernsift('import', *argv)
        equal(argv, (r.status, r.out, r.err), (64, '', f'kernsift: {sentence}\n'))
    r = kernsift('import', '--server', 'http://127.0.0.1:9', '--retries', '0', path)
    equal('away', (r.status, r.out), (69, ''))
    says('away', r.err, rf"kernsift: {path}: cannot reach 'http://127\.0\.0\.1:9': .*\n")


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        with Server() as s:
            play([named, refused, packed, as_upload, options], s, d)


if __name__ == '__main__':
    main()
