#!/usr/bin/python3
"""nsys_kernels.py - compares every process of every Nsight Systems export with SQL.

nsys_kernels.py [--serve] [FOLDER or FILE]...

Queries each export with the sqlite3 program and computes the statistics from the
printed rows (trace_figures.py, exact fractions). Compares them with what sqlite3 itself
computes. Then compares both, digit by digit, row by row and in order, with `kernsiftd
inspect` and, with --serve, with the JSON and CSV of a server. Graph replays are
compared by their sums. Folders default to KERNSIFT_TRACES, else the shared traces next
to the checkout. Without traces the case is skipped.
"""
import argparse
import json
import os
import subprocess
import sys

import kernel_stats
import trace_figures
import trace_reports

FOLDER = os.environ.get('KERNSIFT_TRACES',
                        f'{kernel_stats.SOURCE}/../shared/traces/nsys')

KERNELS = '''
SELECT (k.globalPid >> 24) & 0xFFFFFF AS pid, n.value AS name, k.start,
  k.end - k.start AS dur, k.deviceId AS device, k.gridX, k.gridY, k.gridZ,
  k.blockX, k.blockY, k.blockZ
FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = k.demangledName'''

COPIES = '''
SELECT (c.globalPid >> 24) & 0xFFFFFF AS pid, c.start, c.end - c.start AS dur,
  c.deviceId AS device, c.bytes, '[CUDA memcpy ' || o.label || ']' AS operation
FROM CUPTI_ACTIVITY_KIND_MEMCPY c
JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = c.copyKind'''

SETS = '''
SELECT (c.globalPid >> 24) & 0xFFFFFF AS pid, c.start, c.end - c.start AS dur,
  c.deviceId AS device, c.bytes, '[CUDA memset]' AS operation
FROM CUPTI_ACTIVITY_KIND_MEMSET c'''

GRAPHS = '''
SELECT (g.globalPid >> 24) & 0xFFFFFF AS pid, g.start, g.end - g.start AS dur,
  g.deviceId AS device, g.graphId AS graph, g.graphExecId AS exec
FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g'''

# The columns of cuda_gpu_kern_sum, computed by sqlite3 alone. The standard deviation
# is computed from the distances to the mean. The median is the middle row, or the mean
# of the two middle rows.
SUMMED = '''
WITH k AS (%s), r AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY pid, name
    ORDER BY dur) AS i, COUNT(*) OVER (PARTITION BY pid, name) AS n,
    AVG(dur) OVER (PARTITION BY pid, name) AS mean,
    SUM(dur) OVER (PARTITION BY pid) AS whole FROM k)
SELECT pid, name, printf('%%.1f', ROUND(100.0 * SUM(dur) / whole, 1)) AS pct,
  CAST(SUM(dur) AS TEXT) AS total, CAST(n AS TEXT) AS instances,
  printf('%%.1f', ROUND(mean, 1)) AS avg,
  printf('%%.1f', ROUND(AVG(CASE WHEN i IN ((n + 1) / 2, n / 2 + 1)
    THEN dur END), 1)) AS med,
  CAST(MIN(dur) AS TEXT) AS min, CAST(MAX(dur) AS TEXT) AS max,
  printf('%%.1f', CASE WHEN n > 1 THEN
    ROUND(SQRT(SUM((dur - mean) * (dur - mean)) / (n - 1)), 1) ELSE 0 END)
    AS dev
FROM r GROUP BY pid, name ORDER BY pid, SUM(dur) DESC, n, name''' % KERNELS


def ask(path, sql):
    out = subprocess.run(['sqlite3', '-json', f'file:{path}?immutable=1', sql],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out) if out.strip() else []


def has(path, table):
    return bool(ask(path, "SELECT 1 FROM sqlite_schema WHERE type = 'table' "
                          f"AND name = '{table}'"))


def rows(path, table, sql):
    return ask(path, sql) if has(path, table) else []


def read(path):
    """Returns {pid: (kernels, copies, graphs)} as sqlite3 prints them."""
    runs = {}
    kinds = (('KERNEL', KERNELS, 0), ('MEMCPY', COPIES, 1),
             ('MEMSET', SETS, 1), ('GRAPH_TRACE', GRAPHS, 2))
    for kind, sql, place in kinds:
        for r in rows(path, f'CUPTI_ACTIVITY_KIND_{kind}', sql):
            if place == 0:
                r['grid'] = tuple(r[f'grid{x}'] for x in 'XYZ')
                r['block'] = tuple(r[f'block{x}'] for x in 'XYZ')
            runs.setdefault(r['pid'], ([], [], []))[place].append(r)
    return runs


