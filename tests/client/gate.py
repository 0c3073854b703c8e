#!/usr/bin/python3
"""gate.py - checks the request, the answer, the files and the exit status of a gate."""
import json
import os
import stat
import subprocess
import tempfile
import urllib.parse

from fake_gates import GATE, RENDERED, FakeGates, gate
from harness import BIN, CLEAN, equal, kernsift, play, says

SIDES = ('label.branch=main last=20', '4')


def requests(*argv, answer=None, status=1, env=None):
    """Returns the requests that the server receives with these flags."""
    with FakeGates((201, answer or gate())) as s:
        r = kernsift('gate', *argv, *SIDES, server=s, env=env)
        equal((argv, r.err), r.status, status)
        equal('a compressed answer', s.coding, 'gzip')
        return s.requests


def request(d):
    """flags become members, and override those of a policy"""
    path, kind, body = requests()[0]
    equal('request', (path, kind), ('/api/v1/gates', 'application/json'))
    equal('no flag', body, {'base': SIDES[0], 'head': '4'})
    flags = ('--project=p q', '--workload', 'ü', '--iteration-pct', '3', '--operator-pct',
             'attention=5', '--operator-pct', 'a=b=2.5', '--headroom-pct=none',
             '--measure-pct', 'ttft_p99=5', '--measure-pct=loss=0.5',
             '--fail-on=regressed,likely', '--share-pct=0.5', '--min-runs=3',
             '--min-iterations=8', '--min-coverage-pct=50', '--min-attributed-pct=10',
             '--reject-on=records_dropped', '--alpha=1e-3', '--noise-floor=0.02', '--range=step',
             '--seed=7', '--name=nightly', '--anchor=label.release=v 2', '--unit=build',
             '--anchor-pct=4')
    equal('every flag', requests(*flags)[0][2], {
        'base': SIDES[0], 'head': '4', 'project': 'p q', 'workload': 'ü', 'iteration_pct': 3,
        'operators': [{'operator': 'attention', 'pct': 5.0}, {'operator': 'a=b', 'pct': 2.5}],
        'measures': [{'measure': 'ttft_p99', 'pct': 5.0}, {'measure': 'loss', 'pct': 0.5}],
        'headroom_pct': None, 'fail_on': ['regressed', 'likely'], 'share_pct': 0.5,
        'min_runs': 3, 'min_iterations': 8, 'min_coverage_pct': 50,
        'min_attributed_pct': 10, 'reject_on': ['records_dropped'], 'alpha': 0.001,
        'noise_floor': 0.02, 'range': 'step', 'seed': 7, 'name': 'nightly',
        'anchor': 'label.release=v 2', 'unit': 'build', 'anchor_pct': 4})
    with open(f'{d}/policy.json', 'w') as f:
        json.dump({'iteration_pct': 5, 'alpha': 0.05, 'fail_on': ['vanished'], 'operators': [
            {'operator': 'gemm', 'pct': 1}, {'operator': 'attention', 'pct': 9}]}, f)
    equal('a policy and flags', requests('--policy', f'{d}/policy.json', '--fail-on=none',
                                         '--operator-pct=attention=5', '--iteration-pct=2')[0][2], {
        'base': SIDES[0], 'head': '4', 'iteration_pct': 2, 'alpha': 0.05, 'fail_on': [],
        'operators': [{'operator': 'gemm', 'pct': 1}, {'operator': 'attention', 'pct': 5.0}]})
    env = {'KERNSIFT_POLICY': f'{d}/policy.json', 'KERNSIFT_PROJECT': 'mine'}
    body = requests(env=env)[0][2]
    equal('environment', (body['alpha'], body['project']), (0.05, 'mine'))


