#!/usr/bin/python3
"""diagnosis.py - the diagnosis of a stored run has the causes that its trace has.

Uploads generated traces, and each trace of up to 2 MiB under ../shared/traces. The causes of busy
and idle time and the names of /runs/{id}/diagnosis must be those that `kernsiftd inspect` prints for the same file.
Those of a kind must add up to the busy or idle time of the kept iterations in
/runs/{id}/iterations, to the nanosecond. The sentences must be about the causes with the
most time. Then the rows that an older server would not have are deleted: all idle time must be
unknown, with a reason, and `kernsiftd rebuild` must bring the causes back.
"""
import glob
import os
import subprocess
import sys
import tempfile

import busy_classes
import idle_causes
import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/api')
MADE = ['steps', 'serving-16', 'layers', 'rank-0-of-2']
MOST_BYTES = 2 << 20
SENTENCES = 5
REASON = ('the run was analyzed before causes of idle time were found; '
          '`kernsiftd rebuild` finds them')


def hold_sentences(what, d):
    wall = d['busy_ns'] + d['idle_ns']
    shown = [c for c in d['causes'] if wall and 100 * c['time_ns'] / wall >= 0.05]
    most = sorted(shown, key=lambda c: -c['time_ns'])[:SENTENCES]
    assert [s['cause'] for s in d['sentences']] == [c['cause'] for c in most], f'{what}: {d}'
    for s, c in zip(d['sentences'], most):
        assert s['time_ns'] == c['time_ns'], what
        assert f"{c['share_pct']:.1f} % of the time" in s['text'], f"{what}: {s['text']}"
        assert s['link'].startswith((f"/runs/{d['run']}?tab=", '/jobs/')), s['link']


def hold_iterations(server, what, d):
    """Returns whether the run has iterations with known times."""
    kept = [i for i in server.get(f"/runs/{d['run']}/iterations?limit=5000")['items']
            if i['use'] == 'kept']
    assert d['iterations'] == len(kept), what
    if not kept or kept[0]['idle_ns'] is None:
        assert d['reason'] and not d['causes'] and d['busy_ns'] is None, f'{what}: {d}'
        return False
    times = {kind: sum(c['time_ns'] for c in d['causes'] if c['kind'] == kind)
             for kind in ('busy', 'idle')}
    idle = sum(i['idle_ns'] for i in kept)
    busy = sum(i['compute_ns'] + i['comm_ns'] + i['copy_ns'] for i in kept)
    assert (d['busy_ns'], d['idle_ns']) == (busy, idle), f'{what}: {d}'
    assert times == {'busy': busy, 'idle': idle}, f'{what}: {times}'
    hold_sentences(what, d)
    return True


def hold_trace(what, d, run, classes):
    """`run` and `classes` have the tables that inspect printed of the trace."""
    busy = [(c['cause'], c['time_ns']) for c in d['causes'] if c['kind'] == 'busy']
    assert busy == [(r['Class'], int(r['Time (ns)']))
                    for r in busy_classes.table(classes, 'Class,Time (ns)')], f'{what}: {busy}'
    idle = [c for c in d['causes'] if c['kind'] == 'idle']
    printed = [(r[0], int(r[1]), int(r[2]))
               for r in idle_causes.table(run, 'Cause,Time (ns),Parts')]
    assert [(c['cause'], c['time_ns'], c['parts']) for c in idle] == printed, what
    names = [(c['cause'], n['time_ns'], n['kind'], n['name']) for c in idle
             for n in c['evidence']]
    listed = [(r[0], int(r[1]), r[2], r[3])
              for r in idle_causes.table(run, 'Cause,Time (ns),Kind')]
    assert names == listed, f'{what}: {names} are not {listed}'


def hold_file(server, path, what):
    """Returns the ids of the runs that have causes; none if the file is not a trace."""
    printed = list(idle_causes.tables(path).values())
    if not printed:
        return []
    with open(path, 'rb') as f:
        u = server.ended(server.upload(f'project=p&file={os.path.basename(path)}', f.read()))
    assert u['state'] == 'done', f"{what}: {u['error']}"
    assert len(printed) == len(u['runs']), what
    found = []
    classes = list(busy_classes.tables(path).values())
    for number, (run, tables) in enumerate(zip(u['runs'], printed)):
        d = server.get(f'/runs/{run}/diagnosis')
        if hold_iterations(server, f'{what}, {number}', d):
            hold_trace(f'{what}, {number}', d, tables, classes[number])
            found.append(run)
    return found


def hold_older(server, run):
    """The rows of the causes are those of a server before migrations 0027 and 0031: none."""
    known = server.get(f'/runs/{run}/diagnosis')
    server.sql('DELETE FROM run_busy_class; DELETE FROM run_wait; DELETE FROM run_wait_name')
    d = server.get(f'/runs/{run}/diagnosis')
    assert d['reason'] == REASON, d
    assert (d['busy_ns'], d['idle_ns']) == (known['busy_ns'], known['idle_ns']), d
    assert [(c['cause'], c['time_ns'], c['parts']) for c in d['causes'] if c['kind'] == 'idle'] \
        == [('unknown', d['idle_ns'], None)], d
    busy = [(c['cause'], c['time_ns']) for c in d['causes'] if c['kind'] == 'busy']
    classes = {c['cause']: c['time_ns'] for c in known['causes'] if c['kind'] == 'busy'}
    assert busy == [('compute', sum(classes[c] for c in busy_classes.KERNELS)),
                    *((c, classes[c]) for c in busy_classes.CLASSES[4:])], d
    hold_iterations(server, 'an older run', d)
    subprocess.run([running.BIN, 'rebuild', '--data', server.data], check=True,
                   stdout=subprocess.DEVNULL)
    running.until('the run is rebuilt', lambda:
                  server.get(f'/runs/{run}/diagnosis')['reason'] is None)
    assert server.get(f'/runs/{run}/diagnosis') == known, run


def main():
    running.skip_without_postgres()
    from talk.bodies import MADE as bodies
    with running.Server() as server, tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in MADE:
            paths.append(f'{folder}/{name}.json')
            with open(paths[-1], 'wb') as f:
                f.write(bodies[name]())
        paths += sorted(p for p in glob.glob(f'{idle_causes.TRACES}/**/*', recursive=True)
                        if os.path.isfile(p) and not p.endswith('.md')
                        and os.path.getsize(p) <= MOST_BYTES)
        runs = [run for p in paths for run in hold_file(server, p, os.path.basename(p))]
        assert len(runs) >= len(MADE), runs
        hold_older(server, runs[0])
    print(f'{len(runs)} runs of {len(paths)} files: the stored causes are those of the trace')


if __name__ == '__main__':
    main()
