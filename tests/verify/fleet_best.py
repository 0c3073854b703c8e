#!/usr/bin/python3
"""fleet_best.py - computes fleet-best and reachable headroom again from other answers.

Uploads generated runs (tests/gen/efficiency.py) of two projects on two devices, with
operators, dtypes and sizes at random, some with S > 1. Then computes in plain Python, from
each run's shapes (calls, time, T_SOL, FLOP, bytes), for each platform, operator, dtype, regime
and size class the 95th percentile of S over calls, and the reachable headroom of shapes, of
operators, of runs and of the fleet, and the headroom of the shapes of the fleet. Compares them
with the answers: for all projects, for the reader of one project, and again after runs were
deleted. The shapes of an operator must add up to it, and each must be on exactly one page.
"""
import collections
import math
import os
import random
import subprocess
import sys

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/gen')
RUNS = 18  # a value is computed again when one in 20 of its runs came or went
DEVICES = ['NVIDIA H20', 'NVIDIA A100-SXM4-80GB']
SIZES = {'gemm': [(1024, 2048, 512), (1536, 2048, 512), (2048, 2048, 1024), (16, 4096, 4096)],
         'elementwise': [(4096, 4096), (4096, 4095), (512, 4096)],
         'softmax': [(4096, 4096), (2048, 2048)]}
SHORTEST_US = {'gemm': 12, 'elementwise': 30, 'softmax': 30}


def made(dice, number):
    """Returns a run's calls. Their efficiency differs between runs."""
    from efficiency import made_efficiency
    calls = []
    for operator, sizes in SIZES.items():
        for size in sizes:
            for dtype in ['bf16', 'fp32']:
                if dice.random() < 0.3:
                    continue
                us = SHORTEST_US[operator] * dice.uniform(1, 6)
                calls += [(operator, dtype, size, round(us * dice.uniform(1, 1.2), 3))
                          for _ in range(dice.randrange(1, 6))]
    return made_efficiency(calls, DEVICES[number % 6 == 5])


