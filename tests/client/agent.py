#!/usr/bin/python3
"""agent.py - `kernsift agent` uploads the captures of a spool folder without
supervision.
"""
import fcntl
import hashlib
import os
import random
import signal
import subprocess
import tempfile
import time

import spooled
from harness import BIN, CLEAN, Server, equal, kernsift, play, says

LOCK_HOLDER = '''
import fcntl, sys, time
f = open(sys.argv[1], 'r+b')
fcntl.lockf(f, fcntl.LOCK_EX)
print('locked', flush=True)
time.sleep(600)
'''


def files(folder):
    return sorted(f for f in os.listdir(folder) if not f.startswith('.'))


def sha(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def stored(server, project):
    """Returns the digests of the captures that the server has of a project, in
    order."""
    got, more = [], '/api/v1/uploads?limit=500'
    while more:
        page = server.get(more)
        got += [u['sha256'] for u in page['items'] if u['project'] == project
                and u['state'] != 'receiving']
        more = page['next'] and f"/api/v1/uploads?limit=500&after={page['next']}"
    return sorted(got)


def once(folder, project, server=None, *more):
    return kernsift('agent', '--once', '--project', project, *more, folder, server=server)


def start(folder, project, url):
    return subprocess.Popen([f'{BIN}/kernsift', 'agent', '--project', project, '--server', url,
                             folder], env=CLEAN, stderr=subprocess.PIPE, text=True)


def until(what, holds):
    end = time.monotonic() + 60
    while not holds():
        equal(f'{what} within a minute', time.monotonic() < end, True)
        time.sleep(0.05)


def takes_its_own(d):
    """complete captures are uploaded and deleted; other files stay untouched"""
    spool = f'{d}/own'
    os.mkdir(spool)
    paths = [spooled.leave(spool, 10 + n) for n in range(3)]
    elsewhere = spooled.leave(d, 99)
    digests = sorted(map(sha, paths))
    os.symlink(elsewhere, f'{spool}/{spooled.name(50)}')
    os.mkdir(f'{spool}/{spooled.name(51)}')
    os.mkfifo(f'{spool}/{spooled.name(52)}')
    others = ['notes.txt', 'a.kst', 'h-1-2.kst', 'h-1-x-3.kst', f'{spooled.name(9)}.new']
    for name in others:
        with open(f'{spool}/{name}', 'wb') as f:
            f.write(spooled.capture(1))
    with Server() as s:
        r = once(spool, 'own', s)
        equal('status', r.status, 0)
        equal('stored', stored(s, 'own'), digests)
        equal('left', files(spool), sorted(others + [spooled.name(n) for n in (50, 51, 52)]))
        equal('the link was not followed', os.path.exists(elsewhere), True)
        r = once(spool, 'own', s)
        equal('again', (r.status, r.err), (0, ''))


def without_records(d):
    """an empty capture is not sent, and its losses are reported; a rejected one stays"""
    spool = f'{d}/without'
    os.mkdir(spool)
    with open(f'{spool}/{spooled.name(1)}', 'wb') as f:
        f.write(spooled.capture(lost=7))
    with open(f'{spool}/{spooled.name(2)}', 'wb') as f:
        f.write(b'no capture')
    with Server() as s:
        r = once(spool, 'without', s)
        equal('status', r.status, 1)
        says('stderr', r.err, rf"kernsift: '{spooled.name(1)}' has no records and was deleted; lost "
             rf"while recording: 7\nkernsift: {spooled.name(2)}: this is text that begins with "
             r"'no capture', [^\n]*\n")
    equal('left', files(spool), [spooled.name(2)])


def of_processes(d):
    """parts: of a running process, of a dead one, of another host, empty"""
    spool = f'{d}/parts'
    os.mkdir(spool)
    living = spooled.leave(spool, 1, left=True)
    spooled.leave(spool, 2, left=True)
    far = spooled.leave(spool, 3, left=True, host='elsewhere')
    with open(f'{spool}/{spooled.name(4)}.part', 'wb'):
        pass
    for rest in ('.tail', '.merging'):
        with open(f'{spool}/{spooled.name(5)}{rest}', 'wb'):
            pass
    holder = subprocess.Popen(['python3', '-c', LOCK_HOLDER, living], stdout=subprocess.PIPE)
    holder.stdout.readline()
    with Server() as s:
        r = once(spool, 'parts', s)
        equal('status', r.status, 0)
        says('stderr', r.err, rf"kernsift: '{spooled.name(2)}' is of a killed "
             rf'process: \d+ rows of it and 0 rows of its tail are kept\n{spooled.name(2)}: [^\n]*\n')
        equal('left', files(spool), sorted(f'{n}.part' for n in (
            spooled.name(1), spooled.name(3, host='elsewhere'), spooled.name(4))))
        holder.kill()
        holder.wait()
        long_ago = time.time() - 1000
        os.utime(far, (long_ago, long_ago))
        os.utime(f'{spool}/{spooled.name(4)}.part', (long_ago, long_ago))
        r = once(spool, 'parts', s, '--stale-after', '900')
        equal('status', r.status, 0)
        equal('left', files(spool), [])
        equal('stored', len(stored(s, 'parts')), 3)


def whole_and_parts(d):
    """a client killed between merging and deleting: parts are deleted, one upload is
    sent"""
    spool = f'{d}/both'
    os.mkdir(spool)
    path = spooled.leave(spool, 1)
    for more in ('.part', '.tail'):
        with open(path + more, 'wb') as f:
            f.write(b'rest')
    digest = sha(path)
    with Server() as s:
        equal('status', once(spool, 'both', s).status, 0)
        equal('stored', stored(s, 'both'), [digest])
    equal('left', files(spool), [])


def alone(d):
    """two agents on one folder: the second exits"""
    spool = f'{d}/alone'
    os.mkdir(spool)
    with Server() as s:
        first = start(spool, 'alone', s.url)
        until('locked', lambda: os.path.exists(f'{spool}/.kernsift.lock') and is_locked(spool))
        r = once(spool, 'alone', s)
        equal('status', r.status, 1)
        equal('stderr', r.err, f"kernsift: '{spool}' is being sent by another kernsift\n")
        spooled.leave(spool, 1)
        until('sent', lambda: not files(spool))
        first.terminate()
        equal('ends', first.wait(60), 0)


def is_locked(spool):
    with open(f'{spool}/.kernsift.lock', 'rb') as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def killed(d):
    """killed at random moments, repeatedly: nothing is lost and nothing is sent twice"""
    spool = f'{d}/killed'
    os.mkdir(spool)
    digests, chance = [], random.Random(6)
    with Server() as s:
        for n in range(40):
            path = spooled.leave(spool, n, left=n % 4 == 0)
            if n % 4:
                digests.append(sha(path))
            agent = start(spool, 'killed', s.url)
            time.sleep(chance.random() * 0.15)
            agent.kill()
            agent.communicate()
        equal('status', once(spool, 'killed', s).status, 0)
        equal('left', files(spool), [])
        got = stored(s, 'killed')
        equal('each once', (len(got), len(set(got))), (40, 40))
        equal('none lost', set(digests) - set(got), set())


def away(d):
    """a server that is down, starts, dies during an upload and starts again"""
    spool = f'{d}/away'
    os.mkdir(spool)
    digests = [sha(spooled.leave(spool, n)) for n in range(3)]
    s = Server()
    agent = start(spool, 'away', s.url)
    says('it says so', agent.stderr.readline(),
         r"kernsift: [^\n]*: cannot reach '[^\n]*; trying again in \d\.\d s\n")
    with s:
        until('sent', lambda: not files(spool))
        s.stop(signal.SIGKILL)
        digests += [sha(spooled.leave(spool, 10 + n)) for n in range(3)]
        time.sleep(1.5)
        s.start()
        until('sent', lambda: not files(spool))
        equal('stored', stored(s, 'away'), sorted(digests))
    agent.terminate()
    agent.communicate()
    equal('ends', agent.returncode, 0)


def main():
    with tempfile.TemporaryDirectory() as d:
        play([takes_its_own, without_records, of_processes, whole_and_parts, alone, killed, away], d)


if __name__ == '__main__':
    main()
