#!/usr/bin/python3
"""old_backup.py - restores backups of older releases; their numbers must not change.

    old_backup.py [CASE]...
    old_backup.py make KERNSIFTD FILE

data/schema-N.backup was written with `make` by a release whose last migration was N.
After the restore, each of its uploads is uploaded again. The new run must have the
numbers of the restored run, except those that depend on the catalog. After `rebuild`,
the restored runs also have these, and the numbers that later releases added. Then the
new run must be a repeat of the restored run: only runs that one version analyzed are
repeats of each other.
"""
import glob
import json
import os
import sys

import running
from commands import Place, play, run

HERE = os.path.dirname(os.path.abspath(__file__))
BACKUPS = sorted(glob.glob(f'{HERE}/data/schema-*.backup'))

# Answers about a run that depend only on the bytes of its upload.
ANSWERS = ['kernels', 'kernels?by=grid', 'copies', 'iterations', 'patterns', 'launches',
           'notes']
# Those that also depend on the catalog, which later releases correct: equal once the run
# is analyzed again.
CATALOG_ANSWERS = ['operators']
# Fields that differ between two uploads of equal bytes.
PASSING = {'id', 'run_id', 'upload_id', 'next'}
# Fields that a later release added: null until the run is analyzed again.
ADDED = {'iqr_ns', 'comm_total_ns', 'comm_overlapped_ns', 'comm_overlapped_pct',
         'mfu', 'hfu', 'mbu', 'utilization_covered', 'recompute_covered', 'utilization_reason',
         'hfu_reason'}
# Fields of a gate that depend on how a release estimates the noise. What was measured
# and the outcome must not change.
ESTIMATES = {'p', 'low_pct', 'high_pct', 'noise_floor', 'runs_needed'}
# Parts of a gate's policy and rules that a later release added: null in the stored gate.
GATE_ADDED = {'anchor_pct', 'unit', 'iteration_change_pct', 'iteration_low_pct',
              'iteration_high_pct', 'alpha', 'earlier_units', 'measures'}
# Findings that a later release added: old runs have no causes of idle time.
GATE_FINDINGS_ADDED = {'idle_causes'}


def patterns(seed):
    """Returns a pattern table: 20 iterations of two functions whose times vary a
    little."""
    rows = ['cycle,pid,hostname,beta_pct,function_name,metric_name,device,func_type,'
            'mu_pct,sigma_pct,duration,interpolation_status,anchor_name,anchor_dur_us,'
            'cycle_start_ts,instances_count,simple_name']
    for i in range(20):
        for name, us in (('gemm', 600), ('norm', 150)):
            took = us + (i * 7 + seed * 3) % 11
            rows.append(f'{i + 1},4711,,{took / 10:.4f},{name},gpu_usage,GPU 0,'
                        f'gpu_compute,50.0000,0.1000,{took:.4f},**,step,1000.0000,'
                        f'{1763013921000000.5 + 1000 * i:.4f},2,{name}')
    return '\n'.join(rows).encode() + b'\n'


def uploads(place):
    """Returns [(parameters, bytes)] of the uploads in every backup, in order."""
    def made(name, *options):
        return running.generate(place.path, name, *options)[0]
    return [
        ('project=p&workload=w&name=a&label.branch=main', made('a', '--steps', '8')),
        ('project=p&workload=w&name=b&label.branch=main',
         made('b', '--steps', '8', '--seed', '7', '--times', 'norm=1.5')),
        ('project=p&workload=given&name=c&label.branch=main', patterns(1)),
        ('project=p&workload=given&name=d&label.branch=main', patterns(2))]


def send(server, place, extra=''):
    """Uploads the runs, in order; `extra` makes uploads of equal bytes new ones."""
    runs = []
    for query, body in uploads(place):
        got = server.ended(server.upload(query + extra, body))
        assert got['state'] == 'done', got
        runs += got['runs']
    return runs


def make(program, path):
    """Writes the backup with another release's program."""
    running.BIN, place = program, Place()
    data = Place().path
    with running.Server(data=data) as s:
        assert send(s, place) == [1, 2, 3, 4]
        status, _, reply = s.ask('POST', '/gates', b'{"base": "1", "head": "2"}')
        assert status == 201, reply
        status, out, err = run('backup', '--data', data, path)
        assert status == 0, err
        print(out, end='')


def plain(value, without):
    if isinstance(value, list):
        return [plain(v, without) for v in value]
    if isinstance(value, dict):
        return {k: plain(v, without) for k, v in value.items() if k not in without}
    return value


def grids(value):
    """Removes the blocks of kernels from the sizes of a signature, which runs have
    only since a later release."""
    for stratum in value.get('strata', []):
        for work in stratum['signature']:
            if work['kind'] == 'grid':
                work['size'] = work['size'].split(' / ')[0]
    return value


def equal(server, fresh, answers, without, since=lambda value: value):
    for old, new in enumerate(fresh, 1):
        for what in answers:
            before = plain(since(server.get(f'/runs/{old}/{what}')), without)
            after = plain(since(server.get(f'/runs/{new}/{what}')), without)
            assert before == after, (old, what, before, after)


def case_numbers_are_equal(place):
    assert BACKUPS
    for path in BACKUPS:
        print(path)
        data = Place().path
        status, out, err = run('restore', '--data', data, path)
        assert status == 0 and out.startswith('restored 4 runs of 4 uploads'), (out, err)
        with running.Server(data=data) as s:
            same_gate(s)
            fresh = send(s, place, '&label.after=upgrade')
            equal(s, fresh, ANSWERS, PASSING | ADDED, grids)
            s.stop()
            assert run('rebuild', '--data', data)[1] == '8 uploads queued\n'
            s.start()
            for upload in range(1, 9):
                assert s.ended(upload)['state'] == 'done', upload
            equal(s, fresh, ANSWERS + CATALOG_ANSWERS, PASSING)
            repeats(s, fresh)


def same_gate(server):
    """Evaluates the stored gate again. The stored one keeps the sentences and the
    estimates of the older release."""
    stored = server.get('/gates/1')
    again = json.loads(server.ask('POST', '/gates', b'{"base": "1", "head": "2"}')[2])
    again['findings'] = [f for f in again['findings'] if f['code'] not in GATE_FINDINGS_ADDED]
    for part in ('outcome', 'policy', 'rules', 'findings', 'base', 'head'):
        before, after = (plain(g[part], {'summary', 'message'} | ESTIMATES | GATE_ADDED)
                         for g in (stored, again))
        assert before == after, (part, before, after)


def repeats(server, fresh):
    """The restored runs must be repeats of the new runs of the same uploads."""
    for first, n in ((0, 1), (2, 2)):
        base, head = fresh[first], fresh[first + 1]
        found = server.get(f'/compare?base={base}&head={head}')
        assert found['repeats'] >= n, (base, head, found['repeats'])


if __name__ == '__main__':
    if sys.argv[1:2] == ['make']:
        make(*sys.argv[2:])
    else:
        sys.exit(play(globals()))
