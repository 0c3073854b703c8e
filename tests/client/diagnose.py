#!/usr/bin/python3
"""diagnose.py - `kernsift diagnose` shows why a run is slow."""
import os
import tempfile
import urllib.request

from harness import Server, equal, ids, kernsift, play, upload

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'api', 'data')
# tests/api/data/README.md has the times of idle-causes.json.
TEXT = """run {id}: 1 iteration, GPU busy 32.2 %, idle 67.8 %

1. The GPU is idle for 36.7 % of the time (400 µs) because the host waits in a synchronizing call before the next launch.
   once; 100.0 % of it in cudaStreamSynchronize
   {url}/runs/{id}?tab=patterns#panel

2. Kernels compute for 31.7 % of the time (346 µs).
   100.0 % unattributed, of the run's GPU time without copies, sets and collectives
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

kind  cause                          time    share
busy  compute                   346.00 us   31.7 %
busy  exposed_communication       0.00 ns    0.0 %
busy  copies                      5.00 us    0.5 %
idle  synchronization           400.00 us   36.7 %
idle  copy_wait                  90.00 us    8.3 %
idle  host_gap                  200.00 us   18.3 %
idle  launch_bound               35.00 us    3.2 %
idle  graph_launch                0.00 ns    0.0 %
idle  stream_dependency           0.00 ns    0.0 %
idle  unknown                    14.00 us    1.3 %
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


def as_the_server(s, d):
    """json is the server's bytes"""
    run = run_of(s, 'idle-causes.json')
    with urllib.request.urlopen(f'{s.url}/api/v1/runs/{run}/diagnosis') as r:
        wanted = r.read().decode()
    got = kernsift('diagnose', '--format', 'json', str(run), server=s)
    equal('json', (got.status, got.out, got.err), (0, wanted, ''))


def refused(s, d):
    """no id, no such run, a format of comparisons"""
    r = kernsift('diagnose', 'x1', server=s)
    equal('no id', (r.status, r.err), (2, "kernsift: diagnose: 'x1' is not the id of a run\n"))
    r = kernsift('diagnose', '99999', server=s)
    equal('no run', (r.status, r.out, r.err), (1, '', 'kernsift: no run 99999\n'))
    r = kernsift('diagnose', '--format', 'csv', '1', server=s)
    equal('csv', (r.status, r.err),
          (2, 'kernsift: --format: diagnose prints no csv (use text or json)\n'))


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([for_people, unknown, as_the_server, refused], s, d)


if __name__ == '__main__':
    main()
