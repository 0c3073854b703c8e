"""launch_figures.py - computes which code launched each kernel of a Kineto trace.

The computation is independent of the server and shares only its rules. The script reads
the file with Python's json, keeps the ranges that are open at a call in a set, and
shortens names with regular expressions.
"""
import gzip
import json
import re
from collections import defaultdict

import trace_figures

CALLS = ('cuda_runtime', 'cuda_driver', 'runtime')
OPS = ('cpu_op', 'operator')
OPERATOR = re.compile('[A-Za-z0-9_]+')
EMITTED = re.compile(r', (?:seq|op_id|sizes|input_op_ids) = ')
MARKER = re.compile(r"\{'Module': '([^']+)'")
STEP = re.compile(r'(?i:profilerstep|step|iteration|iter|epoch|batch|execute)'
                  r'[ _#:\-\[(]*(?:context_)?[0-9]|(?i:step)\[')
ADDRESS = re.compile(r' at 0x[0-9a-fA-F]*')


def number(args, *keys):
    for k in keys:
        if k in args:
            try:
                return int(args[k])
            except ValueError:
                return -1
    return -1


def frame(kind, name):
    """Returns the range's (kind, name) as paths show them."""
    marker = MARKER.match(name) if kind == 'annotation' else None
    if marker:
        return 'module', marker[1]
    if kind == 'annotation':
        name = EMITTED.split(name, 1)[0]
    if kind in ('annotation', 'op') and STEP.match(name):
        name = re.sub('[0-9]+', '*', name)
    if kind == 'python':
        name = ADDRESS.sub('', name)
    return kind, name


def kind_of(event):
    cat = event['cat'].lower()
    # Files of 2020 and 2021 write annotations as operators.
    if event['cat'] == 'Operator' and '::' not in event['name'] and \
            not OPERATOR.fullmatch(event['name']):
        return 'annotation'
    if cat in OPS:
        return 'op'
    if cat == 'user_annotation':
        return 'annotation'
    if cat == 'python_function':
        module = event['name'].startswith('nn.Module: ')
        return 'module' if module else 'python'
    return None


def read(path):
    """Returns {rank or None: {'kernels', 'calls', 'spans'}}, in the file's order."""
    opened = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    with opened as f:
        document = json.loads(f.read().decode(errors='replace'), strict=False,
                              parse_float=str, parse_int=str)
    events = document
    if isinstance(document, dict):
        events = document['traceEvents']
    runs = defaultdict(lambda: {'kernels': [], 'calls': [], 'spans': []})
    for place, e in enumerate(events):
        if e.get('ph') != 'X':
            continue
        cat = str(e.get('cat', '')).lower()
        start = trace_figures.nanoseconds(e.get('ts'))
        dur = trace_figures.nanoseconds(e.get('dur'))
        if start is None or dur is None or dur < 0:
            continue
        args = e.get('args', {})
        row = {'name': trace_figures.text(e['name']), 'start': start,
               'end': start + dur, 'dur': dur, 'place': place,
               'thread': str(e.get('tid')), 'pid': str(e.get('pid')),
               'correlation': number(args, 'correlation'),
               'external': number(args, 'External id', 'external id')}
        run = runs[int(args['rank']) if 'rank' in args else None]
        if cat == 'kernel':
            row['device'] = int(args.get('device', e.get('pid')))
            run['kernels'].append(row)
        elif cat in CALLS:
            run['calls'].append(row)
        elif kind_of(e):
            row['kind'] = kind_of(e)
            run['spans'].append(row)
    return runs


def joined(run):
    """Returns [(kernel, its call or None)]. In these traces no two calls have one
    correlation."""
    calls = {}
    for c in run['calls']:
        if c['correlation'] > 0:
            assert c['correlation'] not in calls, c
            calls[c['correlation']] = c
    return [(k, calls.get(k['correlation'])) for k in run['kernels']]


def paths_at(spans, moments):
    """Returns {key: spans open at its time, outermost first}; a moment is (time,
    key)."""
    boundaries = []
    for s in spans:
        if s['dur']:
            boundaries.append((s['start'], 1, s))
            boundaries.append((s['end'], 0, s))
    boundaries.sort(key=lambda b: b[:2])
    found, is_open, at = {}, {}, 0
    for time, key in sorted(moments, key=lambda m: m[0]):
        while at < len(boundaries) and boundaries[at][0] <= time:
            _, begins, s = boundaries[at]
            if begins:
                is_open[s['place']] = s
            else:
                del is_open[s['place']]
            at += 1
        found[key] = sorted(is_open.values(), key=lambda s: (
            s['start'], -s['end'], s['kind'] == 'op', s['place']))
    return found


def by_thread(spans, moments):
    """Calls paths_at() for each thread; a moment is (thread, time, key)."""
    lanes, requests, found = defaultdict(list), defaultdict(list), {}
    for s in spans:
        lanes[s['pid'], s['thread']].append(s)
    for thread, time, key in moments:
        requests[thread].append((time, key))
    for thread, some in requests.items():
        found.update(paths_at(lanes[thread], some))
    return found


def callers(run):
    """Returns {(kernel, known, path): [launches, total]}, with the path as inspect
    writes it."""
    pairs = joined(run)
    stacks = by_thread(run['spans'], [
        ((c['pid'], c['thread']), c['start'], c['place'])
        for _, c in pairs if c])
    linked = [k for k, _ in pairs if k['external'] > 0]
    repeated = sum(k['external'] == k['correlation'] for k in linked)
    ops = {}
    if repeated * 2 <= len(linked):
        for s in run['spans']:
            if s['kind'] == 'op' and s['external'] > 0:
                first = ops.setdefault(s['external'], s)
                if s['start'] < first['start']:
                    ops[s['external']] = s
    lines = defaultdict(lambda: [0, 0])
    for k, c in pairs:
        stack = stacks[c['place']] if c else []
        op = ops.get(k['external'])
        if not stack and op:
            around = by_thread(run['spans'], [
                ((op['pid'], op['thread']), op['start'], 0)])[0]
            stack = around[:around.index(op)] + [op] if op in around \
                else around + [op]
        known = 'path' if stack else 'no_range' if c else 'no_call'
        path = ' > '.join(f'{kind}:{name}' for kind, name in
                          (frame(s['kind'], s['name']) for s in stack))
        line = lines[k['name'], known, path]
        line[0] += 1
        line[1] += k['dur']
    return lines


def api(name):
    return re.sub(r'_v[0-9]{4}$', '', name)


def spread(values):
    """Returns avg, med, min, max, sd as inspect writes them, or empty texts if there
    are no values."""
    if not values:
        return ('',) * 5
    line = trace_figures.line(values, 0)
    return line[3], line[4], line[5], line[6], line[7]


def latency(launches):
    """Returns {(thread, device, api, kernel): (count, queued, 20 numbers…)}. A launch
    is (thread, device, api, kernel, call start, call end, kernel start, kernel end)."""
    groups = defaultdict(list)
    for *key, c0, c1, k0, k1 in launches:
        groups[tuple(key)].append((max(c1, k1) - c0, c1 - c0, k0 - c1, k1 - k0))
    table = {}
    for key, rows in groups.items():
        total, call, queue, kernel = zip(*rows)
        queue = [q for q in queue if q >= 0]
        table[key] = (str(len(rows)), str(len(queue)), *spread(total),
                      *spread(call), *spread(queue), *spread(kernel))
    return table


def launches(run):
    for k, c in joined(run):
        if c:
            yield (c['thread'], k['device'], api(c['name']), k['name'],
                   c['start'], c['end'], k['start'], k['end'])

