#!/usr/bin/python3
"""gaps.py - the longest gaps of a stored run are those of its timeline.

Uploads generated traces, and each trace of up to 2 MiB under ../shared/traces. The timeline of each
run is read as any reader of Chrome traces would: a gap is a time between GPU events, less the time
outside of kept iterations. Number, total and the longest gaps of /runs/{id}/gaps must be the same,
with the names of the events before and after. The causes of a gap must add up to its time, and those
of all gaps to the causes of /runs/{id}/diagnosis, if all gaps are listed.
"""
import decimal
import glob
import json
import os
import sys
import tempfile

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/api')
TRACES = f'{SOURCE}/../shared/traces'
MADE = ['steps', 'serving-16', 'layers', 'rank-0-of-2']
MOST_BYTES = 2 << 20
LIMIT = 100
GPU = {'kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_graph'}


def ns(us):
    return int(decimal.Decimal(us) * 1000)


def timeline(server, run):
    """The GPU events of a run as (start, end, name), in order; both have the times of the trace."""
    status, _, body = server.ask('GET', f'/runs/{run}/timeline')
    assert status == 200, (run, body[:200])
    events = [e for e in json.loads(body, parse_float=decimal.Decimal)['traceEvents']
              if e['ph'] == 'X']
    gpu = [(ns(e['ts']), ns(e['ts']) + ns(e['dur']), e['name'])
           for e in events if e.get('cat') in GPU]
    return sorted(gpu, key=lambda e: e[0])


def kept_time(kept, start, end):
    return sum(max(0, min(end, b) - max(start, a)) for a, b in kept)


def gaps_of(events, kept):
    """All gaps with time in kept iterations: (time, names before, names after), longest first. Events
    that end or begin together have an arbitrary order, so a gap has the names of all of them."""
    found = []
    until, before = min((a for a, _ in kept), default=0), {None}
    spans = events + [(max((b for _, b in kept), default=0), 1 << 62, None)]
    for i, (start, end, name) in enumerate(spans):
        time = kept_time(kept, until, start)
        if start > until and time:
            after = {n for s, _, n in spans[i:i + 50] if s == start}
            found.append((time, before, after))
        if end > until:
            before = {name}
        elif end == until:
            before = before | {name}
        until = max(until, end)
    return sorted(found, key=lambda g: -g[0])


def hold_run(server, run, what):
    """Returns the number of gaps that were compared."""
    doc = server.get(f'/runs/{run}/gaps?limit={LIMIT}')
    iterations = server.get(f'/runs/{run}/iterations?limit=5000')['items']
    kept = [(i['start_ns'], i['start_ns'] + i['dur_ns']) for i in iterations
            if i['use'] == 'kept' and i['start_ns'] is not None]
    if doc['reason']:
        assert not doc['items'] and (not kept or iterations[0]['idle_ns'] is None), (what, doc)
        return 0
    found = gaps_of(timeline(server, run), kept)
    assert doc['gaps'] == len(found), f'{what}: {doc["gaps"]} gaps are not {len(found)}'
    assert doc['idle_ns'] == sum(g[0] for g in found), f'{what}: {doc["idle_ns"]}'
    times = [g['time_ns'] for g in doc['items']]
    assert times == [g[0] for g in found[:LIMIT]], f'{what}: {times[:5]} are not {found[:5]}'
    for one, (time, before, after) in zip(doc['items'], found):
        assert sum(c['time_ns'] for c in one['causes']) == one['time_ns'], (what, one)
        if times.count(time) == 1:
            for side, names in (('before', before), ('after', after)):
                name = one[side] and one[side]['name']
                # The timeline has mangled names as they were recorded.
                assert name in names or any(n and n.startswith('_Z') for n in names), \
                    f'{what}: {side} is {name!r}, not {names}'
    hold_causes(server, run, what, doc)
    return len(doc['items'])


def hold_causes(server, run, what, doc):
    sums = {}
    for one in doc['items']:
        for c in one['causes']:
            sums[c['cause']] = sums.get(c['cause'], 0) + c['time_ns']
    all_listed = doc['gaps'] == len(doc['items'])
    for c in server.get(f'/runs/{run}/diagnosis')['causes']:
        got = sums.get(c['cause'], 0)
        if c['kind'] == 'idle':
            assert got == c['time_ns'] if all_listed else got <= c['time_ns'], (what, c, got)


def main():
    running.skip_without_postgres()
    from talk.bodies import MADE as bodies
    runs_n = gaps_n = 0
    with running.Server() as server, tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in MADE:
            paths.append(f'{folder}/{name}.json')
            with open(paths[-1], 'wb') as f:
                f.write(bodies[name]())
        paths += sorted(p for p in glob.glob(f'{TRACES}/**/*', recursive=True)
                        if os.path.isfile(p) and not p.endswith('.md')
                        and '/odd/' not in p and os.path.getsize(p) <= MOST_BYTES)
        for path in paths:
            with open(path, 'rb') as f:
                u = server.ended(server.upload(f'project=p&file={os.path.basename(path)}', f.read()))
            for run in u['runs']:
                n = hold_run(server, run, f'{os.path.basename(path)}, run {run}')
                runs_n += n > 0
                gaps_n += n
    assert runs_n >= len(MADE), runs_n
    print(f'{gaps_n} gaps of {runs_n} runs are those of the timelines')


if __name__ == '__main__':
    main()
