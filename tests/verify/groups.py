#!/usr/bin/python3
"""groups.py - finds kernels that are launched together in recorded traces,
independently.

groups.py [FILE]...

Plain Python reads the streams of every recorded Kineto trace next to the checkout (or
of the files given) and checks the groups that `kernsiftd inspect --by layers` reports:

* The kernels of a group must follow each other in its order at least as often as
  reported.
* For each kernel, the launches in groups and those outside must be all its launches.
* Two families must be reported as often as they occur, with their time to the
  nanosecond: a split-K reduction after its GEMM; the preparation, main kernel and
  combination of FlashAttention. For the traces listed below, the number is fixed.
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

import trace_figures

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')

GEMM = r'gemm|nvjet|cutlass::Kernel'
FAMILIES = {
    'split-K': (GEMM, r'splitKreduce_kernel'),
    'FlashAttention': (r'prepare_varlen_num_blocks', r'FlashAttnFwdSm\d+',
                       r'FlashAttnFwdCombine'),
}
# How many times the members of a family follow each other.
KNOWN = {
    'deepseek-r1-decode_sglang_b300_tp0.json.gz': {'split-K': 32},
    'owlv2-large_h100.json.gz': {'split-K': 60},
    'ns-resolution.json.gz': {'split-K': 10},
    'resnet-ddp_v100_54mb.json.gz': {'split-K': 155},
    'resnet50_v100_2020-format.json.gz': {'split-K': 12},
    'repeats/particle-bs64_2.json.gz': {'split-K': 2},
}
# A family is noise if its members follow each other in less than this part of the
# launches of its rarest member.
PART = 0.05


def launches(path):
    """Returns {rank: one list per stream of (name, dur), by start}."""
    opened = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    with opened as f:
        document = json.loads(f.read().decode(errors='replace'), strict=False,
                              parse_float=str, parse_int=str)
    events = document['traceEvents'] if isinstance(document, dict) \
        else document
    streams = defaultdict(lambda: defaultdict(list))
    for e in events:
        if e.get('ph') != 'X' or str(e.get('cat', '')).lower() != 'kernel':
            continue
        start = trace_figures.nanoseconds(e.get('ts'))
        dur = trace_figures.nanoseconds(e.get('dur'))
        if start is None or dur is None or dur < 0:
            continue
        args = e.get('args', {})
        where = (args.get('device', e.get('pid')),
                 args.get('stream', e.get('tid')))
        streams[int(args['rank']) if 'rank' in args else None][where].append(
            (start, trace_figures.text(e['name']), dur))
    return {rank: [[row[1:] for row in sorted(rows, key=lambda r: r[0])]
                   for rows in by.values()] for rank, by in streams.items()}


def reported(path):
    """Returns {rank: (groups, {name in the trace: name shown})}."""
    out = subprocess.run([PROGRAM, 'inspect', '--by', 'layers', '--format',
                          'json', path], check=True, capture_output=True)
    found = {}
    for run in json.loads(out.stdout)['runs']:
        names = {k['mangled']: k['name'] for k in run['kernels']
                 if k.get('mangled')}
        found[run['totals']['rank']] = (run['groups'], names)
    return found


def occurrences(streams, members):
    """Returns how many times these names follow each other, and their total time."""
    times = total = 0
    for rows in streams:
        for i in range(len(rows) - len(members) + 1):
            part = rows[i:i + len(members)]
            if all(r[0] == m for r, m in zip(part, members)):
                times += 1
                total += sum(r[1] for r in part)
    return times, total


def family(streams, patterns):
    """Returns {names: [times, total]} of the sequences that match a family."""
    found = defaultdict(lambda: [0, 0])
    for rows in streams:
        for i in range(len(rows) - len(patterns) + 1):
            part = rows[i:i + len(patterns)]
            if all(re.search(p, r[0], re.I) for r, p in zip(part, patterns)):
                found[tuple(r[0] for r in part)][0] += 1
                found[tuple(r[0] for r in part)][1] += sum(r[1] for r in part)
    return found


def sound(groups, streams):
    """Yields an error for each group that contradicts the streams."""
    count = Counter(name for rows in streams for name, _ in rows)
    grouped = Counter()
    for g in groups:
        for k in g['kernels']:
            grouped[k['name']] += g['support']
    for g in groups:
        members = [k['name'] for k in g['kernels']]
        times, total = occurrences(streams, members)
        if not 2 <= len(members) <= 8 or len(set(members)) < 2:
            yield f'{len(members)} kernels are a group: {members}'
        if g['support'] > times or g['total_ns'] > total:
            yield f'{g["support"]} times, of {times}: {members}'
        alone = sum(count[m] - grouped[m] for m in set(members))
        if g['alone'] != alone:
            yield f'{g["alone"]} alone, not {alone}: {members}'
        if not 0.9 <= g['confidence'] <= 1:
            yield f'confidence {g["confidence"]}: {members}'


def within(names, group):
    members = [k['name'] for k in group['kernels']]
    return any(tuple(members[i:i + len(names)]) == names
               for i in range(len(members)))


def missing(groups, streams, times):
    """Yields a sentence for each known family that is not reported as often as it
    occurs, whether alone or with other kernels of the same group. Adds the number of
    occurrences to `times`."""
    count = Counter(name for rows in streams for name, _ in rows)
    for word, patterns in FAMILIES.items():
        for names, (n, total) in family(streams, patterns).items():
            times[word] += n
            if n < PART * min(count[m] for m in names):
                continue
            have = [g for g in groups if within(names, g)]
            support = sum(g['support'] for g in have)
            total_ns = sum(g['total_ns'] for g in have)
            alone = all(len(g['kernels']) == len(names) for g in have)
            if support != n or (total_ns != total if alone
                                else total_ns < total):
                yield f'{word}: {support} times in {total_ns} ns, ' \
                    f'not {n} in {total}: {names}'


def check(path):
    found, wrong, times, groups = reported(path), [], Counter(), 0
    walked = launches(path)
    assert len(found) == max(len(walked), 1), (len(found), list(walked))
    for rank, streams in walked.items():
        # If the file has one rank for all kernels, the rows of its kernels have none.
        all_of, names = found[rank if rank in found else next(iter(found))]
        streams = [[(names.get(n, n), d) for n, d in rows]
                   for rows in streams]
        wrong += sound(all_of, streams)
        wrong += missing(all_of, streams, times)
        groups += len(all_of)
    known = next((v for k, v in KNOWN.items() if path.endswith('/' + k)), None)
    if known is not None and dict(times) != known:
        wrong.append(f'{dict(times)} came, not {known}')
    return groups, times, wrong


def main():
    files = sys.argv[1:] or sorted(
        glob.glob(f'{glob.escape(FOLDER)}/**/*.json.gz', recursive=True))
    if not files:
        print(f'skipped: no traces at {FOLDER}')
        return 77
    bad = 0
    for path in files:
        groups, times, wrong = check(path)
        bad += bool(wrong)
        print(f'{"wrong" if wrong else "sound":6} {groups:3} groups '
              f'{dict(times) or ""} {os.path.basename(path)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w[:300]}')
    print(f'{len(files) - bad} of {len(files)} files as they should be')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
