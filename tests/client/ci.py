#!/usr/bin/python3
"""ci.py - runs the pipelines of docker/ci: heads of main, changes, a fork."""
import os
import re
import sys
import tempfile

from harness import SRC, Server, equal, play, says
from pipelines import Folder, Github, Gitlab
from secure import make_token

sys.path.insert(0, f'{SRC}/tests/verify')
from history import History  # noqa: E402  its folder is known only now

SUMMARY = 'kernsift/summary.md'
SLOW = 6  # from this head on nearly twice as slow


def exists(folder, name):
    return os.path.exists(f'{folder.path}/{name}')


class Project:
    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.history = History(planted={SLOW: 1.8})
        self.token = make_token('upload', 'shop')
        self.reader = make_token('read')

    def head(self, n):
        self.folder.record([self.history.trace(n, r) for r in range(3)])
        return f'{n:040x}'

    def labels(self):
        """The number of runs per branch."""
        got = {}
        for run in self.server.get('/api/v1/runs?limit=500', self.reader)['items']:
            branch = run['labels']['branch']
            got[branch] = got.get(branch, 0) + 1
        return got


def github_main(p):
    """GitHub, pushes to main: the first has no baseline"""
    g = Github(p.folder)
    ran = g.play(p.server.url, p.token, p.head(0))
    equal('first', (ran['Upload'][0], ran['Gate'][0]), (0, 3))
    equal('first', ran['Gate'][1], "kernsift: base: no run is found by 'label.branch=main last=60', "
                                   "project 'shop', workload 'bench', stored before run 1\n")
    equal('no comment', 'Comment' in ran, False)
    for n in range(1, 4):
        ran = g.play(p.server.url, p.token, p.head(n))
        equal((n, ran['Gate'][1]), ran['Gate'][0], 0)
    equal('runs', p.labels(), {'main': 12})
    equal('no one else is called', p.folder.calls(), '')
    with open(f'{p.folder.path}/step.md') as f:
        equal('summaries', len(re.findall(r'^## \S+ \[Gate\]\(<', f.read(), re.M)), 3)


def github_pull(p):
    """GitHub, a slower pull request: status 1, a comment, then the same one again"""
    g = Github(p.folder)
    ran = g.play(p.server.url, p.token, p.head(SLOW), pull='7')
    equal(ran['Gate'][1], ran['Gate'][0], 1)
    says('annotated', ran['Gate'][1], r'.*\n::error [^\n]+\n')
    for name in (SUMMARY, 'kernsift/junit.xml', 'kernsift/badge.svg', 'kernsift/gate.json'):
        equal(name, exists(p.folder, name), True)
    says('comment', p.folder.calls(), r'gh\napi\n--paginate\nrepos/us/shop/issues/7/comments\n'
         r'.*gh\napi\n--silent\n--method\nPOST\n--field\nbody=@kernsift/comment\.md\n'
         r'repos/us/shop/issues/7/comments\n')
    p.folder.program('bin/gh', f'printf "%s\\n" "$@" >>{p.folder.path}/calls; '
                               'case $2 in --paginate) printf "31\\n44\\n" ;; esac')
    p.head(SLOW + 1)  # different runs of the same commit
    ran = g.play(p.server.url, p.token, f'{SLOW:040x}', pull='7')
    equal(ran['Gate'][1], ran['Gate'][0], 1)
    says('all its runs', ran['Gate'][1], r'.*\nhead  label\.commit=[0-9a-f]+ last=20: 6 runs, .*')
    says('comment', p.folder.calls(), r'.*PATCH\n--field\nbody=@kernsift/comment\.md\n'
                                      r'repos/us/shop/issues/comments/31\n')
    equal('runs', p.labels(), {'main': 12, 'pull-7': 6})


def github_fork(p):
    """GitHub, a change from a fork: recorded, nothing sent, and a message says so"""
    ran = Github(p.folder).play(p.server.url, '', p.head(4), pull='8')
    equal('steps', list(ran), ['Record', 'Empty', 'Not gated'])
    says('notice', ran['Not gated'][1], r'::notice title=kernsift::not gated: [^\n]+\n')
    equal('runs', p.labels(), {'main': 12, 'pull-7': 6})


def gitlab(p):
    """GitLab: an equal merge request, a slower one, one from a fork"""
    g = Gitlab(p.folder)
    ran = g.play(p.server.url, p.token, p.head(4), merge='3')
    equal(ran['kernsift-gate'][1], ran['kernsift-gate'][0] in (0, 2), True)
    equal('no comment', p.folder.calls(), '')
    ran = g.play(p.server.url, p.token, p.head(SLOW + 2), merge='4', comment='glpat')
    equal(ran['kernsift-gate'][1], ran['kernsift-gate'][0], 1)
    says('comment', p.folder.calls(), r'curl\n.*body@kernsift/summary\.md\n'
         r'https://gitlab\.invalid/api/v4/projects/5/merge_requests/4/notes\n')
    p.folder.program('bin/curl', 'exit 22')
    ran = g.play(p.server.url, p.token, p.head(SLOW + 3), merge='5', comment='glpat')
    equal('a comment that fails', ran['kernsift-gate'][0], 1)
    before = p.labels()
    ran = g.play(p.server.url, '', p.head(SLOW + 4), merge='6')
    equal('fork', ran['kernsift-gate'],
          (0, 'not gated: a fork has no token; the traces are kept\n'))
    equal('runs', (p.labels(), before['merge-4']), (before, 3))
    ran = g.play(p.server.url, p.token, p.head(5))
    equal(ran['kernsift-gate'][1], ran['kernsift-gate'][0] in (0, 2), True)
    equal('main', p.labels()['main'], 15)


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        with Server():  # migrates the database
            project = Project(None, Folder(d))
        with Server('--require-tokens') as s:
            project.server = s
            play([github_main, github_pull, github_fork, gitlab], project)


if __name__ == '__main__':
    main()
