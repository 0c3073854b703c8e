#!/usr/bin/python3
"""kernel_stats.py - computes every number of every recorded trace, independently.

kernel_stats.py [--server URL | --serve] [FOLDER or FILE]...

Computes the statistics of each Kineto trace with trace_figures.py. Compares them, digit
by digit, row by row and in order, with the output of `kernsiftd inspect`. With
--server, also uploads each trace and compares them with the server's JSON and CSV.
--serve starts a server for that. Folders default to KERNSIFT_TRACES, else the shared
traces next to the checkout. Without traces the case is skipped.

The output shows demangled names. The demangled form of a name is taken from `inspect
--by source`, and checked with c++filt if that can demangle it.
"""
import argparse
import os
import subprocess
import sys

import trace_figures
import trace_reports

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')


def traces(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for top, _, files in os.walk(place):
            for name in sorted(files):
                if name.endswith(('.json', '.json.gz')):
                    yield os.path.join(top, name)


def expanded(mangled):
    """Returns c++filt's result for a name; None if c++filt cannot demangle it."""
    try:
        out = subprocess.run(['c++filt', '-r', mangled], check=True,
                             capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return out if out != mangled else None


def differences(found, want, columns):
    """Yields sentences about the first difference of each table."""
    if found['totals'] != want['totals']:
        yield f'totals are {found["totals"]}, not {want["totals"]}'
    for what in ('kernels', 'kernels by device', 'kernels by grid', 'copies',
                 'copies by device'):
        got = [(k, v[:columns]) for k, v in found[what]]
        due = [(k, v[:columns]) for k, v in want[what]]
        if got == due:
            continue
        if len(got) != len(due):
            yield f'{what}: {len(got)} rows, not {len(due)}'
        for i, (g, d) in enumerate(zip(got, due)):
            if g != d:
                yield f'{what}, row {i + 1}: {g}, not {d}'
                break


def compare(found, want, columns, who):
    """Yields sentences about the runs of one file."""
    if len(found) == len(want) == 1:
        found = {None: next(iter(found.values()))}
        want = {None: next(iter(want.values()))}
    if found.keys() != want.keys():
        yield f'{who}: ranks {sorted(found)}, not {sorted(want)}'
    for rank in found.keys() & want.keys():
        for d in differences(found[rank], want[rank], columns):
            yield f'{who}, rank {rank}: {d}'


def check(path, api):
    """Returns (kernels, launches, differences) of one file."""
    found, names = trace_reports.by_inspect(PROGRAM, path)
    wrong = [f'{m} is shown as {n}, c++filt has {expanded(m)}'
             for m, n in names.items() if expanded(m) not in (None, n)]

    def shown(name):
        if not name.startswith('_Z'):
            return name
        return names.get(name) or expanded(name) or name

    want = {rank: trace_figures.figures(run, shown)
            for rank, run in trace_figures.read(path).items()}
    wrong += compare(found, want, 10, 'inspect')
    if api:
        from_json, from_csv = trace_reports.by_server(
            api, path, os.path.basename(path))
        wrong += compare(from_json, want, 10, 'JSON')
        wrong += compare(from_csv, want, 8, 'CSV')
    totals = [w['totals'] for w in want.values()]
    return (sum(t['kernels'] for t in totals),
            sum(t['launches'] for t in totals), wrong)


def report(files, api):
    print(f'{"kernels":>8} {"launches":>9} equal  file')
    bad = 0
    for path in files:
        kernels, launches, wrong = check(path, api)
        bad += bool(wrong)
        print(f'{kernels:8} {launches:9} {"no" if wrong else "yes":5}  '
              f'{os.path.basename(path)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w[:400]}')
    print(f'{len(files) - bad} of {len(files)} files equal to the digit')
    return 1 if bad else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--server', help='its address, http://127.0.0.1:8080')
    p.add_argument('--serve', action='store_true')
    p.add_argument('--token', default=os.environ.get('KERNSIFT_TOKEN'))
    p.add_argument('place', nargs='*', default=[FOLDER])
    given = p.parse_args()
    files = list(traces(given.place))
    if not files:
        print(f'skipped: no Kineto traces at {given.place[0]}')
        return 77
    if given.serve:
        import running
        running.skip_without_postgres()
        with running.Server() as s:
            return report(files, trace_reports.Api(f'http://127.0.0.1:{s.port}'))
    return report(files, given.server and
                  trace_reports.Api(given.server, given.token))


if __name__ == '__main__':
    sys.exit(main())
