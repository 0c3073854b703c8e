#!/usr/bin/python3
"""nsys_report.py - reports of Nsight Systems are converted where nsys is found.

The nsys of these cases is a script that this case writes.
"""
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time

from harness import BIN, CLEAN, SRC, Server, equal, ids, play, says, upload

sys.path.insert(0, f'{SRC}/tests/gen')
from nsys_db import US, Export

REPORT = b'NVIDIA Tegra Profiler Report\0\1\2' + bytes(range(256)) * 16
SENTENCE = ('this is an Nsight Systems report (.nsys-rep), which only nsys can read; run '
            '`nsys export --type sqlite` and upload what that writes')
# A program that does what `nsys export` does: --type, --output and one file. It records
# its arguments. What it does then is in the variable FAKE.
FAKE = '''#!/usr/bin/python3
import json, os, shutil, signal, subprocess, sys, time
with open(os.environ['FAKE_LOG'], 'a') as f:
    f.write(json.dumps([os.getpid(), sys.argv[1:]]) + '\\n')
do, to = os.environ['FAKE'], sys.argv[sys.argv.index('--output') + 1]
print('Processing events...', flush=True)
if do in ('good', 'other'):
    assert sys.argv[1:4] == ['export', '--type', 'sqlite'], sys.argv
    open(sys.argv[-1], 'rb').close()
    if sys.argv[-1].startswith('-'):
        sys.exit('unrecognized option')
    shutil.copy(os.environ['FAKE_SQLITE'], to)
    open(to + '-journal', 'w').close()
    os.makedirs(os.path.dirname(to) + '/cache/empty')
    open(os.path.dirname(to) + '/cache/index', 'w').close()
    os.symlink(os.environ['FAKE_SQLITE'], os.path.dirname(to) + '/cache/link')
    os.symlink(os.path.dirname(os.environ['FAKE_SQLITE']), os.path.dirname(to) + '/cache/folder')
if do == 'other':
    with open(to, 'w') as f:
        f.write('not a database')
if do == 'status':
    open(to, 'w').close()
    print('Importer error: the report\\tis damaged\\n\\n', file=sys.stderr)
    sys.exit(3)
if do == 'old':
    sys.exit("unrecognized option '--output'")
if do == 'crash':
    os.kill(os.getpid(), signal.SIGSEGV)
if do == 'hang':
    open(to, 'w').close()
    child = subprocess.Popen(['sleep', '60'])
    with open(os.environ['FAKE_LOG'], 'a') as f:
        f.write(json.dumps([child.pid, []]) + '\\n')
    print('hanging', flush=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(60)
'''


class World:
    """A folder with a fake nsys, a report, an export and a folder for temporary files."""

    def __init__(self, folder):
        self.folder, self.tmp = folder, f'{folder}/tmp'
        self.log = f'{folder}/log'
        os.makedirs(f'{folder}/bin')
        os.mkdir(self.tmp)
        with open(f'{folder}/bin/nsys', 'w') as f:
            f.write(FAKE)
        os.chmod(f'{folder}/bin/nsys', 0o755)
        self.sqlite = f'{folder}/export.sqlite'

        with Export(self.sqlite, (3, 25)) as x:
            x.frame()
            for start, call in ((15, 1), (35, 2)):
                x.call((start - 5) * US, (start - 4) * US, call, 'cudaLaunchKernel_v7000')
                x.kernel(start * US, (start + 2) * US, call)
        self.report = self.write('report.nsys-rep')

    def write(self, name):
        path = f'{self.folder}/{name}'
        with open(path, 'wb') as f:
            f.write(REPORT)
        return path

    def env(self, do, path=None):
        return {'FAKE': do, 'FAKE_LOG': self.log, 'FAKE_SQLITE': self.sqlite,
                'TMPDIR': self.tmp,
                'PATH': path or f'{self.folder}/bin:/usr/bin:/bin'}

    def calls(self):
        """The processes of nsys and their arguments; forgets them."""
        if not os.path.exists(self.log):
            return []
        with open(self.log) as f:
            rows = [json.loads(line) for line in f]
        os.remove(self.log)
        return rows

    def left(self):
        return os.listdir(self.tmp)


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().split(') ')[1][0] != 'Z'
    except FileNotFoundError:
        return False


def ended(what, pids):
    """The processes end. A killed process lives until the kernel has ended it, which takes
    longer on a busy machine; 30 s is far above that."""
    until = time.monotonic() + 30
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    equal(what, [pid for pid in pids if alive(pid)], [])


def inspect(w, do, file, folders=None):
    p = subprocess.run([f'{BIN}/kernsiftd', 'inspect', file], capture_output=True, text=True,
                       env={**CLEAN, **w.env(do, folders)}, timeout=60, check=False)
    return p.returncode, p.stdout, p.stderr


def works(s, w):
    """the export is uploaded; the run is that of the export; no file is left"""
    r = upload(s, '--wait', w.report, env=w.env('good'))
    equal('stderr', re.sub(r'[^ ]+ KiB', 'N KiB', r.err).splitlines()[0],
          f'{w.report}: converting with `nsys export`')
    equal('status', r.status, 0)
    run = ids(r.out, 'run')[0]
    equal('file', s.get('/api/v1/uploads?limit=1')['items'][0]['file_name'], 'report.sqlite')
    got = s.get(f'/api/v1/runs/{run}')
    equal('run', (got['launches'], got['format']), (2, 'nsys'))
    equal('left', w.left(), [])
    pid, argv = w.calls()[0]
    equal('arguments', argv[:4] + argv[5:], ['export', '--type', 'sqlite', '--output', w.report])
    says('output', argv[4], rf'{w.tmp}/kernsift-nsys-\w{{6}}/report\.sqlite')
    ended('process', [pid])
    status, out, err = inspect(w, 'good', w.report)
    equal('inspect', (status, err), (0, ''))
    equal('the same', out, inspect(w, 'good', w.sqlite)[1])


