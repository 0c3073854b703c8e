#!/usr/bin/python3
"""utilization.py - computes MFU, HFU and MBU of generated runs again, from their JSON.

The runs have GEMMs only, attention only, or GEMMs next to kernels of unknown work, on one
or two devices and with or without an annotation per step. W and Q are counted here from
the sizes, the pairs of causal attention one by one. Sums over the peaks and bandwidths of
the catalog's data, divided by the GPU time of the operators and by the wall time of the
kept steps, must be what /runs/{id}/operators returns; over the calls and the wall time
of each step, what /runs/{id}/iterations returns.

Further runs are training steps of four layers, which compute a part of their GEMMs again
in the backward pass: with checkpointing that is reentrant, that is not, or in a compiled
backward pass, of which it is unknown. The generator knows which GEMMs it repeats, so MFU
has to leave out these ones, and HFU must contain them. The same must hold in
/runs/{id}/breakdown for the layers of the forward and of the backward pass, over the time
from their first start to their last end.

At the end, the database forgets what is repeated, and then the work of iterations, as in
runs from before these were stored: the figures that depend on them must be unknown, with
the reason, and the others must stay.
"""
import collections
import contextlib
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
# How the backward pass of a training step is recorded, platform.
TRAININGS = [('plain', 'H100-SXM'), ('reentrant', 'H20'), ('saved', 'H100-SXM'), ('compiled', 'A100-SXM4-80GB')]
STEPS, LAYERS = 6, 4
# `w` None: unknown. `again`: whether it repeats an earlier call; None: not recorded. `layer`: pass, step and
# number of its layer, and when its kernel ran; None without layers.
Call = collections.namedtuple('Call', 'operator dtype step w q ns again layer')


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
    """Returns a trace, and its calls."""
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
            calls.append(Call(operator, dtype, step, w, q, ns, None if w is None else False, None))
            at += 10 + math.ceil(ns / 1000) + rng.choice([0, 3])
        if steps:
            events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 7, 'tid': 7,
                           'ts': begin, 'dur': at - begin})
    return json.dumps({
        'schemaVersion': 1, 'traceEvents': events,
        'deviceProperties': [{'id': d, 'name': GPU[gpu], 'totalGlobalMem': 8 << 30} for d in range(devices)],
    }).encode(), calls


class Host:
    """A thread that waits for each kernel that it launches."""
    def __init__(self, platform):
        self.platform, self.at, self.number, self.events, self.calls = platform, 1000, 0, [], []

    @contextlib.contextmanager
    def span(self, cat, name, **args):
        event = {'ph': 'X', 'cat': cat, 'name': name, 'pid': 7, 'tid': 7, 'ts': self.at, 'args': args}
        self.events.append(event)
        self.at += 1
        yield
        self.at += 1
        event['dur'] = self.at - event['ts']

    @contextlib.contextmanager
    def node(self, name):
        self.number += 1
        numbers = {'Fwd thread id': 1, 'Sequence number': self.number}
        with self.span('cpu_op', f'autograd::engine::evaluate_function: {name}', **numbers), \
                self.span('cpu_op', name, **numbers):
            yield

    def gemm(self, kernel, size, slower, where, again=False, numbered=False):
        m, n, k = size
        w, q = 2 * m * n * k, 2 * (m * k + k * n + m * n)
        ns = round(1e9 * slower * max(w / self.platform['peak_flops']['bf16'], q / self.platform['bytes_per_s'])) + 1
        self.number += 1
        numbers = {'Fwd thread id': 0, 'Sequence number': self.number} if numbered else {}
        with self.span('cpu_op', 'aten::mm', **{'Input Dims': [[m, k], [k, n]], 'Input type': [TYPES['bf16']] * 2},
                       **numbers):
            with self.span('cuda_runtime', 'cudaLaunchKernel', correlation=self.number):
                pass
            begin, self.at = self.at, self.at + math.ceil(ns / 1000) + 2
        self.events.append({
            'ph': 'X', 'cat': 'kernel', 'name': kernel, 'pid': 0, 'tid': 7, 'ts': begin, 'dur': ns / 1000, 'args': {
                'device': 0, 'stream': 7, 'correlation': self.number, 'grid': [8, 1, 1], 'block': [128, 1, 1]}})
        self.calls.append(Call('gemm', 'bf16', where[1], w, q, ns, again, (where, 1000 * begin, 1000 * begin + ns)))


