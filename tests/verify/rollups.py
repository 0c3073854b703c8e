#!/usr/bin/python3
"""rollups.py - sums over runs equal their recomputation after kills at any moment.

Four processes (rollup_player) upload, delete, move, rebuild, vacuum and fold at random,
and save what is queued: 1,000 actions and more (--quick: 150). SIGKILL repeatedly kills
one of them, at any moment of a transaction.

At random moments in between, and at the end, all sums are computed again from run,
run_operator, run_shape and run_unattributed. They are whole numbers, and must equal the
rollups plus the deltas in every grain, cell, operator, shape, kernel and code. Finally,
all runs are deleted and all deltas are folded. Then no row may be left.

The moments come from a seed, which is printed and can be set with --seed.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import time

from rollup_sums import check, psql

HERE = os.path.dirname(os.path.abspath(__file__))
PLAYER = os.path.join(os.environ.get('KERNSIFT_BIN',
                                     f'{HERE}/../../build/dev/bin'),
                      'rollup_player')
PROCESSES = 4


class Process:
    """A player process; the number of bytes that it wrote is its progress."""
    done = 0

    def __init__(self, dice, actions):
        self.p = subprocess.Popen(
            [PLAYER, str(dice.getrandbits(40)), str(actions)],
            stdout=subprocess.PIPE)
        os.set_blocking(self.p.stdout.fileno(), False)

    def count(self):
        """Counts what the player has written; also returns whether it is still
        running."""
        while got := self.p.stdout.read(1 << 16):
            Process.done += len(got)
        return self.p.poll() is None

    def kill(self):
        self.p.send_signal(signal.SIGKILL)
        self.p.wait()
        self.count()
        assert self.p.returncode in (0, -signal.SIGKILL), self.p.returncode


def play(dice, actions):
    players = [Process(dice, actions) for _ in range(PROCESSES)]
    kills = checks = 0
    while Process.done < actions:
        time.sleep(dice.uniform(0.02, 0.3))
        for i, p in enumerate(players):
            if not p.count():
                assert p.p.returncode == 0, 'a player gave up'
                players[i] = Process(dice, actions)
        victim = dice.randrange(PROCESSES)
        players[victim].kill()
        kills += 1
        players[victim] = Process(dice, actions)
        if not dice.randrange(12):
            check()
            checks += 1
    for p in players:
        p.kill()
    print(f'{Process.done} uploads, deletes, moves and rebuilds, {kills} kills, {checks} checks on the way',
          flush=True)


def player(*args):
    subprocess.run([PLAYER, *args], check=True, stdout=subprocess.DEVNULL)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--quick', action='store_true', help='150 of them')
    p.add_argument('--seed', type=int, default=None)
    o = p.parse_args()
    seed = o.seed if o.seed is not None else random.SystemRandom().getrandbits(32)
    print(f'seed {seed}', flush=True)
    dice = random.Random(seed)
    player(str(dice.getrandbits(40)), '1')
    play(dice, 150 if o.quick else 1000)
    for what in ('as they were left', 'drain', 'fold'):
        if what in ('drain', 'fold'):
            player('1', what)
        n, deltas = check()
        print(f'{what}: {n} numbers equal, {deltas} deltas not folded',
              flush=True)
        assert what != 'fold' or not deltas
    states = psql('SELECT state, count(*) FROM upload GROUP BY 1 ORDER BY 1')
    runs = psql('SELECT count(*) FROM run')[0]
    print(f'uploads: {", ".join(states)}; runs: {runs}', flush=True)
    assert n, 'nothing was summed'
    player('1', 'clear')
    left = psql('SELECT 1 FROM rollup_cell UNION ALL SELECT 1 FROM rollup_shape '
                'UNION ALL SELECT 1 FROM rollup_seen '
                'UNION ALL SELECT 1 FROM rollup_kernel')
    assert not left, f'{len(left)} sums of no runs'
    print('clear: nothing is left', flush=True)
    return 0


if __name__ == '__main__':
    if 'PGHOST' not in os.environ:
        there = f'{HERE}/../with-postgres'
        os.execv(there, [there, os.path.abspath(__file__), *sys.argv[1:]])
    sys.exit(main())
