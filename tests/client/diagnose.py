#!/usr/bin/python3
"""diagnose.py - `kernsift diagnose` shows why a run is slow."""
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

from harness import DB, SRC, Server, equal, ids, kernsift, play, says, upload

sys.path.insert(0, f'{SRC}/tests/api')
from talk.bodies import MADE  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'api', 'data')
# tests/api/data/README.md has the times of idle-causes.json.
TEXT = """run {id}: 1 iteration, GPU busy 32.2 %, idle 67.8 %

1. The GPU is idle for 36.7 % of the time (400 µs) because the host waits in a synchronizing call before the next launch.
   once; 100.0 % of it in cudaStreamSynchronize
   {url}/runs/{id}?tab=patterns#panel

2. Kernels without a known roofline bound run for 31.7 % of the time (346 µs).
   100.0 % unattributed, of the run's kernels without a known bound
   {url}/runs/{id}?tab=operators#panel

3. The GPU is idle for 18.3 % of the time (200 µs) because the host does other work before the next launch.
   once; 80.0 % of it in Python sched.py(12): run, 10.0 % in operator aten::item
   {url}/runs/{id}?tab=iterations#panel

4. The GPU is idle for 8.3 % of the time (90 µs) because the host waits in a blocking copy before the next launch.
   once; 100.0 % of it in cudaMemcpy
   {url}/runs/{id}?tab=copies#panel

5. The GPU is idle for 3.2 % of the time (35 µs) while the API call that launches the next work runs.
   4 times; 85.7 % of it in cudaLaunchKernel, 14.3 % in cudaMemcpy
   {url}/runs/{id}?tab=launches#panel

kind  cause                  per iteration    share
busy  compute_bound                   0 ns    0.0 %
busy  memory_bound                    0 ns    0.0 %
busy  no_bound                      346 µs   31.7 %
busy  launch_floor                    0 ns    0.0 %
busy  exposed_communication           0 ns    0.0 %
busy  copies                          5 µs    0.5 %
idle  synchronization               400 µs   36.7 %
idle  copy_wait                      90 µs    8.3 %
idle  host_gap                      200 µs   18.3 %
idle  launch_bound                   35 µs    3.2 %
idle  graph_launch                    0 ns    0.0 %
idle  stream_dependency               0 ns    0.0 %
idle  unknown                        14 µs    1.3 %
"""
OLDER = """run {id}: 1 iteration, GPU busy 32.2 %, idle 67.8 %; the run was analyzed before causes of idle \
time were found; `kernsiftd rebuild` finds them

1. The GPU is idle for 67.8 % of the time (739 µs), and the cause is unknown.
   in 1 iteration
   {url}/runs/{id}?tab=iterations#panel

2. Kernels compute for 31.7 % of the time (346 µs).
   100.0 % unattributed, of the run's GPU time without copies, sets and collectives
   {url}/runs/{id}?tab=operators#panel

3. Copies run for 0.5 % of the time (5 µs) while no kernel runs.
   in 1 iteration
   {url}/runs/{id}?tab=copies#panel

kind  cause                  per iteration    share
busy  compute                       346 µs   31.7 %
busy  exposed_communication           0 ns    0.0 %
busy  copies                          5 µs    0.5 %
idle  unknown                       739 µs   67.8 %
"""


def run_of(s, name):
    (run,) = ids(upload(s, '--wait', os.path.join(DATA, name)).out, 'run')
    return run


def for_people(s, d):
    """text: the sentences with links to this server, then all causes"""
    run = run_of(s, 'idle-causes.json')
    r = kernsift('diagnose', str(run), server=s)
    equal('text', (r.status, r.out, r.err), (0, TEXT.format(id=run, url=s.url), ''))


def unknown(s, d):
    """a run without single launches has a reason in place of times"""
    run = run_of(s, 'by-grid.csv')
    r = kernsift('diagnose', str(run), server=s)
    equal('text', (r.status, r.out, r.err),
          (0, f'run {run}: the run has no single launches with their starts\n', ''))


