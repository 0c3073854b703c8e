#!/usr/bin/python3
"""importance_energy.py - computes the importance by energy of generated runs again.

The runs have one or two GPUs, whose power is sampled from the energy counter, read, missing,
or missing on one GPU. The operators of some can be separated by a fit; some runs repeat equal
steps, in which no operator can be. The energy of a run is its GPU-hours times the mean power
of a GPU, and it is divided between operators by plain sums over /runs/{id}/energy and
/runs/{id}/operators. These are the answers of /importance?weight=energy, for all runs and with
each filter, also from the exports.

The energy that the fit gives to the operators is also compared with the power that was
planted, so that two equal mistakes would not agree.
"""
import csv
import io
import json
import math
import random

import running

GEMM = 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas'
ATTENTION = 'void flash::flash_fwd_kernel<128>(flash::Flash_fwd_params)'
NORM = 'void vllm::rms_norm_kernel<8>(float*)'
# Power above idle, W.
WATTS = {GEMM: 400, ATTENTION: 250, NORM: 100, 'mystery(float*)': 150}
OPERATORS = {GEMM: 'gemm', ATTENTION: 'attention_forward', NORM: 'rms_norm', 'mystery(float*)': None}
IDLE_W = 60
# Name, project, workload, GPU-hours, label, samples per second of each GPU (0: none, negative: of
# readings), and the steps: their kernels take random times, the times of a pair change together, or
# all steps are equal.
RUNS = [('fit', 'p', 'w1', 3, 'a', [10], 'random'),
        ('equal', 'p', 'w1', 1, 'b', [10], 'equal'),
        ('two', 'p', 'w2', 0.5, 'a', [10, 10], 'random'),
        ('half', 'p', 'w2', 8, 'a', [10, 0], 'random'),
        ('read', 'q', 'w3', 2, 'b', [-4], 'random'),
        ('none', 'q', 'w3', 20, 'b', [0], 'random'),
        ('pair', 'q', 'w4', 7, 'a', [10], 'pair')]
FILTERS = ['', 'project=p', 'project=q', 'workload=w2', 'workload=w3', 'label.side=a', 'label.side=b&project=q',
           'dtype=bf16', 'phase=decode', 'platform=H20', 'platform=H100-SXM', 'since=2100-01-01T00:00:00Z']
FIT_TOLERANCE = 0.02


def launches(rng, how):
    """Returns the kernels of a step, one after the other, with their seconds."""
    if how == 'equal':
        return [(name, 0.0125) for name in WATTS]
    if how == 'pair':
        alternating = [(GEMM, 0.01), (ATTENTION, 0.005)] * rng.randint(50, 120)
        return alternating + [(name, rng.uniform(0.5, 2)) for name in (NORM, 'mystery(float*)')]
    return [(name, rng.uniform(0.5, 2)) for name in WATTS]


def made(rng, rates, how):
    """Returns a trace of steps, whose kernels change the power of their GPU."""
    events, n, at, spans = [], 0, 1.0, {d: [] for d in range(len(rates))}
    for step in range({'equal': 1500, 'pair': 30}.get(how, 12)):
        ends = []
        for device in range(len(rates)):
            start = at
            for name, s in launches(rng, how):
                n += 1
                events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 2,
                               'ts': round(start * 1e6), 'dur': 5, 'args': {'correlation': n}})
                events.append({'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': device, 'tid': 7,
                               'ts': round(start * 1e6) + 50, 'dur': round(s * 1e6),
                               'args': {'device': device, 'stream': 7, 'correlation': n}})
                spans[device].append((start, start + s, WATTS[name]))
                start += s + 0.0001
            ends.append(start)
        end = max(ends) + (0.01 if how == 'equal' else rng.uniform(0.5, 1.5))
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step + 1}', 'pid': 1, 'tid': 2,
                       'ts': round(at * 1e6) - 20, 'dur': round((end - at) * 1e6) - 5, 'args': {}})
        at = end
    for device, rate in enumerate(rates):
        events += sampled(rng, device, rate, spans[device], at + 1)
    return json.dumps({'schemaVersion': 1,
                       'deviceProperties': [{'id': d, 'name': 'NVIDIA H20'} for d in range(len(rates))],
                       'traceEvents': events}).encode()


