#!/usr/bin/python3
"""shown.py - runs every command of kernsift and kernsiftd that a README or a page shows.

A command in a code block of a README, or a text of a page that is a command, is run in a
folder that has the files it names, against a server that has the runs it names. It must
succeed. A gate must judge: its data must be good. Commands that cannot run here are in ELSEWHERE; of
these, and of commands that a sentence mentions, the names and the options are checked. A
new command that is neither fails, because it is run.

docker/README.md starts its commands in containers; tests/docker runs these.
"""
import glob
import gzip
import io
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

from harness import BIN, CLEAN, DB, SRC, Server, equal, ids, play, trace, upload

sys.path.append(f'{SRC}/tests/gen')
sys.path.append(f'{SRC}/tests/api')
from compiled import made_compiled, made_provenance  # noqa: E402
from talk.bodies import MADE  # noqa: E402

READMES = ['README.md', 'server/README.md', 'server/client/README.md', 'collector/README.md']

# Commands that cannot run here, and the case that runs them.
ELSEWHERE = {
    r'kernsiftd serve\b': 'every case of this folder; tests/http',
    r'kernsiftd (backup|restore)\b': 'tests/verify/backup.py, with folders of its own',
    r'kernsift calibrate\b': 'calibrate.py, with a GPU that is not there',
    r'.*\.nsys-rep\b': 'nsys_report.py, with an nsys that is not there',
    r'kernsift agent\b': 'agent.py, which ends it',
    r'.*\.xplane\.pb\b': 'tests/traces has such files for kernsiftd',
}

# A program that leaves a capture, as the collector would on a machine with a GPU.
PROGRAM = f"""import os, sys
sys.argv = ['{SRC}/tests/client/spooled.py', 'capture', os.environ['KERNSIFT_TRACE_DIR']]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], 'exec'),
     {{'__name__': '__main__', '__file__': sys.argv[0]}})
"""


def of_readme(path):
    """Returns the commands in code blocks, as a user would paste them."""
    with open(f'{SRC}/{path}') as f:
        text = f.read()
    blocks = re.findall(r'(?:^    .*\n)+', text, re.M) + re.findall(r'^```sh\n(.*?)^```', text,
                                                                   re.M | re.S)
    lines = '\n'.join(blocks).replace('\\\n', ' ').splitlines()
    return [re.sub(r'\s+', ' ', line.strip()) for line in lines
            if re.match(r'\s*(build/bin/)?kernsiftd? \S', line)]


def of_page(path):
    """Returns (the texts that are a command, the commands that other texts mention)."""
    with open(path) as f:
        code = re.sub(r'^\s*//.*$', '', f.read(), flags=re.M)
    # a text of its own, not words in backquotes in a sentence
    whole = [m[2] for m in re.finditer(r"""[,\[]\s*(["'`])(kernsiftd? [a-z][^\n]*?)\1""", code)]
    rest = code
    for text in whole:
        rest = rest.replace(text, '')
    mentioned = re.findall(r'(?:`|see |: )(kernsiftd? [a-z]+)', rest)
    return [re.sub(r'\$\{\w+\}', '', text) for text in whole], mentioned


def shown():
    """Returns ({command: where}, {mentioned command: where})."""
    commands, mentioned = {}, {}
    for path in READMES:
        found = of_readme(path)
        if not found:
            sys.exit(f'{path} shows no command: the test cannot read it any more')
        commands.update({c: path for c in found})
    pages = sorted(glob.glob(f'{SRC}/web/pages/*.js'))
    for path in pages:
        whole, parts = of_page(path)
        commands.update({c: os.path.basename(path) for c in whole})
        mentioned.update({c: os.path.basename(path) for c in parts})
    for page in ('home.js', 'gates.js', 'runs.js', 'uploads.js', 'settings.js'):
        if page not in commands.values():
            sys.exit(f'{page} shows no command: the test cannot read it any more')
    return commands, mentioned


