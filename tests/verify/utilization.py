#!/usr/bin/python3
"""utilization.py - computes MFU and MBU of generated runs again, from their JSON.

The runs have GEMMs only, attention only, or GEMMs next to kernels of unknown work, on one
or two devices and with or without an annotation per step. W and Q are counted here from
the sizes, the pairs of causal attention one by one. Sums over the peaks and bandwidths of
the catalog's data, divided by the GPU time of the operators and by the wall time of the
kept steps, must be what /runs/{id}/operators returns; over the calls and the wall time
of each step, what /runs/{id}/iterations returns. At the end, the database forgets the
work of iterations, as in a run from before this was stored: the figures of the run and
of its iterations must be unknown, with the reason, and those of its operators must
stay.
"""
import json
import math
import os
import random

import running

GPU = {'H100-SXM': 'NVIDIA H100 80GB HBM3', 'A100-SXM4-80GB': 'NVIDIA A100-SXM4-80GB', 'H20': 'NVIDIA H20'}
TYPES = {'bf16': 'c10::BFloat16', 'fp16': 'c10::Half', 'fp32': 'float'}
BYTES = {'bf16': 2, 'fp16': 2, 'fp32': 4}
# Work, platform, devices, steps (0: no annotations).
RUNS = [('gemm', 'H100-SXM', 1, 6), ('attention', 'H20', 1, 6), ('gemm', 'A100-SXM4-80GB', 2, 5),
        ('attention', 'H100-SXM', 2, 0), ('mixed', 'H20', 1, 7), ('mixed', 'H100-SXM', 1, 0)]


def platforms():
    source = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
    with open(f'{source}/server/catalog/data/platforms.json', encoding='utf-8') as f:
        return {p['name']: p for p in json.load(f)['platforms']}


def gemm(rng):
    """Returns the host operator, its arguments, the dtype, W and Q."""
    dtype = rng.choice(list(TYPES))
    m, n, k = (rng.choice([16, 300, 1024, 4096]) for _ in range(3))
    args = {'Input Dims': [[m, k], [k, n]], 'Input type': [TYPES[dtype]] * 2}
    return 'aten::mm', args, dtype, 2 * m * n * k, BYTES[dtype] * (m * k + k * n + m * n)


def attention(rng):
    dtype = rng.choice(['bf16', 'fp16'])
    batch, heads, dim = rng.choice([1, 3]), rng.choice([8, 32]), rng.choice([64, 128])
    kv_heads = heads // rng.choice([1, 4])
    keys = rng.choice([128, 1000, 2048])
    queries = rng.choice([1, 100, keys])
    causal = rng.random() < 0.5
    args = {'Input Dims': [[batch, heads, queries, dim], [batch, kv_heads, keys, dim],
                           [batch, kv_heads, keys, dim], [], [], [], []],
            'Input type': [TYPES[dtype]] * 3 + ['Scalar'] * 4,
            'Concrete Inputs': ['', '', '', '0.', str(causal), 'False', '']}
    pairs = sum(keys - queries + i + 1 if causal else keys for i in range(queries))
    q_bytes = BYTES[dtype] * dim * batch * (2 * queries * heads + 2 * keys * kv_heads)
    return 'aten::_scaled_dot_product_flash_attention', args, dtype, 4 * batch * heads * dim * pairs, q_bytes


def unknown(_rng):
    return None, {}, None, None, None


def made(rng, work, gpu, devices, steps):
    """Returns a trace, and its calls: [(operator, dtype, step, W, Q, ns)]."""
    events, calls, at, number = [], [], 1000, 0
    platform = platforms()[gpu]
    kinds = [{'gemm': gemm, 'attention': attention, 'mixed': [gemm, unknown][i % 2]}[work] for i in range(24)]
    same = [(kind(rng), rng.uniform(1.1, 6)) for kind in kinds]
    for step in range(max(steps, 1)):
        begin = at
        for i, ((name, args, dtype, w, q), slower) in enumerate(same):
            bound_us = 20 if w is None else 1e6 * max(w / platform['peak_flops'][dtype], q / platform['bytes_per_s'])
            # The first step takes much longer, as a warm-up does.
            ns = round(1000 * bound_us * slower * rng.uniform(1, 1.1) * (20 if steps and not step else 1)) + 1
            number, device = number + 1, i % devices
            if name:
                events.append({'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 7, 'tid': 7, 'ts': at, 'dur': 9,
                               'args': args})
            events += [{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 7, 'tid': 7, 'ts': at + 1,
                        'dur': 2, 'args': {'correlation': number}},
                       {'ph': 'X', 'cat': 'kernel', 'name': f'k_{dtype}' if name else 'made_up', 'pid': device,
                        'tid': 7, 'ts': at + 5, 'dur': ns / 1000, 'args': {
                            'device': device, 'stream': 7, 'correlation': number, 'grid': [8, 1, 1],
                            'block': [128, 1, 1]}}]
            operator = name and ('gemm' if name == 'aten::mm' else 'attention_forward')
            calls.append((operator, dtype, step, w, q, ns))
            at += 10 + math.ceil(ns / 1000) + rng.choice([0, 3])
        if steps:
            events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 7, 'tid': 7,
                           'ts': begin, 'dur': at - begin})
    return json.dumps({
        'schemaVersion': 1, 'traceEvents': events,
        'deviceProperties': [{'id': d, 'name': GPU[gpu], 'totalGlobalMem': 8 << 30} for d in range(devices)],
    }).encode(), calls


