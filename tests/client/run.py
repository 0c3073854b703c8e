#!/usr/bin/python3
"""run.py - `kernsift run` executes a command and sends the captures that it leaves."""
import glob
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

import spooled
from harness import BIN, CLEAN, SRC, Server, equal, kernsift, play, says

LEAVE = f'{SRC}/tests/client/spooled.py'
# A program that counts the signals it receives. At SIGTERM it prints the count and
# exits.
COUNTER = '''
import os, signal, sys, time
got = {}
def count(sig, _):
    got[sig] = got.get(sig, 0) + 1
    os.write(1, b"got %d\\n" % sig)
for s in (1, 2, 3, 10, 12, 28):
    signal.signal(s, count)
def end(*_):
    print("counted", sorted(got.items()), flush=True)
    os._exit(5)
signal.signal(signal.SIGTERM, end)
print("ready", os.getpid(), flush=True)
while True:
    time.sleep(1)
'''


def run(d, *argv, env=None, stdin=None, server=None):
    state = {'XDG_STATE_HOME': f'{d}/state', 'KERNSIFT_LIBRARY': f'{d}/lib.so'}
    return kernsift('run', *argv, stdin=stdin, server=server,
                    env={**state, **(env or {})})


def folders(d):
    return glob.glob(f'{d}/state/kernsift/run/*')


NOTHING = (r'kernsift: nothing was recorded: no process of the command used '
           r'CUDA, or its driver loads no injection library\n')


def statuses(d):
    """the exit status is always that of the command"""
    for command, wanted in (('exit 0', 0), ('exit 7', 7), ('exit 255', 255),
                            ('kill -9 $$', 137), ('kill -TERM $$', 143),
                            ('kill -SEGV $$', 139)):
        r = run(d, '--no-upload', '--', 'sh', '-c', command)
        equal(f'status of {command}', r.status, wanted)
        says('stderr', r.err, NOTHING)
    r = run(d, '--no-upload', '--', 'no-such-program')
    equal('status', r.status, 127)
    says('stderr', r.err, r"kernsift: cannot run 'no-such-program': No such file or directory\n")
    r = run(d, '--no-upload', '--', d)
    equal('status', r.status, 126)
    equal('folders', folders(d), [])


def streams(d):
    """streams, arguments, environment and ignored signals are unchanged"""
    p = subprocess.run([f'{BIN}/kernsift', 'run', '--no-upload', 'cat'], input=b'a\0\xff',
                       capture_output=True, timeout=60,
                       env={**CLEAN, 'XDG_STATE_HOME': d, 'KERNSIFT_LIBRARY': f'{d}/lib.so'},
                       check=False)
    equal('stdout', p.stdout, b'a\0\xff')
    r = run(d, '--no-upload', '--', 'printf', '%s|', '--wait', '--', 'a b', '')
    equal('arguments', r.out, '--wait|--|a b||')
    ask = ['grep', '-E', '^Sig(Ign|Blk|Cgt)', '/proc/self/status']
    alone = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    equal('signals', run(d, '--no-upload', '--', *ask).out, alone)
    r = run(d, '--no-upload', '--', 'sh', '-c', 'ls /proc/$$/fd; true')
    equal('descriptors', r.out, '0\n1\n2\n')


