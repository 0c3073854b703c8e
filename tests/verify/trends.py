#!/usr/bin/python3
"""trends.py - computes every point of a trend again from other answers.

Uploads generated traces of one workload: single runs, one of which has names that lag;
a job of two uploads; a job of a single file; and a printed table. Another trace is of
another workload. Then compares /trends, for every metric and stat, with plain Python
over /runs, /runs/{id}/iterations, /kernels, /operators and /notes: which runs and jobs
have a point, in which order, their values, and what is excluded. Repeats this after
deleting a run of a job.
"""
import os
import statistics
import subprocess
import sys

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/api')
GEN = f'{SOURCE}/tests/gen/gen_trace.py'
OF_ITERATIONS = ('mean', 'median', 'min', 'max', 'p90', 'p99')
STATS = {'iteration': OF_ITERATIONS, 'busy': OF_ITERATIONS, 'idle': OF_ITERATIONS,
         'exposed_comm': OF_ITERATIONS, 'operator': ('mean', 'total', 'share'),
         'kernel': (*OF_ITERATIONS, 'total', 'share'), 'coverage': ('share',),
         'headroom': ('share',)}


def made(*options):
    return subprocess.run([GEN, *options, '-'], check=True,
                          stdout=subprocess.PIPE).stdout


def bodies():
    """Yields (query, bytes) of each upload."""
    from talk.bodies import MADE
    for seed in range(3):
        yield (f'label.commit=c{seed // 2}&label.branch=main',
               made('--steps', '6', '--seed', str(seed)))
    yield 'label.commit=c1', made('--steps', '5', '--times', 'gemm=1.5')
    for rank in range(2):
        yield ('job=two&label.commit=c2',
               made('--steps', '4', '--rank', str(rank), '--world', '2'))
    yield 'label.commit=c2', made('--steps', '4', '--ranks', '3')
    yield '', MADE['layers-lagging']()
    with open(f'{SOURCE}/tests/api/data/importance.json', 'rb') as f:
        yield 'label.commit=c3', f.read()
    with open(f'{SOURCE}/tests/api/data/by-grid.csv', 'rb') as f:
        yield '', f.read()


def taken(server, query, body):
    u = server.ended(server.upload(query, body))
    assert u['state'] == 'done', u