def sampled(rng, device, rate, spans, end_s):
    """Returns the samples of a GPU's power, the means since the sample before."""
    joules, width = {}, 1 / abs(rate) if rate else 1
    for begin, to, watts in spans:
        for i in range(math.floor(begin / width), math.floor(to / width) + 1):
            inside = max(0, min((i + 1) * width, to) - max(i * width, begin))
            joules[i + 1] = joules.get(i + 1, 0) + inside * watts
    return [{'ph': 'C', 'name': 'gpu_power_mean' if rate > 0 else 'gpu_power', 'pid': 1, 'tid': 0,
             'ts': round(i * width * 1e6),
             'args': {'device': device, 'value': IDLE_W + joules.get(i, 0) / width + rng.gauss(0, 1)}}
            for i in range(math.floor(end_s * abs(rate)))]


def key(row):
    return row['operator'], row['dtype'], row['phase']


def fitted(energy):
    """Returns J per iteration of each row whose energy is known on all GPUs that have one."""
    rows = {}
    for row in energy['operators']:
        rows.setdefault(key(row), []).append(row['energy_j'])
    return {k: sum(v) for k, v in rows.items() if None not in v}


def divided(server, run, hours):
    """Returns kWh of the operators of a run by key, and whether a fit divides them; None if its
    energy is unknown."""
    energy = server.get(f'/runs/{run}/energy')
    if energy['energy_j'] is None:
        return None
    times = {key(r): r['total_ns'] for r in server.get(f'/runs/{run}/operators')['items']}
    all_ns = sum(times.values())
    kwh = hours * energy['power_w'] / len(energy['devices']) / 1000
    fit = fitted(energy)
    if not fit or any(d['idle_w'] is None for d in energy['devices']):
        return {k: kwh * ns / all_ns for k, ns in times.items()}, False
    per_iteration_s = energy['span_ns'] / energy['iterations'] / 1e9
    idle_j = sum(d['idle_w'] for d in energy['devices']) * per_iteration_s
    rest_j = max(0, energy['energy_j'] - idle_j - sum(fit.values()))
    rest_ns = sum(ns for k, ns in times.items() if k not in fit)
    parts = {k: idle_j * ns / all_ns + (fit[k] if k in fit else rest_j * ns / rest_ns) for k, ns in times.items()}
    return {k: kwh * j / sum(parts.values()) for k, j in parts.items()}, True


def matches(of, query):
    name, project, workload, _, side, _, _ = of
    has = {'project': project, 'workload': workload, 'label.side': side, 'platform': 'H20', 'since': ''}
    wanted = dict(part.split('=', 1) for part in query.split('&') if part)
    return all(word in ('dtype', 'phase') or has[word] == value for word, value in wanted.items())


def near(got, want, what):
    assert math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12), (what, got, want)


def check_filter(server, query, runs):
    """Compares an answer with sums over the runs that match."""
    chosen = [(of, parts) for of, parts in runs if matches(of, query)]
    known = [(of, parts) for of, parts in chosen if parts]
    doc = server.get(f'/importance?weight=energy&{query}')
    assert doc['weight'] == 'energy' and doc['runs'] == len(known), (query, doc['runs'])
    assert doc['energy_unknown_runs'] == len(chosen) - len(known), (query, doc['energy_unknown_runs'])
    assert doc['energy_by_time_runs'] == sum(not fit for _, (_, fit) in known), (query, doc['energy_by_time_runs'])
    near(doc['hours'], sum(of[3] for of, _ in known), query)
    wanted = dict(part.split('=', 1) for part in query.split('&') if part)
    all_kwh, rows = 0, {}
    for _, (parts, _) in known:
        for (operator, dtype, phase), kwh in parts.items():
            all_kwh += kwh
            if wanted.get('dtype', dtype) == dtype and wanted.get('phase', phase) == phase:
                rows[operator] = rows.get(operator, 0) + kwh
    near(doc['energy_kwh'], all_kwh, query)
    assert {r['operator'] for r in doc['items']} == set(rows), (query, rows)
    for row in doc['items']:
        near(row['energy_kwh'], rows[row['operator']], (query, row['operator']))
        near(row['importance'], rows[row['operator']] / all_kwh, (query, row['operator']))
    if known and 'dtype' not in wanted and 'phase' not in wanted:
        near(sum(r['importance'] for r in doc['items']), 1, query)
    ordered = [r['importance'] for r in doc['items']]
    assert ordered == sorted(ordered, reverse=True), query
    return doc


