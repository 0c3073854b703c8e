"""pipelines.py - reads the pipelines of docker/ci and runs their scripts.

Expressions and conditions are looked up in the tables below, not evaluated. If one is
not in a table, the case fails. The author of a new expression must define its meaning
here.
"""
import os
import shutil
import subprocess

import yaml
from harness import BIN, CLEAN, SRC, equal

TOKEN = '${{ secrets.KERNSIFT_TOKEN }}'


def read(name):
    with open(f'{SRC}/docker/ci/{name}.yml') as f:
        return yaml.safe_load(f)


class Folder:
    """A checkout in which bench/record copies the content of `traces`. Programs other
    than ours only record their calls."""

    def __init__(self, path):
        self.path = path
        for name in ('bench', 'bin', 'traces'):
            os.makedirs(f'{path}/{name}', exist_ok=True)
        self.program('bench/record', f'cp {path}/traces/* "$1"')
        for name in ('gh', 'curl'):
            self.program(f'bin/{name}', f'printf "%s\\n" {name} "$@" >>{path}/calls')

    def checkout(self, there):
        """Adds the proposed code to the checkout, or removes it: the job with secrets
        must not have it."""
        if there != os.path.exists(f'{self.path}/bench'):
            os.rename(*(f'{self.path}/{name}' for name in
                        (('away', 'bench') if there else ('bench', 'away'))))

    def program(self, name, line):
        with open(f'{self.path}/{name}', 'w') as f:
            f.write(f'#!/bin/sh\n{line}\n')
        os.chmod(f'{self.path}/{name}', 0o755)

    def record(self, files):
        for old in os.listdir(f'{self.path}/traces'):
            os.remove(f'{self.path}/traces/{old}')
        for i, data in enumerate(files):
            with open(f'{self.path}/traces/{i}.json.gz', 'wb') as f:
                f.write(data)

    def calls(self):
        """Returns the calls of other programs since the last call of this function."""
        try:
            with open(f'{self.path}/calls') as f:
                text = f.read()
            os.remove(f'{self.path}/calls')
            return text
        except FileNotFoundError:
            return ''

    def bash(self, script, env):
        where = f"{self.path}/bin:{BIN}:{os.environ['PATH']}"
        p = subprocess.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
                           cwd=self.path, env={**CLEAN, **env, 'PATH': where}, timeout=300,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
        return p.returncode, p.stdout


class Github:
    def __init__(self, folder):
        self.folder, self.doc = folder, read('github')
        equal('when', sorted(self.doc[True]), ['pull_request', 'push'])
        self.record, self.job = (self.doc['jobs'][name] for name in ('record', 'gate'))
        self.apart()
        for step in self.record['steps'] + self.job['steps']:
            name = step.get('name')
            equal((name, 'text of others in a script'), '${{' in step.get('run', ''), False)
            has = TOKEN in step.get('env', {}).values()
            equal((name, 'has the token'), has, step.get('run', '').startswith('kernsift '))

    def apart(self):
        """Checks that only the job without secrets runs proposed code."""
        equal('jobs', (list(self.doc['jobs']), self.job['needs']), (['record', 'gate'], 'record'))
        equal('rights', (self.doc['permissions'], self.record['permissions']),
              ({}, {'contents': 'read'}))
        text = yaml.dump(self.record)
        equal('secrets', [w for w in ('secrets', 'github.token', 'env:') if w in text], [])
        used = [(name, step['uses'].split('@')[0], step.get('with', {}).get(word))
                for name, job, word in (('record', self.record, 'persist-credentials'),
                                        ('gate', self.job, 'name'))
                for step in job['steps'] if 'uses' in step]
        equal('used', used, [('record', 'actions/checkout', False),
                             ('record', 'actions/upload-artifact', None),
                             ('gate', 'actions/download-artifact', 'kernsift-traces'),
                             ('gate', 'actions/upload-artifact', 'kernsift')])

    def carry(self, step):
        """Copies the artifact with the traces from one job to the other."""
        kept = f'{self.folder.path}/artifact'
        what = step['uses'].split('@')[0], step.get('with', {}).get('name')
        if what[1] == 'kernsift-traces':
            here = f"{self.folder.path}/{step['with']['path']}"
            up = what[0] == 'actions/upload-artifact'
            shutil.rmtree(kept if up else here, ignore_errors=True)
            shutil.copytree(here if up else kept, kept if up else here)

    def play(self, url, token, commit, pull=''):
        """Returns (status, output) of each step that ran, by name."""
        known = {'${{ github.event.repository.name }}': 'shop', TOKEN: token,
                 '${{ github.event.pull_request.head.sha || github.sha }}': commit,
                 "${{ github.event.number && format('pull-{0}', github.event.number) "
                 "|| 'main' }}": f'pull-{pull}' if pull else 'main',
                 '${{ github.event.number }}': pull, '${{ github.token }}': 'gh',
                 "${{ secrets.KERNSIFT_TOKEN != '' }}": 'true' if token else 'false'}
        meaning = {None: lambda ok: ok, "env.TRUSTED == 'true'": lambda ok: ok and token,
                   "env.TRUSTED != 'true'": lambda ok: ok and not token,
                   "!cancelled() && env.TRUSTED == 'true'": lambda ok: token,
                   "!cancelled() && env.TRUSTED == 'true' && env.PULL != ''":
                       lambda ok: token and pull}

        def filled(env):
            return {k: known[v] if '${{' in v else v for k, v in env.items()}
        always = {'GITHUB_ACTIONS': 'true', 'GITHUB_REPOSITORY': 'us/shop',
                  'GITHUB_STEP_SUMMARY': f'{self.folder.path}/step.md'}
        env = {**filled(self.job['env']), **always, 'KERNSIFT_SERVER': url}
        ran = {}
        ok = True
        for job, given in (self.record, always), (self.job, env):
            self.folder.checkout(job is self.record)
            for step in job['steps'] if ok else ():
                if meaning[step.get('if')](ok):
                    done = self.step(step, {**given, **filled(step.get('env', {}))}, ran)
                    ok = ok and (done or step.get('continue-on-error', False))
        self.folder.checkout(True)
        return ran

    def step(self, step, env, ran):
        if 'uses' in step:
            self.carry(step)
            return True
        ran[step['name']] = self.folder.bash(step['run'], env)
        return ran[step['name']][0] == 0


class Gitlab:
    def __init__(self, folder):
        self.folder, self.doc = folder, read('gitlab')
        gate = self.doc['kernsift-gate']
        equal('undecided is a warning', gate['allow_failure'], {'exit_codes': [2]})
        equal('order', gate['needs'], ['kernsift-record'])
        equal('when', gate['rules'], self.doc['kernsift-record']['rules'])

    def play(self, url, token, commit, merge='', comment=''):
        """Returns (status, output) of both jobs, by name. The second job runs only if
        the first succeeds."""
        env = {**self.doc['variables'], 'KERNSIFT_SERVER': url, 'KERNSIFT_PROJECT': 'shop',
               'CI_COMMIT_SHA': commit, 'CI_API_V4_URL': 'https://gitlab.invalid/api/v4',
               'CI_PROJECT_ID': '5'}
        for name, value in (('CI_MERGE_REQUEST_IID', merge), ('KERNSIFT_TOKEN', token),
                            ('KERNSIFT_COMMENT_TOKEN', comment)):
            if value:
                env[name] = value
        ran = {}
        for name in ('kernsift-record', 'kernsift-gate'):
            ran[name] = self.folder.bash('\n'.join(self.doc[name]['script']), env)
            if ran[name][0]:
                break
        return ran
