#!/usr/bin/python3
"""link_bounds.py - computes S and headroom of collectives against the link, from the JSON.

The script makes traces of single ranks on three kinds of machines, with collectives of every
kind and of random sizes and times, in groups inside a node, on several nodes, and in groups of
which something is unknown. From the JSON of these traces, plain Python computes the bus bytes,
the peak of the link, T_SOL, S, headroom and coverage. /runs/{id}/operators, its shapes,
/importance and its shapes must return the same. A calibration is then stored: the measured
ceilings must give all-reduces the bound that its rate gives, and other kinds none.
"""
import json
import random
import subprocess
from collections import defaultdict
from fractions import Fraction

import running

# Name as NCCL's record has it; bus bytes over n ranks, as nccl-tests define them.
KINDS = {
    'allreduce': ('all_reduce', lambda b, n: Fraction(2 * b * (n - 1), n)),
    '_allgather_base': ('all_gather', lambda b, n: Fraction(b * (n - 1), n)),
    '_reduce_scatter_base': ('reduce_scatter', lambda b, n: Fraction(b * (n - 1), n)),
    'all_to_all': ('all_to_all', lambda b, n: Fraction(b * (n - 1), n)),
    'all_to_allv': ('all_to_all', None),
    'broadcast': ('broadcast', lambda b, n: Fraction(b)),
    '_reduce_oop': ('reduce', lambda b, n: Fraction(b)),
    'gather': ('gather', lambda b, n: Fraction(b * (n - 1), n)),
    'scatter': ('scatter', lambda b, n: Fraction(b * (n - 1), n)),
    'send': ('send', lambda b, n: Fraction(b)),
    'recv': ('recv', lambda b, n: Fraction(b)),
    'barrier': ('barrier', None),
}
WIDTH = {'Float': ('fp32', 4), 'BFloat16': ('bf16', 2), 'Byte': ('uint8', 1)}
CROSSES_ONCE = ('all_reduce', 'all_gather', 'reduce_scatter', 'broadcast', 'reduce')
PAIRS = ('send', 'recv')
GPU = {'H100': 'NVIDIA H100 80GB HBM3', 'MI300X': 'AMD Instinct MI300X', 'V100': 'Tesla V100-SXM2-32GB'}
FLOOR_NS = {'H100': 2000, 'MI300X': 4000, 'V100': 2000}
# Runs: GPU, rank, world size, listed devices, groups.
RUNS = [('H100', 3, 16, 8, [list(range(8)), [3, 11], list(range(16)), [2, 3, 10, 11], [1, 2, 3, 8]]),
        ('MI300X', 0, 8, 8, [[0, 1], [0, 1, 2, 3], list(range(8))]),
        ('V100', 1, 8, 8, [[0, 1], list(range(8))]),
        ('H100', 1, 8, 4, [[0, 1]]),
        ('H100', 0, None, 8, [[0, 1]])]


def call_of(rng, ranks):
    name, dtype = rng.choice(list(KINDS)), rng.choice(list(WIDTH))
    one = 2 ** rng.randrange(2, 24) + rng.choice([0, 0, 5])
    into, out = one, one
    if name in ('_allgather_base', 'gather'):
        out *= len(ranks)
    if name in ('_reduce_scatter_base', 'scatter'):
        into *= len(ranks)
    if name == 'all_to_allv':
        into = out = 3 * len(ranks)
    return name, dtype, into, out