def check_exports(server, doc):
    """The shares in CSV and in the export for benchmarks are those of the JSON."""
    _, _, text = server.ask('GET', '/importance?weight=energy&format=csv')
    rows = {r['Operator']: r for r in csv.DictReader(io.StringIO(text.decode()))}
    for row in doc['items']:
        got = rows[row['operator'] or 'unattributed']
        assert math.isclose(float(got['Energy (kWh)']), row['energy_kwh'], rel_tol=1e-3), got
        assert math.isclose(float(got['Importance (%)']), 100 * row['importance'], rel_tol=1e-3), got


def check_planted(server, run, parts, hours):
    """Compares the energy of a fitted run with the power that was planted: idle energy by GPU
    time, and the rest by the power above idle."""
    energy = server.get(f'/runs/{run}/energy')
    ns = {r['operator']: r['total_ns'] for r in server.get(f'/runs/{run}/operators')['items']}
    above = {OPERATORS[name]: watts * ns[OPERATORS[name]] for name, watts in WATTS.items()}
    idle_part = IDLE_W * len(energy['devices']) / energy['power_w']
    kwh = hours * energy['power_w'] / len(energy['devices']) / 1000
    for (operator, _, _), got in parts.items():
        want = kwh * (idle_part * ns[operator] / sum(ns.values())
                      + (1 - idle_part) * above[operator] / sum(above.values()))
        assert math.isclose(got, want, rel_tol=FIT_TOLERANCE), (operator, got, want)


def main():
    running.skip_without_postgres()
    rng = random.Random(16)
    with running.Server([]) as server:
        runs, ids = [], {}
        for of in RUNS:
            name, project, workload, hours, side, rates, steps = of
            upload = server.ended(server.upload(
                f'project={project}&workload={workload}&name={name}&gpu_hours={hours}&label.side={side}',
                made(rng, rates, steps)))
            assert upload['state'] == 'done', upload
            ids[name] = upload['runs'][0]
            runs.append((of, divided(server, ids[name], hours)))
        how = {of[0]: parts and parts[1] for of, parts in runs}
        assert how == {'fit': True, 'equal': False, 'two': True, 'half': None, 'read': False, 'none': None,
                       'pair': True}, how
        # Only the norm of the pair is separable.
        names = {k[0] for k in fitted(server.get(f"/runs/{ids['pair']}/energy"))}
        assert names == {'rms_norm'}, names
        for of, parts in runs:
            if parts and parts[1] and of[6] == 'random':
                check_planted(server, ids[of[0]], parts[0], of[3])
        for query in FILTERS:
            doc = check_filter(server, query, runs)
            if not query:
                check_exports(server, doc)
        # A run whose operators lack an energy on one of its GPUs.
        server.sql(f"UPDATE run_energy_operator SET energy_j = NULL, low_j = NULL, high_j = NULL, reason = 'x' "
                   f"WHERE run_id = {ids['two']} AND device = 1 AND operator = 'gemm'")
        # A fit that gives more to operators than was measured.
        server.sql(f"UPDATE run_energy_operator SET energy_j = 3 * energy_j, high_j = 4 * energy_j "
                   f"WHERE run_id = {ids['fit']} AND energy_j IS NOT NULL")
        runs = [(of, divided(server, ids[of[0]], of[3])) for of in RUNS]
        for query in FILTERS:
            check_filter(server, query, runs)
        rows = {r['operator'] for r in server.get('/importance')['items']}
        assert rows == set(OPERATORS.values()), rows


if __name__ == '__main__':
    main()