def wrong(d):
    """an invalid request is status 64, a file that cannot be used 74; nothing is sent"""
    files = {'list': '[]', 'sides': '{"base": "1"}', 'broken': '{"alpha": }',
             'twice': '{"alpha": 1, "alpha": 2}', 'huge': '{"a": "%s"}' % ('x' * (1 << 20))}
    for name, text in files.items():
        with open(f'{d}/{name}', 'w') as f:
            f.write(text)
    rows = (
        (('--iteration-pct=much',),
         "--iteration-pct: 'much' is not a number or 'none' (for example 2)"),
        (('--iteration-pct=0x10',),
         "--iteration-pct: '0x10' is not a number or 'none' (for example 2)"),
        (('--alpha=1e999',), "--alpha: '1e999' is not a number or 'none' (for example 0.01)"),
        (('--seed=nan',), "--seed: 'nan' is not a number (for example 1)"),
        (('--operator-pct=attention',),
         "--operator-pct: 'attention' is not NAME=PERCENT (for example attention=5)"),
        (('--measure-pct=loss',),
         "--measure-pct: 'loss' is not NAME=PERCENT (for example ttft_p99=5)"),
        (('--operator-pct==5',), "--operator-pct: '=5' is not NAME=PERCENT (for example attention=5)"),
        (('--name=\udcff',), "the value of 'name' is not UTF-8"),
        (('--fail-on=regressed,\udcff',), "the value of 'fail_on' is not UTF-8"),
        (('--operator-pct=\udcff=5',), "the value of 'operator' is not UTF-8"),
        (('--annotations=gitlab',),
         "--annotations: 'gitlab' is not one of github, none (did you mean 'github'?)"),
        (('5',), "'4' is one argument too many for 'kernsift gate' (see 'kernsift gate --help')"),
        (('--score=verdict',), "'--score' is an option of other commands, not of "
                               "'kernsift gate' (see 'kernsift gate --help')"),
        ((f'--policy={d}/list',), f"'{d}/list' is not a gate policy (a JSON object)"),
        ((f'--policy={d}/sides',),
         f"'{d}/sides' has a base or a head; give these on the command line"),
        ((f'--policy={d}/huge',), f"'{d}/huge' is larger than the 1 MiB that a policy may have"),
        ((f'--policy={d}/none',), f"--policy: cannot read '{d}/none': No such file or directory "
                                  '(name a file, for example gate.json)'),
        ((f'--junit={d}/no/such.xml',), f"cannot write '{d}/no/such.xml': "
                                        'No such file or directory'),
        ((f'--summary={d}',), f"cannot write '{d}': Is a directory"),
    )
    with FakeGates((201, GATE)) as s:
        for argv, sentence in rows:
            r = kernsift('gate', *argv, *SIDES, server=s)
            equal(argv, (r.status, r.out, r.err),
                  (74 if any(x in sentence for x in ('cannot read', 'cannot write')) else 64, '', f'kernsift: {sentence}\n'))
        for name in ('broken', 'twice'):
            r = kernsift('gate', f'--policy={d}/{name}', *SIDES, server=s)
            says(name, r.err, rf"kernsift: '{d}/{name}', line 1: [^\n]+\n")
            equal(name, r.status, 64)
        equal('requests', s.requests, [])
    equal('left behind', sorted(os.listdir(d)), sorted([*files, 'policy.json']))


def on_a_terminal(_d):
    """a regression on a terminal, line by line"""
    rules = ({}, {'rule': 'operator', 'of': 'attention', 'outcome': 'undecided', 'p': None,
                  'limit_pct': 5, 'summary': 'attention may take longer'},
             {'rule': 'function', 'of': 'gemm\x1b[31m ##[error]' + 'x' * 60, 'device': 'GPU 1',
              'base_ns': None, 'head_ns': 900, 'change_pct': None, 'low_pct': None,
              'limit_pct': None, 'iteration_limit_pct': 1, 'iteration_change_pct': 6.4,
              'p_family': 0.001, 'alpha': 0.0012, 'summary': 'gemm appeared', 'since_run': 2},
             {'rule': 'headroom', 'outcome': 'pass', 'limit_pct': None, 'iteration_limit_pct': 2,
              'iteration_change_pct': 1.96, 'iteration_low_pct': 1.5, 'iteration_high_pct': 2.5,
              'summary': ''},
             {'rule': 'function', 'of': 'stored', 'outcome': 'pass', 'limit_pct': None,
              'iteration_limit_pct': 1, 'p': None, 'p_family': 0.2, 'alpha': None, 'summary': ''})
    with FakeGates((201, gate(rules, findings=[
            {'code': 'x', 'severity': 'warning', 'message': 'drivers differ'}]))) as s:
        r = kernsift('gate', *SIDES, server=s)
        equal('status', (r.status, r.err), (1, ''))
        equal('stdout', r.out, f'''gate regressed: the iteration takes 7.0 % longer

note: drivers differ
base  label.branch=main last=20: 3 runs, 90 iterations
head  4: 1 run, 30 iterations

rule                base         head     change
  regressed     20.00 ms     21.40 ms     +7.0 % (+5.2 to +8.8), limit 2 %, p 0.0004, alpha 0.0028  iteration
  undecided     20.00 ms     21.40 ms     +7.0 % (+5.2 to +8.8), limit 5 %  attention
            attention may take longer
  regressed            -    900.00 ns     +6.4 % of the iteration, limit 1 % of the iteration, p 0.0004, p family 0.001, alpha 0.0012  gemm [31m ##(error]{'x' * 41}… [GPU 1]
            gemm appeared
            the baseline has this level since run 2
  pass          20.00 ms     21.40 ms     +7.0 %, +1.96 % of the iteration (+1.5 to +2.5), limit 2 % of the iteration, p 0.0004, alpha 0.0028  headroom
  pass          20.00 ms     21.40 ms     +7.0 %, limit 1 % of the iteration, p family 0.2  stored

gate 12 {s.url}/gates/12
compare {s.url}/compare?base=1,2,3&head=4
''')


