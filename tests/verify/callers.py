#!/usr/bin/python3
"""callers.py - computes independently which code launched each kernel of recorded
traces.

callers.py [FOLDER or FILE]...

Compares every line of `kernsiftd inspect --by callers` and `--by launches` (kernel,
path, launches, time, every digit of the latencies, and the order) with what
launch_figures.py computes from the same Kineto trace. Folders default to
KERNSIFT_TRACES, else the shared traces next to the checkout. Without traces the case
is skipped.
"""
import csv
import io
import os
import sys

import kernel_stats
import launch_figures
import trace_reports

PROGRAM = kernel_stats.PROGRAM


def rows(section):
    """Returns the lines of a run's only table."""
    assert len(section) <= 1, f'{len(section)} tables'
    return [r for part in section
            for r in list(csv.reader(io.StringIO(part, newline='')))[1:]]


def shown_by(views):
    """Returns {name in the trace: name shown}."""
    names = {}
    for _, parts in views:
        for row in csv.DictReader(io.StringIO(''.join(parts), newline='')):
            names[row['Mangled'] or row['Name']] = row['Name']
    return names


def first_difference(got, due):
    for key in sorted(set(got) | set(due), key=str):
        if got.get(key) != due.get(key):
            return f'{key}: {got.get(key)}, not {due.get(key)}'
    return None


def callers(head, section, run, shown):
    due = {}
    for (kernel, *rest), (n, ns) in launch_figures.callers(run).items():
        line = due.setdefault((shown[kernel], *rest), [0, 0])
        line[0] += n
        line[1] += ns
    table = rows(section)
    got = {(r[3], r[2], r[4]): [int(r[0]), int(r[1])] for r in table}
    if len(got) != len(table):
        yield 'a caller is listed twice'
    if sum(n for n, _ in got.values()) != int(head['launches']) or \
            sum(ns for _, ns in got.values()) != int(head['kernel_ns']):
        yield 'the callers do not add up to the run'
    done, before = set(), None
    for r in table:
        if before and r[3] == before[3] and int(r[1]) > int(before[1]):
            yield f'a caller is out of order: {r}'
        if before and r[3] != before[3]:
            done.add(before[3])
        if r[3] in done:
            yield f'a kernel comes twice: {r}'
        before = r
    if got != due:
        yield first_difference(got, due)


def launches(_, section, run, shown):
    due = launch_figures.latency((*r[:3], shown[r[3]], *r[4:])
                                 for r in launch_figures.launches(run))
    table = rows(section)
    got = {(r[1], int(r[2]), r[25], r[26]): (r[3], r[4], *r[5:25])
           for r in table}
    if len(got) != len(table):
        yield 'a line of latencies is listed twice'
    if got != due:
        yield first_difference(got, due)
    order = [(-float(r[5]), int(r[3]), r[1].encode(), r[25].encode(),
              r[26].encode(), int(r[2])) for r in table]
    if order != sorted(order):
        yield 'latencies are out of order'


def check(path):
    every = trace_reports.inspected(PROGRAM, path, 'source,callers,launches')
    shown = shown_by(every[::3])
    want = launch_figures.read(path)
    lines, wrong = [], []
    for view, compare in ((every[1::3], callers), (every[2::3], launches)):
        found = {None if h['rank'].split()[0] == 'unknown' else
                int(h['rank'].split()[0]): (h, parts)
                for h, parts in view}
        if len(found) == len(want) == 1:
            found = {None: next(iter(found.values()))}
            want = {None: next(iter(want.values()))}
        if found.keys() != want.keys():
            wrong.append(f'ranks {sorted(found)}, not {sorted(want)}')
        for rank in found.keys() & want.keys():
            wrong += compare(*found[rank], want[rank], shown)
        lines.append(sum(len(rows(parts)) for _, parts in found.values()))
    return lines, wrong


def main():
    places = sys.argv[1:] or [kernel_stats.FOLDER]
    files = list(kernel_stats.traces(places))
    if not files:
        print(f'skipped: no Kineto traces at {places[0]}')
        return 77
    print(f'{"callers":>8} {"latencies":>9} equal  file')
    bad = 0
    for path in files:
        lines, wrong = check(path)
        bad += bool(wrong)
        print(f'{lines[0]:8} {lines[1]:9} {"no" if wrong else "yes":5}  '
              f'{os.path.basename(path)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w[:1500]}')
    print(f'{len(files) - bad} of {len(files)} files equal')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