def made(rng, gpu, rank, world, devices, groups):
    """Returns a trace, and its collectives: [(name, dtype, elements, group, ns)]."""
    events, calls, at = [], [], 1000
    for i in range(140):
        if not calls or rng.random() < 0.6:
            ranks = rng.choice(groups)
            name, dtype, into, out = call_of(rng, ranks)
        us = rng.choice([1.5, 3.999, rng.uniform(5, 90), rng.uniform(100, 9000)])
        us, at = round(us, 3), at + 20000
        sizes = [1] * (len(ranks) - 1) + [into - len(ranks) + 1] if name == 'all_to_allv' else []
        args = {'Collective name': name, 'In msg nelems': into, 'Out msg nelems': out, 'dtype': dtype,
                'Group size': len(ranks), 'In split size': str(sizes), 'Out split size': str(sizes),
                'Process Group Name': str(groups.index(ranks)), 'Process Group Ranks': str(ranks)}
        link = {'correlation': i + 1, 'External id': 5000 + i}
        number = rank % devices + (1 if gpu == 'MI300X' else 0)
        events += [{'ph': 'X', 'cat': 'cpu_op', 'name': 'record_param_comms', 'pid': 7, 'tid': 7, 'ts': at,
                    'dur': 50, 'args': {**args, 'External id': 5000 + i}},
                   {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernelExC', 'pid': 7, 'tid': 7,
                    'ts': at + 5, 'dur': 2, 'args': link},
                   {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_Generic(ncclDevComm*)',
                    'pid': number, 'tid': 24, 'ts': at + 20, 'dur': us, 'args': {
                        'device': number, 'stream': 24, 'grid': [8, 1, 1], 'block': [512, 1, 1], **link, **args}}]
        whole = {'_allgather_base': out, 'gather': out, 'scatter': into}.get(name, into)
        calls.append(((name, dtype, into, out), whole, ranks, round(us * 1000)))
    body = {'schemaVersion': 1, 'traceEvents': events, 'deviceProperties': [
        {'id': d, 'name': GPU[gpu], 'totalGlobalMem': 8 << 30} for d in range(devices)]}
    if world:
        body['distributedInfo'] = {'rank': rank, 'world_size': world}
    return json.dumps(body).encode(), calls


