#!/usr/bin/python3
"""closes.py - the terms of a comparison add up to the change of the mean time.

Uploads generated traces with planted changes, and each recorded trace under ../shared/traces
(KERNSIFT_TRACES). Compares the generated pairs, and all pairs of recorded runs whose files have
one name apart from numbers and variants. In each comparison

 - the parts add up to the iteration, and the causes to the idle part;
 - the terms of each decomposition add up to its total, exact to the nanosecond, and so do
   the terms that the Markdown report prints;
 - the mean iteration, the median and the causes are those of /runs/{id}/iterations and
   /runs/{id}/diagnosis of the runs;
 - the time per output token is that of the iteration divided by the output tokens, and
   the time outside the engine is the benchmark's minus that.

Of generated pairs, each term must also be the planted one. The recorded traces are of
the repositories that their README names; without them, only the generated pairs are
compared, and the last line says so.
"""
import decimal
import glob
import itertools
import json
import math
import os
import random
import re
import statistics
import sys

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
TRACES = os.environ.get('KERNSIFT_TRACES') or f'{SOURCE}/../shared/traces'
sys.path.insert(0, f'{SOURCE}/tests/api')
PARTS = ['compute', 'communication', 'copies', 'idle']
STEPS = 12
PAIRS = 10
# Of sums of doubles, which are printed with six decimals at most.
NEAR_NS = 1e-3
GEMM = 'void gemm<128>(float*)'
ALL_REDUCE = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'
SEQUENCES = 16


# ---- generated pairs

class Trace:
    """Decode steps whose terms are given, in whole nanoseconds."""

    def __init__(self):
        self.events, self.correlation, self.at = [], 0, 1_000_000_000

    def event(self, category, name, start_ns, dur_ns, **args):
        host = category in ('cuda_runtime', 'user_annotation')
        self.events.append({
            'ph': 'X', 'cat': category, 'name': name, 'ts': start_ns / 1000, 'dur': dur_ns / 1000,
            'pid': 1 if host else 0, 'tid': 2 if host else 7, 'args': args})

    def launched(self, category, name, start_ns, dur_ns, call_ns, call_dur_ns):
        """Work on the GPU, and the API call that launched it; returns the work's end."""
        self.correlation += 1
        call = 'cudaLaunchKernel' if category == 'kernel' else 'cudaMemcpyAsync'
        self.event('cuda_runtime', call, call_ns, call_dur_ns, correlation=self.correlation)
        gpu = {'device': 0, 'stream': 7, 'correlation': self.correlation}
        if category == 'kernel':
            gpu |= {'grid': [8, 1, 1], 'block': [128, 1, 1]}
        self.event(category, name, start_ns, dur_ns, **gpu)
        return start_ns + dur_ns

    def step(self, label, t):
        """One kernel; a gap of the host; a launch call that the GPU waits for, and the kernel that it
        launches; a copy and a collective that were launched meanwhile."""
        begin = self.at
        end = self.launched('kernel', GEMM, begin + 6000, t['compute'], begin, 5000)
        call = end + t['host_gap']
        end = self.launched('kernel', GEMM, call + t['launch_bound'], 60_000, call,
                            t['launch_bound'])
        end = self.launched('gpu_memcpy', 'Memcpy DtoD (Device -> Device)', end, t['copies'],
                            end - 50_000, 3000)
        end = self.launched('kernel', ALL_REDUCE, end, t['communication'], end - t['copies'] - 40_000,
                            3000)
        self.event('user_annotation', label, begin - 100, end - begin, **{})
        self.at = end + 10_000

    def bytes(self):
        return json.dumps({'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': 'NVIDIA H200'}],
                           'traceEvents': self.events}).encode()


def generated(dice, mean, tokens):
    """Returns a trace whose terms are about `mean`, and the terms of each step."""
    trace, steps = Trace(), []
    for _ in range(STEPS):
        steps.append({term: round(ns * dice.uniform(0.99, 1.01)) for term, ns in mean.items()})
        trace.step(f'execute_context_0(0)_generation_{SEQUENCES}({tokens})', steps[-1])
    return trace.bytes(), steps


def planted(dice):
    """The terms of both sides: some of them change by up to a half."""
    base = {'compute': 400_000, 'communication': 30_000, 'copies': 20_000, 'host_gap': 90_000,
            'launch_bound': 8_000}
    return base, {term: ns * dice.choice([1, 1, dice.uniform(0.7, 1.5)])
                  for term, ns in base.items()}


def hold_planted(what, answer, sides):
    """The change of each term is that of the means of the planted times."""
    d = answer['decompositions'][0]
    assert answer['base']['iterations_used'] == answer['head']['iterations_used'] == STEPS, what
    terms = {t['term']: t for t in d['terms']}
    for term in sides[0][0]:
        means = [sum(step[term] for step in side) / STEPS for side in sides]
        # each side is rounded to whole nanoseconds, up or down
        delta = terms[term]['delta_ns']
        assert abs(delta - (means[1] - means[0])) < 2, f'{what}: {term}: {delta}, not {means}'