def admin(server, *options):
    token = subprocess.run(
        [running.BIN, 'token', '--data', server.data, '--scope', 'admin', '--name', 'x', *options],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return {'Authorization': f'Bearer {token.strip()}'}


class Reader:
    def __init__(self, server, headers):
        self.server, self.headers = server, headers

    def get(self, path):
        import json
        status, _, body = self.server.ask('GET', path, headers=self.headers)
        assert status == 200, f'GET {path}: {status} {body!r}'
        return json.loads(body)

    def runs(self):
        """Returns the runs by id, each with its operators and their shapes."""
        found = {}
        for row in self.get('/runs?limit=100')['items']:
            at = f'/runs/{row["id"]}/operators'
            doc = self.get(at)
            names = sorted({o['operator'] for o in doc['items'] if o['operator']})
            found[row['id']] = {
                'document': doc, 'gpu_ns': doc['gpu_ns'], 'hours': self.get(f'/uploads/{row["upload"]}')['gpu_hours'],
                'shapes': [{**s, 'operator': n, 'platform': doc['platform']} for n in names
                           for s in self.get(f'{at}/{n}/shapes?limit=1000')['items']]}
        return found


def class_of(shape):
    """Returns what a fleet-best is of; None without a roofline bound."""
    if shape['s'] is None or shape['regime'] is None:
        return None
    work = sum(int(n) for n in shape['flops'].values()) if shape['regime'] == 'compute' \
        else shape['read_bytes'] + shape['write_bytes']
    power = work.bit_length() - 1
    assert shape['size_class'] == power, shape
    return (shape['platform'], shape['operator'], shape['dtype'], shape['regime'], power)


def bests_of(runs):
    """Returns {class: (S, run)}."""
    calls = collections.defaultdict(list)
    for run, is_ in runs.items():
        for s in is_['shapes']:
            if class_of(s) and s['sol_ns'] <= s['mean_ns']:
                calls[class_of(s)] += [(s['sol_ns'] / s['mean_ns'], run)] * s['calls']
    found = {}
    for key, values in calls.items():
        values.sort()
        if len(values) >= 20 and len({run for _, run in values}) >= 5:
            # the smallest value that at least 95 % of the calls do not exceed
            found[key] = values[-(-95 * len(values) // 100) - 1]
    return found


def share(s, best):
    return 1 - s / best if s < best else 0


def near(got, want, what):
    if want is None or got is None:
        assert got is want, (what, got, want)
    else:
        assert math.isclose(got, want, rel_tol=1e-11, abs_tol=1e-15), (what, got, want)


def check_run(run, is_, bests):
    by_row = collections.defaultdict(list)
    for s in is_['shapes']:
        best = bests.get(class_of(s))
        what = (run, s['operator'], s['shape'], s['dtype'])
        near(s['best_efficiency'], best and best[0], what)
        assert s['best_run'] == (best and best[1]), (what, s['best_run'], best)
        exact, ns = s['total_ns'] * share(s['s'], best[0]) if best else None, s['reachable_headroom_ns']
        # rounded; halves are common, because times are whole ns
        assert (ns is None) == (exact is None), (what, ns, exact)
        assert best is None or abs(ns - exact) < 0.5 + 1e-6, (what, ns, exact)
        if best:
            by_row[s['operator'], s['dtype'], s['phase']].append((ns, s['total_ns'], best))
    known = reachable = 0
    for o in is_['document']['items']:
        row = by_row[o['operator'], o['dtype'], o['phase']]
        ns = sum(r[0] for r in row) if row else None
        assert o['reachable_headroom_ns'] == ns, (run, o['operator'], o['reachable_headroom_ns'], ns)
        assert o['reachable_known_ns'] == sum(r[1] for r in row), (run, o)
        near(o['best_efficiency'], max(row)[2][0] if row else None, (run, o['operator']))
        near(o['reachable_headroom_pct'], 100 * ns / is_['gpu_ns'] if row else None, run)
        known += sum(r[1] for r in row)
        reachable += ns or 0
    near(is_['document']['reachable_headroom_pct'],
         100 * reachable / is_['gpu_ns'] if known else None, run)
    near(is_['document']['reachable_known_pct'], 100 * known / is_['gpu_ns'], run)


def check_fleet(fleet, runs, bests):
    """The ranking has the shapes of all runs together."""
    groups = collections.defaultdict(lambda: [0, 0, 0])
    whole = sum(r['hours'] * r['gpu_ns'] for r in runs.values())
    for r in runs.values():
        for s in r['shapes']:
            if class_of(s):
                g = groups[class_of(s), s['shape'], s['phase']]
                g[0] += s['sol_ns'] * s['calls']
                g[1] += s['total_ns']
                g[2] += r['hours'] * s['total_ns']
    want = collections.defaultdict(lambda: None)
    for (key, _, _), (sol, time, weighted) in groups.items():
        if key in bests:
            want[key[1]] = (want[key[1]] or 0) + \
                weighted * share(sol / time, bests[key][0]) / whole
    for row in fleet['items']:
        got, is_ = row['reachable_headroom'], want[row['operator']]
        # T_SOL is summed in whole picoseconds
        assert (got is None) == (is_ is None), (row['operator'], got, is_)
        assert is_ is None or abs(got - is_) < 1e-6, (row['operator'], got, is_)
    got = fleet['reachable_headroom']
    assert abs(got - sum(v for v in want.values() if v)) < 1e-6, got


def pages(reader, at, limit):
    """Returns the items of all pages."""
    items, cursor = [], ''
    while True:
        doc = reader.get(f'{at}&limit={limit}{cursor}')
        items += doc['items']
        assert len(doc['items']) == limit or doc['next'] is None, at
        if doc['next'] is None:
            assert len(items) == doc['items_count'], (at, len(items))
            return items
        cursor = f'&cursor={doc["next"]}'


def check_shapes_order(reader, at, everything):
    for key, value in (('headroom', 'headroom_hours'), ('calls', 'calls'), ('time', 'share')):
        for sign in ('', '-'):
            got = pages(reader, f'{at}?sort={sign}{key}', 2)
            known = [s[value] for s in got if s[value] is not None]
            assert [s[value] for s in got[:len(known)]] == known, 'unknown values are last'
            assert known == sorted(known, reverse=not sign), (at, key, known)
            ids = sorted((s['shape_id'], s['platform'], s['dtype']) for s in got)
            assert ids == sorted((s['shape_id'], s['platform'], s['dtype']) for s in everything)
    for q in ('fp32', 'H20', '4096', 'M=1024 bf16', 'a100 fp32'):
        want = [s for s in everything if all(
            any(w.lower() in text.lower() for text in (s['shape'], s['dtype'], s['platform']))
            for w in q.split())]
        got = pages(reader, f'{at}?q={q.replace(" ", "%20")}', 3)
        # a row has T_SOL on all platforms of its page
        assert [{**s, 't_sol_us': 0} for s in got] == [{**s, 't_sol_us': 0} for s in want], \
            (at, q, len(got), len(want))


def check_shapes(reader, fleet, runs, bests):
    """Each shape's headroom in GPU-hours, from the runs; and the sums over shapes."""
    whole = sum(r['hours'] * r['gpu_ns'] for r in runs.values())
    hours = sum(r['hours'] for r in runs.values())
    want = collections.defaultdict(float)
    for r in runs.values():
        for s in r['shapes']:
            if s['sol_ns'] is not None and s['sol_ns'] <= s['mean_ns']:
                # all calls are longer than the launch floor
                want[s['operator'], s['platform'], s['dtype'], s['shape']] += \
                    r['hours'] * (s['total_ns'] - s['sol_ns'] * s['calls']) / whole * hours
    # a run has the headroom of a shape in whole ns
    rounded = hours * hours / whole
    for row in fleet['items']:
        if row['operator'] is None:
            continue
        at = f'/importance/{row["operator"]}/shapes'
        items = pages(reader, f'{at}?sort=time', 5000)
        for s in items:
            exact = want[row['operator'], s['platform'], s['dtype'], s['shape']]
            got = s['headroom_hours']
            assert (got is None) == (s['s'] is None), s
            assert got is None or abs(got - exact) <= rounded, (s['shape'], got, exact)
        for name in ('headroom_hours', 'reachable_headroom_hours'):
            known = [s[name] for s in items if s[name] is not None]
            if row[name] is None:
                assert not known, (row['operator'], name, known)
            else:
                near(row[name], math.fsum(known), (row['operator'], name))
        if row['headroom'] is not None:
            near(row['headroom_hours'], row['headroom'] * fleet['hours'], row['operator'])
        assert math.isclose(math.fsum(s['share'] for s in items), 1, rel_tol=1e-9), row['operator']
        check_shapes_order(reader, at, items)


def check(reader, everything):
    runs = reader.runs()
    bests = bests_of(runs)
    for run, is_ in runs.items():
        check_run(run, is_, bests)
    fleet = reader.get('/importance')
    check_fleet(fleet, runs, bests)
    check_shapes(reader, fleet, runs, bests)
    assert bests or not everything
    return len(runs), len(bests), sum(len(r['shapes']) for r in runs.values())


def settled(server):
    """Waits until all runs are in the sums and every fleet-best is computed."""
    sql = ('SELECT NOT EXISTS (SELECT FROM rollup_delta) AND NOT EXISTS '
           '(SELECT FROM fleet_best_source WHERE changes > 0)')
    running.until('fleet-bests', lambda: subprocess.run(
        [*server.psql(), '-c', sql], check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.strip() == 't')


def main():
    running.skip_without_postgres()
    dice = random.Random(14)
    with running.Server(['--workers', '2']) as server:
        uploads = [server.upload(f'project={"pq"[n % 3 == 2]}&workload=w&gpu_hours={1 + n % 2}',
                                 made(dice, n)) for n in range(RUNS)]
        for u in uploads:
            assert server.ended(u)['state'] == 'done', u
        boss = Reader(server, admin(server))
        project = Reader(server, admin(server, '--project', 'p'))
        settled(server)
        print('%d runs, %d fleet-bests, %d shapes' % check(boss, True))
        print('project p: %d runs, %d fleet-bests, %d shapes' % check(project, True))
        for run in sorted(boss.runs())[:4]:
            status, _, body = server.ask('DELETE', f'/runs/{run}', headers=boss.headers)
            assert status == 204, body
        settled(server)
        print('after deletions: %d runs, %d fleet-bests, %d shapes' % check(boss, True))


if __name__ == '__main__':
    main()
