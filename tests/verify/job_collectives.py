#!/usr/bin/python3
"""job_collectives.py - pairs the collectives of a job's ranks by group and number.

The script makes the traces of four ranks: two groups of tensor parallelism, two of data
parallelism, one of all ranks. The ranks take different times, and rank 3 was recorded
later, so that the first calls of its groups are missing. GET /jobs/{id} must return, for
each group, kind and size, the calls, the transfer time, the bus bandwidth, the skew and
the times of each rank that plain Python computes from the JSON of these traces. The same
is done with the recorded ranks in the shared traces, if these are present: one file of
four ranks, and four of eight ranks whose groups are known by pointers only.

The trend of the bus bandwidth and the bandwidths that a gate compares are computed from
the same traces. Further traces have all-to-alls of six ranks with random split sizes, some
of them without or with a shortened list: GET /jobs/{id}/all-to-all must return the bytes
that Python sums up from the lists of the records.
"""
import json
import os
import random
import sys
from collections import defaultdict

import collectives
import running

FOLDER = collectives.kernel_stats.FOLDER
GROUPS = {'0': [0, 1, 2, 3], '1': [0, 1], '2': [2, 3], '3': [0, 2], '4': [1, 3]}
# Group of a rank, kind as NCCL's record names it, elements in and out, dtype.
STEP = [('tp', 'allreduce', 4096, 4096, 'BFloat16'),
        ('tp', '_allgather_base', 2048, 4096, 'BFloat16'),
        ('tp', 'allreduce', 4096, 4096, 'BFloat16'),
        ('dp', '_reduce_scatter_base', 65536, 32768, 'Float'),
        ('all', 'allreduce', 1, 1, 'Float')]
STEPS, SEED = 6, 11


def group_of(rank, role):
    if role == 'all':
        return '0'
    return str(1 + rank // 2 if role == 'tp' else 3 + rank % 2)


def made(rank, rng):
    """Returns the trace of a rank."""
    events, at, number, ids = [], 1000, defaultdict(int), 0
    for step in range(STEPS):
        for role, name, into, out, dtype in STEP:
            group = group_of(rank, role)
            number[group] += 1
            ids += 1
            dur, at = rng.randrange(20, 400), at + rng.randrange(500, 900)
            if rank == 3 and step == 0:
                continue
            ranks = GROUPS[group]
            args = {'Collective name': name, 'In msg nelems': into, 'Out msg nelems': out,
                    'dtype': dtype, 'Group size': len(ranks), 'In split size': '[]',
                    'Out split size': '[]', 'Process Group Name': group,
                    'Process Group Ranks': str(ranks)}
            link = {'correlation': ids, 'External id': 1000 + ids}
            events += [
                {'ph': 'X', 'cat': 'cpu_op', 'name': 'record_param_comms', 'pid': 7,
                 'tid': 7, 'ts': at, 'dur': 50, 'args': {
                     **args, 'External id': 1000 + ids,
                     'Concrete Inputs': ['', str(number[group]), group, '0', name, '', '',
                                         '0', '1', str(len(ranks))],
                     'Input Dims': [[[into]]] + [[]] * 9,
                     'Input type': ['TensorList', 'Scalar'] + [''] * 8}},
                {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernelExC', 'pid': 7,
                 'tid': 7, 'ts': at + 5, 'dur': 2, 'args': link},
                {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_Generic(ncclDevComm*)',
                 'pid': 0, 'tid': 24, 'ts': at + 20, 'dur': dur, 'args': {
                     'device': 0, 'stream': 24, 'grid': [8, 1, 1], 'block': [512, 1, 1],
                     **link, **args}}]
    return json.dumps({'schemaVersion': 1, 'distributedInfo': {'rank': rank, 'world_size': 4},
                       'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3',
                                             'totalGlobalMem': 85029158912,
                                             'computeMajor': 9, 'computeMinor': 0,
                                             'numSms': 132}],
                       'traceEvents': events}).encode()


def calls_of(events, by_pointer):
    """{rank: {(group, number): (kind, elements, bytes, size, duration)}}"""
    runs = defaultdict(dict)
    for rank, e, (kind, count, bytes_, group, size, ranks, number) in \
            collectives.launches_of(events):
        key = ('pointer' if by_pointer else (group, ranks), number)
        assert number is not None and key not in runs[rank], (rank, key)
        runs[rank][key] = (kind, count, bytes_, size, collectives.nanoseconds(e['dur']))
    return runs


