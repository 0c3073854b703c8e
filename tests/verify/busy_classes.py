#!/usr/bin/python3
"""busy_classes.py - the classes of busy time of every recorded trace add up to the busy time.

`kernsiftd inspect` prints the iterations of each trace under ../shared/traces, the
classes, and the shapes of the operators. In each iteration, the four classes of kernels
must add up to the compute time, and the other two must be the communication and the
copies, to the nanosecond; over the kept iterations they must be the totals by class.
The classes of a bound have at most the time of the calls of shapes with that bound. A
table of shares is printed. Skipped if there are no such traces.
"""
import csv
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin'), 'kernsiftd')
TRACES = f'{SOURCE}/../shared/traces'
KERNELS = ['compute_bound', 'memory_bound', 'no_bound', 'launch_floor']
CLASSES = KERNELS + ['exposed_communication', 'copies']


def tables(path):
    """The tables of each run, by their heading; none if the file cannot be read."""
    done = subprocess.run([PROGRAM, 'inspect', '--by', 'iterations,busy,shapes', path],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    runs, run = {}, None
    for block in done.stdout.split('\n\n') if not done.returncode else []:
        lines = block.strip('\n').split('\n')
        if lines[0].startswith('run '):
            run = runs.setdefault(lines[0], {})
        elif run is not None and ',' in lines[0]:
            run[lines[0]] = list(csv.DictReader(lines))
    return runs


def table(run, heading):
    found = [rows for head, rows in run.items() if head.startswith(heading)]
    assert len(found) <= 1, heading
    return found[0] if found else []


def check_iteration(what, parts, row):
    """Compares the classes of an iteration with its parts. Returns their times."""
    times = [int(row[f'{c} (ns)']) for c in CLASSES]
    compute, comm, copies, overlapped = (int(parts[f'{k} (ns)']) for k in (
        'Compute', 'Communication', 'Copies', 'Communication Overlapped'))
    assert min(times) >= 0, f'{what}: {times}'
    assert sum(times[:4]) == compute, f'{what}: {times[:4]} are not the compute time {compute}'
    assert times[4:] == [comm, copies], f'{what}: {times[4:]} are not {comm} and {copies}'
    busy = int(parts['Duration (ns)']) - int(parts['Idle (ns)'])
    assert sum(times) == busy == int(row['Busy (ns)']), f'{what}: {times} are not {busy}'
    assert overlapped == int(row['Communication Overlapped (ns)']) <= compute, what
    return times


def check_legs(what, run, total):
    """No time is bound by compute or memory without calls of shapes that are, and whose S
    is at most 1. SOL is printed with six digits."""
    for leg, time in zip(('compute', 'memory'), total):
        calls = sum(int(s['Total Time (ns)']) for s in table(run, 'Total Time (ns),Calls')
                    if s['Leg'] == leg and float(s['SOL (ns)']) * int(s['Calls'])
                    < int(s['Total Time (ns)']) * (1 + 1e-5))
        assert time <= calls, f'{what}: {time} bound by {leg} of {calls}'


def check_run(what, run):
    """Returns the times over the kept iterations: of each class, of communication that
    overlaps, and in which the order of classes decided."""
    parts = table(run, 'Number,Use,Open')
    rows = table(run, 'Number,Use,Busy')
    assert len(parts) == len(rows), f'{what}: {len(parts)} iterations, {len(rows)} with classes'
    total, overlapped = [0] * len(CLASSES), 0
    for i, (one, row) in enumerate(zip(parts, rows)):
        times = check_iteration(f'{what}, iteration {i}', one, row)
        if one['Use'] == 'kept':
            total = [a + b for a, b in zip(total, times)]
            overlapped += int(row['Communication Overlapped (ns)'])
    mixed = 0
    if rows:
        listed = {r['Class']: int(r['Time (ns)']) for r in table(run, 'Class,Time (ns)')}
        assert [listed[c] for c in CLASSES] == total, f'{what}: {listed} are not {total}'
        extra = table(run, 'Communication Overlapped (ns),Mixed')[0]
        assert int(extra['Communication Overlapped (ns)']) == overlapped, what
        mixed = int(extra['Mixed (ns)'])
        assert 0 <= mixed <= sum(total[:3]), f'{what}: {mixed} of {total}'
        check_legs(what, run, total)
    return total + [overlapped, mixed]


def main():
    paths = sorted(p for p in glob.glob(f'{TRACES}/**/*', recursive=True)
                   if os.path.isfile(p) and not p.endswith('.md'))
    if not paths:
        print('skipped: no recorded traces are next to the checkout')
        sys.exit(77)
    iterations_n = runs_n = 0
    print(f'{"trace":44} {"busy ms":>10} '
          + ' '.join(f'{c[:9]:>9}' for c in CLASSES + ['overlapped', 'mixed']))
    for path in paths:
        name = os.path.relpath(path, TRACES)
        total = [0] * (len(CLASSES) + 2)
        for number, run in tables(path).items():
            total = [a + b for a, b in zip(total, check_run(f'{name}, {number}', run))]
            iterations_n += len(table(run, 'Number,Use,Busy'))
            runs_n += 1
        busy = sum(total[:len(CLASSES)])
        if busy:
            print(f'{name[-44:]:44} {busy / 1e6:10.3f} '
                  + ' '.join(f'{100 * x / busy:8.2f}%' for x in total))
    assert iterations_n, 'no trace has an iteration'
    print(f'{iterations_n} iterations of {runs_n} runs: the classes add up to the busy time')


if __name__ == '__main__':
    main()