def statuses(_d):
    """0 to 3 are the gate's; a request for more runs is printed; undecided may pass"""
    rows = (
        (gate((), outcome='pass', summary='fine'), (), 0, ''),
        (gate((), outcome='undecided', summary='open', runs_needed=9), (), 2,
         'to decide: probably 9 runs of the head in total\n'),
        (gate((), outcome='undecided', summary='open', runs_needed=-1),
         ('--undecided-passes',), 0, 'to decide: more runs of the baseline; more runs '
                                     'of the head are not enough\n'),
        (gate((), outcome='bad_data', summary='thin', data_problems=[
            {'code': 'runs', 'message': 'the head has 1 run; 3 are demanded'}]),
         ('--undecided-passes',), 3, 'bad data: the head has 1 run; 3 are demanded\n'),
        (gate([{'rule': 'function', 'of': f'k{i}', 'summary': ''} for i in range(23)]),
         ('--undecided-passes',), 1, 'and 3 more functions\n'),
        (gate((), outcome='pass', summary='fine', budget={
            'commit': 'f00d', 'gate': 2, 'gates': 3, 'alpha': 0.0015, 'reason': None}),
         (), 0, 'alpha 0.0015: gate 2 of 3 of commit f00d\n'),
        (gate((), outcome='pass', summary='fine', budget={
            'commit': None, 'gate': None, 'gates': None, 'alpha': 0.01, 'reason': 'no commit'}),
         (), 0, 'gate pass: fine\n'),
    )
    for answer, flags, status, line in rows:
        with FakeGates((201, answer)) as s:
            r = kernsift('gate', *flags, *SIDES, server=s)
            equal((answer, r.err), r.status, status)
            equal(r.out, line in r.out, True)


def files(d):
    """each rendering is complete in its file; an existing file is replaced"""
    names = {'summary': 'md', 'junit': 'junit', 'badge': 'svg', 'json': 'json'}
    flags = [f'--{flag}={d}/out.{form}' for flag, form in names.items()]
    with open(f'{d}/kept', 'w') as f:
        f.write('old, and longer than what takes its place ' * 9)
    os.symlink('kept', f'{d}/out.svg')
    with FakeGates((201, GATE)) as s:
        equal('status', kernsift('gate', *flags, *SIDES, server=s).status, 1)
        site = urllib.parse.quote(s.url, safe='')
        equal('requests', s.requests[1:], [f'/api/v1/gates/12?format={x}&site={site}'
                                           for x in ('md', 'junit', 'svg')])
    for form in ('md', 'junit', 'svg'):
        with open(f'{d}/out.{form}') as f:
            equal(form, f.read(), RENDERED[form])
    with open(f'{d}/out.json') as f:
        equal('json', json.load(f), GATE)
    equal('the link stays', stat.S_ISLNK(os.lstat(f'{d}/out.svg').st_mode), True)
    equal('nothing else', [x for x in os.listdir(d) if x.endswith('.part')], [])
    with FakeGates((201, GATE)) as s:
        r = kernsift('gate', '--badge=/dev/stdout', *SIDES, server=s)
        equal('no plain file', (r.status, r.out.endswith(RENDERED['svg'])), (1, True))
    with FakeGates((201, GATE)) as s, open(f'{d}/log', 'w') as log:
        subprocess.run([f'{BIN}/kernsift', 'gate', '--badge=/dev/stdout', *SIDES], stdout=log,
                       env={**CLEAN, 'KERNSIFT_SERVER': s.url}, timeout=60, check=False)
    with open(f'{d}/log') as f:
        says('a log', f.read(), rf"gate regressed: .*\n{RENDERED['svg']}")


