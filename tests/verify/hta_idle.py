#!/usr/bin/python3
"""hta_idle.py - the idle time of a stream, divided as Holistic Trace Analysis (HTA) divides it.

HTA's get_idle_time_breakdown() divides the time between two records of a stream: *host wait* if the
call that launched the second one began after the first one ended, else *kernel wait* if it is shorter
than 30, else *other*. `kernsiftd inspect` prints the same of the idle time of a process, as Late
Launch, Short and the rest. So the records of one stream at a time are given to it.

HTA's own result for two of its traces, in microseconds, is in the table EXPECTED. Steps lead from
kernsift's numbers to it; the script prints the effect of each:

 kernsift   the kept iterations, a limit of 30 ns
 ends       HTA does not count the time before the first and after the last record
 window     all records that were launched before the last ProfilerStep, as HTA selects them
 limit      HTA documents 30 ns, and compares it with microseconds, the unit of the trace
 rounding   HTA rounds times with decimals to microseconds: starts up, and ends down. It reads them
            as doubles, which have a quarter of a microsecond at the time of these traces

The first line is computed twice, by kernsift and by this script, and both must be equal to the
nanosecond. The last line must be HTA's result. Skipped without the shared traces (KERNSIFT_TRACES).
"""
import csv
import decimal
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin'), 'kernsiftd')
TRACES = os.environ.get('KERNSIFT_TRACES') or f'{SOURCE}/../shared/traces'
GPU = ('kernel', 'gpu_memcpy', 'gpu_memset')
US = 1000
LIMIT = 30
# facebookresearch/HolisticTraceAnalysis, commit f4d0062c382f42bd8a74838bcdad1916c7d5d2da:
# tests/data/df_index_resolver/df_index_resolver.json.gz, and
# tests/data/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz.
# The result of TraceAnalysis.get_idle_time_breakdown(ranks=[rank]) of this commit, with pandas
# 1.5.3 and its defaults: host wait, kernel wait and other of each stream.
EXPECTED = {
    'kineto/resnet-ddp_v100_54mb.json.gz': {7: (791330, 16727, 73829), 14: (933139, 5568, 4444)},
    'kineto/ns-resolution.json.gz': {7: (1709, 8404, 0)},
}


def nanoseconds(number):
    """The digits of the JSON, because a double lacks some of them."""
    return int(decimal.Decimal(number) * US)


def started(event, rounded):
    return math.ceil(float(event['ts'])) * US if rounded else nanoseconds(event['ts'])


def ended(event, rounded):
    if rounded:
        return math.floor(float(event['ts']) + float(event['dur'])) * US
    return nanoseconds(event['ts']) + nanoseconds(event['dur'])


class Trace:
    def __init__(self, path):
        with gzip.open(path, 'rt', encoding='utf-8') as f:
            self.document = json.load(f, parse_float=decimal.Decimal)
        self.events = [e for e in self.document['traceEvents'] if e.get('ph') == 'X']
        self.begin_ns = min(nanoseconds(e['ts']) for e in self.events if e['cat'] != 'Trace')
        self.calls = {e['args']['correlation']: e for e in self.events
                      if e['cat'] == 'cuda_runtime' and 'correlation' in e['args']}
        steps = [nanoseconds(e['ts']) for e in self.events
                 if e['name'].startswith('ProfilerStep') and e['cat'] not in GPU
                 and not e['cat'].startswith('gpu_')]
        self.last_step_ns = max(steps)

    def streams(self):
        return sorted({e['args']['stream'] for e in self.events if e['cat'] in GPU})

    def only(self, stream):
        """The bytes of the trace without the records of other streams."""
        kept = [e for e in self.document['traceEvents']
                if e.get('cat') not in GPU or e['args']['stream'] == stream]
        text = json.dumps({**self.document, 'traceEvents': kept}, default=lambda n: f'number {n}')
        return re.sub(r'"number ([-+.E0-9]+)"', r'\1', text).encode()

    def records(self, stream, rounded):
        """(start, end, start of the call or None), in nanoseconds, by start."""
        rows = []
        for e in self.events:
            if e['cat'] not in GPU or e['args']['stream'] != stream:
                continue
            call = self.calls.get(e['args'].get('correlation'))
            rows.append((started(e, rounded), ended(e, rounded),
                         started(call, rounded) if call else None))
        return sorted(rows, key=lambda r: r[0])


