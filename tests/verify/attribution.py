#!/usr/bin/python3
"""attribution.py - checks how much GPU time of each recorded trace has an operator, and
whether the operator is right.

attribution.py [FOLDER or FILE]...

Prints one line per file. `specific` is a percentage of the file's GPU time (kernels
and copies). `agrees`, `same` and `side` are percentages of the time of kernels that a
known host operator launched:

  specific  the operator is known and is not "other"
  agrees    the naming rule gives the host operator, an operator that the catalog
            lists as a part of it (a convolution by GEMM), or one that runs below it
  same      the naming rule gives exactly the host operator
  side      the naming rule calls the kernel a copy, a fill or a collective, and the
            host operator is another one. Such a kernel agrees only if the catalog
            lists its operator for the host operator, and the same call of the host
            operator also launched its main kernel
  sized     of kernels that are launched inside an operator with Input Dims, by a
            launch that is in the trace and is no graph replay: the time of those
            with a known shape

The script computes the kernels and the host operators that launched them from the
JSON and from the patterns of server/catalog/data/ops.json. Only the operators of
the naming rules and the reported figures come from `kernsiftd inspect`. The case
fails if `specific`, `agrees` or `sized` is below its minimum (95, 98 and 80 %), if
the figures do not add up to the GPU time, or if an invented name gets an operator. It
also fails if invented rules that call every GEMM a copy would pass. Folders default to
KERNSIFT_TRACES, else the shared traces next to the checkout. Without traces the case
is skipped.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import host_figures
import kernel_stats
import trace_figures

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    '../../server/catalog/data')
MADE_UP = 'zebra_crossing_of_nobody_kernel(float*, int)'
MINIMUM_PCT = {'specific': 95.0, 'agrees': 98.0, 'sized': 80.0}
NUMBERS = re.compile(r'[0-9]')


def load(name):
    with open(os.path.join(DATA, name), encoding='utf-8') as f:
        return json.load(f)


OPERATORS = {o['name']: o for o in load('operators.json')['operators']}
UNSPECIFIC = {o for o, is_ in OPERATORS.items() if is_.get('specific') is False}
COLLECTIVE = {o for o, is_ in OPERATORS.items() if is_.get('collective')}
SIDE_WORK = {'copy', 'memset'} | COLLECTIVE
OPS = [(re.compile(o['match']), o['operator'])
       for o in load('ops.json')['ops']]
KNOWN = {}


def operator_of(op):
    """Returns the catalog's operator of a host operator, or None."""
    if op not in KNOWN:
        KNOWN[op] = next((o for p, o in OPS if p.fullmatch(op)), None)
    return KNOWN[op]


def inspected(path):
    out = subprocess.run([kernel_stats.PROGRAM, 'inspect', '--format', 'json',
                          path], check=True, capture_output=True).stdout
    return json.loads(out)


def measured(path):
    """Returns the figures computed from the trace."""
    kernels, calls, ops, copies = host_figures.read(path)
    m = {'gpu': copies + sum(k['dur'] for k in kernels), 'dims': 0,
         'correlated': 0, 'by': Counter()}
    of_call = defaultdict(list)
    for k, stack in host_figures.joined(kernels, calls, ops):
        m['correlated'] += k['dur']
        if any(NUMBERS.search(json.dumps(o['dims'] or '')) for o in stack):
            m['dims'] += k['dur']
        op = next((o for o in reversed(stack) if operator_of(o['name'])), None)
        if op:
            of_call[op['thread'], op['start'], op['end'], op['name']].append(k)
    for (*_, op), launched in of_call.items():
        names = frozenset(k['name'] for k in launched)
        for k in launched:
            m['by'][k['name'], operator_of(op), names] += k['dur']
    return m


def rules(runs):
    """Returns {name in the trace: operator by its rule}."""
    return {k['mangled'] or k['name']: k['operator']
            for run in runs for k in run['kernels']}


def shown(made, name):
    return made.get(name, made.get(trace_figures.text(name)))


def is_side_work(known, rule):
    return rule != known and rule in SIDE_WORK


def fits(known, rule, rules_of_call):
    is_ = OPERATORS[known]
    if is_side_work(known, rule) and all(is_side_work(known, r) for r in rules_of_call):
        return False
    return rule == known or rule in is_.get('parts', ()) or \
        rule in is_.get('holds', ())


def agreement(m, made):
    agree, same, aside, other = 0, 0, 0, Counter()
    for (name, known, names), ns in m['by'].items():
        rule = shown(made, name)
        same += ns if rule == known else 0
        aside += ns if is_side_work(known, rule) else 0
        if fits(known, rule, {shown(made, n) for n in names}):
            agree += ns
        else:
            other[known, rule, name] += ns
    return agree, same, aside, other