def names(s, w):
    """file names with spaces, dashes and another ending"""
    w.calls()
    for name, stored in (('a report; $(x).nsys-rep', 'a report; $(x).sqlite'),
                         ('-o.nsys-rep', '-o.sqlite'), ('plain', 'plain.sqlite')):
        w.write(name)
        p = subprocess.run([f'{BIN}/kernsift', 'upload', '--server', s.url, '--name', name, '--',
                            name], cwd=w.folder, capture_output=True, text=True, check=False,
                           env={**CLEAN, **w.env('good')}, timeout=60)
        equal(f'status of {name}: {p.stderr}', p.returncode, 0)
        equal('file', s.get(f"/api/v1/uploads/{ids(p.stdout, 'upload')[0]}")['file_name'], stored)
        equal('operand', w.calls()[0][1][5], './' + name if name[0] == '-' else name)


def fails(s, w):
    """nsys fails: its status and its last line; the other files are sent"""
    nsys = f'{w.folder}/bin/nsys'
    for do, sentence in (
            ('status', 'ended with status 3: Importer error: the report is damaged'),
            ('old', "ended with status 1: unrecognized option '--output'"),
            ('crash', 'was ended by signal 11: Processing events...'),
            ('other', 'wrote no SQLite file: Processing events...'),
            ('nothing', 'wrote no SQLite file: Processing events...')):
        r = upload(s, w.report, w.sqlite, env=w.env(do))
        equal(f'status of {do}', r.status, 1)
        equal('one upload', len(ids(r.out, 'upload')), 1)
        wanted = f"'{w.report}': `{nsys} export` {sentence}"
        equal('sentence', [x for x in r.err.splitlines() if x.startswith('kernsift: ')],
              [f'kernsift: {wanted}'])
        equal('left', w.left(), [])
        equal('inspect', inspect(w, do, w.report), (1, '', f'kernsiftd: {wanted}\n'))
        equal('left', w.left(), [])
    r = upload(s, w.report, env={**w.env('good'), 'TMPDIR': f'{w.folder}/absent'})
    equal('status', r.status, 1)
    says('no folder', r.err, rf".*\nkernsift: cannot make a folder in '{w.folder}/absent' for `nsys "
                             r"export`: No such file or directory \(set TMPDIR\)\n")


def none(s, w):
    """without nsys the server rejects the report, as before"""
    w.calls()
    os.mkdir(f'{w.folder}/odd')
    os.mkdir(f'{w.folder}/odd/nsys')
    for path in ('/nowhere', f'{w.folder}/odd', 'bin', ':'):
        r = subprocess.run([f'{BIN}/kernsift', 'upload', '--server', s.url, w.report],
                           cwd=w.folder, capture_output=True, text=True, check=False,
                           env={**CLEAN, **w.env('good', path)}, timeout=60)
        equal('status', (r.returncode, r.stdout), (1, ''))
        equal('sentence', r.stderr, f'kernsift: {w.report}: {SENTENCE}\n')
        equal('inspect', inspect(w, 'good', w.report, path),
              (1, '', f'kernsiftd: {SENTENCE}\n'))
    with open(w.report, 'rb') as f:
        r = upload(s, '-', stdin=f.read(), env=w.env('good'))
    equal('from a pipe', (r.status, r.err), (1, f'kernsift: standard input: {SENTENCE}\n'))
    equal('calls of nsys', w.calls(), [])


def begin(w, argv, **how):
    p = subprocess.Popen(argv, env={**CLEAN, **w.env('hang')}, **how)
    for _ in range(600):
        if os.path.exists(w.log):
            with open(w.log) as f:
                if f.read().count('\n') == 2:
                    return p
        time.sleep(0.05)
    p.kill()
    sys.exit('nsys was not started')


def stopped(s, w):
    """nsys hangs: a signal ends both, its children too, and the folder is removed; SIGKILL
    ends both, and leaves the folder and the children"""
    commands = ([f'{BIN}/kernsift', 'upload', '--server', s.url, w.report],
                [f'{BIN}/kernsiftd', 'inspect', w.report])
    for argv in commands:
        for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            p = begin(w, argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            p.send_signal(by)
            equal('status', p.wait(20), -by)
            equal('left', w.left(), [])
            ended('processes', [pid for pid, _ in w.calls()])
    p = begin(w, commands[0], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    p.kill()
    p.wait(20)
    nsys, child = [pid for pid, _ in w.calls()]
    ended('nsys after SIGKILL', [nsys])
    equal('its child', alive(child), True)
    os.kill(child, signal.SIGKILL)
    equal('left after SIGKILL', [re.sub(r'\w{6}$', 'X', f) for f in w.left()],
          ['kernsift-nsys-X'])


def terminal(s, w):
    """Ctrl-C on a terminal does the same"""
    for name in w.left():
        subprocess.run(['rm', '-r', f'{w.tmp}/{name}'], check=True)
    ours, theirs = pty.openpty()
    p = begin(w, [f'{BIN}/kernsift', 'upload', '--server', s.url, w.report], stdin=theirs,
              stdout=theirs, stderr=theirs, start_new_session=True,
              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.write(ours, b'\3')
    equal('status', p.wait(20), -signal.SIGINT)
    equal('left', w.left(), [])
    ended('processes', [pid for pid, _ in w.calls()])


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([works, names, fails, none, stopped, terminal], s, World(d))


if __name__ == '__main__':
    main()
