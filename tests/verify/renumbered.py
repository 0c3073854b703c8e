#!/usr/bin/python3
"""renumbered.py - compares random compiled programs with themselves after a renumbering.

renumbered.py [--seeds N] [--first SEED] [--verbose]

Each seed is a program of 20 to 200 compiled kernels of TorchInductor, XLA or TVM, with
GEMMs of cuBLAS between them. Another compilation gives the kernels other numbers: all are
shifted, two are exchanged, or all are permuted, so that most numbers belong to another
kernel than before; cuBLAS runs other tiles. Kernels of one name without its number often
have the same grid and nearly the same length, and times vary. Two runs of each compilation
are uploaded, and two in which one kernel is 10 % slower.

* The default gate passes for the renumbered runs, of two runs and of one run per side.
* The comparison has no kernel that is new or gone. Each kernel has the row of the kernel
  that it was before, or of several that fit equally well and include it.
* The slower kernel is slower by 10 % in the row with its new name, and no other kernel
  changed. The gate that counts every change fails because of it.
* The breakdown comparison has no row of one run only.
"""
import argparse
import collections
import json
import os
import random
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(f'{HERE}/../gen')

from compiled import Kernel, BF16, made_steps, mm
from running import Server, skip_without_postgres

OPS = ('add', 'gelu', 'mul', 'silu', 'native_layer_norm', 'sum', 'cat')
RELAX = ('add', 'gelu', 'multiply', 'silu', 'rms_norm', 'split', 'cast')
KINDS = ('poi', 'red', 'per')
TILES = ('64x64', '128x64', '64x128', '128x128', '256x64', '256x128', '128x32')
GRIDS = (64, 128, 512, 2048)
SLOWER, NOISE, BETWEEN = 1.10, 0.01, 0.002
BASE, AGAIN, SLOW = 'base', 'again', 'slow'


