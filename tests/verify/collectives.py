#!/usr/bin/python3
"""collectives.py - computes the collectives of recorded Kineto traces from their JSON.

collectives.py [FILE]...

For each launch of NCCL's kernels, the script computes kind, bytes (as nccl-tests count
them), process group, number in the group and bus bandwidth from the args of the kernel
and of record_param_comms, and from the Input Dims and Input type of nccl: annotations.
`kernsiftd inspect --by collectives` must return the same launches with the same values,
and the same sums. A value that the trace does not state must be unknown. Of the time of
collectives in a trace whose record_param_comms have named fields, at least 99 % must
have bytes. One line is printed per run. Files default to those of KERNSIFT_TRACES, else
the shared traces next to the checkout, that have collectives. Without them the case is
skipped.
"""
import gzip
import json
import os
import subprocess
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from fractions import Fraction

import kernel_stats

FILES = ('merged-4ranks_140mb', 'eager_b200', 'megatron-tp8_rank0', 'megatron-tp8_rank1',
         'megatron-tp8_rank2', 'megatron-tp8_rank3', 'resnet-ddp_v100_54mb')
BYTES = {'Float': 4, 'float': 4, 'Half': 2, 'c10::Half': 2, 'BFloat16': 2,
         'c10::BFloat16': 2, 'Long': 8, 'long int': 8, 'Int': 4, 'int': 4, 'Byte': 1}
KINDS = (('all_reduce', 'allreduce', 'AllReduce'), ('all_gather', 'allgather', 'AllGather'),
         ('reduce_scatter', 'ReduceScatter'), ('broadcast', 'Broadcast'))


def kind_of(*names):
    for name in names:
        for words in KINDS:
            if name and any(w in name for w in words):
                return words[0]
    return None


def factor(kind, ranks):
    if kind == 'broadcast':
        return Fraction(1)
    if not ranks:
        return None
    return Fraction((ranks - 1) * (2 if kind == 'all_reduce' else 1), ranks)


