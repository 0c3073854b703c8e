#!/usr/bin/python3
"""gate_anchor.py - gates a level that creeps, as a pipeline does.

Twelve commits of two runs take 10 ms per iteration, six take 2 % more, six 4 % more, and the
head 5 % more. The head passes the rule against the newest runs and fails the rule against the
anchor. The anchor's runs, dates and median are compared with /runs and /trends. Then the anchor is
named, in valid and invalid ways, a base has runs of two kinds, a gate is repeated after
others, and what a gate answered stays the same after later uploads and deletions.
"""
import json
import os
import statistics
import sys

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/api')
WAVERING = (0, 0.3, -0.2, 0.1, -0.4, 0.2, -0.1)  # percent


def trace(pct, seed, **more):
    from talk import made_steps
    made_steps.STEP_US = round(10_000 * (1 + pct / 100) * (1 + WAVERING[seed % 7] / 100))
    return made_steps.made_steps(made_steps.WORK, seed=seed, **more)


def equal(what, is_, wanted):
    assert is_ == wanted, f'{what}: {is_!r} instead of {wanted!r}'


class Pipeline:
    def __init__(self, server):
        self.server, self.seed, self.pending = server, 0, []

    def send(self, query, pct, runs=1, **more):
        for _ in range(runs):
            self.seed += 1
            self.pending.append(self.server.upload(f'project=p&workload=w&{query}'
                                                   if 'project=' not in query else query,
                                                   trace(pct, self.seed, **more)))

    def wait(self):
        for upload in self.pending:
            done = self.server.ended(upload)
            assert done['state'] == 'done', done
        self.pending = []

    def gate(self, base, head, status=201, **more):
        got, _, body = self.server.ask('POST', '/gates', json.dumps(
            {'base': base, 'head': head, **more}).encode())
        answer = json.loads(body)
        equal((base, head, more, answer), got, status)
        return answer if status == 201 else answer['error']['message']


def rule(gate, kind):
    found = [r for r in gate['rules'] if r['rule'] == kind]
    return found[0] if found else None


def runs_of(server):
    return {r['id']: r for r in server.get('/runs?project=p&limit=500')['items']}


def found_by_itself(pipe):
    g = pipe.gate('label.branch=main last=8', 'project=p label.commit=head last=9')
    runs = runs_of(pipe.server)
    lowest = sorted(i for i, r in runs.items() if r['name'] == 'low')
    a = g['anchor']
    equal('outcome', (g['outcome'], rule(g, 'iteration')['outcome'],
                      rule(g, 'anchor')['outcome']), ('regressed', 'pass', 'regressed'))
    equal('runs', a['runs'], lowest)
    equal('counts', (a['units'], a['commits'], a['excluded_runs'], a['query'], a['reason']),
          (24, 12, 0, None, None))
    assert a['levels'] >= 2, a
    points = pipe.server.get('/trends?project=p&workload=w')['points']
    times = dict(zip(points['run'], points['value']))
    equal('median', a['median_ns'], statistics.median(times[i] for i in lowest))
    equal('dates', (a['since'], a['until']),
          (runs[lowest[0]]['created_at'], runs[lowest[-1]]['created_at']))
    r = rule(g, 'anchor')
    assert abs(r['change_pct'] - 5) < 0.3 and r['p'] < 0.0001 and r['limit_pct'] == 3, r
    assert 'than the earlier level with the lowest median (24 runs from' in r['summary'], r['summary']
    assert 'if this level is intended, name runs of it as the anchor' in r['summary'], r['summary']
    return g


def named(pipe):
    sides = 'label.branch=main last=8', 'project=p label.commit=head last=9'
    g = pipe.gate(*sides, anchor='label.release=2')
    equal('a later level', (g['outcome'], g['anchor']['query'], g['anchor']['units'],
                            g['anchor']['commits'], g['anchor']['levels']),
          ('pass', 'label.release=2', 4, 2, 1))
    g = pipe.gate(*sides, anchor_pct=None)
    equal('no rule', (g['outcome'], rule(g, 'anchor'), g['anchor']['reason'], g['anchor']['runs']),
          ('pass', None, 'the gate has no such rule', []))
    head = runs_of(pipe.server)
    head = max(i for i, r in head.items() if r['name'] == 'head')
    equal('nothing', pipe.gate(*sides, status=404, anchor='label.release=9'),
          "anchor: no run is found by 'label.release=9', project 'p', workload 'w', stored before "
          f"run {head - 1}")
    equal('the head', pipe.gate(*sides, status=400, anchor=f'{head}'),
          f'anchor: run {head} is a run of the head; name runs of an earlier level')
    other = pipe.server.get('/runs?project=p&workload=other')['items'][0]['id']
    equal('other work', pipe.gate(*sides, status=400, anchor=f'{other}'),
          f"anchor: '{other}' selects 1 run, of which none does the work of the base: its "
          'workload, device, kind of iteration, phase or rank is another, or it has too few '
          'iterations')
    equal('some other work', pipe.gate(*sides, anchor=f'1,{other}')['anchor']['excluded_runs'], 1)