def environment(d):
    """the variables; those of another tool stay, with a message"""
    show = ['sh', '-c', 'env | grep -E "^(CUDA_INJ|NVTX_INJ|KERNSIFT_TRACE)" | sort']
    r = run(d, '--no-upload', '--window', '30s+5s', '--nvml-hz=0', '--capture', '--', *show)
    says('environment', r.out,
         rf'CUDA_INJECTION64_PATH={d}/lib.so\nKERNSIFT_TRACE_CAPTURE=1\n'
         rf'KERNSIFT_TRACE_DIR={d}/state/kernsift/run/run-\w{{6}}\nKERNSIFT_TRACE_NVML_HZ=0\n'
         rf'KERNSIFT_TRACE_WINDOW=30s\+5s\nNVTX_INJECTION64_PATH={d}/lib.so\n')
    r = run(d, '--no-upload', '--dir', f'{d}/else/where', '--', *show,
            env={'CUDA_INJECTION64_PATH': '/opt/nsys.so', 'KERNSIFT_TRACE_HOST_HZ': '3'})
    says('environment', r.out,
         rf'CUDA_INJECTION64_PATH=/opt/nsys.so\nKERNSIFT_TRACE_DIR={d}/else/where/run-\w{{6}}\n'
         rf'KERNSIFT_TRACE_HOST_HZ=3\nNVTX_INJECTION64_PATH={d}/lib.so\n')
    says('stderr', r.err,
         r"kernsift: CUDA_INJECTION64_PATH is already set to '/opt/nsys.so' and is not changed; [^\n]*\n" + NOTHING)


def refused(d):
    """invalid arguments are reported before anything is run"""
    for argv, sentence in (
            (['--window'], '--window: the value is missing (use --window TEXT)'),
            (['--nvml-hz', 'x', 'true'],
             "--nvml-hz: 'x' is not a whole number from 0 to 999999999 (for example 10)"),
            (['--file-mib', '0', 'true'],
             "--file-mib: '0' is not a whole number from 1 to 999999999 (for example 64)"),
            (['--trace=yes', 'true'], "--trace: 'yes' is not 0 or 1"),
            (['--drop', '(', 'true'], "--drop: '(' is not a regular expression: "
                                      'Unmatched ( or \\( (for example secret.*)'),
            (['--windw', '1', 'true'], "'--windw' is not an option of 'kernsift run' "
                                       "(did you mean '--window'? see 'kernsift run --help')"),
            (['--once', 'true'], "'--once' is an option of other commands, not of "
                                 "'kernsift run' (see 'kernsift run --help')"),
            (['--label', 'x', 'true'], "--label: 'x' is not KEY=VALUE (for example branch=main)"),
            (['--server', 'ftp://x', 'true'], "--server: 'ftp://x' does not start with http:// "
                                              'or https:// (for example http://127.0.0.1:8080)'),
            (['--library', '/none.so', 'true'],
             "cannot use the library '/none.so': No such file or directory"),
            ([], "'kernsift run' needs -- COMMAND [ARGUMENT]... (see 'kernsift run --help')")):
        r = run(d, *argv)
        equal('sentence', r.err, f'kernsift: {sentence}\n')
        equal('status', r.status, 125)
    equal('folders', folders(d), [])


def start(d, **how):
    p = subprocess.Popen([f'{BIN}/kernsift', 'run', '--no-upload', '--', sys.executable, '-c', COUNTER],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**CLEAN, 'XDG_STATE_HOME': f'{d}/state',
                              'KERNSIFT_LIBRARY': f'{d}/lib.so'}, **how)
    return p, int(p.stdout.readline().split()[1])


def passed_on(d):
    """a signal sent to the client reaches the command once"""
    p, _ = start(d)
    for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1,
                signal.SIGUSR2, signal.SIGWINCH):
        p.send_signal(sig)
        equal('arrives', p.stdout.readline(), f'got {int(sig)}\n')
    p.send_signal(signal.SIGTERM)
    out, _ = p.communicate(timeout=60)
    equal('counts', out, 'counted [(1, 1), (2, 1), (3, 1), (10, 1), (12, 1), (28, 1)]\n')
    equal('status', p.returncode, 5)


def read_until(fd, text):
    got = ''
    for _ in range(600):
        if text in got:
            return got
        if select.select([fd], [], [], 0.1)[0]:
            got += os.read(fd, 4096).decode()
    return sys.exit(f'no {text!r} in {got!r}')