def backward(host, rng, how, sizes, where, slower):
    """The last GEMM of a layer is not checkpointed."""
    def repeat():
        for i, size in enumerate(sizes[:-1]):
            host.gemm(f'gemm_{i}', size, rng.uniform(1.2, 4) * slower, where, None if how == 'compiled' else True,
                      how != 'compiled')

    def gradients(these, again=False):
        for i, (m, n, k) in reversed(list(enumerate(these))):
            with host.node('MmBackward0') if how != 'compiled' else contextlib.nullcontext():
                if how == 'saved' and i == len(sizes) - 2:
                    repeat()
                host.gemm(f'gradient_{i}', (m, k, n), rng.uniform(1.2, 4) * slower, where, again)
                host.gemm(f'weight_{i}', (k, n, m), rng.uniform(1.2, 4) * slower, where, again)

    if how in ('plain', 'saved'):
        gradients(sizes)
    elif how == 'reentrant':
        with host.node('MmBackward0'):
            m, n, k = sizes[-1]
            host.gemm('gradient_2', (m, k, n), rng.uniform(1.2, 4) * slower, where)
        with host.node('CheckpointFunctionBackward'):
            repeat()
            gradients(sizes[:-1])
    else:
        with host.node('CompiledFunctionBackward'):
            repeat()
            gradients(sizes, None)


def trained(rng, how, gpu):
    """Returns the trace of training steps, and its calls."""
    host = Host(platforms()[gpu])
    sizes = [tuple(rng.choice([512, 1024, 2048]) for _ in range(3)) for _ in range(3)]
    for step in range(STEPS):
        slower = 20 if not step else rng.uniform(1, 1.1)
        with host.span('user_annotation', f'ProfilerStep#{step}'):
            for layer in range(LAYERS):
                with host.span('user_annotation', f'layer {layer}'):
                    for i, size in enumerate(sizes):
                        host.gemm(f'gemm_{i}', size, rng.uniform(1.2, 4) * slower, ('forward', step, layer),
                                  numbered=True)
            for layer in reversed(range(LAYERS)):
                with host.span('user_annotation', f'gradient {layer}'):
                    backward(host, rng, how, sizes, ('backward', step, layer), slower)
    return json.dumps({'schemaVersion': 1, 'traceEvents': host.events, 'deviceProperties': [
        {'id': 0, 'name': GPU[gpu], 'totalGlobalMem': 8 << 30}]}).encode(), host.calls


def used(platform, calls, time_ns):
    """MFU, HFU, MBU, the covered share of the calls' time, and that of the calls known to repeat or not."""
    known = [c for c in calls if c.w is not None]
    if not known:
        return None, None, None, 0, None
    compute = [c.w / platform['peak_flops'][c.dtype] for c in known]
    model = [x for x, c in zip(compute, known) if not c.again]
    memory = math.fsum(c.q / platform['bytes_per_s'] for c in known)
    known_ns = sum(c.ns for c in known)
    shown = sum(c.ns for c in known if c.again is not None) / known_ns
    return (1e9 * math.fsum(model) / time_ns, 1e9 * math.fsum(compute) / time_ns if shown else None,
            1e9 * memory / time_ns, known_ns / sum(c.ns for c in calls), shown)


def check(what, got, want):
    fields = ('mfu', 'hfu', 'mbu', 'utilization_covered', 'recompute_covered')
    for field, value in zip(fields, want):
        assert (got[field] is None) == (value is None), (what, field, got[field], value)
        assert value is None or math.isclose(got[field], value, rel_tol=1e-9), (what, field, got[field], value)
    assert (got['utilization_reason'] is None) == (want[0] is not None), (what, got['utilization_reason'])
    assert (got['hfu_reason'] is None) == (want[1] is not None), (what, got['hfu_reason'])
    assert want[1] is None or got['mfu'] <= got['hfu'], (what, got)


def check_run(server, run, of, calls):
    work, gpu, devices, steps = of
    platform = platforms()[gpu]
    doc = server.get(f'/runs/{run}/operators')
    assert doc['platform'] == gpu, doc['platform']
    by_row = {}
    for c in calls:
        by_row.setdefault((c.operator, c.dtype), []).append(c)
    assert {(o['operator'], o['dtype']) for o in doc['items']} == by_row.keys(), (of, by_row.keys())
    for o in doc['items']:
        mine = by_row[o['operator'], o['dtype']]
        check((of, o['operator'], o['dtype']), o, used(platform, mine, sum(c.ns for c in mine)))
    iterations = server.get(f'/runs/{run}/iterations?limit=1000')['items']
    kept = [i for i in iterations if i['use'] == 'kept']
    assert len(kept) < len(iterations) if steps else len(iterations) == 1, (of, iterations)
    inside = [c for c in calls if not steps or iterations[c.step]['use'] == 'kept']
    time_ns = devices * sum(i['dur_ns'] for i in kept)
    assert doc['utilization_time_ns'] == time_ns and doc['utilization_period'] == 'iterations', of
    want = used(platform, inside, time_ns)
    check(of, doc, want)
    for n, iteration in enumerate(iterations):
        mine = [c for c in calls if not steps or c.step == n]
        check((of, n), iteration, used(platform, mine, devices * iteration['dur_ns']))
    first = server.get(f'/runs/{run}/iterations?limit=1')
    if steps:
        after = server.get(f"/runs/{run}/iterations?limit=2&cursor={first['next']}")
        assert first['items'] + after['items'] == iterations[:3], of
    print(f'{work:9} {gpu:14} {devices} devices, {len(kept)} of {len(iterations)} iterations: '
          f'MFU {want[0]:.4f}, HFU {want[1]:.4f}, MBU {want[2]:.4f}, {100 * want[3]:.1f} % covered, '
          f'repetition known of {100 * want[4]:.1f} %')
    return {n for n, i in enumerate(iterations) if i['use'] == 'kept'}


