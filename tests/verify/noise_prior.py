#!/usr/bin/python3
"""noise_prior.py - the prior of noise floors, computed again, and answers that stay.

Uploads runs of two workloads of one project, whose commits differ, and runs of another
project and of another branch. The functions of each run take times of a known
distribution. Then compares two more runs and evaluates a gate, and checks that

* the prior of the answer is that of the earlier runs of both workloads. Its values are
  computed again in another way: ψ and ψ' from their series, the variance of each function
  from its times, and d0 by bisection. The likelihood of the scaled F distribution agrees;
* a comparison of the first two runs has the default prior, and one before which only
  copies were stored, too;
* after more uploads, half of them of much noisier runs of the same workload, the same
  addresses have the same bytes, also for sides that were stored alternately;
* a deleted run changes no stored gate.
"""
import json
import math
import random
import statistics
import subprocess
import sys

from running import BIN, Server, skip_without_postgres

sys.path.append(f'{__file__.rsplit("/", 1)[0]}/../gen')
from compiled import Kernel, made_steps  # noqa: E402

FUNCTIONS, STEPS = 40, 6
NORMAL = statistics.NormalDist()


# Special functions, by recurrence and asymptotic series.

def digamma(x):
    low = 0.0
    while x < 20:
        low -= 1 / x
        x += 1
    y = 1 / (x * x)
    return low + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))


def trigamma(x):
    low = 0.0
    while x < 20:
        low += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    return low + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def df_of(v):
    """Returns d with ψ'(d/2) = v."""
    low, high = 1e-6, 1e9
    for _ in range(200):
        mid = math.sqrt(low * high)
        if trigamma(mid / 2) > v:
            low = mid
        else:
            high = mid
    return low


def variance_of(x):
    """Returns the variance of a series from its neighbors, and its degrees of freedom."""
    halves = sorted((b - a) ** 2 / 2 for a, b in zip(x, x[1:]))
    n = len(halves)
    if n < 3:
        return statistics.fmean(halves), (1, 1.6)[n - 1]
    at = int(0.8 * (n - 1))
    z = NORMAL.inv_cdf((1 + (at + 0.625) / (n + 0.25)) / 2)
    limit = 6.25 * halves[at] / z ** 2
    return statistics.fmean(min(h, limit) for h in halves) / 0.9775, 0.64 * n


def prior_of(groups):
    """Returns s0, d0, the most degrees of freedom and Smyth's d0 of groups of variances."""
    e, chance, shared = [], [], 0
    for group in groups:
        e += [math.log(v) - digamma(d / 2) + math.log(d / 2) for v, d in group]
        chance += [trigamma(d / 2) for _, d in group]
        shared += sum(math.sqrt(trigamma(d / 2)) for _, d in group) ** 2
    spread = statistics.variance(e) - statistics.fmean(chance)
    shared /= len(e) ** 2
    df = max(1, df_of(max(spread, 0) + shared))
    mean = statistics.fmean(e)
    return (math.exp((mean + digamma(df / 2) - math.log(df / 2)) / 2), df, df_of(shared),
            df_of(spread) if spread > 0 else math.inf)


def likely(groups, variance, df):
    """Returns the log likelihood of s² / s0² ~ F(d, d0)."""
    total = 0
    for v, d in (x for g in groups for x in g):
        f = v / variance
        total += (math.lgamma((d + df) / 2) - math.lgamma(d / 2) - math.lgamma(df / 2)
                  + d / 2 * math.log(d * f / df) - (d + df) / 2 * math.log1p(d * f / df))
    return total


def most_likely(groups):
    """Returns s0 and d0 of the largest likelihood on a grid."""
    grid = ((s, d) for s in (0.001 * 1.03 ** i for i in range(160))
            for d in (1.1 ** k for k in range(1, 60)))
    return max(grid, key=lambda x: likely(groups, x[0] ** 2, x[1]))


# Runs.

class Runs:
    """Uploads runs and knows the times of their functions."""

    def __init__(self, server):
        self.server, self.dice, self.logs, self.n = server, random.Random(15), {}, 0
        # The deviation of each function: s0² = 0.004², d0 = 8.
        self.sd = [0.004 * math.sqrt(8 / sum(self.dice.gauss(0, 1) ** 2 for _ in range(8)))
                   for _ in range(FUNCTIONS)]

    def add(self, query, noise=1.0, sizes=1):
        """Returns the id of a new run."""
        launches, logs = [], {}
        for i in range(FUNCTIONS):
            us = round((20 + 7 * i) * sizes * math.exp(self.dice.gauss(0, noise * self.sd[i])), 3)
            launches.append((Kernel(f'k{i}', f'function{i}', us, 8), f'function{i}', us))
            logs[f'function{i}'] = math.log(us)
        self.n += 1
        body = made_steps(launches, 20_000, 0, STEPS, self.n)
        upload = self.server.ended(self.server.upload(f'{query}&name=r{self.n}', body))
        assert upload['state'] == 'done', upload
        run = self.server.get(f'/runs?upload={upload["id"]}')['items'][0]['id'] \
            if 'runs' not in upload else upload['runs'][0]
        self.logs[run] = logs
        return run

    def group(self, runs):
        return [variance_of([self.logs[r][name] for r in runs])
                for name in self.logs[runs[0]]]


