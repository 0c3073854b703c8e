#!/usr/bin/python3
"""attach.py - tables of Nsight Compute are attached to a stored run."""
import os
import tempfile

from harness import Server, equal, ids, kernsift, play, upload

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'api', 'data')
CLOCKS = ("Nsight Compute executes each kernel alone and by default with clocks that are locked to "
          "their base: its durations are not comparable with the run's times and are in no sum")


def data(name):
    return os.path.join(DATA, name)


def run_of(s):
    (run,) = ids(upload(s, '--wait', data('importance.json')).out, 'run')
    return run


def attached(s, d):
    """both pages, and one file again"""
    run = run_of(s)
    r = kernsift('attach', str(run), data('ncu-details.csv'), data('ncu-raw.csv'), server=s)
    url = f'{s.url}/runs/{run}'
    equal('lines', (r.status, r.out), (0, (
        f'run {run}: 4 profiled kernels, 3 matched, 1 with shape, {url}\n'
        f'run {run}: 5 profiled kernels, 4 matched, 2 with shape, {url}\n')))
    equal('first finding', r.err.splitlines()[0], f"{data('ncu-details.csv')}: {CLOCKS}")
    r = kernsift('attach', str(run), data('ncu-raw.csv'), server=s)
    equal('again', (r.status, r.err.splitlines()[0]),
          (0, f"{data('ncu-raw.csv')}: is already attached"))
    files = s.get(f'/api/v1/runs/{run}/kernel-profiles')['files']
    equal('files', [f['name'] for f in files], ['ncu-details.csv', 'ncu-raw.csv'])


def refused(s, d):
    """no run, no file, no table, a table of another program: the others are sent"""
    run = run_of(s)
    other = data('ncu-other.csv')
    r = kernsift('attach', 'x1', other, server=s)
    equal('no id', (r.status, r.err), (2, "kernsift: attach: 'x1' is not the id of a run\n"))
    r = kernsift('attach', '99999', other, server=s)
    equal('no run', (r.status, r.err), (1, f'kernsift: {other}: no run 99999\n'))
    none = os.path.join(d, 'none.csv')
    r = kernsift('attach', str(run), none, other, data('ncu-raw.csv'), server=s)
    equal('statuses', r.status, 1)
    equal('messages', r.err.splitlines()[:2], [
        f"kernsift: cannot open '{none}': No such file or directory",
        f"kernsift: {other}: 'ncu-other.csv': none of its 1 kernels is one of the run, such as "
        "'made_up_elsewhere'; attach it to the run of the same program"])
    equal('sent', r.out.count('profiled kernels'), 1)


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([attached, refused], s, d)


if __name__ == '__main__':
    main()