def used(platform, calls, time_ns):
    """MFU, MBU and the covered share of the calls' time."""
    known = [c for c in calls if c[3] is not None]
    if not known:
        return None, None, 0
    compute = math.fsum(w / platform['peak_flops'][dtype] for _, dtype, _, w, _, _ in known)
    memory = math.fsum(q / platform['bytes_per_s'] for *_, q, _ in known)
    return (1e9 * compute / time_ns, 1e9 * memory / time_ns, sum(c[5] for c in known) / sum(c[5] for c in calls))


def check(what, got, want):
    for field, value in zip(('mfu', 'mbu', 'utilization_covered'), want):
        assert (got[field] is None) == (value is None), (what, field, got[field], value)
        assert value is None or math.isclose(got[field], value, rel_tol=1e-9), (what, field, got[field], value)
    assert (got['utilization_reason'] is None) == (want[0] is not None), (what, got['utilization_reason'])


def check_run(server, run, of, calls):
    work, gpu, devices, steps = of
    platform = platforms()[gpu]
    doc = server.get(f'/runs/{run}/operators')
    assert doc['platform'] == gpu, doc['platform']
    by_row = {}
    for c in calls:
        by_row.setdefault((c[0], c[1]), []).append(c)
    assert {(o['operator'], o['dtype']) for o in doc['items']} == by_row.keys(), (of, by_row.keys())
    for o in doc['items']:
        mine = by_row[o['operator'], o['dtype']]
        check((of, o['operator'], o['dtype']), o, used(platform, mine, sum(c[5] for c in mine)))
    iterations = server.get(f'/runs/{run}/iterations?limit=1000')['items']
    kept = [i for i in iterations if i['use'] == 'kept']
    assert len(kept) < len(iterations) if steps else len(iterations) == 1, (of, iterations)
    inside = [c for c in calls if not steps or iterations[c[2]]['use'] == 'kept']
    time_ns = devices * sum(i['dur_ns'] for i in kept)
    assert doc['utilization_time_ns'] == time_ns and doc['utilization_period'] == 'iterations', of
    want = used(platform, inside, time_ns)
    check(of, doc, want)
    for n, iteration in enumerate(iterations):
        mine = [c for c in calls if not steps or c[2] == n]
        check((of, n), iteration, used(platform, mine, devices * iteration['dur_ns']))
    first = server.get(f'/runs/{run}/iterations?limit=1')
    if steps:
        after = server.get(f"/runs/{run}/iterations?limit=2&cursor={first['next']}")
        assert first['items'] + after['items'] == iterations[:3], of
    print(f'{work:9} {gpu:14} {devices} devices, {len(kept)} of {len(iterations)} iterations: '
          f'MFU {want[0]:.4f}, MBU {want[1]:.4f}, {100 * want[2]:.1f} % covered')


def check_from_before(server, run):
    was = server.get(f'/runs/{run}/operators')
    server.sql(f'UPDATE run_shape SET kept_calls = NULL, kept_ns = NULL WHERE run_id = {run}')
    now = server.get(f'/runs/{run}/operators')
    assert now['items'] == was['items']
    server.sql(f'DELETE FROM run_iteration_work WHERE run_id = {run}')
    iterations = server.get(f'/runs/{run}/iterations')['items']
    assert now['mfu'] is now['mbu'] is now['utilization_covered'] is None
    assert now['utilization_reason'] == (
        'the run was analyzed before the work of its iterations was stored; `kernsiftd rebuild` analyzes it again'
    ), now['utilization_reason']
    for iteration in iterations:
        check('from before', iteration, (None, None, None))
        assert iteration['utilization_reason'] == now['utilization_reason'], iteration


def main():
    running.skip_without_postgres()
    rng = random.Random(16)
    with running.Server([]) as server:
        for number, of in enumerate(RUNS):
            body, calls = made(rng, *of)
            upload = server.ended(server.upload(f'project=p&name=r{number}', body))
            assert upload['state'] == 'done', upload
            run = max(r['id'] for r in server.get('/runs?limit=100')['items'])
            check_run(server, run, of, calls)
        check_from_before(server, run)


if __name__ == '__main__':
    main()
