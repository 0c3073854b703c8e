#!/usr/bin/python3
"""inspector_bandwidths.py - computes the collectives of NCCL Inspector's files from the JSON.

inspector_bandwidths.py [FILE]...

Reads each object with Python's json and sums calls, bytes and time per process,
communicator and kind. `kernsiftd inspect --by collectives` must return the same sums, and
from them the same algorithm bandwidth and bus bandwidth. A capture file of the input must
give the same. The plugin's own bandwidths (coll_algobw_gbs, coll_busbw_gbs) are compared
with those of each call. Of a file without starts, span, busy time and starts
must be unknown. Without files it checks the cases of tests/traces, the data of tests/api
and random files.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction

BIN = os.environ['KERNSIFT_BIN']
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The whole files; the others of tests/traces are damaged.
WHOLE = ('290-*', '291-*', '296-*', '297-*')
# Per function of NCCL: kind, ranks whose sizes count (0: one, 1: all), factor of n ranks.
KINDS = {'AllReduce': ('all_reduce', 0, lambda n: Fraction(2 * (n - 1), n)),
         'AllGather': ('all_gather', 1, lambda n: Fraction(n - 1, n)),
         'ReduceScatter': ('reduce_scatter', 1, lambda n: Fraction(n - 1, n)),
         'AlltoAll': ('all_to_all', 1, lambda n: Fraction(n - 1, n)),
         'Broadcast': ('broadcast', 0, lambda n: Fraction(1)),
         'Reduce': ('reduce', 0, lambda n: Fraction(1)),
         'Send': ('send', 0, lambda n: Fraction(1)),
         'Recv': ('recv', 0, lambda n: Fraction(1))}
# The plugin divides by the whole microseconds that it writes, and writes six decimals. So
# its figures differ by at most half of the last decimal, plus the rounding of doubles.
PLUGIN = Fraction(6, 10 ** 7)
# kernsift computes in doubles, with a few roundings of 2^-53 each.
DOUBLE = Fraction(1, 10 ** 14)


def objects(text):
    """The objects of a file, which may take several lines each."""
    at, decoder = 0, json.JSONDecoder()
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value


def has_start(perf):
    events = perf.get('event_trace_ts', {}).get('kernel_events', [])
    return any(e.get('kernel_start_ts', 0) > 0 for e in events)


def of_file(text):
    """{(host, pid): {(group, size, kind): [(bytes, us)]}}, whether all calls have starts, and
    how many figures of the plugin were compared."""
    runs, context, started, compared = defaultdict(lambda: defaultdict(list)), None, True, 0
    for o in objects(text):
        if 'header' in o:
            context = o['header'], o['metadata']
        perf = o.get('coll_perf') or o.get('p2p_perf')
        if perf is None:
            continue
        header, meta = context
        word = 'coll' if 'coll_perf' in o else 'p2p'
        kind, all_ranks, factor = KINDS[perf[word]]
        ranks, us = header['n_ranks'], perf[word + '_exec_time_us']
        bytes_ = perf[word + '_msg_size_bytes'] * (ranks if all_ranks else 1)
        algorithm = Fraction(bytes_, us * 1000)
        for field, want in ('_algobw_gbs', algorithm), ('_busbw_gbs', algorithm * factor(ranks)):
            if perf.get(word + field):
                assert abs(Fraction(perf[word + field]) - want) <= PLUGIN, (perf, float(want))
                compared += 1
        started &= has_start(perf)
        runs[meta['hostname'], meta['pid']][hex(int(header['id'], 16)), ranks, kind].append(
            (bytes_, us * 1000))
    return runs, started, compared


def bus(kind, ranks, bytes_, total_ns):
    factor = next(f for k, _, f in KINDS.values() if k == kind)
    return Fraction(bytes_, total_ns) * factor(ranks)


def compare(run, groups, started):
    got = defaultdict(list)
    for c in run['collectives']:
        times = [launch['dur_ns'] for launch in c['launches']]
        want = bus(c['kind'], c['group_size'], c['bytes'] * len(times), sum(times))
        assert abs(Fraction(c['busbw_gb_s']) - want) <= DOUBLE * want, (c, float(want))
        got[c['group'], c['group_size'], c['kind']] += [(c['bytes'], ns) for ns in times]
        assert all((launch['start_ns'] is not None) == started for launch in c['launches'])
    assert {k: Counter(v) for k, v in got.items()} == \
        {k: Counter(v) for k, v in groups.items()}, (got, groups)
    totals = run['totals']
    assert totals['content'] == ('launches' if started else 'durations'), totals
    for field in 'span_ns', 'busy_ns', 'started_at':
        assert (totals[field] is not None) == started, (field, totals)


def printed(path):
    done = subprocess.run([BIN + '/kernsiftd', 'inspect', path, '--by', 'collectives', '--format',
                           'json'], check=True, capture_output=True)
    return json.loads(done.stdout)['runs']


def check(path, scratch):
    with open(path, encoding='utf-8') as f:
        runs, started, compared = of_file(f.read())
    capture = os.path.join(scratch, 'capture.kst')
    subprocess.run([BIN + '/kernsiftd', 'convert', path, capture], check=True,
                   capture_output=True)
    for file in path, capture:
        seen = {(r['totals']['host'], r['totals']['pid']): r for r in printed(file)}
        assert set(seen) == set(runs), (path, list(seen), list(runs))
        for process, groups in runs.items():
            compare(seen[process], groups, started)
    for process, groups in sorted(runs.items()):
        for (group, ranks, kind), calls in sorted(groups.items()):
            bytes_, ns = sum(c[0] for c in calls), sum(c[1] for c in calls)
            print(f'{os.path.basename(os.path.dirname(path)):28.28} {process[1]:8} {group:18} '
                  f'{kind:14} {len(calls):4} calls {bytes_:15} bytes '
                  f'{bytes_ / ns:10.3f} GB/s, bus {float(bus(kind, ranks, bytes_, ns)):10.3f}')
    return compared


def random_file(seed):
    """Calls of all kinds in communicators of several sizes, with the plugin's figures."""
    rng, lines, sequence = random.Random(seed), [], Counter()
    for _ in range(200):
        name = rng.choice(sorted(KINDS))
        kind, all_ranks, factor = KINDS[name]
        word = 'p2p' if name in ('Send', 'Recv') else 'coll'
        ranks = rng.choice((2, 3, 8, 64))
        us, size = rng.randrange(1, 10 ** rng.randrange(1, 7)), rng.randrange(1, 2 ** 33)
        sequence[ranks, name] += 1
        at = 1752867229000000 + 1000 * len(lines)
        algorithm = size * (ranks if all_ranks else 1) / us / 1000
        perf = {word: name, word + '_sn': sequence[ranks, name], word + '_msg_size_bytes': size,
                word + '_exec_time_us': us, word + '_timing_source': 'kernel_gpu',
                word + '_algobw_gbs': round(algorithm, 6),
                word + '_busbw_gbs': round(algorithm * float(factor(ranks)), 6)}
        if word == 'p2p':
            perf['p2p_peer'] = 1
        if seed % 2:
            perf['event_trace_ts'] = {'kernel_events': [
                {'channel_id': 0, 'kernel_start_ts': at, 'kernel_stop_ts': at + us}]}
        lines.append(json.dumps({
            'header': {'id': hex(0x1000 + ranks), 'rank': 0, 'n_ranks': ranks, 'nnodes': 1},
            'metadata': {'inspector_output_format_version': 'v4.2', 'hostname': 'n1', 'pid': 7,
                         'dump_timestamp_us': at + us}, word + '_perf': perf}))
    return '\n'.join(lines) + '\n'


def main():
    files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        if not files:
            for pattern in WHOLE:
                files += sorted(glob.glob(os.path.join(TESTS, 'traces', pattern, 'in.json')))
            files += sorted(glob.glob(os.path.join(TESTS, 'api/data/nccl-inspector-*.json')))
            assert len(files) >= 6, files
            for seed in range(4):
                files.append(os.path.join(scratch, f'random-{seed}.json'))
                with open(files[-1], 'w', encoding='utf-8') as f:
                    f.write(random_file(seed))
        compared = sum(check(f, scratch) for f in files)
    print(f'{compared} bandwidths of the plugin compared')
    assert compared or sys.argv[1:]


if __name__ == '__main__':
    main()
