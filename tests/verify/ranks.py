#!/usr/bin/python3
"""ranks.py - computes the collectives and operators of a job's ranks independently.

Uploads the ranks 0 to 3 of megatron-tp8 as one job, and compares the server's answer
with plain Python over the same files. Collectives are matched by name and order. The
shortest of the matched collectives is transfer; the additional time of the others is
waiting. The clock of the files determines which rank arrives last; durations
determine which rank the others wait for. A second job has eight copies of one rank, of
which one has layer norms that take twice as long. Skipped if the traces are missing.
"""
import gzip
import json
import os
import sys
from collections import defaultdict

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')
RANKS = range(4)


def collectives(body):
    """Returns name → [(start, end)] in order, and the total time of kernels. These
    files have whole microseconds."""
    found, total = defaultdict(list), 0
    for e in json.loads(gzip.decompress(body))['traceEvents']:
        if e.get('cat') != 'kernel':
            continue
        start, dur = int(e['ts']) * 1000, int(e['dur']) * 1000
        total += dur
        if 'nccl' in e['name']:
            found[e['name']].append((start, start + dur))
    return {name: sorted(x) for name, x in found.items()}, total


def job_of(server, name):
    jobs = [j for j in server.get('/jobs')['items'] if j['name'] == name]
    assert len(jobs) == 1, jobs
    return server.get(f'/jobs/{jobs[0]["id"]}')


def hold_totals(job, files):
    """Compares transfer and waiting; returns the sum of the shortest collectives."""
    shortest = {name: [min(f[0][name][k][1] - f[0][name][k][0] for f in files)
                       for k in range(len(rows))]
                for name, rows in files[0][0].items()}
    transfer = sum(sum(x) for x in shortest.values())
    for line, (rows, total) in zip(job['ranks'], files):
        comm = sum(b - a for x in rows.values() for a, b in x)
        want = {'collective_ns': comm, 'transfer_ns': transfer,
                'waiting_ns': comm - transfer, 'compute_ns': total - comm}
        got = {k: line[k] for k in want}
        assert got == want, f'rank {line["rank"]}: {got}, not {want}'
    by_name = {c['function']: c for c in job['collectives']}
    assert set(by_name) == set(shortest)
    for name, c in by_name.items():
        assert c['count'] == len(shortest[name])
        assert c['transfer_ns'] == sum(shortest[name])
        assert c['total_ns'] == [sum(b - a for a, b in f[0][name])
                                 for f in files]
    assert job['unmatched'] == 0
    return transfer


def hold_arrivals(job, files):
    last, late, n = [0] * len(files), [0] * len(files), 0
    for name, rows in files[0][0].items():
        for k in range(len(rows)):
            at = [f[0][name][k][0] for f in files]
            n += 1
            for r, start in enumerate(at):
                late[r] += start - min(at)
                last[r] += (start == max(at)) / at.count(max(at))
    assert job['clocks_agree']
    for r, line in enumerate(job['ranks']):
        assert abs(line['last_share'] - last[r] / n) < 1e-6, line
        assert abs(line['late_ns'] - late[r] / n) < 1, line


def hold_waits(job, files):
    """Compares which rank waits for which, and the headline."""
    n = len(files)
    waits = [[0] * n for _ in files]
    for name, rows in files[0][0].items():
        for k in range(len(rows)):
            took = [f[0][name][k][1] - f[0][name][k][0] for f in files]
            last = [r for r in range(n) if took[r] == min(took)]
            for r in range(n):
                if len(last) == 1:
                    waits[r][last[0]] += took[r] - min(took)
    assert [line['waits_for_ns'] for line in job['ranks']] == waits, waits
    for line in job['ranks']:
        share = line['waiting_ns'] / line['recorded_ns']
        assert abs(line['waiting_share'] - share) < 1e-6, line
    want = ('ranks 1 to 3 wait 37 to 47 % of the recorded time, mostly for rank 0, '
            'among ranks 0 to 3 of 8; no rank computes significantly longer than the '
            'others')
    assert job['headline'] == want, job['headline']
    assert not any(o['slow_runs'] for o in job['operators'])


PLANTED, SLOW = 8, 5


def planted(body):
    """Returns eight ranks that are equal, except that layer norms take twice as long
    on rank 5, and the time of layer norms on the others and on rank 5."""
    out, took = [], [0] * PLANTED
    for r in range(PLANTED):
        doc = json.loads(gzip.decompress(body))
        doc['distributedInfo']['rank'] = r
        for e in doc['traceEvents']:
            if e.get('cat') != 'kernel' or 'LayerNorm' not in e['name']:
                continue
            e['dur'] = int(e['dur']) * (2 if r == SLOW else 1)
            took[r] += e['dur'] * 1000
        out.append(gzip.compress(json.dumps(doc).encode(), 1))
    return out, took


def hold_planted(job, took):
    slow = [o for o in job['operators'] if o['slow_runs']]
    assert [o['operator'] for o in slow] == ['layer_norm'], slow
    assert slow[0]['slow_runs'] == [job['ranks'][SLOW]['run']]
    assert slow[0]['total_ns'] == took, (slow[0], took)
    assert job['headline'].endswith('layer_norm takes 2.00 times the time of the '
                                    'median rank on rank 5'), job['headline']


def main():
    paths = [f'{FOLDER}/megatron-tp8_rank{r}.json.gz' for r in RANKS]
    if not all(os.path.exists(p) for p in paths):
        print(f'skipped: no traces of megatron-tp8 in {FOLDER}')
        return 77
    running.skip_without_postgres()
    bodies = [open(p, 'rb').read() for p in paths]
    files = [collectives(b) for b in bodies]
    with running.Server(['--workers', '2']) as server:
        for r in (2, 0, 3, 1):
            upload = server.upload(f'project=p&job=tp8&name=r{r}', bodies[r])
            assert server.ended(upload)['state'] == 'done'
        job = job_of(server, 'tp8')
        assert [line['rank'] for line in job['ranks']] == list(RANKS)
        transfer = hold_totals(job, files)
        hold_arrivals(job, files)
        hold_waits(job, files)
        copies, layer_norm = planted(bodies[1])
        for body in copies:
            upload = server.upload('project=p&job=planted', body)
            assert server.ended(upload)['state'] == 'done'
        hold_planted(job_of(server, 'planted'), layer_norm)
    took = [round(line['collective_ns'] / 1e6) for line in job['ranks']]
    assert (took[0], took[1], round(transfer / 1e6)) == (241, 481, 188)
    print(f'collectives take {took} ms, of which {transfer / 1e6:.1f} ms is '
          'transfer: all agree')
    return 0


sys.exit(main())