class Program:
    """A program: its kernels, the launches of a step, and the names of each kernel in two
    compilations."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.form = ('inductor', 'xla', 'tvm')[seed % 3]
        n = dice.randint(20, 200)
        stems = [self.stem(dice) for _ in range(max(3, n // 6))]
        lengths = {s: dice.uniform(30, 300) for s in stems}
        self.kernels = []
        for i in range(n):
            stem = dice.choice(stems)
            us = lengths[stem] * dice.choice((1, dice.uniform(0.99, 1.01), dice.uniform(0.5, 2)))
            grid, op = dice.choice(GRIDS), None
            if self.form == 'inductor':
                size = grid * 1024
                op = ('', [[size], [size]], [BF16, BF16])
            self.kernels.append((Kernel(i, stem, us, grid, 256, op), False))
        for i in range(n, n + max(2, n // 10)):
            m, nn, k = (dice.choice((256, 512, 1024, 4096)) + i * 8, 1024, 512)
            self.kernels.append((Kernel(i, 'gemm', dice.uniform(100, 500), dice.choice(GRIDS), 128,
                                        mm(m, nn, k) if self.form == 'inductor' else None), True))
        self.launches = [k for k, _ in self.kernels for _ in range(dice.choice((1, 1, 1, 2)))]
        dice.shuffle(self.launches)
        self.step_us = round(sum(k.us * SLOWER + 3 for k in self.launches) + 200)
        order = self.in_order()
        self.names = {BASE: self.named(order, list(range(n)), dice),
                      AGAIN: self.named(order, self.renumbered(n, dice), dice)}
        own = [k for k, gemm in self.kernels if not gemm]
        self.slow = dice.choice(own).key

    def stem(self, dice):
        if self.form == 'tvm':
            return 'fused_' + '_'.join(f'{op}{{n}}' for op in dice.choices(RELAX, k=2)) + '_kernel'
        ops = '_'.join(dice.choices(OPS, k=2))
        if self.form == 'xla':
            return f'loop_{ops}_fusion{{n}}'
        return f'triton_{dice.choice(KINDS)}_fused_{ops}_{{n}}'

    def in_order(self):
        """Returns the keys of the compiled kernels in the order of their first launches."""
        gemms = {k.key for k, gemm in self.kernels if gemm}
        return list(dict.fromkeys(k.key for k in self.launches if k.key not in gemms))

    @staticmethod
    def renumbered(n, dice):
        """Returns the number of each kernel after another compilation."""
        how = dice.choice(('shifted', 'exchanged', 'permuted'))
        numbers = list(range(n))
        if how == 'shifted':
            at = dice.randrange(n)
            return [i + (i >= at) for i in numbers]
        if how == 'exchanged':
            i, j = dice.sample(numbers, 2)
            numbers[i], numbers[j] = numbers[j], numbers[i]
            return numbers
        dice.shuffle(numbers)
        return numbers

    def named(self, order, numbers, dice):
        """Returns the name of each kernel. XLA and TVM count each name on its own; the
        first has no number."""
        by_key, names = {k.key: k for k, _ in self.kernels}, {}
        count = collections.Counter()
        for number, key in sorted(zip(numbers, order)):
            stem = by_key[key].name
            nth = count[stem]
            count[stem] += 1
            text = str(number)
            if self.form == 'xla':
                text = f'_{nth}' if nth else ''
            if self.form == 'tvm':
                text = str(nth) if nth else ''
            names[key] = stem.replace('{n}', text)
        for k, gemm in self.kernels:
            if gemm:
                tile = dice.choice(TILES) if self.form == 'inductor' else TILES[k.key % len(TILES)]
                names[k.key] = f'ampere_bf16_s16816gemm_bf16_{tile}_ldg8_f2f_stages_64x3_tn'
        return names

    def trace(self, which, seed):
        names = self.names[BASE if which == BASE else AGAIN]
        factor = random.Random(f'{seed}').gauss(1, BETWEEN)
        slow = self.slow if which == SLOW else None
        launches = [(k, names[k.key], k.us * factor * (SLOWER if k.key == slow else 1))
                    for k in self.launches]
        return made_steps(launches, self.step_us, NOISE, steps=10, seed=seed)

    def before(self):
        """Returns the names in the base of each kernel that has this name in the head."""
        out = collections.defaultdict(set)
        for k, _ in self.kernels:
            out[self.names[AGAIN][k.key]].add(self.names[BASE][k.key])
        return out


def uploaded(server, program, seed):
    """Uploads the runs; returns the ids of each kind."""
    runs = {}
    for which in (BASE, AGAIN, SLOW):
        runs[which] = []
        for i in range(2):
            query = urllib.parse.urlencode({'project': f'p{seed}', 'workload': 'w',
                                            'label.kind': which, 'name': f'{which}{i}'})
            data = program.trace(which, seed * 100 + len(runs) * 10 + i)
            runs[which].append(server.upload(query, data))
    for uploads in runs.values():
        for u in uploads:
            done = server.ended(u)
            assert done['state'] == 'done', done
    return {which: [server.get(f'/runs?upload={u}')['items'][0]['id'] for u in uploads]
            for which, uploads in runs.items()}


def text_of(ids):
    return ','.join(map(str, ids))


def gate(server, base, head, **policy):
    body = json.dumps({'base': text_of(base), 'head': text_of(head), **policy})
    status, _, answer = server.ask('POST', '/gates', body)
    assert status == 201, answer
    return json.loads(answer)


def check_rows(program, compared, faults):
    """Checks which kernel of the base each row found; returns the number of kernels in
    rows of several."""
    before, several = program.before(), 0
    for r in compared['items']:
        heads = r['head_functions'] or [r['function']]
        bases = set(r['base_functions'] or [r['function']])
        several += len(heads) if r['identity'] == 'several' else 0
        for name in heads:
            if name in before and not before[name] <= bases:
                faults.append(f'{name} was {before[name]}, and its row has {bases}')
    for word in ('appeared', 'vanished'):
        if compared['counts'][word]:
            faults.append(f'{compared["counts"][word]} {word}')
    return several


def check(server, seed, verbose):
    program, faults = Program(seed), []
    ids = uploaded(server, program, seed)
    for n in (1, 2):
        out = gate(server, ids[BASE][:n], ids[AGAIN][:n])
        if out['outcome'] != 'pass' or out['exit_status'] != 0:
            faults.append(f'the gate of {n} runs: {out["outcome"]}: {out["summary"]}')
    again = server.get(f'/compare?base={text_of(ids[BASE])}&head={text_of(ids[AGAIN])}')
    several = check_rows(program, again, faults)
    changed = [r['function'] for r in again['items'] if r['verdict'] in ('regressed', 'improved')]
    if changed:
        faults.append(f'changed: {changed}')
    slow = server.get(f'/compare?base={text_of(ids[BASE])}&head={text_of(ids[SLOW])}')
    check_rows(program, slow, faults)
    name = program.names[AGAIN][program.slow]
    row = next((r for r in slow['items']
                if name in (r['head_functions'] or [r['function']])), None)
    pct = row and 100 * row['delta_ns_per_iteration'] / row['base_ns_per_iteration']
    if row is None:
        faults.append(f'no row of {name}, which is slower')
    elif row['identity'] != 'several' and not (8 < pct < 12 and row['verdict'] in
                                               ('regressed', 'likely')):
        faults.append(f'{name}: {row["verdict"]} by {pct} %')
    for r in slow['items']:
        if r is not row and r['verdict'] in ('regressed', 'improved'):
            faults.append(f'{r["function"]} {r["verdict"]}')
    out = server.get(f'/breakdown?runs={ids[BASE][0]},{ids[AGAIN][0]}')
    alone = [line for line in out['items'] if line['match'] == 'alone']
    if alone:
        faults.append(f'{len(alone)} of {len(out["items"])} rows of the breakdown are of one run')
    if verbose or faults:
        print(f'seed {seed}: {program.form}, {len(program.kernels)} kernels, {several} in rows of '
              f'several; slower: {row and row["verdict"]} {pct} ({row and row["identity"]})')
        for f in faults:
            print(f'    {f}')
    return bool(faults), several, len(program.kernels), row is not None and \
        row['identity'] != 'several'


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    p.add_argument('--seeds', type=int, default=24)
    p.add_argument('--first', type=int, default=0)
    p.add_argument('--verbose', action='store_true')
    o = p.parse_args()
    skip_without_postgres()
    with Server(['--workers', '2']) as server:
        results = [check(server, seed, o.verbose)
                   for seed in range(o.first, o.first + o.seeds)]
    failed = sum(r[0] for r in results)
    print(f'{o.seeds} programs, {sum(r[2] for r in results)} kernels: {failed} failed; '
          f'{sum(r[1] for r in results)} kernels in rows of several; '
          f'{sum(r[3] for r in results)} slower kernels in a row of their own')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
