"""spooled.py - makes spool folders, and commands that leave captures, without a GPU.

`python3 spooled.py capture FOLDER [--pid N] [--rank N] [--left] [--host NAME]` is such
a command. It writes one capture as a collector would, and prints the capture's name.
The capture is complete, or (with --left) as a killed process leaves it.
"""
import argparse
import os
import socket
import sys

SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f'{SRC}/tests/traces')
import kst_file as kst  # noqa: E402 the path comes first

HOST = ''.join(c if c.isascii() and (c.isalnum() or c in '-_') else '_'
               for c in socket.gethostname())


def capture(salt=0, rank=-1, end=True, lost=0, without=()):
    """Returns a capture's bytes; each salt gives different bytes. With `lost`, the
    capture only reports lost records. `without` has the numbers of chunks that are
    counted but missing."""
    chunks = kst.quiet()
    if lost:
        del chunks['kernel'], chunks['call']
        last = chunks.pop('end')
        chunks['drop'] = kst.Chunk(kst.DROP, kst.rows({2: [lost]}))
        chunks['end'] = last
    chunks['process'] = kst.Chunk(kst.PROCESS, kst.rows(
        {0: [0], 1: [77 + salt], 2: [4], 3: [rank], 4: [8 if rank >= 0 else -1]}))
    if not end:
        del chunks['end']
    for n, chunk in enumerate(chunks.values()):
        chunk.seq = n
    return kst.file([c for c in chunks.values() if c.seq not in without], minor=2)


def name(pid, number=1, host=HOST, ticks=1234, more=''):
    return f'{host}-{pid}-{ticks}-{number}.kst{more}'


def leave(folder, pid, number=1, left=False, rank=-1, **which):
    """Writes a capture to a folder; returns its path."""
    path = f"{folder}/{name(pid, number, more='.part' if left else '', **which)}"
    with open(path + '.new', 'wb') as f:
        f.write(capture(pid * 1000 + number, rank, not left))
    os.rename(path + '.new', path)
    return path


def main():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['capture'])
    p.add_argument('folder')
    p.add_argument('--pid', type=int, default=os.getpid())
    p.add_argument('--rank', type=int, default=-1)
    p.add_argument('--left', action='store_true')
    p.add_argument('--host', default=HOST)
    a = p.parse_args()
    print(leave(a.folder, a.pid, left=a.left, rank=a.rank, host=a.host))


if __name__ == '__main__':
    main()
