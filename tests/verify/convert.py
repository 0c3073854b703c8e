#!/usr/bin/python3
"""convert.py - checks that inspect prints the same for a trace and for its capture
file.

convert.py [--quick] [FILE or FOLDER]...

Converts each trace that `kernsiftd inspect` can read: the whole file, and each run
separately (an ingest stores one capture per run). Compares the output of inspect for
the capture with that for the trace, byte by byte, for each --by and as JSON. A capture
made from a capture must have equal bytes. The default is KERNSIFT_TRACES, else the
shared traces next to the checkout. Without traces the case is skipped. --quick uses
the cases of tests/traces instead.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
SHARED = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces')
VIEWS = ('kernels', 'device', 'grid', 'source', 'launches', 'callers',
         'iterations', 'patterns', 'facts', 'operators', 'shapes', 'unattributed',
         'layers')
TEXT = ('--by', ','.join(VIEWS))
JSON = ('--format', 'json')


def run(*argv):
    """Returns (exit status, stdout, stderr)."""
    p = subprocess.run([PROGRAM, *argv], capture_output=True, text=True,
                       errors='surrogateescape', check=False)
    return p.returncode, p.stdout, p.stderr


def inspect(path, *options):
    status, out, err = run('inspect', path, *options)
    if status:
        raise AssertionError(f'inspect {" ".join(options)}: {err.strip()}')
    return out


def convert(path, to, *options):
    """Converts a file and returns the command's message, which must name the written
    file."""
    status, out, err = run('convert', path, to, *options)
    if status or err:
        raise AssertionError(f'convert {" ".join(options)}: {err.strip()}')
    line = re.fullmatch(r'(.*): (\d+) runs?, (\d+) bytes'
                        r'(?:, (\d+\.\d\d) bytes per kernel record)?\n', out)
    if not line or line[1] != to or int(line[3]) != os.path.getsize(to):
        raise AssertionError(f'convert says {out!r}')
    return line


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a.splitlines(), b.splitlines())):
        if x != y:
            return f'line {i + 1}: {y[:200]!r}, not {x[:200]!r}'
    return f'{len(b.splitlines())} lines, not {len(a.splitlines())}'


def sections(text):
    """Returns the output of inspect for the file, and for each run, view by view,
    without the run's number."""
    head, *parts = re.split(r'^run \d+\n', text, flags=re.M)
    # An empty line separates two runs.
    parts = [t if t.endswith('\n\n') else t + '\n' for t in parts]
    n = len(VIEWS)
    return head, [parts[i:i + n] for i in range(0, len(parts), n)]


def hold(who, got, want):
    """Compares the sections of a run with the expected ones; all must be equal."""
    for view, g, w in zip(VIEWS, got, want):
        if g != w:
            raise AssertionError(f'{who}{view}: {first_difference(w, g)}')
    if len(got) != len(want):
        raise AssertionError(f'{who}{len(got)} sections, not {len(want)}')


def check(path, folder, text):
    """Checks one file; `text` is the output of inspect for it. Returns (runs, bytes per
    kernel record or None, bytes). A difference raises an exception."""
    whole = os.path.join(folder, 'whole.kst')
    line = convert(path, whole)
    head, parts = sections(text)
    got_head, got = sections(inspect(whole, *TEXT))
    hold('', [got_head], [head])
    for i, (g, w) in enumerate(zip(got, parts)):
        hold(f'run {i + 1}, ', g, w)
    runs = int(line[2])
    if not runs == len(got) == len(parts):
        raise AssertionError(f'{len(got)} runs, not {len(parts)}')
    hold('JSON, ', [inspect(whole, *JSON)], [inspect(path, *JSON)])
    again = os.path.join(folder, 'again.kst')
    convert(whole, again)
    with open(whole, 'rb') as a, open(again, 'rb') as b:
        if a.read() != b.read():
            raise AssertionError('a capture of the capture has other bytes')
    part = os.path.join(folder, 'part.kst')
    for n in range(1, runs + 1) if runs > 1 else ():
        if convert(path, part, '--run', str(n))[2] != '1':
            raise AssertionError(f'run {n} became more than one')
        _, got = sections(inspect(part, *TEXT))
        if len(got) != 1:
            raise AssertionError(f'run {n} is printed as {len(got)}')
        hold(f'alone, run {n}, ', got[0], parts[n - 1])
    return runs, line[4], os.path.getsize(whole)


def files(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for top, folders, names in os.walk(place):
            folders.sort()
            for name in sorted(names):
                if not name.endswith(('.md', '.txt')):
                    yield os.path.join(top, name)


def main():
    places = [a for a in sys.argv[1:] if a != '--quick']
    if '--quick' in sys.argv:
        places += sorted(glob.glob(f'{SOURCE}/tests/traces/*/in.*'))
    elif not places and not os.path.isdir(SHARED):
        print(f'skipped: there are no traces at {SHARED}')
        return 77
    paths = list(files(places or [SHARED]))
    bad = good = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            name = os.path.relpath(path, SOURCE)
            status, text, err = run('inspect', path, *TEXT)
            if status:
                print(f'   -  not readable: {name}: {err.strip()[11:91]}')
                continue
            try:
                runs, each, size = check(path, folder, text)
                good += 1
                print(f'{runs:4}  {size:9} bytes {each or "-":>6}  {name}',
                      flush=True)
            except AssertionError as e:
                bad += 1
                print(f'  NO  {name}: {e}', flush=True)
    print(f'{good} of {good + bad} traces are the same as their captures')
    return 1 if bad or not good else 0


if __name__ == '__main__':
    sys.exit(main())