def inside(from_ns, to_ns, windows):
    """The part of an interval that is in windows; all of it if that is None."""
    if windows is None:
        return to_ns - from_ns
    return sum(max(0, min(to_ns, b) - max(from_ns, a)) for a, b in windows)


def divided(records, limit_ns, windows):
    """Host wait, kernel wait and other."""
    host = kernel = other = 0
    for (_, before, _), (start, _, called) in zip(records, records[1:]):
        ns = inside(before, start, windows)
        if called is not None and called > before:
            host += ns
        elif start - before < limit_ns:
            kernel += ns
        else:
            other += ns
    return host, kernel, other


def at_ends(records, windows):
    """The time in the windows before the first and after the last record."""
    first, last = records[0][0], max(end for _, end, _ in records)
    return (inside(min(a for a, _ in windows), first, windows)
            + inside(last, max(b for _, b in windows), windows))


def inspected(trace, stream):
    """Late Launch, Short and the rest of the kept iterations, and where these are."""
    with tempfile.NamedTemporaryFile(suffix='.json') as f:
        f.write(trace.only(stream))
        f.flush()
        text = subprocess.run([PROGRAM, 'inspect', '--by', 'iterations,waits', f.name], check=True,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    tables = {block.split('\n')[0]: list(csv.reader(block.strip().split('\n')))
              for block in text.split('\n\n')}
    rows = next(t for head, t in tables.items() if head.startswith('Number,Use,Open'))
    kept = [dict(zip(rows[0], r)) for r in rows[1:] if r[1] == 'kept']
    late, short = map(int, tables['Late Launch (ns),Short (ns)'][1])
    idle = sum(int(r['Idle (ns)']) for r in kept)
    windows = [(trace.begin_ns + int(r['Start (ns)']),
                trace.begin_ns + int(r['Start (ns)']) + int(r['Duration (ns)'])) for r in kept]
    return (late, short, idle - late - short), windows


def show(what, figures):
    print(f'  {what:48} ' + ' '.join(f'{x / US:13.3f}' for x in figures))


def hold_stream(trace, stream, expected):
    ours, windows = inspected(trace, stream)
    exact = trace.records(stream, False)
    launched = [r for r in exact if r[2] is not None and r[2] < trace.last_step_ns]
    rounded = [r for r in trace.records(stream, True)
               if r[2] is not None and r[2] < trace.last_step_ns]
    between = divided(exact, LIMIT, windows)
    steps = [('kernsift: kept iterations, 30 ns', ours),
             ('ends: between two records', between),
             ('window: launched before the last step', divided(launched, LIMIT, None)),
             ('limit: 30 us', divided(launched, LIMIT * US, None)),
             ('rounding: to microseconds', divided(rounded, LIMIT * US, None))]
    ends = at_ends(exact, windows)
    assert (*between[:2], between[2] + ends) == ours, \
        f'stream {stream}: {between} and {ends} at the ends are not {ours}'
    for what, figures in steps:
        show(what, figures)
    show('HTA', [x * US for x in expected])
    assert steps[-1][1] == tuple(x * US for x in expected), f'stream {stream}: {steps[-1]}'


def main():
    found = {name: path for name in EXPECTED if os.path.exists(path := f'{TRACES}/{name}')}
    if not found:
        print('skipped: the traces of HTA are not next to the checkout')
        sys.exit(77)
    print(f'{"µs":50} {"host wait":>13} {"kernel wait":>13} {"other":>13}')
    for name, path in found.items():
        trace = Trace(path)
        assert trace.streams() == sorted(EXPECTED[name]), f'{name}: {trace.streams()}'
        for stream in trace.streams():
            print(f'{name}, stream {stream}')
            hold_stream(trace, stream, EXPECTED[name][stream])


if __name__ == '__main__':
    main()
