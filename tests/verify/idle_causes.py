#!/usr/bin/python3
"""idle_causes.py - the causes of idle time of every recorded trace add up to the idle time.

`kernsiftd inspect` prints the iterations of each trace under ../shared/traces, and the
causes. In each iteration the causes must add up to the idle time that the table of
iterations has, to the nanosecond; over the kept iterations they must be the totals
by cause, and no name may have more time than its cause. A table of shares is printed.
Skipped if there are no such traces.
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
CAUSES = ['synchronization', 'copy_wait', 'host_gap', 'launch_bound', 'graph_launch',
          'stream_dependency', 'unknown']


def tables(path):
    """The tables of each run, by their heading; none if the file cannot be read."""
    done = subprocess.run([PROGRAM, 'inspect', '--by', 'iterations,waits', path], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    runs, run = {}, None
    for block in done.stdout.split('\n\n') if not done.returncode else []:
        lines = block.strip('\n').split('\n')
        if lines[0].startswith('run '):
            run = runs.setdefault(lines[0], {})
        elif run is not None and ',' in lines[0]:
            rows = list(csv.reader(lines))
            run[','.join(rows[0])] = rows[1:]
    return runs


def table(run, heading):
    found = [rows for head, rows in run.items() if head.startswith(heading)]
    assert len(found) <= 1, heading
    return found[0] if found else []


def check_run(what, run):
    """Returns the time of each cause over the kept iterations."""
    idle = table(run, 'Number,Use,Open')
    causes = table(run, 'Number,Use,Idle')
    assert len(idle) == len(causes), f'{what}: {len(idle)} iterations, {len(causes)} with causes'
    total = [0] * len(CAUSES)
    for i, (one, other) in enumerate(zip(idle, causes)):
        times = [int(x) for x in other[3:]]
        assert one[:2] == other[:2] and one[9] == other[2], f'{what}: iteration {i} differs'
        assert min(times) >= 0 and sum(times) == int(one[9]), \
            f'{what}: iteration {i}: the causes {times} are not the idle time {one[9]}'
        if one[1] == 'kept':
            total = [a + b for a, b in zip(total, times)]
    listed = {row[0]: int(row[1]) for row in table(run, 'Cause,Time (ns),Parts')}
    if causes:
        assert [listed[c] for c in CAUSES] == total, f'{what}: {listed} are not {total}'
    named = dict.fromkeys(CAUSES, 0)
    for row in table(run, 'Cause,Time (ns),Kind'):
        named[row[0]] += int(row[1])
    for cause, time in zip(CAUSES, total):
        assert named[cause] <= time, f'{what}: {cause}: the names have {named[cause]} of {time}'
    return total


def main():
    paths = sorted(p for p in glob.glob(f'{TRACES}/**/*', recursive=True)
                   if os.path.isfile(p) and not p.endswith('.md'))
    if not paths:
        print('skipped: no recorded traces are next to the checkout')
        sys.exit(77)
    iterations_n = runs_n = 0
    print(f'{"trace":44} {"idle ms":>10} ' + ' '.join(f'{c[:9]:>9}' for c in CAUSES))
    for path in paths:
        name = os.path.relpath(path, TRACES)
        total = [0] * len(CAUSES)
        for number, run in tables(path).items():
            total = [a + b for a, b in zip(total, check_run(f'{name}, {number}', run))]
            iterations_n += len(table(run, 'Number,Use,Idle'))
            runs_n += 1
        if sum(total):
            print(f'{name[-44:]:44} {sum(total) / 1e6:10.3f} '
                  + ' '.join(f'{100 * x / sum(total):8.2f}%' for x in total))
    assert iterations_n, 'no trace has an iteration'
    print(f'{iterations_n} iterations of {runs_n} runs: the causes add up to the idle time')


if __name__ == '__main__':
    main()
