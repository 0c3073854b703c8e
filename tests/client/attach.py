#!/usr/bin/python3
"""attach.py - tables of Nsight Compute and results of benchmarks are attached to a stored run."""
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
    equal('no id', (r.status, r.err), (64, "kernsift: attach: 'x1' is not the id of a run\n"))
    r = kernsift('attach', '99999', other, server=s)
    equal('no run', (r.status, r.err), (1, f'kernsift: {other}: no run 99999\n'))
    none = os.path.join(d, 'none.csv')
    r = kernsift('attach', str(run), none, other, data('ncu-raw.csv'), server=s)
    equal('statuses', r.status, 74)
    equal('messages', r.err.splitlines()[:2], [
        f"kernsift: cannot open '{none}': No such file or directory",
        f"kernsift: {other}: 'ncu-other.csv': none of its 1 kernels is one of the run, such as "
        "'made_up_elsewhere'; attach it to the run of the same program"])
    equal('sent', r.out.count('profiled kernels'), 1)


def measures(s, d):
    """with the upload, later, once more, and what is refused"""
    r = upload(s, '--measures', data('vllm-serving.json'), data('importance.json'))
    (run,) = ids(r.out, 'run')
    url = f'{s.url}/runs/{run}'
    equal('sent', (r.status, r.out.splitlines()),
          (0, [f'run {run} {url}', f'run {run}: 13 measures, {url}']))
    for _ in range(2):
        r = kernsift('attach', '--measures', data('loss.txt'), str(run), server=s)
        equal('later', (r.status, r.out), (0, f'run {run}: 15 measures, {url}\n'))
    r = kernsift('attach', '--measures', data('loss-other.txt'), '--measures', data('loss-unit.txt'),
                 str(run), data('ncu-raw.csv'), server=s)
    equal('refused', (r.status, r.err.splitlines()[-2]), (1, (
        f"kernsift: {data('loss-other.txt')}: run {run} has another value of loss: 2.5 instead of "
        '2.75; delete that one first')))
    equal('unit', "unit 'furlongs' of ttft_mean is unknown" in r.err.splitlines()[-1], True)
    equal('the table was sent', 'profiled kernels' in r.out, True)
    stored = s.get(f'/api/v1/runs/{run}/measures')['items']
    equal('stored', ({m['file'] for m in stored}, len(stored)),
          ({'vllm-serving.json', 'loss.txt'}, 15))
    none = os.path.join(d, 'none.json')
    r = upload(s, '--measures', none, data('one-kernel.json'))
    equal('no such file', (r.status, r.out, r.err), (74, '', (
        f"kernsift: --measures: cannot open '{none}': No such file or directory\n")))
    r = upload(s, '--measures', '-', '-')
    equal('twice', (r.status, r.err),
          (64, 'kernsift: --measures: standard input can be read only once\n'))
    r = kernsift('attach', str(run), server=s)
    equal('nothing', (r.status, r.err), (64, 'kernsift: attach: no file is given (name tables of '
                                            'Nsight Compute, or --measures FILE)\n'))
    r = upload(s, '--measures', data('loss.txt'), data('ncu-raw.csv'))
    equal('no run', (r.status, r.err.splitlines()[-1]), (1, (
        f"kernsift: the measures are not sent, because '{data('ncu-raw.csv')}' has no run")))


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([attached, refused, measures], s, d)


if __name__ == '__main__':
    main()