def nodes_of(world, devices, ranks):
    """How many ranks are on each node; None if the trace does not show it."""
    if not world or (world > devices and devices < 8):
        return None
    on = defaultdict(int)
    for r in ranks:
        on[r // devices if world > devices else 0] += 1
    counts = set(on.values())
    return (len(on), counts.pop()) if len(counts) == 1 else None


def peak_of(gpu, kind, n, nodes, each):
    """Bytes per second that a rank can send; None if unknown."""
    if nodes == 1:
        if gpu == 'H100':
            return 450 * 10 ** 9
        if kind in PAIRS and n > 2:
            return None
        if gpu == 'MI300X':
            return (n - 1) * 64 * 10 ** 9
        return 6 * 25 * 10 ** 9 if n == 8 else None
    if gpu != 'H100' or (each > 1 and kind not in CROSSES_ONCE):
        return None
    return min(each * 50, 450 if each > 1 else 50) * 10 ** 9


def wanted(gpu, world, devices, calls):
    """{(kind, dtype, bytes, ranks, nodes): (times, bus bytes, T_SOL in ns)}; None unknown."""
    rows = defaultdict(lambda: [[], None, None])
    for (name, dtype, _, _), count, ranks, ns in calls:
        kind, bus = KINDS[name]
        word, width = WIDTH[dtype]
        where = nodes_of(world, devices, ranks)
        n, bytes_ = len(ranks), count * width
        row = rows[kind, word, bytes_, n, where and where[0], name == 'all_to_allv']
        row[0].append(ns)
        if where and bus:
            row[1] = bus(bytes_, n)
            peak = peak_of(gpu, kind, n, *where)
            row[2] = row[1] * 10 ** 9 / peak if peak else None
    return rows


def headroom(rows, floor):
    """Sums over rows: time with a bound, T_SOL, headroom, time above the bound."""
    known = sol = head = over = 0
    for times, _, one in rows:
        if one is None:
            continue
        known += sum(times)
        sol += one * len(times)
        if one * len(times) > sum(times):
            over += sum(times)
        else:
            head += sum(t - one for t in times if t > floor)
    return known, sol, head, over


def near(got, want, what, error=1e-9):
    assert (got is None) == (want is None), (what, got, want)
    assert want is None or abs(got - want) <= error * abs(want) + 1e-9, (what, got, float(want))


def key_of(shape):
    sizes = shape['sizes']
    return shape['grid'], shape['dtype'], sizes['bytes'], sizes['ranks']


def check_shapes(what, shapes, rows):
    # Rows of one size differ in their nodes, in what is known of them, or in their time.
    left = defaultdict(list)
    for (kind, dtype, bytes_, n, nodes, _), row in rows.items():
        left[kind, dtype, bytes_, n].append((nodes, row))
    for s in shapes:
        fits = [(nodes, row) for nodes, row in left[key_of(s)]
                if sum(row[0]) == s['total_ns'] and (row[1] is None) == (s['bus_bytes'] is None)
                and s['sizes'].get('nodes') == (nodes if nodes and nodes > 1 else None)]
        assert len(fits) == 1, (what, s, left[key_of(s)])
        left[key_of(s)].remove(fits[0])
        nodes, (times, bus, sol) = fits[0]
        assert s['calls'] == len(times), (what, s)
        near(s['bus_bytes'], bus, (what, s))
        near(s['sol_ns'], sol, (what, s))
        # The mean of the calls is rounded to a tenth of a nanosecond.
        near(s['s'], sol and sol * len(times) / sum(times), (what, s), 0.051 * len(times) / sum(times))
        assert s['regime'] == ('link' if sol is not None else None), (what, s)
        assert s['link'] == (None if bus is None else 'inter_node' if nodes > 1 else 'intra_node'), (what, s)
        assert sol is not None or s['reason'], (what, s)
        assert s['read_bytes'] is None and s['write_bytes'] is None and s['ai'] is None, (what, s)
        if sol:
            assert s['size_class'] == int(bus).bit_length() - 1, (what, s)
    assert not any(left.values()), (what, left)


def check_run(server, run, gpu, world, devices, calls):
    rows = wanted(gpu, world, devices, calls)
    doc = server.get(f'/runs/{run}/operators')
    shapes = server.get(f'/runs/{run}/operators/collective/shapes?limit=1000')['items']
    what = (gpu, world, devices)
    check_shapes(what, shapes, rows)
    by_dtype, all_head = defaultdict(list), 0
    for key, row in rows.items():
        by_dtype[key[1]].append(row)
    for o in doc['items']:
        known, sol, head, over = headroom(by_dtype[o['dtype']], FLOOR_NS[gpu])
        assert o['operator'] == 'collective' and o['collective'], o
        assert o['roofline_known_ns'] == known and o['above_bound_ns'] == over, (what, o, known, over)
        # T_SOL of a call is rounded to a picosecond.
        near(o['s'], sol / known if known else None, (what, o), o['calls'] / 1000 / sol if sol else 0)
        assert o['regime'] == ('link' if known else None), o
        # The headroom of a shape is rounded down to a nanosecond.
        assert (o['headroom_ns'] is None) == (not known), o
        assert not known or 0 <= head - o['headroom_ns'] + Fraction(1, 100) < len(by_dtype[o['dtype']]) + 1, (what, o, float(head))
        all_head += o['headroom_ns'] or 0
    known = headroom(rows.values(), FLOOR_NS[gpu])[0]
    gpu_ns = sum(ns for *_, ns in calls)
    assert doc['gpu_ns'] == gpu_ns
    near(doc['roofline_known_pct'], 100 * known / gpu_ns, what, 1e-6)
    near(doc['headroom_pct'], 100 * all_head / gpu_ns if known else None, what, 1e-6)
    codes = [f['code'] for f in doc['findings']]
    assert ('waiting' in codes) == (all_head > 0), (what, doc['findings'])
    print(f'{gpu:7} {devices} devices, {world} ranks: {len(shapes)} shapes, roofline known '
          f'{doc["roofline_known_pct"]:.1f} %, headroom {doc["headroom_pct"]}')
    return rows, all_head


def check_fleet(server, all_rows, heads, gpu_ns):
    """Importance and its shapes, over all runs."""
    item, = [i for i in server.get('/importance')['items'] if i['operator'] == 'collective']
    known = sol = 0
    for (gpu, *_), rows in all_rows:
        a, b, _, _ = headroom(rows.values(), FLOOR_NS[gpu])
        known, sol = known + a, sol + b
    near(item['s'], sol / known, item, 1e-7)
    near(item['headroom'], Fraction(sum(heads), gpu_ns), item, 1e-6)
    near(item['roofline_known_pct'], Fraction(100 * known, gpu_ns), item, 1e-6)
    assert item['regime'] == 'link' and item['ai'] is None, item
    shapes = server.get('/importance/collective/shapes?limit=1000')['items']
    of = defaultdict(list)
    for (gpu, *_), rows in all_rows:
        for (kind, dtype, bytes_, n, nodes, _), (_, bus, sol) in rows.items():
            name = {'H100': 'H100-SXM', 'V100': 'V100-SXM2'}.get(gpu, gpu)
            of[name, dtype, bytes_, n, nodes if nodes and nodes > 1 else None].append((kind, bus, sol))
    checked = 0
    for s in shapes:
        sizes = s['sizes']
        cases = of[s['platform'], s['dtype'], sizes['bytes'], sizes['ranks'], sizes.get('nodes')]
        if len({kind for kind, *_ in cases}) != 1 or any(bus is None for _, bus, _ in cases):
            assert s['collective_kind'] is None and s['s'] is None and s['reason'], s
            continue
        kind, bus, sol = cases[0]
        assert s['collective_kind'] == kind, (s, cases)
        near(s['bus_bytes'], bus, s)
        near((s['t_sol_us'] or {}).get(s['platform']), sol and sol / 1000, s)
        checked += 1
    assert checked > 50, checked
    print(f'importance: S {item["s"]:.6f}, {checked} shapes')


def admin(server):
    token = subprocess.run(
        [running.BIN, 'token', '--data', server.data, '--scope', 'admin', '--name', 'x'],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return {'Authorization': f'Bearer {token.strip()}', 'Content-Type': 'application/json'}


def check_ceilings(server, run, calls):
    """An all-reduce over four MI300X reached 96 GB/s: 32 GB/s over each of three links."""
    body = {'device': GPU['MI300X'], 'measured_at': '2026-08-22T10:11:12Z', 'items': [
        {'measurement': 'all_reduce', 'value': 96e9, 'unit': 'bytes_per_s', 'method': 'by hand', 'devices': 4}]}
    status, _, answer = server.ask('POST', '/ceilings', json.dumps(body).encode(), headers=admin(server))
    assert status in (200, 201), (status, answer)
    shapes = server.get(f'/runs/{run}/operators/collective/shapes?limit=1000')['items']
    some = 0
    for s in shapes:
        n = s['sizes']['ranks']
        # A group that is larger than the one that was measured is unknown, and so is every
        # other kind: a switch can add up, which helps all-reduces only.
        known = s['bus_bytes'] is not None and n <= 4 and s['grid'] == 'all_reduce'
        near(s['sol_measured_ns'], Fraction(s['bus_bytes']) / ((n - 1) * 32) if known else None, s)
        some += known
    assert some, shapes
    print(f'measured ceilings: {some} shapes')


def main():
    running.skip_without_postgres()
    rng = random.Random(14)
    with running.Server([]) as server:
        all_rows, heads, gpu_ns, runs = [], [], 0, []
        for number, of in enumerate(RUNS):
            body, calls = made(rng, *of)
            upload = server.upload(f'project=p&name=r{number}', body)
            done = server.ended(upload)
            assert done['state'] == 'done', done
            run = max(r['id'] for r in server.get('/runs?limit=100')['items'])
            gpu, _, world, devices, _ = of
            rows, head = check_run(server, run, gpu, world, devices, calls)
            all_rows.append((of, rows))
            heads.append(head)
            runs.append((run, calls))
            gpu_ns += sum(ns for *_, ns in calls)
        check_fleet(server, all_rows, heads, gpu_ns)
        check_ceilings(server, *runs[1])


if __name__ == '__main__':
    main()