def measure(server, run, text):
    status, _, body = server.ask('POST', f'/runs/{run}/measures', text.encode())
    assert status == 201, f'measures of run {run}: {body!r}'


def stored(server, name, body):
    u = server.ended(server.upload(f'project=p&workload=w&file={name}', body))
    assert u['state'] == 'done', f"{name}: {u['error']}"
    return u['runs']


def generated_pairs(server):
    """The token of a pair is the step, or one of several that are accepted."""
    dice = random.Random(16)
    for number in range(PAIRS):
        speculative = number % 3 == 2
        sides, runs = [], []
        for mean in planted(dice):
            body, steps = generated(dice, mean, SEQUENCES * (4 if speculative else 1))
            sides.append(steps)
            runs += stored(server, f'generated-{number}', body)
        accepted = [dice.uniform(1.5, 3.5) for _ in runs] if speculative else [1, 1]
        what = f'generated pair {number}'
        if speculative:
            answer = compare(server, *runs)
            assert 'accept_length' in answer['tokens_reason'], answer['tokens_reason']
            for run, length in zip(runs, accepted):
                measure(server, run, f'accept_length={length!r} tokens')
        measured = None
        if number % 2:
            measured = [dice.uniform(1, 2) for _ in runs]
            for run, ms in zip(runs, measured):
                measure(server, run, f'tpot_mean={ms!r} ms')
        answer = compare(server, *runs)
        hold_planted(what, answer, sides)
        hold_tokens(what, answer, accepted, measured)
        yield what, runs, answer


# ---- what must hold for each pair

def compare(server, base, head, form='json'):
    status, _, body = server.ask('GET', f'/compare?base={base}&head={head}&format={form}')
    assert status == 200, f'{base}, {head}: {status} {body!r}'
    return json.loads(body) if form == 'json' else body.decode()


def near(x, y):
    return abs(x - y) <= NEAR_NS + 1e-12 * abs(x)


def hold_split(what, answer):
    parts = {s['part']: s for s in answer['split']}
    causes = answer['idle_causes']
    for field in ('base', 'head', 'delta'):
        key = f'{field}_ns_per_iteration'
        total = parts['iteration'][key]
        assert near(sum(parts[p][key] for p in PARTS), total), f'{what}: the parts are not {total}'
        if causes is not None:
            idle = sum(c[key] for c in causes)
            assert near(idle, parts['idle'][key]), f'{what}: the causes are {idle}'


def hold_terms(what, d, answer):
    """Whole nanoseconds that add up; of the iteration, each is near its row."""
    for key in ('base_ns', 'head_ns', 'delta_ns'):
        assert sum(t[key] for t in d['terms']) == d[key], f'{what}: {key}: {d}'
    for t in [d, *d['terms']]:
        assert t['delta_ns'] == t['head_ns'] - t['base_ns'], what
    if d['of'] != 'iteration':
        return
    rows = {s['part']: s for s in answer['split']}
    rows |= {c['cause']: c for c in answer['idle_causes'] or []}
    for t in [{**d, 'term': 'iteration'}, *d['terms']]:
        row = rows[t['term']]
        for side in ('base', 'head'):
            off = t[f'{side}_ns'] - row[f'{side}_ns_per_iteration']
            assert abs(off) <= 1, f"{what}: {t['term']} is {off} ns off"
        assert (t['low_ns'], t['high_ns']) == (row['low_ns_per_iteration'],
                                               row['high_ns_per_iteration']), what


def hold_tokens(what, answer, tokens, measured):
    d = answer['decompositions'][-1]
    assert d['of'] == 'output_token' and answer['tokens_reason'] is None, f'{what}: {d}'
    outside = [t for t in d['terms'] if t['term'] == 'outside_engine']
    assert len(outside) == (measured is not None), what
    means, engine = [], []
    for i, side in enumerate(('base', 'head')):
        means.append(answer[side]['iteration_ns'])
        engine.append(d[f'{side}_ns'] - sum(t[f'{side}_ns'] for t in outside))
        assert abs(engine[i] - means[i] / tokens[i]) <= 0.51, f'{what}: {d}'
        assert near(d[f'{side}_median_ns'], answer[side]['iteration_median_ns'] / tokens[i]), what
        assert abs(d[f'{side}_tokens'] - tokens[i]) < 1e-9, what
        if measured:
            assert d[f'{side}_ns'] == round(measured[i] * 1e6), what
    by_tokens = (1 / tokens[1] - 1 / tokens[0]) * sum(means) / 2
    assert abs(d['by_tokens_ns'] - by_tokens) <= 0.51, f'{what}: {by_tokens}'