def nanoseconds(us):
    return int((Fraction(us) * 1000 + Fraction(1, 2)) // 1)


def read(path):
    with gzip.open(path, 'rt') as f:
        return json.load(f, parse_float=str, parse_int=str)['traceEvents']


def number(args, key):
    v = args.get(key)
    return int(v) if v is not None else None


def elements(dims):
    """The elements of a tensor, or of a list of tensors."""
    if dims and isinstance(dims[0], list):
        return sum(elements(d) for d in dims)
    product = 1
    for d in dims:
        product *= int(d)
    return product


class Host:
    """The host's records of one process: spans of each thread, in order of start."""

    def __init__(self):
        self.records, self.starts = defaultdict(list), {}

    def add(self, e):
        self.records[e['tid']].append((nanoseconds(e['ts']), nanoseconds(e['dur']), e))

    def around(self, tid, at):
        """The records around a moment, innermost first."""
        all_ = self.records[tid]
        if tid not in self.starts:
            all_.sort(key=lambda r: r[0])
            self.starts[tid] = [r[0] for r in all_]
        found = []
        for start, dur, e in reversed(all_[:bisect_right(self.starts[tid], at)]):
            if start + dur > at:
                found.append((dur, e))
            if at - start > 10 ** 9:
                break
        return [e for _, e in sorted(found, key=lambda x: x[0])]


def stated(events, kernel):
    """What the records of a launch state: the first that states a value counts."""
    name = dtype = into = out = group = ranks = size = sequence = None
    for e in events:
        a, own = e.get('args', {}), e['name'] == 'record_param_comms'
        name = name or a.get('Collective name')
        if e['name'].startswith('nccl:'):
            name = name or e['name']
            if into is None and a.get('Input Dims'):
                into = sum(elements(d) for d in a['Input Dims'])
            if a.get('Input type', [''])[0] in BYTES:
                dtype = dtype or a['Input type'][0]
        dtype = dtype or a.get('dtype')
        group, ranks = group or a.get('Process Group Name'), ranks or a.get('Process Group Ranks')
        into = number(a, 'In msg nelems') if into is None else into
        out = number(a, 'Out msg nelems') if out is None else out
        size = size or number(a, 'Group size')
        values = a.get('Concrete Inputs', []) if own else []
        if values and a['Input type'][0] not in ('', 'Scalar'):
            values = values[1:]
            if into is None and a['Input Dims'][0]:
                into = elements(a['Input Dims'][0])
        if len(values) in (7, 9) and values[0]:
            sequence = int(values[0]) if sequence is None else sequence
        if len(values) in (7, 9):
            size = size or int(values[-1])
    kind = kind_of(name, kernel['name'])
    count = out if kind == 'all_gather' else into
    if kind == 'all_gather' and count is None and into is not None and size:
        count = into * size
    bytes_ = count * BYTES[dtype] if count is not None and dtype else None
    return kind, count, bytes_, group, size, ranks, sequence


def launches_of(events):
    """Returns [(rank of the file or None, kernel, what is stated)]."""
    host, calls, ids = defaultdict(Host), {}, {}
    for e in events:
        if e.get('ph') != 'X':
            continue
        process = e.get('args', {}).get('rank')
        if e['name'] == 'record_param_comms' or e['name'].startswith('nccl:') and \
                e.get('cat') == 'user_annotation':
            host[process].add(e)
            if e['name'] == 'record_param_comms' and 'External id' in e['args']:
                ids[process, e['args']['External id']] = e
        if e.get('cat') == 'cuda_runtime' and 'correlation' in e.get('args', {}):
            calls[process, e['args']['correlation']] = e
    found = []
    for e in events:
        if e.get('ph') != 'X' or e.get('cat') != 'kernel' or not e['name'].startswith('nccl'):
            continue
        process = e['args'].get('rank')
        records, call = [e], calls.get((process, e['args']['correlation']))
        if call:
            records += host[process].around(call['tid'], nanoseconds(call['ts']))
        if e['args'].get('External id') != e['args']['correlation']:
            records += [r for r in [ids.get((process, e['args'].get('External id')))] if r]
        found.append((process, e, stated(records, e)))
    return found


def wanted(events):
    """{rank of the file or None: Counter of (duration, what is stated)}"""
    runs = defaultdict(Counter)
    for process, e, stated_ in launches_of(events):
        runs[process][(nanoseconds(e['dur']), *stated_)] += 1
    return runs


def printed(path):
    done = subprocess.run([kernel_stats.PROGRAM, 'inspect', path, '--by', 'collectives',
                           '--format', 'json'], check=True, capture_output=True)
    return json.loads(done.stdout)['runs']


def compare(path, rank, launches, run):
    got, known_ns = Counter(), 0
    for c in run['collectives']:
        of = (c['kind'], c['elements'], c['bytes'], c['group'], c['group_size'],
              c['group_ranks'])
        times = [launch['dur_ns'] for launch in c['launches']]
        known_ns += sum(times) if c['bytes'] is not None else 0
        assert (c['bytes'] is None) == (c['reason'] is not None), c
        share = factor(c['kind'], c['group_size'])
        if c['bytes'] is None or share is None:
            assert c['busbw_gb_s'] is None, c
        else:
            want = Fraction(c['bytes'] * len(times), sum(times)) * share
            assert abs(c['busbw_gb_s'] - want) <= Fraction(1, 10 ** 9) * want, (c, want)
        for launch in c['launches'] if c['name'].startswith('nccl') else []:
            got[(launch['dur_ns'], *of, launch['sequence'])] += 1
    missing, invented = launches - got, got - launches
    assert not missing and not invented, (path, rank, missing.most_common(3),
                                          invented.most_common(3))
    total_ns = sum(x['dur_ns'] for c in run['collectives'] for x in c['launches'])
    bytes_ = sum((k[3] or 0) * n for k, n in launches.items())
    print(f'{os.path.basename(path):32} rank {rank}: {sum(launches.values()):5} launches '
          f'{total_ns / 1e6:10.3f} ms {bytes_:13} bytes, {100 * known_ns / total_ns:5.1f} % '
          'of the time with bytes')
    return known_ns, total_ns


def check(path):
    events = read(path)
    named = any('Collective name' in e.get('args', {}) for e in events)
    want, got = wanted(events), printed(path)
    runs = {str(r['totals']['rank']) if None not in want else None: r for r in got}
    assert set(want) == set(runs), (path, list(want), list(runs))
    known = total = 0
    for rank, launches in want.items():
        a, b = compare(path, rank, launches, runs[rank])
        known, total = known + a, total + b
    assert not named or known >= 0.99 * total, (path, known, total)


def main():
    files = sys.argv[1:] or [os.path.join(kernel_stats.FOLDER, f + '.json.gz') for f in FILES]
    files = [f for f in files if os.path.exists(f)]
    if not files:
        print('no recorded traces')
        sys.exit(77)
    for f in files:
        check(f)


if __name__ == '__main__':
    main()
