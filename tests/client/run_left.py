#!/usr/bin/python3
"""run_left.py - the files that `kernsift run` leaves in its spool folder after an
error.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import spooled
from harness import BIN, CLEAN, SRC, Server, equal, free_port, kernsift, play, says
from run import LEAVE, NOTHING, folders, run


def host_left_out(d):
    """a job is not named after a host if the captures are from another one"""
    leave = ' && '.join(f'python3 {LEAVE} capture --host host --pid {n} --rank {n} '
                        '$KERNSIFT_TRACE_DIR' for n in (1, 2))
    with Server() as s:
        run(d, '--project', 'redacted', '--', 'sh', '-c', leave, server=s)
        jobs = [u['job'] for u in s.get('/api/v1/uploads')['items'] if u['project'] == 'redacted']
        says('job', jobs[0], r'host \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+')
        equal('jobs', jobs, [jobs[0]] * 2)


EMPTY = f'''
import os, sys
sys.path.insert(0, '{SRC}/tests/client')
import spooled
with open(os.environ['KERNSIFT_TRACE_DIR'] + '/' + spooled.name(1), 'wb') as f:
    f.write(spooled.capture(lost=7))
'''


def without_records(d):
    """an empty capture stays if all captures stay"""
    left = ['collector.log', spooled.name(1)]
    with Server() as s:
        for option, sentence in (
                ('--no-upload', r"captures in '[^\n]*' were not sent; [^\n]*"),
                ('--keep', rf"'{spooled.name(1)}' has no records and is not sent; lost while "
                 rf"recording: 7\nkernsift: the captures are kept in '[^\n]*")):
            r = run(d, option, '--', 'sh', '-c', 'touch $KERNSIFT_TRACE_DIR/collector.log; '
                    f'{sys.executable} -c "$0"', EMPTY, server=s)
            says('stderr', r.err, f'kernsift: {sentence}\n')
            (folder,) = folders(d)
            equal('left', sorted(f for f in os.listdir(folder) if f[0] != '.'), sorted(left))
            subprocess.run(['rm', '-rf', folder], check=True)
        r = run(d, '--', sys.executable, '-c', EMPTY, server=s)
        says('stderr', r.err, rf"kernsift: '{spooled.name(1)}' has no records and was deleted; [^\n]* 7\n"
             + NOTHING)
        equal('folders', folders(d), [])


STUCK = f'''
import fcntl, os, sys, time
sys.path.insert(0, '{SRC}/tests/client')
import spooled
folder = os.environ['KERNSIFT_TRACE_DIR'] + '/'
with open(folder + spooled.name(1, more='.part'), 'wb') as f:
    f.write(b'this is no capture, nor was it ever one')
growing = folder + spooled.name(2, more='.part')
ready, locked = os.pipe()
if os.fork() == 0:
    f = open(growing, 'w+b')
    f.write(b'this one is written for a while and then is gone')
    fcntl.lockf(f, fcntl.LOCK_EX)
    os.write(locked, b'.')
    time.sleep(1)
    os.unlink(growing)
    os._exit(0)
os.read(ready, 1)
'''


def stuck(d):
    """a capture that cannot be repaired is reported once and stays"""
    with Server() as s:
        r = run(d, '--', sys.executable, '-c', STUCK, server=s)
        equal('status', r.status, 0)
        (folder,) = folders(d)
        part = f'{folder}/{spooled.name(1)}.part'
        says('stderr', r.err, rf"kernsift: '{part}' cannot be repaired and stays: [^\n]*\n"
             rf"kernsift: captures in '{folder}' were not sent; [^\n]*\n")
        equal('there', os.path.exists(part), True)
        r = kernsift('agent', '--once', folder, server=s)
        equal('status', r.status, 1)
        says('stderr', r.err, rf"kernsift: '{part}' cannot be repaired and stays: [^\n]*\n")
        equal('there', os.path.exists(part), True)
    subprocess.run(['rm', '-rf', folder], check=True)


ORPHAN = '''
import os, sys, time
r, w = os.pipe()
if os.fork() == 0:
    pid = os.fork()
    if pid == 0:
        while os.getppid() != int(sys.argv[1]):
            time.sleep(0.01)
        os._exit(0)
    os.write(w, b'%d' % pid)
    os._exit(0)
os.wait()
pid = int(os.read(r, 20))
end = time.monotonic() + 60
while os.path.exists(f'/proc/{pid}') and time.monotonic() < end:
    time.sleep(0.01)
sys.exit(os.path.exists(f'/proc/{pid}'))
'''


def orphans(d):
    """orphans that the client adopts, as in a container, do not stay as zombies"""
    def adopt():
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER

    p = subprocess.run([f'{BIN}/kernsift', 'run', '--no-upload', '--', 'sh', '-c',
                        f'exec {sys.executable} -c "$0" $PPID', ORPHAN],
                       env={**CLEAN, 'XDG_STATE_HOME': f'{d}/state',
                            'KERNSIFT_LIBRARY': f'{d}/lib.so'},
                       capture_output=True, text=True, timeout=120, check=False,
                       preexec_fn=adopt)
    says('stderr', p.stderr, NOTHING)
    equal('status', p.returncode, 0)


def homeless(d):
    """without a home: in /tmp, in the user's own folder, never in another user's"""
    ours, others = f'/tmp/kernsift-{os.geteuid()}', f'{d}/others'
    aside = f'{d}/aside'
    os.mkdir(others, 0o700)

    def where():
        r = kernsift('run', '--no-upload', '--', 'sh', '-c', 'echo $KERNSIFT_TRACE_DIR',
                     env={'HOME': '', 'XDG_STATE_HOME': '', 'KERNSIFT_LIBRARY': f'{d}/lib.so'})
        equal('gone', os.path.exists(r.out.strip()), False)
        return r.out

    if os.path.lexists(ours):
        subprocess.run(['mv', '-T', ours, aside], check=True)
    try:
        says('none yet', where(), rf'{ours}/run-\w{{6}}\n')
        equal('mode', os.stat(ours).st_mode & 0o7777, 0o700)
        says('ours', where(), rf'{ours}/run-\w{{6}}\n')
        os.chmod(ours, 0o777)
        says('open to all', where(), r'/tmp/kernsift-run-\w{6}\n')
        os.rmdir(ours)
        os.symlink(others, ours)
        says('a link', where(), r'/tmp/kernsift-run-\w{6}\n')
    finally:
        subprocess.run(['rm', '-rf', ours], check=True)
        if os.path.lexists(aside):
            subprocess.run(['mv', '-T', aside, ours], check=True)


def away(d):
    """a server that is down changes nothing; the agent sends the capture later"""
    url = f'http://127.0.0.1:{free_port()}'
    r = run(d, '--server', url, '--retries', '0', '--', 'sh', '-c',
            f'python3 {LEAVE} capture $KERNSIFT_TRACE_DIR; exit 9')
    equal('status', r.status, 9)
    (folder,) = folders(d)
    says('stderr', r.err,
         rf"kernsift: {spooled.HOST}-\d+-1234-1\.kst: cannot reach '{url}': [^\n]*\n"
         rf"kernsift: captures in '{folder}' were not sent; send them with 'kernsift agent --once' "
         rf'and that folder\n')
    with Server() as s:
        r = kernsift('agent', '--once', folder, server=s)
        equal('status', r.status, 0)
        equal('there', len(s.get('/api/v1/uploads')['items']) >= 1, True)
    equal('left', [f for f in os.listdir(folder) if not f.startswith('.')], [])
    subprocess.run(['rm', '-rf', folder], check=True)


def nothing(d):
    """nothing recorded: the collector's log is shown and stays"""
    r = run(d, '--no-upload', '--', 'sh', '-c',
            'printf "T 1 KERNSIFT_TRACE_WINDOW is odd\nT 1 no libcupti here\n" >$KERNSIFT_TRACE_DIR/collector.log')
    (folder,) = folders(d)
    equal('stderr', r.err,
          'kernsift: collector: T 1 KERNSIFT_TRACE_WINDOW is odd\n'
          'kernsift: collector: T 1 no libcupti here\n'
          f"kernsift: nothing was recorded; see '{folder}/collector.log'\n")
    subprocess.run(['rm', '-rf', folder], check=True)


def main():
    with tempfile.TemporaryDirectory() as d:
        with open(f'{d}/lib.so', 'w', encoding='ascii'):
            pass
        play([host_left_out, without_records, stuck, orphans, homeless, away, nothing], d)


if __name__ == '__main__':
    main()