def admin(server):
    token = subprocess.run(
        [running.BIN, 'token', '--data', server.data, '--scope', 'admin',
         '--name', 'x'], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {'Authorization': f'Bearer {token.strip()}'}


def all_of(server, path):
    found, cursor = [], None
    while True:
        page = server.get(f'{path}{"&" if "?" in path else "?"}limit=500'
                          f'{"&cursor=" + cursor if cursor else ""}')
        found += page['items']
        cursor = page['next']
        if not cursor:
            return found


def percentile(values, p):
    v = sorted(values)
    at = (len(v) - 1) * p / 100
    low = int(at)
    return v[low] + (at - low) * (v[min(low + 1, len(v) - 1)] - v[low])


def stat_of(values, stat):
    if not values:
        return None
    return {'mean': statistics.fmean, 'median': lambda v: percentile(v, 50),
            'min': min, 'max': max, 'p90': lambda v: percentile(v, 90),
            'p99': lambda v: percentile(v, 99)}[stat](values)


class Run:
    """What the other answers return for a run."""

    def __init__(self, server, row):
        self.row = row
        at = f'/runs/{row["id"]}'
        self.iterations = all_of(server, f'{at}/iterations')
        self.kept = [c for c in self.iterations if c['use'] == 'kept']
        self.kernels = all_of(server, f'{at}/kernels')
        self.operators = server.get(f'{at}/operators')
        self.lags = any(n['code'] == 'names_lag'
                        for n in server.get(f'{at}/notes')['items'])

    def time_of(self, metric, of):
        lines = [o['total_ns'] for o in self.operators['items']
                 if o['operator'] == of] if metric == 'operator' else \
            [k['total_ns'] for k in self.kernels if k['name'] == of]
        return sum(lines)

    def of_iterations(self, metric, stat):
        known = [c for c in self.kept if c['idle_ns'] is not None]
        if metric == 'iteration':
            values = [c['dur_ns'] for c in self.kept]
        elif metric == 'busy':
            values = [c['dur_ns'] - c['idle_ns'] for c in known]
        else:
            values = [c['idle_ns' if metric == 'idle' else 'comm_ns']
                      for c in known]
        return stat_of(values, stat)

    def of_kernel(self, stat, of):
        lines = [k for k in self.kernels if k['name'] == of]
        if stat == 'mean':
            return sum(k['total_ns'] for k in lines) / \
                sum(k['instances'] for k in lines) if lines else None
        if stat in ('min', 'max'):
            values = [k[f'{stat}_ns'] for k in lines]
            return (min if stat == 'min' else max)(values) if values else None
        return lines[0][f'{stat}_ns'] if len(lines) == 1 else None

    def value(self, metric, stat, of):
        if metric in ('iteration', 'busy', 'idle'):
            return self.of_iterations(metric, stat)
        if self.lags:
            return None
        if metric == 'exposed_comm':
            return self.of_iterations(metric, stat)
        gpu = self.operators['gpu_ns']
        if metric in ('coverage', 'headroom'):
            pct = self.operators['attributed_pct' if metric == 'coverage'
                                 else 'headroom_pct']
            return None if not gpu or pct is None else pct / 100
        if metric == 'kernel' and stat not in ('total', 'share'):
            return self.of_kernel(stat, of)
        by = {'total': 1, 'share': gpu, 'mean': len(self.iterations)}[stat]
        return self.time_of(metric, of) / by if by and gpu is not None else None


def units(runs):
    """Returns the points' runs and jobs as [(time, runs by rank)], oldest first."""
    jobs = {}
    for r in runs:
        job = r.row['job_id']
        jobs.setdefault(('job', job) if job else ('run', r.row['id']),
                        []).append(r)

    def first(r):
        rank = r.row['rank']
        return (rank is None, rank, r.row['id'])
    found = [(min(r.row['created_at'] for r in rows), sorted(rows, key=first))
             for rows in jobs.values()]
    return sorted(found, key=lambda u: (u[0], u[1][0].row['id']))


def hold(server, runs, metric, stat, of, narrow=''):
    """Compares a series and returns its number of points; a difference ends the
    program."""
    want, left = [], 0
    for _, rows in units(runs):
        values = [r.value(metric, stat, of) for r in rows]
        known = [v for v in values if v is not None]
        left += len(values) - len(known)
        if known:
            want.append((rows[0].row['id'], statistics.fmean(known),
                         rows[0].row['labels'].get('commit')))
    got = server.get(f'/trends?project=p&workload=w&metric={metric}&stat={stat}'
                     + (f'&of={of}' if of else '') + narrow)
    points = got['points']
    what = f'{metric} {stat} {of}{narrow}'
    assert points['run'] == [w[0] for w in want], (what, points, want)
    assert points['group'] == [w[2] for w in want], (what, points, want)
    assert got['excluded'] == left, (what, got['excluded'], left)
    assert got['n'] == len(want) and not got['more'], what
    near = 1e-6 if stat == 'share' else 0.11
    for v, (run, w, _) in zip(points['value'], want):
        assert abs(v - w) <= near, f'{what} of run {run}: {v}, not {w}'
    return len(want)


def hold_all(server):
    runs = [Run(server, r) for r in
            all_of(server, '/runs?project=p&workload=w')]
    names = {'operator': sorted({o['operator'] for r in runs
                                 for o in r.operators['items']
                                 if o['operator']}),
             'kernel': sorted({k['name'] for r in runs for k in r.kernels
                               if k['name'].isidentifier()})}
    series = points = 0
    for metric, stats in STATS.items():
        for stat in stats:
            for of in names.get(metric, [None]):
                points += hold(server, runs, metric, stat, of)
                series += 1
    moment = sorted(r.row['created_at'] for r in runs)[4]
    late = [r for at, rows in units(runs) if at >= moment for r in rows]
    early = [r for at, rows in units(runs) if at < moment for r in rows]
    points += hold(server, late, 'busy', 'mean', None, f'&since={moment}')
    points += hold(server, early, 'busy', 'mean', None, f'&until={moment}')
    points += hold(server, [r for r in runs
                            if r.row['labels'].get('commit') == 'c1'],
                   'coverage', 'share', None, '&label.commit=c1')
    return series + 3, points, runs


def main():
    running.skip_without_postgres()
    with running.Server(['--workers', '1']) as server:
        for query, body in bodies():
            taken(server, f'project=p&workload=w&{query}', body)
        taken(server, 'project=p&workload=other', made('--steps', '3'))
        series, points, runs = hold_all(server)
        assert any(r.lags for r in runs), 'no run has names that lag'
        assert any(r.operators['headroom_pct'] for r in runs), 'no headroom'
        gone = next(r for r in runs if r.row['rank'] == 0 and r.row['job_id'])
        status, _, answer = server.ask(
            'DELETE', f'/runs/{gone.row["id"]}', headers=admin(server))
        assert status == 204, answer
        again, more, left = hold_all(server)
        assert len(left) == len(runs) - 1
        print(f'{len(runs)} runs: {series + again} series of '
              f'{points + more} points are as worked out again')


if __name__ == '__main__':
    sys.exit(main())
