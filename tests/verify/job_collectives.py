#!/usr/bin/python3
"""job_collectives.py - pairs the collectives of a job's ranks by group and number.

The script makes the traces of four ranks: two groups of tensor parallelism, two of data
parallelism, one of all ranks. The ranks take different times, and rank 3 was recorded
later, so that the first calls of its groups are missing. GET /jobs/{id} must return, for
each group, kind and size, the calls, the transfer time, the bus bandwidth, the skew and
the times of each rank that plain Python computes from the JSON of these traces. The same
is done with the recorded ranks in the shared traces, if these are present: one file of
four ranks, and four of eight ranks whose groups are known by pointers only.
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


def job_from(server, name, bodies):
    for r, body in bodies:
        upload = server.upload(f'project=p&job={name}&name=r{r}', body)
        assert server.ended(upload)['state'] == 'done'
    job, = [j for j in server.get('/jobs')['items'] if j['name'] == name]
    return server.get(f'/jobs/{job["id"]}')


def check_made(server):
    rng = random.Random(SEED)
    bodies = {r: made(r, rng) for r in range(4)}
    job = job_from(server, 'made', [(r, bodies[r]) for r in (2, 0, 3, 1)])
    runs = {}
    for r, body in bodies.items():
        events = json.loads(body, parse_float=str, parse_int=str)['traceEvents']
        runs[r] = calls_of(events, False)[None]
    compare('made', job, runs)
    # Rank 3 lacks the first step: two all-reduces and an all-gather of its group, the
    # reduce-scatter of [1, 3], the all-reduce of all.
    assert job['unmatched'] == 5, job['unmatched']


def check_recorded(server):
    paths = [f'{FOLDER}/megatron-tp8_rank{r}.json.gz' for r in range(4)]
    if all(os.path.exists(p) for p in paths):
        job = job_from(server, 'tp8', [(r, open(p, 'rb').read()) for r, p in enumerate(paths)])
        runs = {r: calls_of(collectives.read(p), True)[None] for r, p in enumerate(paths)}
        compare('megatron-tp8', job, runs, by_pointer=True)
    path = f'{FOLDER}/merged-4ranks_140mb.json.gz'
    if os.path.exists(path):
        with open(path, 'rb') as f:
            job = job_from(server, 'merged', [('all', f.read())])
        compare('merged-4ranks', job, calls_of(collectives.read(path), False))


def main():
    running.skip_without_postgres()
    with running.Server(['--workers', '2']) as server:
        check_made(server)
        check_recorded(server)


main()
