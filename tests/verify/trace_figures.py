"""trace_figures.py - computes a trace's kernel statistics independently of the server.

The script shares no code with the server. Python's json reads the file and keeps every
number as its digits. Sums and roots are exact integers and fractions. The rounding
rules are implemented here a second time.
"""
import gc
import gzip
import json
import math
import re
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

# Python's garbage collector is off: it needs up to two thirds of a script's time, and
# finds nothing. The documents have a million objects; none refers back to another.
gc.disable()

SETS = ('memset', 'gpu_memset')
UNKEPT = re.compile('[\0\ud800-\udfff]')
COPIES = ('memcpy', 'gpu_memcpy') + SETS
DIRECTIONS = {'H': 'Host', 'D': 'Device', 'P': 'Peer', 'A': 'Array'}


def nanoseconds(digits):
    """Converts microseconds, as text, to whole nanoseconds; rounds half away from
    zero."""
    if isinstance(digits, bool) or not isinstance(digits, str):
        return None
    whole, _, part = digits.partition('.')
    if len(part) <= 3 and (whole + part).isdigit() and digits.isascii():
        return int(whole + part.ljust(3, '0'))
    try:
        ns = Decimal(digits) * 1000
    except ArithmeticError:
        return None
    return int(ns.to_integral_value(ROUND_HALF_UP)) if ns.is_finite() else None


def text(name):
    """Returns text as the server stores it: without U+0000 and without half surrogate
    pairs."""
    return UNKEPT.sub('\ufffd', name)


def operation(event):
    if event['cat'].lower() in SETS:
        return '[CUDA memset]'
    word = event['name'].split(' ')
    if len(word) > 1 and word[0] == 'Memcpy' and len(word[1]) == 4 and \
            word[1][1:3] == 'to':
        a, b = DIRECTIONS[word[1][0]], DIRECTIONS[word[1][3]]
        return f'[CUDA memcpy {a}-to-{b}]'
    if event['name'].startswith('Copy') and 'To' in event['name']:
        a, b = event['name'][4:].split('To')
        return f'[CUDA memcpy {a}-to-{b}]'
    return text(event['name'])


def three(args, key):
    v = args.get(key)
    return tuple(int(x) for x in v) if isinstance(v, list) else None


def read(path):
    """Returns {rank or None: (kernels, copies)}, each a list of dictionaries."""
    opened = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    with opened as f:
        document = json.loads(f.read().decode(errors='replace'), strict=False,
                              parse_float=str, parse_int=str)
    events = document
    if isinstance(document, dict):
        events = document['traceEvents']
    runs = defaultdict(lambda: ([], []))
    for e in events:
        kind = str(e.get('cat', '')).lower()
        if e.get('ph') != 'X' or kind not in ('kernel', *COPIES):
            continue
        start, dur = nanoseconds(e.get('ts')), nanoseconds(e.get('dur'))
        if start is None or dur is None or dur < 0:
            continue
        args = e.get('args', {})
        rank = int(args['rank']) if 'rank' in args else None
        runs[rank][kind != 'kernel'].append({
            'name': text(e['name']), 'operation': '', 'start': start,
            'dur': dur, 'device': int(args.get('device', e.get('pid'))),
            'grid': three(args, 'grid'), 'block': three(args, 'block'),
            'bytes': args.get('bytes'),
        })
        if kind != 'kernel':
            runs[rank][1][-1]['operation'] = operation(e)
    return runs


def tenths(value):
    """Rounds a fraction to one decimal, half away from zero, and returns it as text."""
    n = (Fraction(value) * 20 + 1) // 2
    return f'{n // 10}.{n % 10}'


def deviation(values):
    n, total = len(values), sum(values)
    if n < 2:
        return '0.0'
    spread = n * sum(v * v for v in values) - total * total
    # round(10 s) = floor(sqrt(100 s^2) + 1/2) = (isqrt(4 * 100 s^2) + 1) / 2
    k = (math.isqrt(400 * spread // (n * (n - 1))) + 1) // 2
    return f'{k // 10}.{k % 10}'


def percentile(values, p):
    at = Fraction((len(values) - 1) * p, 100)
    i = int(at)
    step = values[i + 1] - values[i] if at > i else 0
    return tenths(values[i] + (at - i) * step)


def line(values, whole):
    """Returns Time %, total, instances, avg, med, min, max, sd, p90, p99."""
    v, n = sorted(values), len(values)
    middle = Fraction(v[(n - 1) // 2] + v[n // 2], 2)
    return (tenths(Fraction(100 * sum(v), whole)) if whole else '0.0',
            str(sum(v)), str(n), tenths(Fraction(sum(v), n)), tenths(middle),
            str(v[0]), str(v[-1]), deviation(v), percentile(v, 90),
            percentile(v, 99))


def table(rows, key):
    """Returns lines with their keys, in nsys' order: (key…, line…)."""
    groups = defaultdict(list)
    for r in rows:
        groups[key(r)].append(r['dur'])
    whole = sum(r['dur'] for r in rows)
    made = [(k, line(v, whole)) for k, v in groups.items()]
    made.sort(key=lambda m: (-int(m[1][1]), int(m[1][2]),
                             m[0][-1].encode(),
                             [x if x is not None else (-1, -1, -1)
                              for x in m[0][:-1]]))
    return made


def union(rows):
    busy, end = 0, None
    for r in sorted(rows, key=lambda r: r['start']):
        stop = r['start'] + r['dur']
        begin = r['start'] if end is None else max(r['start'], end)
        busy += max(0, stop - begin)
        end = stop if end is None else max(end, stop)
    return busy


def figures(run, shown):
    """Returns all figures of one run; `shown` maps a name in the trace to its shown
    name."""
    kernels, copies = run
    for k in kernels:
        k['name'] = shown(k['name'])
    both = kernels + copies
    first = min((r['start'] for r in both), default=0)
    last = max((r['start'] + r['dur'] for r in both), default=0)
    return {
        'totals': {
            'span_ns': last - first, 'busy_ns': union(kernels),
            'kernel_ns': sum(k['dur'] for k in kernels),
            'launches': len(kernels), 'copies': len(copies),
            'copy_ns': sum(c['dur'] for c in copies),
            'kernels': len({k['name'] for k in kernels}),
        },
        'kernels': table(kernels, lambda r: (r['name'],)),
        'kernels by device':
            table(kernels, lambda r: (r['device'], r['name'])),
        'kernels by grid':
            table(kernels, lambda r: (r['grid'], r['block'], r['name'])),
        'copies': table(copies, lambda r: (r['operation'],)),
        'copies by device':
            table(copies, lambda r: (r['device'], r['operation'])),
        'bytes': sum(int(c['bytes']) for c in copies if c['bytes']),
    }
