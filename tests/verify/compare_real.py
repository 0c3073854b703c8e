#!/usr/bin/python3
"""compare_real.py - checks what comparisons of recorded runs report.

Repeats of a run have no regression. If two runs did different work, the comparison
reports that first. A real change is found. Each line of the table is a comparison and
its required result. Each is also run in reverse, which must be its exact mirror. Skipped
without the shared traces (KERNSIFT_TRACES).
"""
import itertools
import json
import os
import subprocess
import sys

SRC = os.environ.get('KERNSIFT_SRC') or os.path.abspath(
    os.path.join(os.path.dirname(__file__), '..', '..'))
BIN = os.environ.get('KERNSIFT_BIN') or os.path.join(SRC, 'build/dev/bin')
TRACES = os.environ.get('KERNSIFT_TRACES') or os.path.join(
    SRC, '..', 'shared', 'traces')
CLASSES = ('regressed', 'appeared', 'improved', 'vanished', 'likely',
           'within_margin', 'undecided', 'unchanged')
CHANGED = CLASSES[:4]

PARTICLE = {64: [f'kineto/repeats/particle-bs64_{i}' for i in range(2, 6)],
            128: [f'kineto/repeats/particle-bs128_{i}' for i in range(2, 5)]}
NANO = 'kineto/repeats/nano-vllm-decode_step'
TWO = [f'{NANO}{i}' for i in (10, 30, 40, 50)]
ONE = [f'{NANO}{i}' for i in range(60, 140, 10)]
SAM = [f'kineto/sam-fast_{v}' for v in ('a1', 'a2', 'b')]
HALVED = ['nsys/gpt-2.7b_a100_eager.sqlite', 'nsys/gtls_23k-kernels.sqlite',
          'kineto/ns-resolution',
          'kineto/resnet18-ddp_mi300x', 'kineto/resnet50_v100_2020-format']

breaches = []


def path(name):
    return os.path.join(TRACES, name if '.' in os.path.basename(name)[-8:]
                        else name + '.json.gz')


def compared(base, head, *options):
    files = [path(f) for f in base]
    if head:
        files += ['--'] + [path(f) for f in head]
    command = [os.path.join(BIN, 'compare_files'), *options, *files]
    first, second = (subprocess.run(command, check=True, capture_output=True)
                     .stdout for _ in range(2))
    got = json.loads(first)
    if first != second:
        breach(got, 'the same input gives other bytes')
    back = json.loads(subprocess.run(
        [command[0], '--swap', *command[1:]], check=True,
        capture_output=True).stdout)
    for problem in not_mirrored(got, back):
        breach(got, f'the reverse comparison is no mirror: {problem}')
    return got


def not_mirrored(to, fro):
    """Yields where the comparison of the head with the base is no exact mirror."""
    other = dict(zip(CHANGED, ('improved', 'vanished', 'regressed', 'appeared')))
    pairs = [(part, to['split'][part], fro['split'].get(part))
             for part in to['split']]
    by_name = {}
    for r in fro['rows']:
        by_name.setdefault(r['head_name'] or r['name'], []).append(r)
    for r in to['rows']:
        same = by_name.get(r['name'], [])
        found = [b for b in same if b['base'] == r['head'] and
                 b['head'] == r['base']]
        pairs.append((r['name'], r, found[0] if found else None))
    for o in to['operators']:
        key = (o['operator'], o['shape'], o['inferred'])
        same = [b for b in fro['operators']
                if (b['operator'], b['shape'], b['inferred']) == key]
        pairs.append((o['operator'], o, same[0] if len(same) == 1 else None))
        if same and (o['base_operators'], o['head_operators']) != (
                same[0]['head_operators'], same[0]['base_operators']):
            yield f'{o["operator"]}: the operators are not exchanged'
    if len(fro['rows']) != len(to['rows']):
        yield f'{len(to["rows"])} rows, {len(fro["rows"])} in the reverse'
    for name, a, b in pairs:
        if not b:
            yield f'{name} is not in the reverse'
            continue
        negated = [(a[x], b[y]) for x, y in
                   (('delta', 'delta'), ('low', 'high'), ('high', 'low'))]
        if any((p is None) != (q is None) or p is not None and p != -q
               for p, q in negated):
            yield f'{name}: differences are not negated: {negated}'
        if other.get(a['is'], a['is']) != b['is']:
            yield f'{name}: {a["is"]} and {b["is"]}'
        if a['p_family'] != b['p_family'] or a['evidence'] != b['evidence']:
            yield f'{name}: the evidence differs'