def on_github(d):
    """the step's summary is appended to, and annotations are printed"""
    env = {'GITHUB_STEP_SUMMARY': f'{d}/step.md', 'GITHUB_ACTIONS': 'true'}
    with open(f'{d}/step.md', 'w') as f:
        f.write('# of another step\n')
    for flags, annotated in (((), True), (('--annotations=none',), False)):
        with FakeGates((201, GATE)) as s:
            r = kernsift('gate', f'--summary={d}/step.md', *flags, *SIDES, server=s, env=env)
            equal('status', (r.status, r.out.endswith(RENDERED['github'])), (1, annotated))
    with open(f'{d}/step.md') as f:
        equal('summary', f.read(), '# of another step\n' + 2 * ('\n' + RENDERED['md']))
    with FakeGates((201, GATE)) as s:
        r = kernsift('gate', '--annotations=github', *SIDES, server=s)
        equal('elsewhere', r.out.endswith(RENDERED['github']), True)


def fails(d):
    """a rejection is status 3, a missing answer 69; a busy server is retried"""
    error = {'error': {'code': 'database', 'message': 'the database is away'}}
    with FakeGates((503, error), (201, GATE)) as s:
        r = kernsift('gate', '--retries=1', *SIDES, server=s)
        equal('tried again', (r.status, len(s.requests)), (1, 2))
        says('stderr', r.err, r'gate: the database is away; trying again in .*\n')
    for answer in ('{}', '[]', 'hello', {**GATE, 'outcome': 'maybe'}, {**GATE, 'id': 'x'},
                   {**GATE, 'rules': None}, {**GATE, 'rules': [1]}):
        with FakeGates((201, answer)) as s:
            r = kernsift('gate', *SIDES, server=s)
            equal(answer, (r.status, r.out, r.err),
                  (69, '', "kernsift: the server's answer is not a gate; is it a "
                          'kernsift server?\n'))
    rows = ((3, (400, {'error': {'message': 'alpha: too large'}}), 'alpha: too large'),
            (3, (404, {'error': {'message': 'head: no run'}}), 'head: no run'),
            (64, (403, {'error': {'message': 'the token may only read'}}), 'the token may only read'),
            (69, (500, {'error': {'message': 'out of ink'}}), 'out of ink'),
            (69, (503, error), 'the database is away'),
            (69, (200, 'x' * (17 << 20)), None))
    for status, answer, sentence in rows:
        with FakeGates(answer) as s:
            r = kernsift('gate', '--retries=0', f'--junit={d}/never.xml', *SIDES, server=s)
            equal(sentence, (r.status, r.out), (status, ''))
            equal(sentence, sentence is None or r.err == f'kernsift: {sentence}\n', True)
    r = kernsift('gate', '--server=http://127.0.0.1:9', '--retries=0', *SIDES)
    equal('away', (r.status, r.out), (69, ''))
    equal('nothing is written', os.path.exists(f'{d}/never.xml'), False)


def half(d):
    """a failed rendering affects only its own file, and the status"""
    broken = {'junit': (500, {'error': {'message': 'out of ink'}})}
    with FakeGates((201, gate((), outcome='pass', summary='fine')), rendered=broken) as s:
        r = kernsift('gate', f'--junit={d}/a.xml', f'--badge={d}/a.svg', *SIDES, server=s)
        equal('status', (r.status, r.err), (69, 'kernsift: out of ink\n'))
        says('summary', r.out, r'gate pass: fine\n.*')
    equal('files', [os.path.exists(f'{d}/a.{x}') for x in ('xml', 'svg')], [False, True])
    with FakeGates((201, gate((), outcome='pass'))) as s:
        r = kernsift('gate', '--badge=/dev/full', *SIDES, server=s)
        equal('full', (r.status, r.err),
              (74, "kernsift: cannot write '/dev/full': No space left on device\n"))


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        play([request, wrong, on_a_terminal, statuses, files, on_github, fails, half], d)


if __name__ == '__main__':
    main()