def without(pipe):
    g = pipe.gate('project=few last=9', 'project=few label.commit=head')
    equal('few runs', (rule(g, 'anchor'), g['anchor']['reason']),
          (None, 'the history has 3 runs of 1 commit; at least 10 runs of at least 3 commits '
           'are required'))
    g = pipe.gate('label.branch=main last=8', 'project=p label.commit=head last=9', range='ProfilerStep')
    equal('a range', g['anchor']['reason'],
          'the gate defines its own iterations, and earlier runs are not read again')
    # Without the unit's label each run is a commit of its own.
    g = pipe.gate('label.branch=main last=8', 'project=p label.commit=head last=9', unit='none')
    equal('no commits', (g['policy']['unit'], g['anchor']['commits'], g['anchor']['units']),
          ('none', None, 24))


def kinds(pipe):
    """The base has a second kind of run, whose level is lower: it says nothing about the head."""
    g = pipe.gate('project=kinds label.branch=main last=8', 'project=kinds label.commit=head last=9')
    runs = pipe.server.get('/runs?project=kinds&limit=500')['items']
    equal('kinds', (g['anchor']['reason'], g['anchor']['levels'], g['anchor']['runs']),
          (None, 1, sorted(r['id'] for r in runs if r['name'] == 'like')))
    equal('earlier units', rule(g, 'iteration')['earlier_units'], 16)


def repeated(pipe):
    """A repetition with more runs would be the next gate of the commit, which has a smaller alpha.
    So the runs that it needs grow with the gates that others requested meanwhile."""
    sides = 'project=noisy label.branch=main last=12', 'project=noisy label.commit=head last=9'
    first = pipe.gate(*sides)
    for pct in (3, 4):
        pipe.gate(*sides, iteration_pct=pct)
    again = pipe.gate(*sides)
    equal('number and gates', [(g['budget']['gate'], g['budget']['gates']) for g in (first, again)],
          [(1, 1), (1, 3)])
    equal('alpha', again['budget']['alpha'], first['budget']['alpha'])
    equal('outcomes', (first['outcome'], again['outcome']), ('undecided', 'undecided'))
    assert 2 < first['runs_needed'] < again['runs_needed'], (first['runs_needed'], again['runs_needed'])


def stays(pipe, gate):
    """Later uploads and deletions change no stored answer."""
    path = f'/gates/{gate["id"]}'
    equal('stored', pipe.server.get(path), gate)
    pipe.send('name=later&label.branch=main&label.commit=z', -20, 12)
    pipe.wait()
    equal('after uploads', pipe.server.get(path), gate)
    again = pipe.gate(gate['base']['query'], gate['head']['query'])
    equal('again', (again['anchor'], again['outcome']), (gate['anchor'], gate['outcome']))
    pipe.server.sql(f'DELETE FROM run WHERE run_id = {gate["anchor"]["runs"][0]}')
    equal('after a deletion', pipe.server.get(path), gate)


def main():
    running.skip_without_postgres()
    # One worker reads uploads in their order.
    with running.Server(['--workers', '1', '--worker-nice', '0']) as server:
        pipe = Pipeline(server)
        for i in range(24):
            low = i < 12
            pipe.send(f'name={"low" if low else "high"}&label.branch=main&label.commit=c{i}'
                      f'{"&label.release=2" if i >= 22 else ""}', 0 if low else 2 if i < 18 else 4, 2)
        pipe.send('project=p&workload=other&label.commit=x', 0)
        pipe.send('project=few&workload=w&label.commit=a', 0, 3)
        for i in range(20):
            pipe.send(f'project=kinds&workload=w&name=like&label.branch=main&label.commit=c{i}', 0,
                      rank=0, world=2)
            pipe.send(f'project=kinds&workload=w&name=other&label.branch=main&label.commit=c{i}', -30,
                      rank=1, world=2)
        for i, pct in enumerate((0, 2, -2, 1.5, -1.5, 2.5, -2.5, 1, -1, 3, -3, 0.5)):
            pipe.send(f'project=noisy&workload=w&label.branch=main&label.commit=c{i}', pct)
        for pct in (2, 4):
            pipe.send('project=noisy&workload=w&label.branch=pr&label.commit=head', pct)
        pipe.send('project=kinds&workload=w&label.branch=pr&label.commit=head', 0, 2, rank=0, world=2)
        pipe.send('name=head&label.branch=pr&label.commit=head', 5, 2)
        pipe.send('project=few&workload=w&label.commit=head', 0)
        pipe.wait()
        gate = found_by_itself(pipe)
        named(pipe)
        without(pipe)
        kinds(pipe)
        repeated(pipe)
        stays(pipe, gate)
    print('ok')


if __name__ == '__main__':
    main()