def expected(runs):
    """{(group, kind, elements, bytes): line}, and the number of calls that some rank of
    the job lacks."""
    ranks = sorted(runs)
    members = defaultdict(set)
    for r in ranks:
        for group, _ in runs[r]:
            members[group].add(r)
    keys, lines, unmatched = {k for r in ranks for k in runs[r]}, {}, 0
    for key in sorted(keys, key=str):
        calls = {r: runs[r][key] for r in ranks if key in runs[r]}
        if set(calls) != members[key[0]]:
            unmatched += 1
            continue
        (kind, count, bytes_, size), = {c[:4] for c in calls.values()}
        line = lines.setdefault((key[0], kind, count, bytes_), {
            'calls': 0, 'transfer_ns': 0, 'skew': 0, 'total_ns': [0] * len(ranks),
            'last_calls': [0] * len(ranks), 'caused_ns': [0] * len(ranks), 'size': size,
            'in': sorted(calls)})
        times = {r: c[4] for r, c in calls.items()}
        low, high = min(times.values()), max(times.values())
        line['calls'] += 1
        line['transfer_ns'] += low
        line['skew'] += high - low
        for r, ns in times.items():
            line['total_ns'][ranks.index(r)] += ns
        last = [r for r, ns in times.items() if ns == low]
        if len(last) == 1:
            line['last_calls'][ranks.index(last[0])] += 1
            line['caused_ns'][ranks.index(last[0])] += high - low
    return lines, unmatched


def busbw(kind, line, bytes_):
    share = collectives.factor(kind, line['size'])
    return None if bytes_ is None or share is None else \
        float(bytes_ * line['calls'] * share / line['transfer_ns'])


def compare(what, job, runs, by_pointer=False):
    lines, unmatched = expected(runs)
    ranks = {r['run']: r['rank'] for r in job['ranks']}
    assert sorted(map(str, ranks.values())) == sorted(map(str, runs)), (ranks, list(runs))
    got = {('pointer' if by_pointer else (c['group'], c['group_ranks']), c['kind'],
            c['elements'], c['bytes']): c for c in job['collectives']}
    assert set(got) == set(lines), (what, set(got) ^ set(lines))
    assert len(got) == len(job['collectives'])
    assert job['unmatched'] == unmatched, (what, job['unmatched'], unmatched)
    compare_ranks(what, job, lines)
    for key, line in lines.items():
        c = got[key]
        for field in ('calls', 'transfer_ns', 'total_ns', 'last_calls', 'caused_ns'):
            assert c[field] == line[field], (what, key, field, c[field], line[field])
        assert c['count'] == c['calls'] and c['group_size'] == line['size'], c
        assert [str(ranks[r]) for r in c['runs']] == list(map(str, line['in'])), c
        assert c['upper_bound'] == (len(line['in']) < line['size']), c
        assert abs(c['skew_ns'] - line['skew'] / line['calls']) < 1e-3, c
        want = busbw(key[1], line, key[3])
        assert (c['busbw_gb_s'] is None) == (want is None), c
        assert want is None or abs(c['busbw_gb_s'] - want) < 1e-9 * want, (c, want)
        print(f'{what}: group {c["group"]} {key[1]} {key[3]} bytes: {c["calls"]} calls, '
              f'{len(line["in"])} of {line["size"]} ranks, transfer '
              f'{c["transfer_ns"] / 1e6:.3f} ms, busbw {c["busbw_gb_s"]:.3f} GB/s, skew '
              f'{c["skew_ns"] / 1e6:.3f} ms')


def compare_ranks(what, job, lines):
    for i, rank in enumerate(job['ranks']):
        want = {'last_calls': sum(x['last_calls'][i] for x in lines.values()),
                'caused_ns': sum(x['caused_ns'][i] for x in lines.values()),
                'matched_calls': sum(x['calls'] for x in lines.values()
                                     if x['total_ns'][i])}
        got = {k: rank[k] for k in want}
        assert got == want, (what, rank['rank'], got, want)
        print(f'{what}: rank {rank["rank"]} arrives last at {rank["last_calls"]} of '
              f'{rank["matched_calls"]} collectives; others wait up to '
              f'{rank["caused_ns"] / 1e6:.3f} ms')


def bandwidth(pairs):
    """Σ bytes · factor / Σ ns of (kind, bytes, size, ns); None without any."""
    known = [(bytes_ * collectives.factor(kind, size), ns) for kind, bytes_, size, ns in pairs
             if bytes_ is not None and collectives.factor(kind, size)]
    return float(sum(b for b, _ in known) / sum(ns for _, ns in known)) if known else None