def several_iterations(s, d):
    """the table has the times of the sentences: per iteration"""
    path = f'{d}/steps.json'
    with open(path, 'wb') as f:
        f.write(MADE['steps']())
    (run,) = ids(upload(s, '--wait', path).out, 'run')
    sentences = s.get(f'/api/v1/runs/{run}/diagnosis')['sentences']
    out = kernsift('diagnose', str(run), server=s).out
    for c in sentences:
        time = re.search(r'[(](.*) per iteration[)]', c['text'])[1]
        says(c['cause'], out, rf".*\n{c['kind']} +{c['cause']} +{re.escape(time)} +[0-9.]+ %\n.*")
    equal('there are sentences', len(sentences) > 1, True)


def changes(s, d):
    """what changes would save: each with its interval and assumptions"""
    path = f'{d}/rank.json'
    with open(path, 'wb') as f:
        f.write(MADE['rank-0-of-2']())
    (run,) = ids(upload(s, '--wait', path).out, 'run')
    (w, *_) = s.get(f'/api/v1/runs/{run}/diagnosis')['what_if']
    out = kernsift('diagnose', str(run), server=s).out
    says('overlap', out, r'.*\nwhat a single change would save \(two changes can save the same '
         rf'time\):\n.*\n- {re.escape(w["text"])}\n  95 % interval: \S+ \Ss to \S+ \Ss; assumed:\n'
         + ''.join(rf'  \* {re.escape(a)}\n' for a in w['assumptions']) + '.*\nkind .*')


def fusions(s, d):
    """those whose tensor may have other readers are apart"""
    path = f'{d}/fusions.json'
    with open(path, 'wb') as f:
        f.write(MADE['fusions']())
    (run,) = ids(upload(s, '--wait', path).out, 'run')
    out = kernsift('diagnose', str(run), server=s).out
    says('unknown readers', out, r'.*\nonly if a tensor has no other reader, which the trace does '
         r'not show:\n\n- Fusing elementwise fp32 \(x=\[4096,1024\] y=\[4096,1024\]\) and layer_norm '
         r'fp32 \(x=\[4096,1024\]\) into one kernel would save 24 µs per iteration \(2.4 % of it\).\n'
         r'  assumed:\n  \* layer_norm reads the 16777216 bytes that elementwise writes, and nothing '
         r'else does; the trace does not show who reads them\n.*')
    equal('once', out.count('only if a tensor'), 1)


def of_an_older_server(s, d):
    """without stored causes, their reason is printed once"""
    run = run_of(s, 'idle-causes.json')
    subprocess.run(['psql', '-qd', DB, '-c', f'DELETE FROM run_busy_class WHERE run_id = {run}; '
                    f'DELETE FROM run_wait WHERE run_id = {run}; '
                    f'DELETE FROM run_wait_name WHERE run_id = {run}'], check=True)
    r = kernsift('diagnose', str(run), server=s)
    equal('text', (r.status, r.out, r.err), (0, OLDER.format(id=run, url=s.url), ''))


def as_the_server(s, d):
    """json and md are the server's bytes; md has links to this server"""
    run = run_of(s, 'idle-causes.json')
    for form, query in (('json', ''), ('md', f'?format=md&site={s.url}')):
        with urllib.request.urlopen(f'{s.url}/api/v1/runs/{run}/diagnosis{query}') as r:
            wanted = r.read().decode()
        got = kernsift('diagnose', '--format', form, str(run), server=s)
        equal(form, (got.status, got.out, got.err), (0, wanted, ''))


def refused(s, d):
    """no id, no such run, a format of comparisons"""
    r = kernsift('diagnose', 'x1', server=s)
    equal('no id', (r.status, r.err), (64, "kernsift: diagnose: 'x1' is not the id of a run\n"))
    r = kernsift('diagnose', '99999', server=s)
    equal('no run', (r.status, r.out, r.err), (1, '', 'kernsift: no run 99999\n'))
    r = kernsift('diagnose', '--format', 'csv', '1', server=s)
    equal('csv', (r.status, r.err),
          (64, 'kernsift: --format: diagnose prints no csv (use text, json or md)\n'))


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([for_people, unknown, several_iterations, changes, fusions, as_the_server, refused,
              of_an_older_server], s, d)


if __name__ == '__main__':
    main()
