#!/usr/bin/python3
"""kernel_launches.py - computes the launches of each kernel again from the trace.

Uploads a generated trace of two devices (tests/gen/gen_trace.py). For each kernel, computes in
plain Python from the events of the file: the histogram in the bounds of the answer, the slices
of time and the streams, each with exact medians and maxima; p50 and p99 must be those of the
kernel table. Also checks the bounds: bins without gaps whose widths are equal on a logarithmic
axis, slices of equal length.
"""
import collections
import decimal
import json
import math
import statistics
import sys
import tempfile

import running
from kernel_stats import expanded


def launches_of(trace):
    """Returns {name: [(start_ns, dur_ns, device, stream)]}, with the first kernel at 0."""
    events = json.loads(trace, parse_float=decimal.Decimal)
    events = events['traceEvents'] if isinstance(events, dict) else events
    found = collections.defaultdict(list)
    for e in events:
        if e.get('cat') == 'kernel':
            found[expanded(e['name']) or e['name']].append((int(e['ts'] * 1000), int(e['dur'] * 1000),
                                     e['args']['device'], e['args']['stream']))
    first = min(start for list_ in found.values() for start, *_ in list_)
    return {name: [(s - first, *rest) for s, *rest in list_] for name, list_ in found.items()}


def percentile(values, p):
    """Type 7, to tenths, halves away from zero."""
    values = sorted(values)
    at = decimal.Decimal(p) * (len(values) - 1) / 100
    low = values[int(at)]
    high = values[min(int(at) + 1, len(values) - 1)]
    exact = low + (at - int(at)) * (high - low)
    return float(exact.quantize(decimal.Decimal('0.1'), decimal.ROUND_HALF_UP))


def check_bins(bins, ns):
    assert 1 <= len(bins) <= 60, len(bins)
    assert sum(b['launches'] for b in bins) == len(ns)
    for b, after in zip(bins, bins[1:] + [None]):
        due = sum(b['from_ns'] <= x < b['to_ns'] for x in ns)
        assert b['launches'] == due, (b, due)
        assert after is None or after['from_ns'] == b['to_ns'], b
    assert bins[0]['launches'] and bins[-1]['launches'], 'empty bins at an end'
    # between whole ns, the widths are those of one division of octaves
    widths = [math.log2(b['to_ns'] / b['from_ns']) for b in bins if b['from_ns'] > 0]
    slack = [2 / (b['from_ns'] * math.log(2)) for b in bins if b['from_ns'] > 0]
    if len(widths) > 2:
        width = statistics.median(widths)
        for w, s in zip(widths, slack):
            assert abs(w - width) <= s + 1e-9, (w, width)
        # one more division would have too many
        assert len(bins) * 2 >= 58, len(bins)


def check_slices(slices, launches):
    assert 1 <= len(slices) <= 100
    starts = [s for s, *_ in launches]
    assert slices[0]['from_ns'] == min(starts)
    assert slices[-1]['from_ns'] <= max(starts) < slices[-1]['to_ns']
    lengths = {s['to_ns'] - s['from_ns'] for s in slices}
    assert len(lengths) == 1, lengths
    for s in slices:
        ns = [d for start, d, *_ in launches if s['from_ns'] <= start < s['to_ns']]
        got = (s['launches'], s['median_ns'], s['max_ns'])
        due = (len(ns), percentile(ns, 50), max(ns)) if ns else (0, None, None)
        assert got == due, (s, due)


def check_streams(doc, launches):
    due = collections.defaultdict(list)
    for _, ns, device, stream in launches:
        due[device, stream].append(ns)
    assert doc['streams_count'] == len(due)
    got = {(s['device'], s['stream']): s['times'] for s in doc['streams']}
    assert len(got) == len(due) and set(got) == set(due), (got.keys(), due.keys())
    totals = [s['times']['total_ns'] for s in doc['streams']]
    assert totals == sorted(totals, reverse=True)
    for key, ns in due.items():
        times = got[key]
        assert (times['instances'], times['total_ns'], times['median_ns'], times['p99_ns']) == \
            (len(ns), sum(ns), percentile(ns, 50), percentile(ns, 99)), (key, times)


def check(server, run, trace):
    launches = launches_of(trace)
    rows = server.get(f'/runs/{run}/kernels?limit=500')['items']
    assert len(rows) == len(launches), (len(rows), len(launches))
    for row in rows:
        doc = server.get(f'/runs/{run}/kernels/{row["id"]}/launches')
        of = launches[row['name']]
        ns = [d for _, d, *_ in of]
        assert doc['kernel']['name'] == row['name']
        for key in doc['times']:
            assert doc['times'][key] == row[key], (row['name'], key)
        assert doc['times']['median_ns'] == percentile(ns, 50)
        assert doc['times']['p99_ns'] == percentile(ns, 99)
        check_bins(doc['bins'], ns)
        check_slices(doc['slices'], of)
        check_streams(doc, of)
    return len(rows), sum(map(len, launches.values()))


def main():
    running.skip_without_postgres()
    with running.Server(['--workers', '1']) as server, tempfile.TemporaryDirectory() as folder:
        for options in (['--steps', '30', '--devices', '2'], ['--steps', '1', '--layers', '1']):
            trace, _ = running.generate(folder, 'trace', *options)
            upload = server.ended(server.upload('project=p&workload=w', trace))
            assert upload['state'] == 'done', upload
            print('%d kernels, %d launches' % check(server, upload['runs'][0], trace))


if __name__ == '__main__':
    sys.exit(main())