def figures(run):
    """Returns the figures of trace_figures, with graph replays as GPU work."""
    kernels, copies, graphs = run
    result = trace_figures.figures((kernels, copies), lambda name: name)
    work = kernels + copies + graphs
    result['totals']['span_ns'] = \
        max(r['start'] + r['dur'] for r in work) - \
        min(r['start'] for r in work)
    result['totals']['busy_ns'] = trace_figures.union(kernels + graphs)
    return result


def summed(path, want):
    """Yields sentences about differences between sqlite3's sums and the fractions."""
    keys = ('pct', 'total', 'instances', 'avg', 'med', 'min', 'max', 'dev')
    by_pid = {}
    for r in rows(path, 'CUPTI_ACTIVITY_KIND_KERNEL', SUMMED):
        by_pid.setdefault(r['pid'], []).append(
            ((r['name'],), tuple(r[k] for k in keys)))
    for pid, w in want.items():
        due = [(k, v[:8]) for k, v in w['kernels']]
        if by_pid.get(pid, []) != due:
            pairs = zip(by_pid.get(pid, []), due)
            yield f'sqlite3, process {pid}: ' + str(
                next(((g, d) for g, d in pairs if g != d), 'other rows'))


def graphs_of(rows_of_run):
    """Returns {(graph, exec, device): (replays, total)}."""
    made = {}
    for g in rows_of_run:
        key = (g['graph'], g['exec'], g['device'])
        n, total = made.get(key, (0, 0))
        made[key] = (n + 1, total + g['dur'])
    return made


def graphs_inspected(path):
    """Returns {pid: what graphs_of() returns} from lines like `graph 4 exec=5 device=0
    …`."""
    out = subprocess.run([kernel_stats.PROGRAM, 'inspect', path], check=True,
                         capture_output=True, text=True).stdout
    made, pid = {}, None
    for line in out.split('\n'):
        word = line.split(' ')
        if word[0] == 'process':
            pid = int(word[1])
        elif word[0] == 'graph':
            v = dict(x.split('=') for x in word[2:])
            key = (int(word[1]), int(v['exec']), int(v['device']))
            made.setdefault(pid, {})[key] = (int(v['replays']),
                                             int(v['total_ns']))
    return made


def graphs_served(api, run):
    return {(g['graph_id'], g['graph_exec'], g['device']):
            (g['instances'], g['total_ns'])
            for g in api.items(f'/runs/{run}/graphs')}


def check(path, api):
    """Returns (processes, launches, replays, differences) of one export."""
    runs = read(path)
    want = {pid: figures(run) for pid, run in runs.items()}
    wrong = list(summed(path, want))
    printed, _ = trace_reports.by_inspect(kernel_stats.PROGRAM, path, 'process')
    wrong += kernel_stats.compare(printed, want, 10, 'inspect')
    replays = {pid: graphs_of(run[2]) for pid, run in runs.items() if run[2]}
    if graphs_inspected(path) != replays:
        wrong.append(f'inspect: graphs {graphs_inspected(path)}, '
                     f'not {replays}')
    if api:
        ids = {}
        from_json, from_csv = trace_reports.by_server(
            api, path, os.path.basename(path), 'pid', ids)
        wrong += kernel_stats.compare(from_json, want, 10, 'JSON')
        wrong += kernel_stats.compare(from_csv, want, 8, 'CSV')
        for pid, run in ids.items():
            if graphs_served(api, run) != replays.get(pid, {}):
                wrong.append(f'JSON, process {pid}: graphs '
                             f'{graphs_served(api, run)}')
    return (len(runs), sum(len(r[0]) for r in runs.values()),
            sum(len(r[2]) for r in runs.values()), wrong)


def exports(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for top, _, files in os.walk(place):
            for name in sorted(files):
                if name.endswith('.sqlite'):
                    yield os.path.join(top, name)


def report(files, api):
    print(f'{"runs":>5} {"launches":>9} {"replays":>8} equal  file')
    bad = 0
    for path in files:
        runs, launches, replays, wrong = check(path, api)
        bad += bool(wrong)
        print(f'{runs:5} {launches:9} {replays:8} {"no" if wrong else "yes":5}'
              f'  {os.path.basename(path)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w[:400]}')
    print(f'{len(files) - bad} of {len(files)} files equal to the digit')
    return 1 if bad else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    p.add_argument('--serve', action='store_true')
    p.add_argument('place', nargs='*', default=[FOLDER])
    given = p.parse_args()
    files = list(exports(given.place))
    if not files:
        print(f'skipped: no exports of Nsight Systems at {given.place[0]}')
        return 77
    if given.serve:
        import running
        running.skip_without_postgres()
        with running.Server() as s:
            return report(files, trace_reports.Api(f'http://127.0.0.1:{s.port}'))
    return report(files, None)


if __name__ == '__main__':
    sys.exit(main())
