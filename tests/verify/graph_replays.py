#!/usr/bin/python3
"""graph_replays.py - kernels in graph replays get their shapes from the run that
captured the graph.

Uses the two files of vllm-piecewise. One has 25 stream captures; the other has 25
launches of these graphs, with 361 kernels. Python matches the kernels of each replay
with the capture that has the same names. They must have the shapes of the captured
launches.

The case runs `inspect` with and without --learn, and a server. Before the capture run
is uploaded, no replayed kernel has a shape on the server. After the upload the
server analyzes the replay's run again, and all of them have one. Skipped if the traces
are missing.
"""
import csv
import gzip
import io
import json
import os
import subprocess
import sys
from collections import defaultdict

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')
CAPTURE = f'{FOLDER}/vllm-piecewise_graph-capture.json.gz'
REPLAY = f'{FOLDER}/vllm-piecewise_graph-execution.json.gz'
KERNELS = 361


def events(path):
    with gzip.open(path) as f:
        return json.load(f)['traceEvents']


def captured():
    """Returns, by the names of a capture, the operators' (name, Input Dims), one per
    kernel. Captures with equal names have equal operators in this file."""
    rows = events(CAPTURE)
    ops = {e['args']['External id']: e for e in rows
           if e.get('cat') == 'cpu_op' and 'External id' in e['args']}
    calls = sorted((e for e in rows if e.get('cat') == 'cuda_runtime'),
                   key=lambda e: e['ts'])
    graphs, now = {}, None
    for e in calls:
        if e['name'] == 'hipStreamBeginCapture':
            now = []
        elif e['name'] == 'hipStreamEndCapture':
            key = tuple(k for k, _ in now)
            of = [o for _, o in now]
            assert graphs.setdefault(key, of) == of
            now = None
        elif now is not None and 'kernel' in e['args']:
            op = ops[e['args']['External id']]
            now.append((e['args']['kernel'],
                        (op['name'], op['args'].get('Input Dims'))))
    return graphs


def replayed():
    """Returns one list of (name, nanoseconds) for each launch of a graph."""
    rows = events(REPLAY)
    launches = {e['args']['correlation'] for e in rows
                if e.get('name') == 'hipGraphLaunch'}
    by = defaultdict(list)
    for e in rows:
        if e.get('cat') == 'kernel' and e['args']['correlation'] in launches:
            by[e['args']['correlation']].append(e)
    return [[(e['name'], round(e['dur'] * 1000))
             for e in sorted(x, key=lambda e: e['ts'])] for x in by.values()]


def wanted():
    """Returns, of GEMMs, shape → [launches, ns]; and the number of replayed kernels."""
    graphs, gemms, n = captured(), defaultdict(lambda: [0, 0]), 0
    for kernels in replayed():
        ops = graphs[tuple(k for k, _ in kernels)]
        for (_, ns), (op, dims) in zip(kernels, ops):
            n += 1
            if op == 'aten::addmm':
                (m, k), (_, cols) = dims[1], dims[2]
                line = gemms[f'm={m} n={cols} k={k}']
                line[0] += 1
                line[1] += ns
    return dict(gemms), n


def inspected(*options):
    """Returns the last table of --by operators and of --by shapes, and all text."""
    out = []
    for by in ('operators', 'shapes'):
        text = subprocess.run(
            [running.BIN, 'inspect', REPLAY, '--by', by, *options],
            capture_output=True, text=True, check=True).stdout
        tables = [list(csv.DictReader(io.StringIO(part)))
                  for part in text.split('\n\n')]
        out.append((text, tables))
    return out


def hold_inspect(gemms):
    (text, tables), (_, shapes) = inspected()
    total = next(t for t in tables if t and 'Replayed' in t[0])[0]
    assert (total['Replayed'], total['Replayed Known']) == (str(KERNELS), '0')
    assert f'note info graph_strange {KERNELS}: ' in text
    assert not [r for r in shapes[-1] if r['Attribution Source'] == 'graph']
    (text, tables), (_, shapes) = inspected('--learn', CAPTURE)
    total = next(t for t in tables if t and 'Replayed' in t[0])[0]
    assert total['Replayed Known'] == str(KERNELS), total
    assert 'graph_strange' not in text and 'graph_sizes' not in text
    known = [r for r in shapes[-1] if r['Attribution Source'] == 'graph']
    assert sum(int(r['Launches']) for r in known) == KERNELS
    assert all(r['Shape'] and r['Operator'] for r in known)
    got = {r['Shape']: [int(r['Launches']), int(r['Total Time (ns)'])]
           for r in known if r['Operator'] == 'gemm'}
    assert got == gemms, f'{got}, not {gemms}'


def stored(server):
    """Returns, for each run, the number of launches that are replayed, that got their
    operator from a graph, and that got their shape from a graph."""
    return [tuple(int(x) for x in row) for row in server.sql(
        'SELECT r.replayed, r.replayed_known, coalesce((SELECT '
        'sum(s.launches) FROM run_shape s WHERE s.run_id = r.run_id AND '
        "s.attribution_source = 'graph' AND s.shape_id IS NOT NULL), 0) "
        'FROM run r ORDER BY r.upload_id')]


def hold_server():
    with open(REPLAY, 'rb') as r, open(CAPTURE, 'rb') as c:
        replay, capture = r.read(), c.read()
    with running.Server(['--workers', '2']) as server:
        first = server.upload('project=p&name=replay', replay)
        assert server.ended(first)['state'] == 'done'
        assert stored(server) == [(KERNELS, 0, 0)]
        second = server.upload('project=p&name=capture', capture)
        assert server.ended(second)['state'] == 'done'
        want = [(KERNELS, KERNELS, KERNELS), (0, 0, 0)]
        running.until('the replay is analyzed again', lambda: stored(server) == want)
        assert server.sql('SELECT count(*), count(DISTINCT key) '
                          'FROM learned_graph') == [['3', '3']]


def main():
    if not os.path.exists(CAPTURE) or not os.path.exists(REPLAY):
        print(f'skipped: no traces of vllm-piecewise in {FOLDER}')
        return 77
    gemms, n = wanted()
    assert n == KERNELS, n
    hold_inspect(gemms)
    running.skip_without_postgres()
    hold_server()
    print(f'{KERNELS} of {KERNELS} replayed kernels have operator and sizes '
          f'after the capture run, none before; {len(gemms)} sizes of GEMMs')
    return 0


if __name__ == '__main__':
    sys.exit(main())
