#!/usr/bin/python3
"""compare.py - `kernsift compare` shows a comparison as the server returns it."""
import json
import os
import tempfile
import urllib.request

from harness import Server, equal, ids, kernsift, play, says, trace, upload


def two_runs(s, d):
    """two runs, the second of a deeper model; returns their ids"""
    runs = []
    for name, options in (('a.json', ()), ('b.json', ('--layers', '12', '--seed', '2'))):
        r = upload(s, '--wait', trace(d, name, '--steps', '6', *options))
        runs += ids(r.out, 'run')
    equal('runs', len(runs), 2)
    return runs


def as_the_server(s, d):
    """json, csv and md are the server's bytes, and equal each time"""
    a, b = two_runs(s, d)
    for score in ('verdict', 'published'):
        for form in ('json', 'csv', 'md'):
            with urllib.request.urlopen(f'{s.url}/api/v1/compare?base={a}&head={b}'
                                        f'&score={score}&format={form}' + (
                                            f'&site={s.url}' if form == 'md' else '')) as r:
                wanted = r.read().decode()
            for _ in range(2):
                got = kernsift('compare', '--score', score, '--format', form,
                               str(a), str(b), server=s)
                equal((score, form), (got.status, got.out, got.err), (0, wanted, ''))


def for_people(s, d):
    """text: the server's headline first, its counts and the page last"""
    a, b = two_runs(s, d)
    doc = json.loads(kernsift('compare', '--format=json', f'{a}', f'{b}', server=s).out)
    r = kernsift('compare', f'{a}', f'{b}', server=s)
    equal('status', (r.status, r.err), (0, ''))
    lines = r.out.split('\n')
    equal('headline', lines[0], doc['headline'])
    for finding in doc['findings']:
        equal('finding', f"{finding['severity']}: {finding['text']}" in lines, True)
    says('counts', lines[-3], r'.*seed 1, 2000 permutations')
    equal('link', lines[-2], f'{s.url}/compare?base={a}&head={b}')
    report = kernsift('compare', '--score=published', f'{a}', f'{b}', server=s)
    says('published', report.out, r'# .*Performance Comparison: .*')


def by_query(s, d):
    """sides may be queries, also with unusual labels: the same answer as with ids"""
    runs = {}
    for name, branch, seed in (('q1', 'main', '11'), ('q2', 'main', '12'), ('q3', 'a b&c=ü', '13')):
        r = upload(s, '--wait', '--project', 'p q', '--workload', 'w', '--label',
                   f'branch={branch}', trace(d, f'{name}.json', '--steps', '2', '--seed', seed))
        runs[name], = ids(r.out, 'run')
    got = kernsift('compare', '--format=json', 'label.branch=main last=2',
                   'project="p q" label.branch="a b&c=ü" latest', server=s)
    equal('status', (got.status, got.err), (0, ''))
    doc = json.loads(got.out)
    equal('sides', [[r['id'] for r in doc[side]['runs']] for side in ('base', 'head')],
          [[runs['q1'], runs['q2']], [runs['q3']]])
    got = kernsift('compare', '--seed=7', 'label.branch=main last=2', str(runs['q3']), server=s)
    equal('link', got.out.split('\n')[-2], f"{s.url}/compare?base="
          f"{runs['q1']}%2C{runs['q2']}&head={runs['q3']}&seed=7")
    got = kernsift('compare', 'label.branch=nobody', str(runs['q3']), server=s)
    equal('none', (got.status, got.out, 'base' in got.err), (1, '', True))


def refused(s, d):
    """a problem that prevents a verdict is reported once, at the top"""
    a, _ = two_runs(s, d)
    lines = kernsift('compare', f'{a}', f'{a}', server=s).out.split('\n')
    equal('sentence', [x for x in lines if 'both sides hold' in x],
          [f'both sides hold run {a}: no difference comes from the work'])
    equal('place', 'both sides hold' in lines[0], True)


def settings(s, d):
    """range, noise floor, margin and seed are sent; a server's rejection gives status 1
    """
    a, b = two_runs(s, d)
    doc = json.loads(kernsift('compare', '--format', 'json', '--noise-floor', '0.1', '--margin',
                              '0.02', '--seed', '7', '--range', 'ProfilerStep', f'{a}', f'{b}', server=s).out)
    equal('range', doc['range'], 'ProfilerStep')
    equal('detector', doc['base']['detector'], 'named')
    equal('floor', (doc['noise_floor'], doc['margin'], doc['seed']), (0.1, 0.02, 7))
    rows = (
        (1, (f'{a}', '7777'), 'no run 7777'),
        (1, ('monday', f'{a}'),
         "base: 'monday' is neither the id of a run, nor job: and the id of a job, nor a query such as label.branch=main"),
        (64, ('--noise-floor', 'low', f'{a}', f'{b}'), "--noise-floor: 'low' is not a number (for example 0.02)"),
        (1, ('--noise-floor', '2', f'{a}', f'{b}'), "noise_floor: '2' is not a number from 0 to 1"),
        (1, ('--range', 'epoch', f'{a}', f'{b}'),
         f"run {a}: the run has no ranges named 'epoch'; some that repeat: "
         'ProfilerStep#*, Optimizer.step#Adam.step'),
    )
    for status, argv, sentence in rows:
        r = kernsift('compare', *argv, server=s)
        equal(argv, (r.status, r.out, r.err), (status, '', f'kernsift: {sentence}\n'))


def away(_s, d):
    """a server that is down gives status 69"""
    r = kernsift('compare', '--server', 'http://127.0.0.1:9', '--retries', '0', '1', '2')
    equal('status', (r.status, r.out), (69, ''))
    says('stderr', r.err, r"kernsift: cannot reach 'http://127\.0\.0\.1:9': [^\n]*\n")


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        with Server() as s:
            play([as_the_server, for_people, by_query, refused, settings, away], s, d)


if __name__ == '__main__':
    main()
