#!/usr/bin/python3
"""breakdown_comparison.py - compares one model's decode step on two vendors' machines.

Uploads the real traces deepseek-r1-decode_sglang_b300_tp0 and …_mi300x_tp0 to its
own server. They have no annotations. In the second trace, the names of kernels lag
behind their durations. The expected answers are computed here from the traces alone:

* The server detects the lag: the run has a note, a comparison is refused, and
  importance counts only the first run. As recorded, the second run has no layers, and
  the answer contains the reason.
* After realignment, 32 layers are compared with 32. The norms, qkv, rope, kv store,
  attention, o_proj, gate_up, activation and down have one row each. The expected time
  of a row in the first run is the mean of the kernels with such names. The names of
  the second run are wrong, so its expected time is the mean of every eleventh duration
  after the embedding.
* One attention kernel is compared with attention and its reduction, and one GEMM with a
  GEMM and its split. The differences are right, and no launch of either run is lost.

Skipped if the traces are not next to the checkout.
"""
import gzip
import json
import os
import sys
from decimal import Decimal

import running

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
FILES = [f'{SRC}/../shared/traces/kineto/deepseek-r1-decode_sglang_{machine}_tp0'
         '.json.gz' for machine in ('b300', 'mi300x')]
LAYERS, PERIOD = 32, 11
EMBEDDING = 'indexSelectSmallIndex'
# For each role: words in the names of the first run's kernels, in the order of a
# layer; positions in the second run's period.
LINES = [('input_norm', ['norm'], [0]), ('qkv', ['nvjet'], [1]),
         ('rope', ['fused_rope'], [2]), ('kv_store', ['store_kvcache'], [3]),
         ('attention', ['fmha'], [4, 5]), ('o_proj', ['nvjet'], [6]),
         ('post_norm', ['norm'], [7]), ('gate_up', ['nvjet'], [8]),
         ('activation', ['act_and_mul'], [9]), ('down', ['nvjet', 'splitKreduce'], [10])]