def percent(part, whole):
    return 100.0 * part / whole if whole else None


def sized_of(runs, m):
    """Returns the time of launches with a known shape. Ranges cover graph replays, too.
    Therefore an operator's time by ranges counts only up to the time that its host
    operators launched."""
    by_op, by_range, launched = Counter(), Counter(), Counter()
    for run in runs:
        for s in run['operators']['shapes']:
            if s['shape'] and s['attribution_source'] == 'op_sizes':
                by_op[s['operator']] += s['total_ns']
            elif s['shape'] and s['attribution_source'] == 'sizes':
                by_range[s['operator']] += s['total_ns']
    for (_, known, _), ns in m['by'].items():
        launched[known] += ns
    return sum(by_op.values()) + sum(
        min(ns, max(0, launched[o] - by_op[o])) for o, ns in by_range.items())


def figures(path):
    m = measured(path)
    runs = inspected(path)['runs']
    rows = [o for run in runs for o in run['operators']['rows']]
    wrong = []
    gpu_ns = sum(run['operators']['gpu_ns'] for run in runs)
    if gpu_ns != m['gpu'] or sum(o['total_ns'] for o in rows) != gpu_ns or \
            sum(s['total_ns'] for run in runs
                for s in run['operators']['shapes']) != gpu_ns:
        wrong.append(f'figures do not add up: {gpu_ns}, not {m["gpu"]}')
    specific = sum(o['total_ns'] for o in rows
                   if o['operator'] and o['operator'] not in UNSPECIFIC)
    sized = sized_of(runs, m)
    agree, same, aside, other = agreement(m, rules(runs))
    line = {'gpu': m['gpu'], 'specific': percent(specific, m['gpu']),
            'agrees': percent(agree, sum(m['by'].values())),
            'same': percent(same, sum(m['by'].values())),
            'side': percent(aside, sum(m['by'].values())),
            'sized': percent(sized, m['dims'])}
    wrong += [f'{what} is below {minimum} %' for what, minimum in MINIMUM_PCT.items()
              if line[what] is not None and line[what] < minimum]
    unknown = Counter()
    for run in runs:
        for u in run['operators']['unattributed']:
            unknown[u['name']] += u['total_ns']
    return line, wrong, other, unknown


def made_up():
    """Whether a kernel with an invented name has an operator."""
    trace = {'traceEvents': [
        {'ph': 'X', 'cat': 'kernel', 'name': MADE_UP, 'pid': 0, 'tid': 7,
         'ts': 0, 'dur': 5, 'args': {'device': 0, 'stream': 7}}]}
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump(trace, f)
        f.flush()
        rows = inspected(f.name)['runs'][0]['operators']['rows']
    return [o['operator'] for o in rows] != [None]


def lenient():
    """Returns operators that invented rules could give every GEMM without failing the
    case."""
    by = Counter({(o, o, frozenset([o])): 1 for o, is_ in OPERATORS.items()
                  if is_['group'] == 'gemm'})
    for wrong in sorted(SIDE_WORK):
        made = {name: wrong for name, *_ in by}
        agree, *_ = agreement({'by': by}, made)
        if not by or percent(agree, sum(by.values())) >= MINIMUM_PCT['agrees']:
            yield wrong


def cell(v):
    return f'{v:8.2f}' if v is not None else '       -'


def main():
    places = sys.argv[1:] or [kernel_stats.FOLDER]
    files = list(kernel_stats.traces(places))
    if not files:
        print(f'skipped: no Kineto traces at {places[0]}')
        return 77
    print(f'{"GPU ms":>9} {"specific":>8} {"agrees":>8} {"same":>8} '
          f'{"side":>8} {"sized":>8}  file')
    bad = 0
    for path in files:
        line, wrong, other, unknown = figures(path)
        bad += bool(wrong)
        print(f'{line["gpu"] / 1e6:9.3f} {cell(line["specific"])} '
              f'{cell(line["agrees"])} {cell(line["same"])} '
              f'{cell(line["side"])} {cell(line["sized"])}  '
              f'{os.path.basename(path)}', flush=True)
        for w in wrong:
            print(f'    {w}')
        for name, ns in unknown.most_common(5):
            print(f'    unattributed: {100 * ns / line["gpu"]:.2f} %: '
                  f'{name[:110]}')
        for (known, rule, name), ns in other.most_common(4):
            if ns > line['gpu'] / 500:
                print(f'    {100 * ns / line["gpu"]:.2f} %: launched by '
                      f'{known}, {rule} by its name: {name[:90]}')
    if made_up():
        bad += 1
        print(f"'{MADE_UP}' has an operator")
    for wrong in lenient():
        bad += 1
        print(f"rules that call every gemm '{wrong}' would agree")
    print(f'{bad} of {len(files)} files fail')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
