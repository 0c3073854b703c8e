#!/usr/bin/python3
"""layers.py - computes the layers of a model and their times independently.

layers.py [FILE]...

Compares `kernsiftd inspect --by layers` with plain Python over the same files: every
recorded Kineto trace next to the checkout, or the files given.

* For every file, the script computes the exclusive, overlapped and idle time of the
  layers' windows, from the start and end of each record on the device.
* For a decode step without annotated layers, it expects 32 layers of 11 kernels, and
  computes the times of every row and the sums of its blocks, to the nanosecond.

The windows come from the output of inspect. Their position in the file is where records
start and end at their boundaries.
"""
import glob
import json
import os
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

import host_figures
import patterns
import trace_figures

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')
DECODE = 'deepseek-r1-decode_sglang_b300_tp0.json.gz'


def printed(path):
    """Returns [(rank, breakdown)] of a file's runs."""
    out = subprocess.run([PROGRAM, 'inspect', '--by', 'layers', '--format',
                          'json', path], check=True, capture_output=True)
    return [(r['totals']['rank'], r['breakdown'])
            for r in json.loads(out.stdout)['runs']]


def records(path):
    """Returns {rank: [(start, end, name, device, whether a kernel)]}, sorted by
    start."""
    found = {}
    for rank, (kernels, copies) in trace_figures.read(path).items():
        found[rank] = sorted(
            (r['start'], r['start'] + r['dur'],
             r['name'] if rows is kernels else r['operation'], r['device'],
             rows is kernels)
            for rows in (kernels, copies) for r in rows)
    return found


def zero(rows, instances):
    """Returns the possible times of the run's first record in the file's clock: those
    with which every instance starts and ends at the boundary of a record."""
    starts, ends = {r[0] for r in rows}, {r[1] for r in rows}
    fits = [z for z in sorted({s - instances[0]['start_ns'] for s in starts})
            if all(z + i['start_ns'] in starts and z + i['end_ns'] in ends
                   for i in instances)]
    assert fits, 'no record begins where the instances do'
    return fits


def kind(row):
    return 'copy' if not row[4] else \
        'comm' if patterns.COLLECTIVE.search(row[2]) else 'compute'


def counted(rows, windows):
    """Returns the nanoseconds of the windows during which no, one, or more records are
    in progress (idle, alone, overlap), and those with a collective but no other kernel
    (exposed)."""
    sums = dict.fromkeys(('idle', 'alone', 'overlap', 'exposed'), 0)
    for start, end in windows:
        edges = [(start, 0, 'copy'), (end, 0, 'copy')]
        for row in rows:
            if row[0] < end and row[1] > start:
                edges += [(max(row[0], start), 1, kind(row)),
                          (min(row[1], end), -1, kind(row))]
        edges.sort()
        under, before = {'comm': 0, 'compute': 0, 'copy': 0}, start
        for at, step, what in edges:
            depth = sum(under.values())
            sums[('idle', 'alone', 'overlap')[min(depth, 2)]] += at - before
            if under['comm'] and not under['compute']:
                sums['exposed'] += at - before
            under[what] += step
            before = at
    return sums


def hold_unions(b, rows):
    """Yields sentences about sums that differ."""
    items = sum(i['exclusive_ns'] for i in b['items'])
    got = {'idle': b['idle_ns'], 'alone': items + b['other_ns'],
           'overlap': b['overlap_ns']}
    exposed = {'exposed': b['exposed_comm_ns']}
    if items != b['exclusive_ns']:
        yield f'rows have {items} ns alone, the run {b["exclusive_ns"]}'
    if sum(got.values()) != b['wall_ns']:
        yield f'{got} do not add up to {b["wall_ns"]}'
    if b['wall_ns'] != sum(w['end_ns'] - w['start_ns'] for w in b['windows']):
        yield f'{b["wall_ns"]} ns are not what the passes last'
    if not b['instances']:
        return
    wanted = [counted(rows, [(z + w['start_ns'], z + w['end_ns'])
                             for w in b['windows']])
              for z in zero(rows, b['instances'])]
    if got | exposed not in wanted:
        yield f'{got | exposed}, not {wanted[0]}'


def alone(rows):
    """Returns {(start, end, name): nanoseconds with no other record in progress}."""
    found = defaultdict(int)
    edges = sorted([(r[0], 1, i) for i, r in enumerate(rows)] +
                   [(r[1], 0, i) for i, r in enumerate(rows)])
    under, before = set(), None
    for at, begins, i in edges:
        if len(under) == 1:
            found[rows[min(under)][:3]] += at - before
        before = at
        under ^= {i}
    return found


def main_stream(path):
    """Returns (start, end, name) of the kernels on the stream with the most kernels."""
    streams = defaultdict(list)
    for e in host_figures.events(path):
        if e.get('cat') == 'kernel':
            start = trace_figures.nanoseconds(e['ts'])
            streams[e['args']['stream']].append(
                (start, start + trace_figures.nanoseconds(e['dur']), e['name']))
    return sorted(max(streams.values(), key=len))