def near(what, got, want, within=1e-3):
    assert abs(got - want) <= within * abs(want), f'{what}: {got}, not {want}'


def compared(server, base, head):
    path = f'/compare?base={base}&head={head}'
    return path, server.get(path)


def check_prior(runs, answer, first, other, before):
    p = answer['noise_prior']
    groups = [runs.group(first), runs.group(other)]
    sd, df, most, smyth = prior_of(groups)
    print(f's0 {sd:.5f}, d0 {df:.2f}, at most {most:.2f}, by Smyth {smyth:.2f}')
    assert p['source'] == 'estimated' and p['before_run'] == before, p
    assert p['run_ids'] == first + other and p['runs'] == len(first + other), p
    assert p['variances'] == 2 * FUNCTIONS and answer['repeats'] == len(first), p
    near('s0', p['sd'], sd)
    near('d0', p['df'], df)
    near('most', p['max_df'], most)
    assert answer['noise_floor'] == p['sd']
    # The moments and the likelihood are two estimates of the same: here of 0.004 and 8.
    grid_sd, grid_df = most_likely(groups)
    print(f'by likelihood: s0 {grid_sd:.5f}, d0 {grid_df:.1f}')
    spread = math.sqrt(math.exp(statistics.fmean(
        math.log(v) - digamma(d / 2) + math.log(d / 2) for g in groups for v, d in g)
        + digamma(smyth / 2) - math.log(smyth / 2))) if smyth < math.inf else sd
    near('s0 by likelihood', spread, grid_sd, 0.25)
    # Own repeats are weighed with the prior.
    row = next(r for r in answer['items'] if r['function'] == 'function39')
    v, d = variance_of([runs.logs[r]['function39'] for r in first])
    near('floor', row['noise_floor'], math.sqrt((df * sd ** 2 + d * v) / (df + d)), 2e-3)
    near('floor df', row['noise_floor_df'], min(df + d, max(most, d)), 2e-3)


def admin(server):
    token = subprocess.run([BIN, 'token', '--data', server.data, '--scope', 'admin', '--name',
                            'x'], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {'Authorization': f'Bearer {token.strip()}'}


def gate(server, base, head):
    status, _, body = server.ask('POST', '/gates', json.dumps({'base': base, 'head': head}))
    assert status in (200, 201), (status, body)
    return json.loads(body)['id']


def main():
    skip_without_postgres()
    with Server(['--workers', '1']) as server:
        runs = Runs(server)
        main_branch = 'project=p&workload=w&label.branch=main'
        first = [runs.add(f'{main_branch}&label.commit=c{i}') for i in range(6)]
        _, start = compared(server, first[0], first[1])
        assert start['noise_prior']['source'] == 'default', start['noise_prior']
        assert start['noise_prior']['runs'] == 0, start['noise_prior']
        other = [runs.add(f'project=p&workload=v&label.branch=main&label.commit=c{i}', sizes=2)
                 for i in range(4)]
        for i in range(2):
            runs.add('project=another&workload=w&label.branch=main', 50)
            runs.add('project=p&workload=w&label.branch=theirs', 50)
        copies = [runs.add('project=copies&workload=w', 0) for _ in range(4)]
        base, head = (runs.add(f'{main_branch}&label.commit=d{i}') for i in range(2))

        path, answer = compared(server, base, head)
        check_prior(runs, answer, first, other, base)
        _, same = compared(server, copies[2], copies[3])
        assert same['noise_prior']['source'] == 'default', same['noise_prior']
        assert same['noise_prior']['runs'] == 2, same['noise_prior']

        mixed = f'/compare?base={first[2]},{head}&head={first[4]},{base}'
        # Before the third run there are the first two: one difference of each function.
        assert server.get(mixed)['noise_prior']['run_ids'] == first[:2]
        kept = {p: server.ask('GET', p)[2] for p in (path, mixed, f'{path}&format=md')}
        number = gate(server, str(base), str(head))
        stored = server.ask('GET', f'/gates/{number}')[2]
        assert json.loads(stored)['noise_prior'] == answer['noise_prior'], stored

        for i in range(12):
            runs.add(f'{main_branch}&label.commit=e{i}', 50 if i % 2 else 1)
        for p, body in kept.items():
            assert server.ask('GET', p)[2] == body, f'{p} has changed'
        again = gate(server, str(base), str(head))
        a, b = (server.get(f'/gates/{n}') for n in (number, again))
        for g in (a, b):
            del g['id'], g['created_at']
        assert a == b, (a, b)
        status, _, body = server.ask('DELETE', f'/runs/{first[0]}', headers=admin(server))
        assert status in (200, 204), (status, body)
        assert server.ask('GET', f'/gates/{number}')[2] == stored, 'the gate has changed'
        assert server.get(path)['noise_prior']['run_ids'] == first[1:] + other
        print(f'{len(kept)} answers and a gate are unchanged after 12 uploads')


main()