def launches(path):
    """Returns (start, ns, stream, name) of all GPU work, by start."""
    with gzip.open(path) as f:
        events = json.load(f, parse_float=Decimal)['traceEvents']
    rows = [(e['ts'], int(e['dur'] * 1000), e['args']['stream'], e['name'])
            for e in events if e.get('ph') == 'X'
            and e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')]
    return sorted(rows, key=lambda r: r[0])


def layers_of(rows):
    """Returns the launches of the layers: those after the embedding, on its stream."""
    stream = next(s for _, _, s, name in rows if EMBEDDING in name)
    mine = [r for r in rows if r[2] == stream]
    first = next(i for i, r in enumerate(mine) if EMBEDDING in r[3]) + 1
    return mine[first:first + LAYERS * PERIOD]


def tenths(total, n):
    """Divides and rounds half up to one decimal, like all means of the server."""
    return (20 * total + n) // (2 * n) / 10


def by_name(mine):
    """Returns {role: mean per layer}, by the names in LINES; each layer must have all
    names."""
    words = [(role, word) for role, names, _ in LINES for word in names]
    sums = dict.fromkeys((role for role, _, _ in LINES), 0)
    for i, (_, ns, _, name) in enumerate(mine):
        role, word = words[i % PERIOD]
        assert word.lower() in name.lower(), f'{i}: {name} is no {word}'
        sums[role] += ns
    return {role: tenths(total, LAYERS) for role, total in sums.items()}


def by_phase(mine):
    """Returns {role: mean per layer} by position, because the durations are in their
    right positions and the names are not."""
    def repeated(same):
        pairs = list(zip(mine, mine[PERIOD:]))
        return sum(same(x, y) for x, y in pairs) / len(pairs)

    def similar(x, y):
        return max(x[1], y[1]) * 100 <= min(x[1], y[1]) * 116

    assert repeated(similar) > 0.9, 'durations do not repeat'
    assert repeated(lambda x, y: x[3] == y[3]) < 0.9, 'names do not lag'
    return {role: tenths(sum(r[1] for i, r in enumerate(mine)
                             if i % PERIOD in phases), LAYERS)
            for role, _, phases in LINES}


def noticed(server, runs):
    notes = server.get(f'/runs/{runs[1]}/notes')['items']
    assert [n['severity'] for n in notes if n['code'] == 'names_lag'] == ['error'], notes
    doc = server.get(f'/compare?base={runs[0]}&head={runs[1]}')
    assert ('names_lag', 'refuse') in [(f['code'], f['severity'])
                                       for f in doc['findings']], doc['findings']
    weighed = server.get('/importance')
    assert (weighed['runs'], weighed['lagging_runs']) == (1, 1), weighed
    plain = server.get(f'/breakdown?runs={runs[0]},{runs[1]}')['runs']
    assert [r['names_lag'] for r in plain] == [False, True]
    assert [r['realigned'] for r in plain] == [False, False]
    assert plain[1]['layers'] == 0 and 'names lag' in plain[1]['reason'], plain[1]


def lines(doc, wanted):
    for role, names, phases in LINES:
        found = [x for x in doc['items'] if role in x['roles']]
        assert len(found) == 1 and found[0]['match'] == 'role', (role, found)
        cells = found[0]['cells']
        for cell, want in zip(cells, wanted):
            assert cell['mean_ns'] == want[role], (role, cell['mean_ns'], want[role])
        assert cells[1]['diff_ns'] == round(wanted[1][role] - wanted[0][role], 1), role
        # on both machines, the norm of the first layer is a separate kernel
        often = [sum(not r['extra'] for r in cell['rows']) for cell in cells]
        assert often == [len(names), len(phases)], (role, often)
        shown = [' + '.join(r['kernel']['short_name'][:32] for r in cell['rows']
                            if not r['extra']) for cell in cells]
        print(f'{role:11}', *(f'{c["mean_ns"] / 1000:8.3f} us {s[:68]}'
                              for c, s in zip(cells, shown)), sep=' | ')


def nothing_lost(doc, rows):
    """The launches of all sections together are all launches, except for rounding."""
    for side, mine in enumerate(rows):
        all_ns = sum(r[1] for r in mine)
        stated_ns = sum(s['sum_ns'][side] * s['per_iteration'][side] for s in doc['sections']
                        if s['sum_ns'][side] is not None)
        assert abs(stated_ns - all_ns) < 0.05 * (LAYERS + len(doc['sections'])), (stated_ns, all_ns)
        for k, section in enumerate(doc['sections']):
            cells = [x['cells'][side] for x in doc['items']
                     if doc['blocks'][x['block']]['section'] == k and x['cells'][side]]
            of_lines = sum(c['mean_ns'] for c in cells)
            assert abs(of_lines - (section['sum_ns'][side] or 0)) <= 0.05 * (len(cells) + 1)
        n = sum(len(x['cells'][side]['rows']) for x in doc['items'] if x['cells'][side])
        print(f'run {side + 1}: {n} rows hold all {len(mine)} launches, {all_ns / 1e6:.3f} ms')


def main():
    for path in FILES:
        if not os.path.exists(path):
            print(f'skipped: no trace at {path}')
            return 77
    running.skip_without_postgres()
    rows = [launches(path) for path in FILES]
    wanted = [by_name(layers_of(rows[0])), by_phase(layers_of(rows[1]))]
    with running.Server(['--workers', '1']) as server:
        runs = []
        for path in FILES:
            with open(path, 'rb') as f:
                upload = server.ended(server.upload('project=layers', f.read()))
            assert upload['state'] == 'done', upload
            runs += upload['runs']
        noticed(server, runs)
        where = f'/breakdown?runs={runs[0]},{runs[1]}&realign=yes'
        doc = server.get(where)
        assert [r['layers'] for r in doc['runs']] == [LAYERS, LAYERS], doc['runs']
        assert [r['realigned'] for r in doc['runs']] == [False, True], doc['runs']
        lines(doc, wanted)
        nothing_lost(doc, rows)
        assert server.get(where) == doc, 'the same request gives another answer'
        status, _, table = server.ask('GET', f'{where}&format=md')
        assert status == 200 and f'| {LAYERS} layers |' in table.decode()
    return 0


if __name__ == '__main__':
    sys.exit(main())