def check_layers(server, run, of, calls, kept):
    """The layers of the forward pass, then of the backward pass."""
    platform = platforms()[of[1]]
    for of_pass, name in (('forward', 'layer'), ('backward', 'gradient')):
        doc = server.get(f'/runs/{run}/breakdown?range={name}')
        section, = (s for s in doc['sections'] if s['position'] == 'layer')
        mine = [c for c in calls if c.layer[0][0] == of_pass and c.step in kept]
        spans = {}
        for c in mine:
            begin, end = spans.get(c.layer[0], (math.inf, 0))
            spans[c.layer[0]] = min(begin, c.layer[1]), max(end, c.layer[2])
        assert section['instances'] == len(spans) == LAYERS * len(kept), (of, of_pass, section)
        want = used(platform, mine, sum(end - begin for begin, end in spans.values()))
        check((of, of_pass), section, want)
        print(f'  layers, {of_pass}: MFU {want[0]:.4f}, '
              f'HFU {"unknown" if want[1] is None else format(want[1], ".4f")}, MBU {want[2]:.4f}')
    stored = server.get(f'/runs/{run}/breakdown')
    assert all(s['utilization_covered'] == 1 for s in stored['sections']), (of, stored['sections'])
    if of[0] == 'plain':
        # These layers are found without their names, too, and stored.
        named = server.get(f'/runs/{run}/breakdown?range=layer')
        assert stored['sections'] == [s | {'name': None} for s in named['sections']], (of, stored['sections'])


def check_unknown_repetition(server, run):
    """As in a run from before it was stored."""
    def figures():
        operators = server.get(f'/runs/{run}/operators')
        return [operators] + operators['items'] + server.get(f'/runs/{run}/iterations')['items']

    was = figures()
    server.sql(f"""UPDATE run_shape SET recomputed_calls = NULL, recompute_known_ns = NULL,
                   kept_recomputed_calls = NULL, kept_recompute_known_ns = NULL WHERE run_id = {run};
                   UPDATE run_iteration_work SET recomputed_flops = NULL, recompute_known_ns = NULL
                   WHERE run_id = {run};
                   UPDATE run_section SET compute_ns = NULL, memory_ns = NULL, recomputed_ns = NULL,
                   work_known_ns = NULL, flops_ns = NULL, recompute_known_ns = NULL WHERE run_id = {run}""")
    for before, after in zip(was, figures()):
        assert after['hfu'] is after['recompute_covered'] is None
        assert after['hfu_reason'] == ('the run was analyzed before recomputed work was stored; '
                                       '`kernsiftd rebuild` analyzes it again'), after['hfu_reason']
        assert after['mfu'] == before['hfu'] > before['mfu'], (before, after)
        assert (after['mbu'], after['utilization_covered']) == (before['mbu'], before['utilization_covered'])
    for section in server.get(f'/runs/{run}/breakdown')['sections']:
        check('from before', section, (None,) * 5)
        assert section['utilization_reason'] == section['hfu_reason'] == (
            'the run was analyzed before the work of its layers was stored; `kernsiftd rebuild` analyzes it again')


def check_from_before(server, run):
    was = server.get(f'/runs/{run}/operators')
    server.sql(f'UPDATE run_shape SET kept_calls = NULL, kept_ns = NULL WHERE run_id = {run}')
    now = server.get(f'/runs/{run}/operators')
    assert now['items'] == was['items']
    server.sql(f'DELETE FROM run_iteration_work WHERE run_id = {run}')
    iterations = server.get(f'/runs/{run}/iterations')['items']
    assert now['mfu'] is now['hfu'] is now['mbu'] is now['utilization_covered'] is None
    assert now['utilization_reason'] == (
        'the run was analyzed before the work of its iterations was stored; `kernsiftd rebuild` analyzes it again'
    ), now['utilization_reason']
    for iteration in iterations:
        check('from before', iteration, (None,) * 5)
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
        for number, (how, gpu) in enumerate(TRAININGS):
            body, calls = trained(rng, how, gpu)
            upload = server.ended(server.upload(f'project=p&name=t{number}', body))
            assert upload['state'] == 'done', upload
            run = max(r['id'] for r in server.get('/runs?limit=100')['items'])
            kept = check_run(server, run, (how, gpu, 1, STEPS), calls)
            check_layers(server, run, (how, gpu), calls, kept)
            if how == 'reentrant':
                check_unknown_repetition(server, run)


if __name__ == '__main__':
    main()