def trend_value(runs):
    """The mean over ranks of a job: each with its own durations."""
    values = [bandwidth([(kind, bytes_, size, ns) for kind, _, bytes_, size, ns in calls.values()])
              for calls in runs.values()]
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def gate_value(runs):
    """The bandwidth of a job's matched collectives in their transfer time."""
    lines, _ = expected(runs)
    return bandwidth([(kind, bytes_ and bytes_ * line['calls'], line['size'],
                       line['transfer_ns']) for (_, kind, _, bytes_), line in lines.items()])


def compare_trend(server, jobs):
    """`jobs`: {name: (job, runs)}"""
    trend = server.get('/trends?project=p&metric=busbw')['points']
    got = dict(zip(trend['run'], trend['value']))
    for name, (job, runs) in jobs.items():
        first, want = job['ranks'][0]['run'], trend_value(runs)
        value = got.pop(first, None)
        assert (value is None) == (want is None), (name, value, want)
        assert want is None or abs(value - want) < 1e-6, (name, value, want)
        print(f'{name}: trend busbw {value} GB/s')
    assert not got, got


def gate_bandwidths(server, base, head):
    status, _, body = server.ask('POST', '/gates', json.dumps(
        {'base': f'job:{base["id"]}', 'head': f'job:{head["id"]}', 'iteration_pct': None,
         'fail_on': [], 'min_iterations': 1, 'busbw_pct': 5}).encode())
    assert status == 201, body
    rule, = json.loads(body)['rules']
    return rule['base_gb_s'], rule['head_gb_s'], rule['change_pct']


def compare_gate(server, one, other):
    want = gate_value(one[1]), gate_value(other[1])
    got = gate_bandwidths(server, one[0], other[0])
    for value, is_ in zip(got, (*want, 100 * (want[1] / want[0] - 1))):
        assert abs(value / is_ - 1) < 1e-9, (got, want)
    print(f'gate: {got[0]:.6f} and {got[1]:.6f} GB/s, {got[2]:.3f} %')


RANKS, CALLS = 6, 40


def exchanged(rank, rows):
    """Returns the trace of a rank; rows[call][from][to], None: no split sizes."""
    events = []
    for i, call in enumerate(rows):
        into = call[rank] if call else [2] * RANKS
        out = [row[rank] for row in call] if call else [2] * RANKS
        # Every seventh call has equal parts and empty lists.
        lists = ('[]', '[]') if i % 7 == 6 else (str(into), str(out))
        if i % 11 == 10:
            lists = tuple(text[:-1] + ', ...]' for text in map(str, (into[:3], out[:3])))
        args = {'Collective name': 'all_to_allv', 'In msg nelems': 64 * sum(into),
                'Out msg nelems': 64 * sum(out), 'dtype': 'Half', 'Group size': RANKS,
                'Process Group Name': 'ep', 'Process Group Ranks': str(list(range(RANKS)))}
        if call:
            args |= {'In split size': lists[0], 'Out split size': lists[1]}
        link = {'correlation': i + 1, 'External id': 100 + i}
        process = {'ph': 'X', 'pid': 7, 'tid': 7}
        at = 1000 + 500 * i
        events += [
            {**process, 'cat': 'cpu_op', 'name': 'record_param_comms', 'ts': at, 'dur': 50,
             'args': {**args, 'External id': 100 + i, 'Seq': i + 1}},
            {**process, 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernelExC', 'ts': at + 5,
             'dur': 2, 'args': link},
            {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_SendRecv(ncclDevComm*)',
             'pid': 0, 'tid': 24, 'ts': at + 20, 'dur': 100 + (rank * 37 + i * 11) % 60,
             'args': {'device': 0, 'stream': 24, 'grid': [8, 1, 1], 'block': [512, 1, 1],
                      **link, **args}}]
    return json.dumps({'schemaVersion': 1,
                       'distributedInfo': {'rank': rank, 'world_size': RANKS},
                       'traceEvents': events}).encode()


def parts(args, side):
    """The bytes of a kernel's parts from its record; None unknown."""
    text = args.get(f'{side} split size')
    if text is None or '...' in text:
        return None
    sizes = json.loads(text) or [1] * args['Group size']
    each, rest = divmod(args[f'{side} msg nelems'], sum(sizes) or 1)
    assert not rest
    return [2 * each * s for s in sizes]