def terminal(d):
    """a signal from the terminal arrives once"""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(f'{BIN}/kernsift',
                  ['kernsift', 'run', '--no-upload', '--', sys.executable, '-c', COUNTER],
                  {**CLEAN, 'XDG_STATE_HOME': f'{d}/state', 'KERNSIFT_LIBRARY': f'{d}/lib.so'})
    read_until(fd, 'ready')
    os.write(fd, b'\x03')
    read_until(fd, 'got 2')
    termios.tcsetwinsize(fd, (30, 90)) if hasattr(termios, 'tcsetwinsize') else \
        os.kill(pid, signal.SIGWINCH)
    read_until(fd, 'got 28')
    os.kill(pid, signal.SIGTERM)
    got = read_until(fd, 'nothing was recorded')
    equal('once', re.search(r'counted (.*\])', got).group(1), '[(2, 1), (28, 1)]')
    equal('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 5)
    os.close(fd)


def stopped(d):
    """if the terminal stops the command, the client stops too, as a shell sees it"""
    p, child = start(d, preexec_fn=os.setpgrp)
    os.kill(child, signal.SIGTSTP)
    _, status = os.waitpid(p.pid, os.WUNTRACED)
    equal('stopped', os.WIFSTOPPED(status), True)
    os.killpg(p.pid, signal.SIGCONT)
    p.terminate()
    out, _ = p.communicate(timeout=60)
    equal('counts', out, 'counted []\n')
    equal('status', p.returncode, 5)


def sends(d):
    """captures are sent, verified and deleted; the status stays that of the command"""
    with Server() as s:
        r = run(d, '--project', 'p', '--label', 'a=b', '--wait', '--', 'sh', '-c',
                f'python3 {LEAVE} capture $KERNSIFT_TRACE_DIR; exit 3', server=s)
        equal('status', r.status, 3)
        says('stderr', r.err,
             rf"{spooled.HOST}-\d+-1234-1\.kst: \d+ B sent as \d+ B, upload 1 queued\n"
             rf'kernsift: run \d+ {s.url}/[^\n]*\n')
        upload = s.get('/api/v1/uploads/1')
        equal('project', (upload['project'], upload['labels'], upload['job']), ('p', {'a': 'b'}, ''))
        equal('folders', folders(d), [])


def killed(d):
    """parts of a killed process are merged; --keep keeps the capture"""
    with Server() as s:
        r = run(d, '--keep', '--', 'sh', '-c',
                f'python3 {LEAVE} capture --left $KERNSIFT_TRACE_DIR', server=s)
        equal('status', r.status, 0)
        says('stderr', r.err,
             rf"kernsift: '{spooled.HOST}-\d+-1234-1\.kst' is of a killed process: "
             rf'\d+ rows of it and 0 rows of its tail are kept\n'
             rf'{spooled.HOST}-\d+-1234-1\.kst: [^\n]* queued\n'
             rf"kernsift: the captures are kept in '{d}/state/kernsift/run/run-\w+'\n")
        (folder,) = folders(d)
        equal('kept', [re.sub(r'-\d+-', '-P-', f, 1) for f in sorted(os.listdir(folder))
                       if f.endswith('.kst')], [f'{spooled.HOST}-P-1234-1.kst'])
        subprocess.run(['rm', '-rf', folder], check=True)


def ranks(d):
    """the ranks of one command are one job, unless a job is named"""
    def two(pid):
        return 'sh', '-c', ' && '.join(
            f'python3 {LEAVE} capture --pid {pid + n} --rank {n} $KERNSIFT_TRACE_DIR'
            for n in (0, 1))

    with Server() as s:
        run(d, '--project', 'ranks', '--', *two(100), server=s)
        run(d, '--project', 'ranks', '--job', 'mine', '--', *two(200), server=s)
        jobs = [u['job'] for u in sorted(s.get('/api/v1/uploads')['items'],
                                         key=lambda u: u['id']) if u['project'] == 'ranks']
        says('job', jobs[0], rf'{spooled.HOST} \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+')
        equal('jobs', jobs, [jobs[0], jobs[0], 'mine', 'mine'])


def main():
    with tempfile.TemporaryDirectory() as d:
        with open(f'{d}/lib.so', 'w', encoding='ascii'):
            pass
        play([statuses, streams, environment, refused, passed_on, terminal, stopped, sends,
              killed, ranks], d)


if __name__ == '__main__':
    main()