def hold_report(what, server, runs, answer):
    """The printed terms add up, digit by digit."""
    text = compare(server, *runs, 'md')
    table = re.search(r'### Terms of the mean [^\n]*\n\n((?:\|[^\n]*\n)+)', text)
    rows = [[cell.strip() for cell in line.strip('|').split(' | ')]
            for line in table[1].strip().split('\n')[2:]]
    d = answer['decompositions'][-1]
    assert len(rows) == len(d['terms']) + 1, f'{what}: {rows}'
    for column in (1, 2, 3):
        total, *terms = (decimal.Decimal(row[column]) for row in rows)
        assert sum(terms) == total, f'{what}: {total} is not the sum of {terms}'


def hold_runs(what, server, runs, answer):
    """The means and medians are those of the stored iterations that were used. The causes are
    those of the diagnosis if that has the same iterations."""
    for side, run in zip(('base', 'head'), runs):
        kept = [i for i in server.get(f'/runs/{run}/iterations?limit=5000')['items']
                if i['use'] == 'kept']
        used = answer[side]['iteration_durs_ns']
        if len(kept) != len(used):
            continue
        assert sorted(used) == sorted(i['dur_ns'] for i in kept), what
        mean = sum(i['dur_ns'] for i in kept) / len(kept)
        assert near(answer[side]['iteration_ns'], mean), what
        assert near(answer[side]['iteration_median_ns'],
                    statistics.median(i['dur_ns'] for i in kept)), what
        if answer['idle_causes'] is None or any(f['code'] == 'window_scaled'
                                                for f in answer['findings']):
            continue
        causes = {c['cause']: c['time_ns'] for c in server.get(f'/runs/{run}/diagnosis')['causes']
                  if c['kind'] == 'idle'}
        for c in answer['idle_causes']:
            ns = causes.pop(c['cause']) / len(kept)
            assert near(c[f'{side}_ns_per_iteration'], ns), f"{what}: {c['cause']}: {ns}"
        assert not any(causes.values()), f'{what}: {causes}'


def hold_pair(what, server, runs, answer):
    """Returns whether the pair has parts that can add up."""
    if not {'iteration', *PARTS} <= {s['part'] for s in answer['split']}:
        assert not answer['decompositions'], what
        return False
    hold_split(what, answer)
    for d in answer['decompositions']:
        hold_terms(what, d, answer)
    hold_report(what, server, runs, answer)
    hold_runs(what, server, runs, answer)
    d = answer['decompositions'][-1]
    shown = sorted(d['terms'], key=lambda t: -abs(t['delta_ns']))[:3]
    print(f"{what[-54:]:54} {d['of']:12} {d['delta_ns'] / 1000:+14.3f} "
          + ', '.join(f"{t['term']} {t['delta_ns'] / 1000:+.3f}" for t in shown))
    return True


# ---- recorded pairs

def family(name):
    """What files have in common that record the same program."""
    stem = re.sub(r'\.(json\.gz|sqlite|csv|rpd)$', '', name)
    return re.split(r'_|(?<=decode)-|\d+$', stem)[0]


def recorded_pairs(server):
    families = {}
    for path in sorted(glob.glob(f'{TRACES}/**/*', recursive=True)):
        name = os.path.relpath(path, TRACES)
        if not os.path.isfile(path) or path.endswith('.md') or name.startswith('odd/'):
            continue
        with open(path, 'rb') as f:
            runs = stored(server, os.path.basename(path), f.read())
        key = f'{os.path.dirname(name)}/{family(os.path.basename(name))}'
        families.setdefault(key, []).extend((os.path.basename(name).split('.json')[0], r)
                                            for r in runs)
    for members in families.values():
        for (base, x), (head, y) in itertools.combinations(members, 2):
            yield f'{base} → {head}', [x, y], compare(server, x, y)


def main():
    running.skip_without_postgres()
    counts = {}
    print(f'{"pair":54} {"of":12} {"change (µs)":>14} largest terms (µs)')
    with running.Server() as server:
        for kind, pairs in (('generated', generated_pairs), ('recorded', recorded_pairs)):
            closed = comparable = without = 0
            for what, runs, answer in pairs(server):
                if hold_pair(what, server, runs, answer):
                    closed += 1
                    comparable += answer['comparable']
                else:
                    without += 1
            counts[kind] = closed
            print(f'{kind}: {closed} pairs add up, of which {comparable} are comparable; '
                  f'{without} have no parts of an iteration')
    assert counts['generated'] == PAIRS, counts
    if not counts['recorded']:
        print('no recorded traces are next to the checkout: only generated pairs were compared')


if __name__ == '__main__':
    main()