def compare_exchanges(what, server, bodies):
    job = job_from(server, what, list(enumerate(bodies)))
    map_, = server.get(f'/jobs/{job["id"]}/all-to-all')['items']
    matrix, received, calls, waits = [], [], set(), []
    for body in bodies:
        kernels = [e for e in json.loads(body)['traceEvents'] if e['cat'] == 'kernel']
        known = [(parts(e['args'], 'In'), parts(e['args'], 'Out')) for e in kernels]
        known = [k for k in known if k[0] and k[1]]
        matrix.append([sum(k[0][to] for k in known) for to in range(RANKS)])
        received.append(sum(sum(k[1]) for k in known))
        calls.add((len(kernels), len(known)))
        waits.append([1000 * e['dur'] for e in kernels])
    (all_, known), = calls
    assert (map_['calls'], map_['known_calls']) == (all_, known), map_
    assert map_['contradictions'] == 0 and map_['ranks_excluded'] == 0
    if known:
        assert map_['unit'] == 'bytes' and map_['cells'] == matrix, (map_['cells'], matrix)
        assert [r['received_bytes'] for r in map_['ranks']] == received
        assert [r['sent_bytes'] for r in map_['ranks']] == [sum(row) for row in matrix]
        want = max(received) / (sum(received) / RANKS)
        assert abs(map_['imbalance'] - want) < 1e-12, (map_['imbalance'], want)
        print(f'{what}: {known} of {all_} all-to-alls, imbalance {want:.6f}')
        return
    shortest = [min(column) for column in zip(*waits)]
    assert map_['unit'] == 'ns' and map_['imbalance'] is None, map_
    assert map_['cells'] == [[a - b for a, b in zip(row, shortest)] for row in waits]
    print(f'{what}: no split sizes, {all_} all-to-alls as waiting')


def check_exchanges(server):
    rng = random.Random(SEED)
    def call(i):
        # The last rank has popular experts.
        if i % 7 == 6:
            return [[3] * RANKS for _ in range(RANKS)]
        return [[rng.randrange(0, 40) * (3 if to == RANKS - 1 else 1) for to in range(RANKS)]
                for _ in range(RANKS)]
    rows = [call(i) for i in range(CALLS)]
    compare_exchanges('splits', server, [exchanged(r, rows) for r in range(RANKS)])
    compare_exchanges('unsplit', server, [exchanged(r, [None] * CALLS) for r in range(RANKS)])


def job_from(server, name, bodies):
    for r, body in bodies:
        upload = server.upload(f'project=p&job={name}&name=r{r}', body)
        assert server.ended(upload)['state'] == 'done'
    job, = [j for j in server.get('/jobs')['items'] if j['name'] == name]
    return server.get(f'/jobs/{job["id"]}')


def check_made(server, name, seed):
    rng = random.Random(seed)
    bodies = {r: made(r, rng) for r in range(4)}
    job = job_from(server, name, [(r, bodies[r]) for r in (2, 0, 3, 1)])
    runs = {}
    for r, body in bodies.items():
        events = json.loads(body, parse_float=str, parse_int=str)['traceEvents']
        runs[r] = calls_of(events, False)[None]
    compare(name, job, runs)
    # Rank 3 lacks the first step: two all-reduces and an all-gather of its group, the
    # reduce-scatter of [1, 3], the all-reduce of all.
    assert job['unmatched'] == 5, job['unmatched']
    return job, runs


def check_recorded(server):
    jobs = {}
    paths = [f'{FOLDER}/megatron-tp8_rank{r}.json.gz' for r in range(4)]
    if all(os.path.exists(p) for p in paths):
        job = job_from(server, 'tp8', [(r, open(p, 'rb').read()) for r, p in enumerate(paths)])
        runs = {r: calls_of(collectives.read(p), True)[None] for r, p in enumerate(paths)}
        compare('megatron-tp8', job, runs, by_pointer=True)
        jobs['tp8'] = job, runs
    path = f'{FOLDER}/merged-4ranks_140mb.json.gz'
    if os.path.exists(path):
        with open(path, 'rb') as f:
            job = job_from(server, 'merged', [('all', f.read())])
        runs = calls_of(collectives.read(path), False)
        compare('merged-4ranks', job, runs)
        jobs['merged'] = job, runs
    return jobs


def main():
    running.skip_without_postgres()
    with running.Server(['--workers', '2']) as server:
        jobs = {name: check_made(server, name, seed) for name, seed in (('made', SEED),
                                                                        ('other', SEED + 1))}
        jobs |= check_recorded(server)
        compare_trend(server, jobs)
        compare_gate(server, jobs['made'], jobs['other'])
        check_exchanges(server)


main()
