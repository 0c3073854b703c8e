#!/usr/bin/python3
"""one_truth.py - holds comparisons, breakdowns and trends against each other.

Three pages show the time of the same iterations. For generated traces, this computes from
/runs/{id}/iterations and /runs/{id}/kernels with plain Python, and compares:

  an iteration, and its busy and idle time    /compare, /trends (mean), of an iteration
                                              also /breakdown
  each kernel per iteration                   /compare, /breakdown
  each kind of work of a mixed trace          /compare?group=N; the kind with most time also
                                              /breakdown; /trends is the mean over all kinds
"""
import os
import statistics
import sys

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/api')
# two means rounded to a tenth of a nanosecond
NEAR_NS = 0.11
PAIRS = [('layers', 'layers-other'), ('layers-grouped', 'layers-grouped'),
         ('steps', 'steps-changed'), ('serving-16', 'serving-16'),
         ('serving-mostly-16', 'serving-mostly-8')]
SIDES = ('base', 'head')
counted = 0


def hold(what, a, b, near=NEAR_NS):
    global counted
    counted += 1
    assert abs(a - b) <= near, f'{what}: {a} and {b}'


class Run:
    """A run's kept iterations, by kind of work, and its other answers."""

    def __init__(self, server, workload, body):
        u = server.ended(server.upload(f'project=p&workload={workload}', body))
        assert u['state'] == 'done', u
        self.id, self.workload = u['runs'][0], workload
        self.kinds = {}
        for i in server.get(f'/runs/{self.id}/iterations?limit=500')['items']:
            if i['use'] == 'kept':
                self.kinds.setdefault(i['stratum'], []).append(i)
        self.kept = [i for kind in self.kinds.values() for i in kind]
        self.breakdown = server.get(f'/runs/{self.id}/breakdown')
        self.trend = {m: server.get(f'/trends?project=p&workload={workload}&metric={m}'
                                    '&stat=mean')['points'] for m in ('iteration', 'busy', 'idle')}

    def most(self):
        """Returns the iterations of the kind of work with the most time."""
        return max(self.kinds.values(), key=lambda kind: sum(i['dur_ns'] for i in kind))


def mean(iterations, of):
    return statistics.fmean(of(i) for i in iterations)


PARTS = {'iteration': lambda i: i['dur_ns'], 'idle': lambda i: i['idle_ns'],
         'busy': lambda i: i['compute_ns'] + i['comm_ns'] + i['copy_ns']}


def hold_trends(run):
    for metric, of in PARTS.items():
        values = dict(zip(run.trend[metric]['run'], run.trend[metric]['value']))
        hold(f'{run.workload}: {metric} in trends', values[run.id], mean(run.kept, of))


def hold_breakdown(run):
    d = run.breakdown
    assert d['iterations'] == len(run.most()), run.workload
    hold(f'{run.workload}: wall time of the breakdown', d['wall_ns'] / d['iterations'],
         mean(run.most(), PARTS['iteration']))


def parts_of(comparison, side):
    ns = {p['part']: p[f'{side}_ns_per_iteration'] for p in comparison['split']}
    return {'iteration': ns['iteration'], 'idle': ns['idle'],
            'busy': ns['compute'] + ns['communication'] + ns['copies']}


def kernels_of(breakdown):
    """Returns (time per iteration, possible error of rounding) of each kernel."""
    n, found = breakdown['iterations'], {}
    for row in breakdown['items']:
        if row['kernel']:
            ns, error = found.get(row['kernel']['name'], (0, NEAR_NS))
            found[row['kernel']['name']] = (ns + row['launches'] * row['mean_ns'] / n,
                                            error + row['launches'] * 0.051 / n)
    return found


def hold_kernels(comparison, side, run):
    rows = {r['function']: r[f'{side}_ns_per_iteration'] for r in comparison['items']}
    for name, (ns, error) in kernels_of(run.breakdown).items():
        hold(f'{run.workload}: {name} in the breakdown', rows[name], ns, error)


def hold_group(comparison, k, sides):
    """The k-th pair of kinds of work, whose iterations a side's run lists."""
    for side, run in zip(SIDES, sides):
        parts = parts_of(comparison, side)
        same = [kind for kind in run.kinds.values()
                if len(kind) == comparison['groups'][k][side]['iterations'] and
                abs(mean(kind, PARTS['iteration']) - parts['iteration']) <= NEAR_NS]
        assert len(same) == 1, f'{run.workload}: no iterations of pair {k}'
        for metric, of in PARTS.items():
            hold(f'{run.workload}: {metric} of pair {k}', parts[metric], mean(same[0], of))
        if same[0] is run.most():
            hold_kernels(comparison, side, run)


def main():
    running.skip_without_postgres()
    from talk.bodies import MADE
    with running.Server(['--workers', '1']) as server:
        runs = {name: Run(server, name, MADE[name]())
                for name in sorted({n for pair in PAIRS for n in pair})}
        for run in runs.values():
            hold_trends(run)
            hold_breakdown(run)
        for base, head in PAIRS:
            sides = runs[base], (Run(server, head, MADE[head]()) if base == head
                                 else runs[head])
            for k in range(len(sides[0].kinds)):
                c = server.get(f'/compare?base={sides[0].id}&head={sides[1].id}&group={k}')
                hold_group(c, k, sides)
    assert counted > 100, counted
    print(f'{counted} times of iterations and kernels are equal')


if __name__ == '__main__':
    sys.exit(main())