def breach(got, why):
    breaches.append(f'{why}: {got["headline"]}')


def line(what, got):
    counts = ' '.join(f'{got["count"][c]:4}' for c in CLASSES)
    print(f'{what[:46]:46} {got["base"]["used"]:4} {got["head"]["used"]:4} '
          f'{counts}  {got["headline"][:110]}')


def short(names):
    return ','.join(os.path.basename(n).replace('nano-vllm-decode_', '')
                    for n in names)


def null(base, head, *options, likely=0):
    got = compared(base, head, *options)
    line(f'{short(base)} {options[0] if options else short(head)}', got)
    if any(got['count'][c] for c in CHANGED):
        breach(got, f'{short(base)}: unchanged was accused')
    if got['count']['likely'] > likely:
        breach(got, f'{short(base)}: unchanged is likely changed')


def other(base, head, sizes):
    got = compared(base, head)
    line(f'{short(base)} {short(head)}', got)
    codes = dict(got['findings'])
    if got['comparable'] or 'other_work' not in codes:
        breach(got, f'{short(base)}: other work is not reported')
    elif not all(s in codes['other_work'] for s in sizes):
        breach(got, f'{short(base)}: the sizes are not named')
    if sum(got['count'][c] for c in CHANGED + ('likely',)):
        breach(got, f'{short(base)}: other work is judged')


def repeats():
    for group in (*PARTICLE.values(), SAM[:2]):
        for a, b in itertools.permutations(group, 2):
            null([a], [b])
        for n in range(2, len(group)):
            for a in itertools.combinations(group, n):
                null(list(a), [g for g in group if g not in a])


def change():
    got = compared(SAM[:2], SAM[2:])
    line(short(SAM), got)
    if not got['comparable']:
        breach(got, 'a change of the code is taken for other work')
        return
    rows = got['rows']
    cat = [r for r in rows if 'CatArrayBatchedCopy<bool' in r['name']
           and r['is'] == 'likely' and r['evidence'] == 'launches']
    if not cat or not (29e6 < cat[0]['base'] < 32e6 and
                       15e6 < cat[0]['head'] < 17e6):
        breach(got, 'the CatArray copy is not named')
    named = [r for r in rows if r['is'] in ('likely', *CHANGED)]
    came = [r['name'] for r in named if r['base'] == 0]
    went = [r['name'] for r in named if r['head'] == 0]
    if not came or not went:
        breach(got, 'what appeared or vanished is not named')
    for r in named:
        print(f'    {r["is"]:9} {r["evidence"]:8} {r["base"] / 1e6:8.3f} -> '
              f'{r["head"] / 1e6:8.3f} ms  {r["name"][:70]}')


def job():
    ranks = [f'kineto/megatron-tp8_rank{i}' for i in range(4)]
    got = compared(ranks[:2], ranks[2:], '--job')
    line('megatron-tp8 0,1 as a job, 2,3 as another', got)
    if got['base']['units'] != 1 or got['base']['runs'] != 2:
        breach(got, 'the ranks of a job are no one unit')
    if any(got['count'][c] for c in CHANGED):
        breach(got, 'ranks of one job were accused')
    if 'waiting' not in got['split']:
        breach(got, 'a job without its waiting')


def vendors():
    """On another vendor, attention is another operator of the same group."""
    got = compared(['kineto/deepseek-r1-decode_sglang_b300_tp0'],
                   ['kineto/deepseek-r1-decode_sglang_mi300x_tp0'])
    line('deepseek-r1 on B300, on MI300X', got)
    inferred = [(o['operator'], o['base_operators'], o['head_operators'])
                for o in got['operators'] if o['inferred']]
    if inferred != [('attention', ['unified_attention'],
                     ['paged_attention_decode'])]:
        breach(got, f'inferred: {inferred}')


def main():
    if not os.path.isdir(TRACES):
        print(f'skipped: there are no traces at {TRACES}')
        return 77
    print(f'{"base, head":46} used used ' +
          ' '.join(c[:4] for c in CLASSES))
    repeats()
    for a, b in ((64, 'kineto/repeats/particle-bs64_7'),):
        other(PARTICLE[a][:1], [b], ('128', '91'))
    other(PARTICLE[64][:1], PARTICLE[128][:1], ('64', '128'))
    other(TWO, ONE, ('2', '1'))
    other(TWO[-1:], ONE[:1], ('2', '1'))
    change()
    vendors()
    for f in HALVED:
        null([f], None, '--halves', likely=3)
    job()
    for b in breaches:
        print('breach:', b)
    return bool(breaches)


sys.exit(main())
