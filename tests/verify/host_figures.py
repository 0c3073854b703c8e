"""host_figures.py - reads a trace's kernels and, for each, the host operators that were
open when it was launched. Computed from the JSON alone.
"""
import gzip
import json
from collections import defaultdict

import launch_figures
import trace_figures


def events(path):
    opened = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    with opened as f:
        document = json.loads(f.read().decode(errors='replace'), strict=False,
                              parse_float=str, parse_int=str)
    return document['traceEvents'] if isinstance(document, dict) else document


def read(path):
    """Returns kernels, calls by correlation, and operators by thread; times are in
    ns."""
    kernels, calls, ops = [], defaultdict(list), defaultdict(list)
    copies = 0
    for e in events(path):
        cat = str(e.get('cat', '')).lower()
        start = trace_figures.nanoseconds(e.get('ts'))
        dur = trace_figures.nanoseconds(e.get('dur'))
        if e.get('ph') != 'X' or start is None or dur is None or dur < 0:
            continue
        args = e.get('args', {})
        row = {'name': e['name'], 'start': start, 'end': start + dur,
               'dur': dur, 'thread': (e.get('pid'), e.get('tid')),
               'correlation': launch_figures.number(args, 'correlation',
                                                    'Correlation ID'),
               'dims': args.get('Input Dims', args.get('Input dims'))}
        if cat == 'kernel':
            kernels.append(row)
        elif cat in ('gpu_memcpy', 'gpu_memset', 'memcpy', 'memset'):
            copies += dur
        elif cat in launch_figures.CALLS and row['correlation'] > 0:
            calls[row['correlation']].append(row)
        elif cat in launch_figures.OPS:
            ops[row['thread']].append(row)
    return kernels, calls, ops, copies


def call_of(kernel, calls):
    """Returns the call that launched a kernel. If several calls have its correlation,
    that is the last one that began before the kernel, and of nested calls the
    outermost."""
    same = calls.get(kernel['correlation'])
    if not same:
        return None
    before = [c for c in same if c['start'] <= kernel['start']]
    call = max(before, key=lambda c: c['start']) if before else \
        min(same, key=lambda c: c['start'])
    for c in sorted(same, key=lambda c: c['start']):
        if c['thread'] == call['thread'] and c['start'] <= call['start'] and \
                c['end'] >= call['end']:
            return c
    return call


def joined(kernels, calls, ops):
    """Returns [(kernel, the operators open at its call, outermost first)], for kernels
    whose call is in the trace and does not launch a graph."""
    wanted = defaultdict(list)
    for k in kernels:
        call = call_of(k, calls)
        if call and 'GraphLaunch' not in call['name']:
            wanted[call['thread']].append((call['start'], k))
    for thread, moments in wanted.items():
        rows = sorted(ops.get(thread, ()),
                      key=lambda o: (o['start'], -o['end']))
        at, stack = 0, []
        for moment, k in sorted(moments, key=lambda m: m[0]):
            while at < len(rows) and rows[at]['start'] <= moment:
                stack = [o for o in stack if o['end'] > rows[at]['start']]
                stack.append(rows[at])
                at += 1
            stack = [o for o in stack if o['end'] > moment]
            yield k, stack