def layers_of(path):
    """Returns the kernels of a decode step's layers, each in two halves. A layer begins
    at the norm before attention, its second half at the next norm."""
    kernels = main_stream(path)
    norms = [i for i, r in enumerate(kernels) if 'rmsnorm' in r[2].lower()]
    begins = [a for a, b in zip(norms, norms[1:])
              if any('fmha' in r[2] for r in kernels[a:b])]
    halves = [next(n for n in norms if n > a) for a in begins]
    length = begins[1] - begins[0]
    return [(kernels[a:h], kernels[h:a + length])
            for a, h in zip(begins, halves)]


def mean(values, n):
    return trace_figures.tenths(Fraction(sum(values), n))


def hold_decode(path, b, rows):
    """Yields sentences about differences from 32 layers of 11 kernels."""
    layers = layers_of(path)
    assert len(layers) == 32 and all(len(a) + len(m) == 11
                                     for a, m in layers), len(layers)
    if (b['detector'], b['layers']['count']) != ('period', 32):
        yield f'{b["layers"]["count"]} layers by {b["detector"]}'
        return
    at = [i for i, s in enumerate(b['sections']) if s['position'] == 'layer']
    if [b['sections'][i]['per_iteration'] for i in at] != [32]:
        yield f'{len(at)} kinds of layers'
        return
    began = zero(rows, b['instances'])[0]
    if [began + i['start_ns'] for i in b['instances']
            if i['section'] == at[0]] != [a[0][0] for a, _ in layers]:
        yield 'layers begin elsewhere'
    yield from hold_blocks(b, at[0], layers)
    yield from hold_places(b, at[0], layers, alone(rows))
    time = b['layers']['time']
    whole = max(r[1] for half in layers[-1] for r in half) - layers[0][0][0][0]
    if time['mean_ns'] != whole or time['instances'] != 1:
        yield f'all layers take {time["mean_ns"]} ns, not {whole}'


def hold_blocks(b, section, layers):
    """Compares the sum of each half with its block, and with the rows of the block."""
    blocks = {k['block']: (i, k) for i, k in enumerate(b['blocks'])
              if k['section'] == section}
    if not {'attention', 'mlp'} <= set(blocks):
        yield f'blocks {", ".join(blocks)}'
        return
    for half, name in enumerate(('attention', 'mlp')):
        index, block = blocks[name]
        durations = [r[1] - r[0] for pair in layers for r in pair[half]]
        if f'{block["sum_ns"]:.1f}' != mean(durations, 32):
            yield f'{name} takes {block["sum_ns"]} ns, ' \
                  f'not {mean(durations, 32)}'
        of_rows = sum(round(i['mean_ns'] * i['launches'])
                      for i in b['items'] if i['block'] == index)
        if abs(of_rows - sum(durations)) > 32:
            yield f'{name}: rows have {of_rows} ns, not {sum(durations)}'


def hold_places(b, section, layers, own_time):
    """Compares each row that most layers have, in order: its kernel, its times, and its
    time without other work on the device."""
    rows = [i for i in b['items']
            if b['blocks'][i['block']]['section'] == section]
    common = [i for i in rows if not i['extra'] and i['stream'] == 0]
    if len(common) != 11:
        yield f'{len(common)} places that most layers have'
        return
    for place, row in enumerate(common):
        here = [(a + m)[place] for a, m in layers]
        own = [r for r in here if r[2] == row['kernel']['name']]
        if len(own) < 31:
            yield f'place {place} is not {row["kernel"]["short_name"]}'
            continue
        want = trace_figures.line([r[1] - r[0] for r in own], 1)
        got = (str(row['launches']), *(f'{row[k]:.1f}' for k in
                                       ('mean_ns', 'median_ns')),
               str(row['min_ns']), str(row['max_ns']),
               f'{row["stddev_ns"]:.1f}')
        if got != want[2:8]:
            yield f'place {place}: {got}, not {want[2:8]}'
        by_itself = sum(own_time[r] for r in own)
        busy = sum(r[1] - r[0] for r in own)
        if (row['exclusive_ns'], row['overlapped_ns']) != \
                (by_itself, busy - by_itself):
            yield f'place {place}: alone {row["exclusive_ns"]} ns, ' \
                  f'not {by_itself}'


def check(path):
    """Returns (a summary of the layers, differences as text)."""
    found, wrong, words = records(path), [], []
    for rank, b in printed(path):
        rows = found.get(rank, found.get(None, []))
        rows = [r for r in rows if r[3] == b['device']]
        wrong += hold_unions(b, rows)
        if os.path.basename(path) == DECODE:
            wrong += hold_decode(path, b, rows)
        words.append(f'{b["layers"]["count"]} {b["detector"]}')
    return ' '.join(words), wrong


def main():
    files = sys.argv[1:] or sorted(
        glob.glob(os.path.join(glob.escape(FOLDER), '**', '*.json.gz'),
                  recursive=True))
    if not files:
        print(f'skipped: no traces at {FOLDER}')
        return 77
    bad = 0
    for path in files:
        words, wrong = check(path)
        bad += bool(wrong)
        print(f'{"wrong" if wrong else "equal":6} {words:24} '
              f'{os.path.basename(path)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w}')
    print(f'{len(files) - bad} of {len(files)} files as worked out')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
