"""commands.py - runs kernsiftd's commands and checks their output; each case has its
own folder."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import running


def run(*args, env=None):
    got = subprocess.run([running.BIN, *args], capture_output=True, text=True,
                         timeout=300, env=env)
    return got.returncode, got.stdout, got.stderr


def refused(got, sentence, status=1):
    last = (got[2].splitlines() or [''])[-1]
    assert (got[0], got[1], last) == (status, '', f'kernsiftd: {sentence}'), got


class Place:
    """A folder that the user of PostgreSQL may enter; it is deleted at the end of its
    case."""

    made = []

    def __init__(self):
        Place.made.append(self)
        self.path = tempfile.mkdtemp(prefix='ks-backup-', dir=running.SCRATCH)
        os.chmod(self.path, 0o711)

    def at(self, name):
        return f'{self.path}/{name}'


def play(cases):
    running.skip_without_postgres()
    cases = [(n[5:], f) for n, f in cases.items() if n.startswith('case_')]
    wanted, failed = sys.argv[1:], 0
    for name, case in cases:
        if wanted and name not in wanted:
            continue
        began, place = time.monotonic(), Place()
        try:
            case(place)
            print(f'ok {name} {time.monotonic() - began:.1f} s', flush=True)
        except Exception as e:
            failed += 1
            print(f'FAILED {name}: {type(e).__name__} {e}', flush=True)
        for each in Place.made:
            shutil.rmtree(each.path, ignore_errors=True)
        Place.made.clear()
    return 1 if failed else 0
