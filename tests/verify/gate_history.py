#!/usr/bin/python3
"""gate_history.py - gates each of 200 heads against the heads before it.

gate_history.py [--heads N] [--seed N] [--verbose]

Each head has three runs. They are uploaded, ingested and gated as in a pipeline, with
`kernsift gate` and its exit status. Five times, a head introduces a change of 5 to 10 %
that all later heads keep. They stay above the lowest level, so the gates have no rule against
an anchor (gate_anchor.py tests it). The gate must find at least four of the five changes at the
head that introduced them, and may report a regression for at most 2 % of the other
heads.

With one run per head, no head is reported as regressed, and at least four changes are
undecided. The trend has a change point within two heads of each change, and no
others.
"""
import argparse
import collections
import concurrent.futures
import http.client
import json
import os
import subprocess
import sys
import time

from history import History
from running import API, BIN, Server, skip_without_postgres, until

RUNS = 3
CHANGES = (1.05, 1.06, 1.07, 1.085, 1.10)
BASE = 'label.branch=main last=60'
PASS, REGRESSED, UNDECIDED = range(3)


def planted(heads):
    """Chooses the heads with a change: evenly distributed, not at the ends."""
    gap = heads // (len(CHANGES) + 1)
    return {gap * (i + 1): CHANGES[i * 2 % len(CHANGES)] for i in range(len(CHANGES))}


class Pipeline:
    def __init__(self, server):
        self.url = f'http://127.0.0.1:{server.port}'
        self.http = http.client.HTTPConnection('127.0.0.1', server.port, timeout=300)

    def ask(self, method, path, body=None):
        self.http.request(method, API + path, body)
        answer = self.http.getresponse()
        text = answer.read()
        assert answer.status < 300, f'{method} {path}: {answer.status} {text[:300]}'
        return json.loads(text)

    def send(self, history, runs, project):
        """Uploads every head's runs, oldest first, as CI does."""
        for head in range(history.heads):
            for run in range(runs):
                self.ask('POST', f'/uploads?project={project}&workload=step&label.branch=main'
                                 f'&label.commit=c{head:03d}', history.trace(head, run))
        until('ingested', lambda: not any(
            self.ask('GET', f'/uploads?state={s}&limit=1')['items'] for s in
            ('queued', 'working', 'receiving')),
            lambda: self.ask('GET', '/uploads?state=done&limit=1')['items'])
        failed = self.ask('GET', '/uploads?state=failed')['items']
        assert not failed, failed[0]

    def gate(self, project, head):
        """Runs the gate as a pipeline's step does; returns its exit status and its
        output."""
        p = subprocess.run(
            [f'{os.path.dirname(BIN)}/kernsift', 'gate', '--server', self.url, '--project', project,
             '--workload', 'step', '--anchor-pct', 'none', BASE, f'label.commit=c{head:03d} last=20'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=300, check=False)
        assert p.returncode in (PASS, REGRESSED, UNDECIDED), (head, p.stdout)
        return p.returncode, p.stdout

    def gates(self, project, heads):
        # They take longer than the server keeps a connection without requests; the next
        # request opens another.
        self.http.close()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(heads, pool.map(lambda h: self.gate(project, h), heads)))


def report(what, answers, changes, aloud):
    counts = collections.Counter(status for status, _ in answers.values())
    print(f'{what}: {counts[PASS]} pass, {counts[REGRESSED]} regressed, '
          f'{counts[UNDECIDED]} undecided')
    accused = sorted(h for h, (s, _) in answers.items() if s == REGRESSED)
    found = [h for h in changes if h in accused]
    wrong = [h for h in accused if h not in changes]
    print(f'  changes at {sorted(changes)}; found {found}, others accused {wrong}', flush=True)
    for head in sorted({*changes, *wrong}) if aloud else ():
        print(f'--- head {head}, {changes.get(head, "innocent")}\n{answers[head][1]}')
    return found, wrong


def with_three(pipe, history, aloud):
    pipe.send(history, RUNS, 'three')
    print(f'sent and ingested by {time.process_time():.0f} s of our CPU', flush=True)
    # the first heads have no baseline
    answers = pipe.gates('three', range(1, history.heads))
    found, wrong = report('three runs a head', answers, history.planted, aloud)
    assert len(found) >= 4, 'four of the five changes are to be found'
    assert len(wrong) <= 0.02 * (history.heads - len(CHANGES)), 'at most 2 % accused'


def with_one(pipe, history, aloud):
    pipe.send(history, 1, 'one')
    heads = sorted({*history.planted, *range(1, history.heads, 5)})
    answers = pipe.gates('one', heads)
    found, wrong = report('one run a head', answers, history.planted, aloud)
    assert len(wrong) <= 1, f'of {len(heads)} heads {wrong} are accused'
    undecided = [h for h in history.planted if answers[h][0] == UNDECIDED]
    assert len(found) + len(undecided) >= 4, f'of the changes only {found}, {undecided} are seen'


def trend(pipe, history):
    answer = pipe.ask('GET', '/trends?project=three&workload=step&metric=iteration&group=commit')
    assert answer['n'] == RUNS * history.heads, answer['n']
    at = [int(p['group'][1:]) for p in answer['change_points']]
    print(f'change points at heads {at}', flush=True)
    near = [[h for h in at if abs(h - change) <= 2] for change in sorted(history.planted)]
    assert all(near) and sum(map(len, near)) == len(at), 'one within two heads of each change'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--heads', type=int, default=200)
    parser.add_argument('--seed', type=int, default=8)
    parser.add_argument('--verbose', action='store_true')
    o = parser.parse_args()
    skip_without_postgres()
    history = History(o.heads, planted(o.heads), o.seed)
    # The uploads are in sequence, so that a later upload belongs to a later head.
    with Server(['--workers', '1']) as s:
        pipe = Pipeline(s)
        for case in (lambda: with_three(pipe, history, o.verbose), lambda: trend(pipe, history),
                     lambda: with_one(pipe, history, o.verbose)):
            begun = time.monotonic()
            case()
            print(f'  {time.monotonic() - begun:.1f} s', flush=True)


if __name__ == '__main__':
    sys.exit(main())