def files(d):
    """Writes the files that the commands name."""
    def write(name, data):
        path = os.path.join(d, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data)

    def read(path):
        with open(f'{SRC}/tests/{path}', 'rb') as f:
            return f.read()

    with tarfile.open(fileobj=io.BytesIO(MADE['captures-tar']())) as tar:
        for member in tar.getmembers():
            data = tar.extractfile(member).read()
            if member.name.endswith('.gz'):
                write(member.name, data)
            elif member.name == 'graph_execution.json':
                write('trace.json.gz', gzip.compress(data, 0))  # its padding is a gzip bomb
    for rank in (0, 1):
        write(f'trace_rank_{rank}.json.gz', gzip.compress(MADE[f'rank-{rank}-of-2']()))
    write('report_cuda_gpu_kern_sum.csv', read('web/data/table_cuda_gpu_kern_sum.csv'))
    write('profile.hatchet', read('api/data/scopes.hatchet'))
    write('logs/nccl.log', read('api/data/nccl-inspector-0.json'))
    write('normal_perf.csv.gz', gzip.compress(read('web/data/patterns.csv')))
    write('normal_counters.csv.gz', gzip.compress(read('web/data/counters.csv')))
    write('profile.csv', read('api/data/ncu-details.csv'))
    write('serving.json', read('api/data/vllm-serving.json'))
    write('production_operators.json', read('api/data/set-small.json'))
    write('inductor_provenance_tracking_node_mappings.json', made_provenance('moved'))
    write('inductor_provenance_tracking_kernel_stack_traces.json',
          made_provenance('moved', layout='stacks'))
    write('kernel_information.json', made_provenance('moved', layout='information'))
    sqlite3.connect(f'{d}/report.sqlite').executescript(read('web/data/graphs.sql').decode())
    for name in ('train.py', 'serve.py'):
        write(name, PROGRAM.encode())
    write('library.so', b'')
    write('token.txt', b'\n')
    os.makedirs(f'{d}/bin')
    for name in ('kernsift', 'kernsiftd'):
        os.symlink(f'{BIN}/{name}', f'{d}/bin/{name}')
    os.symlink(sys.executable, f'{d}/bin/python')
    os.makedirs(f'{d}/build')
    os.symlink(f'{d}/bin', f'{d}/build/bin')


def runs(s, d):
    """Stores the runs that the commands name: 1 to 15 of one project, and two jobs."""
    for i in range(1, 16):
        labels = ['--label', 'branch=main' if i < 12 else 'commit=3f2a91c']
        # run 15 executes the kernels of profile.csv
        path = f'{SRC}/tests/api/data/importance.json' if i == 15 else \
            trace(d, f'made-{i}.json', '--steps', '6', '--seed', str(i))
        r = upload(s, '--wait', '--project', 'chat', '--workload',
                   'qwen3-decode' if i < 15 else 'decode', *labels, path)
        equal('run', (r.status, ids(r.out, 'run')), (0, [i]))
    for job, ranks in (('a', ('rank-0-of-2', 'rank-1-of-2')), ('b', ('rank-0-again',))):
        for name in ranks:
            path = f'{d}/{name}.json'
            with open(path, 'wb') as f:
                f.write(MADE[name]())
            equal(name, upload(s, '--wait', '--job', job, path).status, 0)
    for name in ('one', 'two'):  # tokens that a command revokes
        subprocess.run([f'{BIN}/kernsiftd', 'token', '--db', DB, '--scope', 'read', '--name', name],
                       check=True, stdout=subprocess.DEVNULL, env=CLEAN)


def parsed(command):
    """Checks the program, the command and the names of its options."""
    words = shlex.split(command, comments=True)
    words = [w for w in words if w not in ('&', '...')]
    words[0] = os.path.join(BIN, os.path.basename(words[0]))
    if '--' in words:
        words = words[:words.index('--')]
    p = subprocess.run([*words, '--help'], capture_output=True, text=True, timeout=60, env=CLEAN)
    equal(command, (p.returncode, p.stderr), (0, ''))


def fault_of(command, where, s, d):
    """Runs a command; returns what is wrong, or None."""
    env = {**CLEAN, 'PATH': f'{d}/bin:{os.environ["PATH"]}', 'KERNSIFT_SERVER': s.url,
           'KERNSIFT_DB': DB, 'KERNSIFT_LIBRARY': f'{d}/library.so', 'HOME': d, 'DISPLAY': '',
           'WAYLAND_DISPLAY': '', 'XDG_STATE_HOME': f'{d}/state', 'XDG_CONFIG_HOME': f'{d}/config'}
    line = re.sub(r'https://kernsift\.example(\.com)?\b', s.url, command)
    p = subprocess.run(['bash', '-c', line], cwd=d, env=env, capture_output=True, text=True,
                       stdin=subprocess.DEVNULL, timeout=300)
    gate = re.match(r'kernsift gate\b', command)
    good = p.returncode in (0, 1, 2) and p.stdout.startswith('gate ') if gate \
        else p.returncode == 0
    print(f'  {p.returncode}  {command}', flush=True)
    return None if good else (f'{where}: {command}\n  status {p.returncode}\n'
                              f'{p.stdout[-800:]}{p.stderr[-1200:]}')


def works(s, d):
    """every command that is shown runs, or is run by another case"""
    files(d)
    runs(s, d)
    commands, mentioned = shown()
    used, faults = set(), []
    for command, where in commands.items():
        plain = command.removeprefix('build/bin/')
        other = [p for p in ELSEWHERE if re.match(p, plain)]
        used.update(other)
        if other:
            parsed(plain)
        else:
            faults.append(fault_of(command, where, s, d))
    equal('rows of ELSEWHERE that no command needs', set(ELSEWHERE) - used, set())
    equal('faults', [f for f in faults if f], [])
    for command in mentioned:
        parsed(command)
    equal('many', len(commands) > 50 and len(mentioned) > 3, True)


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([works], s, d)


if __name__ == '__main__':
    main()
